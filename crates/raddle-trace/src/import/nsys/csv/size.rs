//! How much shared memory does a workgroup have whose size is printed in megabytes?
//!
//! With three decimals of a megabyte (10^6 bytes), 1000 sizes print alike. Of these the smallest
//! that is a whole number of KiB is taken: most kernels that use much memory ask for whole KiB, and
//! the limits of devices are whole KiB. The size taken never exceeds the limit of the device that
//! ran the kernel: where `t` bytes ran under a limit of whole KiB, that limit is at least `t`
//! rounded up to KiB, and the smallest whole number of KiB that prints as `t` does is no larger.
//! With the largest size that prints alike, or the printed number itself where it was rounded up,
//! kernels that fill a compute unit could not be placed.

use crate::decimal::fixed;
use crate::import::nsys::work::Lds;

/// Largest inaccuracy of a printed size that is accepted, in bytes: the distance between two sizes
/// that are printed differently. A less accurate size counts as unknown.
const STEP_LIMIT: u64 = 1000;

const KIB: u64 = 1024;

/// Least number of decimals with which Nsight Systems prints a size; a spreadsheet drops zeros at
/// the end.
const DECIMALS: usize = 3;

/// Returns the shared memory of a workgroup, the sum of the two numbers `printed` for (static,
/// dynamic) memory. A number counts in units of ten to the power of its entry in `places`, in
/// bytes. `Lds::Unknown` where one of the two numbers or units is missing.
pub(super) fn shared_memory(printed: [Option<&str>; 2], places: [Option<u32>; 2]) -> Lds {
    let (mut bytes, mut slack, mut exact) = (0_u64, 0, true);
    for (text, places) in printed.into_iter().zip(places) {
        let Some((text, places)) = text.zip(places) else {
            return Lds::Unknown;
        };
        let Ok(number) = fixed(text, places) else {
            return Lds::Unknown;
        };
        // A size below 0 is more than any device has, so that it counts as one that cannot be.
        let Ok(value) = u64::try_from(number.value) else {
            return Lds::Exact(u32::MAX);
        };
        let decimals = u32::try_from(number.decimals.max(DECIMALS)).unwrap_or(u32::MAX);
        let step = 10_u64.saturating_pow(places.saturating_sub(decimals));
        if step > STEP_LIMIT {
            return Lds::Unknown;
        }
        exact &= step == 1;
        slack += if step > 1 && value > 0 { step / 2 } else { 0 };
        bytes = bytes.saturating_add(value);
    }
    let size = match exact {
        true => bytes,
        false => whole_kib(bytes, slack).unwrap_or(bytes),
    };
    match (u32::try_from(size), exact) {
        (Ok(size), true) => Lds::Exact(size),
        (Ok(size), false) => Lds::Rounded(size),
        (Err(_), _) => Lds::Unknown,
    }
}

/// Returns the shared memory of a workgroup from a trace of nvprof, the sum of the two numbers
/// `printed` for (static, dynamic) memory. A number has six decimals, and counts in units of 1024
/// to the power of its entry in `powers`, in bytes. `Lds::Unknown` where one of the two numbers or
/// units is missing.
pub(super) fn shared_memory_of_nvprof(printed: [Option<&str>; 2], powers: [Option<u32>; 2]) -> Lds {
    const PLACES: u32 = 9;
    let of = |(text, power): (Option<&str>, Option<u32>)| {
        let (text, power) = text.zip(power)?;
        let number = u128::try_from(fixed(text, PLACES).ok()?.value).ok()?;
        let one = 10_u128.pow(PLACES);
        let bytes = (number.checked_mul(1024_u128.pow(power))? + one / 2) / one;
        u32::try_from(bytes).ok()
    };
    let [fixed_size, dynamic] = [0, 1].map(|at| of((printed[at], powers[at])));
    match fixed_size.zip(dynamic).and_then(|(one, other)| one.checked_add(other)) {
        Some(bytes) => Lds::Exact(bytes),
        None => Lds::Unknown,
    }
}

/// Returns the least whole number of KiB, in bytes, that differs from `bytes` by at most `slack`;
/// `None` where there is none.
fn whole_kib(bytes: u64, slack: u64) -> Option<u64> {
    let least = bytes.saturating_sub(slack).checked_next_multiple_of(KIB)?;
    (least <= bytes.saturating_add(slack)).then_some(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn megabytes(fixed: &str, dynamic: &str) -> Lds {
        shared_memory([Some(fixed), Some(dynamic)], [Some(6), Some(6)])
    }

    #[test]
    fn megabytes_stand_for_the_whole_kib_that_prints_alike() {
        assert_eq!(megabytes("0.000", "0.232"), Lds::Rounded(227 * 1024));
        assert_eq!(megabytes("0.000", "0.167"), Lds::Rounded(163 * 1024));
        assert_eq!(megabytes("0.049", "0.000"), Lds::Rounded(48 * 1024));
        assert_eq!(megabytes("0.000", "0.05"), Lds::Rounded(49 * 1024));
        assert_eq!(megabytes("0.000", "0.021"), Lds::Rounded(21_000), "no whole KiB prints so");
        assert_eq!(megabytes("0.000", "0.000"), Lds::Rounded(0));
        assert_eq!(megabytes("0", "0"), Lds::Rounded(0));
    }

    #[test]
    fn bytes_and_kilobytes_are_exact() {
        let of = |a, b, places| shared_memory([Some(a), Some(b)], [Some(places), Some(places)]);
        assert_eq!(of("16", "49152", 0), Lds::Exact(49_168));
        assert_eq!(of("0.016", "49.152", 3), Lds::Exact(49_168));
        assert_eq!(of("0.000016", "0.049152", 6), Lds::Exact(49_168));
        assert_eq!(of("0.000", "0.000", 9), Lds::Unknown);
        assert_eq!(of("-1", "0", 0), Lds::Exact(u32::MAX));
        for text in ["", "x", "1e3", "99999999999"] {
            assert_eq!(of(text, "0", 0), Lds::Unknown, "{text}");
        }
        assert_eq!(shared_memory([Some("0"), None], [Some(0); 2]), Lds::Unknown);
        assert_eq!(shared_memory([Some("0"); 2], [Some(0), None]), Lds::Unknown);
    }

    proptest! {
        #[test]
        fn what_ran_under_a_limit_of_whole_kib_still_fits_it(
            limit in 1u64..256, fixed in 0u64..262_144, dynamic in 0u64..262_144,
        ) {
            let limit = limit * KIB;
            let fixed = fixed % (limit + 1);
            let dynamic = dynamic % (limit - fixed + 1);
            // Printed to the nearest thousand, halves either way.
            for up in [500, 499] {
                let print = |bytes: u64| format!("0.{:03}", (bytes + up) / 1000);
                let Lds::Rounded(read) = megabytes(&print(fixed), &print(dynamic)) else {
                    panic!("it is rounded")
                };
                prop_assert!(u64::from(read) <= limit);
                prop_assert!(u64::from(read).abs_diff(fixed + dynamic) <= 2000);
            }
        }

        #[test]
        fn whole_kib_come_back_to_the_byte(kib in 1u64..256) {
            let print = format!("0.{:03}", (kib * KIB + 500) / 1000);
            prop_assert_eq!(megabytes("0.000", &print), Lds::Rounded((kib * KIB) as u32));
        }
    }
}
