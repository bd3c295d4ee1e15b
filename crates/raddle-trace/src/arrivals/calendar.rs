//! How many nanoseconds lie between two dates with times, exactly?
//!
//! `YYYY-MM-DD HH:MM:SS` with up to nine decimals, further ones cut off; then nothing, `Z`, or a
//! zone such as `+00:00`. Days have 86,400 seconds: no leap seconds, and no summer time where the
//! text names no zone.

const NS: i128 = 1_000_000_000;

/// Nanoseconds since the first of March of the year 0; only differences mean anything.
pub(super) fn nanoseconds(text: &str) -> Option<i128> {
    let text = text.trim();
    let (date, time) = text.split_once([' ', 'T'])?;
    let (clock, zone_seconds) = zone(time.trim_start())?;
    let mut date = date.split('-');
    let (year, month, day) = (date.next()?, date.next()?, date.next()?);
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    if date.next().is_some() || !(1..=12).contains(&month) || day < 1 || day > days(year, month) {
        return None;
    }
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut parts = clock.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let (hour, minute, second) = (number(hour, 2)?, number(minute, 2)?, number(second, 2)?);
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let below: i128 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    let seconds = (day_number(year, month, day) * 24 + hour) * 3600 + minute * 60 + second;
    Some(i128::from(seconds - zone_seconds) * NS + below)
}

/// The time without its zone, and how many seconds the zone is ahead.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time.trim_end(), 0));
    }
    let Some(at) = time.find(['+', '-']) else {
        return Some((time, 0));
    };
    let (clock, zone) = (time[..at].trim_end(), &time[at + 1..]);
    let (hours, minutes) = zone.split_once(':').or_else(|| zone.split_at_checked(2))?;
    let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = (hours * 60 + minutes) * 60;
    Some((clock, if time[at..].starts_with('-') { -seconds } else { seconds }))
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let fits = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn days(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + is_leap(year) as i64,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since the first of March of the year 0. Counted from March, a leap day is the last of its
/// year, and five months always have 153 days.
const fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leaps + (153 * month + 2) / 5 + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(a: &str, b: &str) -> i128 {
        nanoseconds(b).expect(b) - nanoseconds(a).expect(a)
    }

    #[test]
    fn differences_are_exact() {
        assert_eq!(
            apart("2023-11-16 18:15:46.6805900", "2023-11-16 18:15:50.9951690"),
            4_314_579_000
        );
        assert_eq!(apart("2023-12-31 23:59:59.9999999", "2024-01-01 00:00:00"), 100);
        assert_eq!(apart("2024-02-28T00:00:00Z", "2024-03-01T00:00:00Z"), 2 * 86_400 * NS);
        assert_eq!(apart("2023-02-28 00:00:00", "2023-03-01 00:00:00"), 86_400 * NS);
        assert_eq!(
            apart("2024-05-10 02:00:00+02:00", "2024-05-10 00:00:00.009930+00:00"),
            9_930_000
        );
        assert_eq!(apart("2024-05-10 00:00:00-0130", "2024-05-10 01:30:00 Z"), 0);
        assert_eq!(apart("2024-05-10 00:00:00.1234567899", "2024-05-10 00:00:01"), 876_543_211);
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut last = day_number(1896, 12, 31);
        for year in 1897..2405 {
            for month in 1..=12 {
                for day in 1..=days(year, month) {
                    let next = day_number(year, month, day);
                    assert_eq!(next, last + 1, "{year}-{month}-{day}");
                    last = next;
                }
            }
        }
        assert_eq!(day_number(1970, 1, 1) - day_number(2000, 1, 1), -10_957);
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "2023",
            "2023-11-16",
            "16.11.2023 18:15:46",
            "2023-13-01 00:00:00",
            "2023-02-29 00:00:00",
            "2023-00-01 00:00:00",
            "2023-01-00 00:00:00",
            "2023-01-01 24:00:00",
            "2023-01-01 00:60:00",
            "2023-01-01 00:00:60",
            "2023-01-01 00:00",
            "2023-01-01 00:00:00.",
            "2023-01-01 00:00:00.x",
            "2023-01-01 00:00:00+1",
            "2023-01-01 00:00:00+25:00",
            "23-1-1 0:0:0",
            "2023-01-01 00:00:00.123456789é",
            "2023-01-01-01 00:00:00",
        ] {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }
}
