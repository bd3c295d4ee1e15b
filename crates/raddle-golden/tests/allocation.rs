//! Does the checker find each kind of planted fault in a table, and none in good ones?
//!
//! Tables are made by a dispatcher of this file: one unit's parts are an array of blocks.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "all of this is test code")]

use raddle_golden::allocation::{
    AllocationOptions, AllocationReport, AllocationRule, StartRule, check,
};

const HEAD: &str = "# raddle placement table 1\n# units = 2\n# wave-slots = 12\n# resource vgpr = 64 per-wave\n# resource lds = 40 shared\nclock,event,unit,workgroup,waves,wave,tag,vgpr_start,vgpr_size,lds_start,lds_size\n";

/// A random generator whose numbers are equal in every run of the test.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[derive(Clone, Debug)]
struct Running {
    workgroup: u64,
    unit: usize,
    waves: u64,
    parts: [(usize, usize); 2],
    left: Vec<u64>,
}

/// A compute unit of a test's dispatcher: the workgroup that holds each block, the tail of each
/// resource, and the placements in order.
#[derive(Default)]
struct Unit {
    blocks: [Vec<Option<u64>>; 2],
    after: [usize; 2],
    ring: [Vec<(u64, usize, usize, bool)>; 2],
    tags: Vec<Option<(u64, u64)>>,
}

fn place(unit: &Unit, at: usize, size: usize, rule: StartRule) -> Option<usize> {
    let blocks = &unit.blocks[at];
    let fits = |start: usize| {
        start + size <= blocks.len() && blocks[start..start + size].iter().all(Option::is_none)
    };
    let begins = |start: usize| start == 0 || blocks[start - 1].is_some();
    let len = |start: usize| blocks[start..].iter().take_while(|it| it.is_none()).count();
    let holes = || (0..blocks.len()).filter(|&start| fits(start) && begins(start));
    match rule {
        StartRule::First => holes().next(),
        StartRule::Best => holes().min_by_key(|&start| (len(start), start)),
        StartRule::Worst => holes().min_by_key(|&start| (usize::MAX - len(start), start)),
        StartRule::Next => (unit.after[at]..blocks.len()).find(|&it| fits(it)).or(holes().next()),
        StartRule::Ring => {
            let tail = unit.after[at];
            let start = if tail + size <= blocks.len() { tail } else { 0 };
            let taken = |it: &(u64, usize, usize, bool)| it.1 < start + size && start < it.1 + it.2;
            (!unit.ring[at].iter().any(taken)).then_some(start)
        }
    }
}

/// Makes a table of events without a fault, of this many workgroups; the dispatcher sees ends
/// `late` clocks later.
fn table(groups: u64, rule: StartRule, late: u64, seed: u64) -> Vec<String> {
    let mut draw = Draw(seed * 77 + 5);
    let mut units: Vec<Unit> = (0..2)
        .map(|_| Unit {
            blocks: [vec![None; 64], vec![None; 40]],
            tags: vec![None; 12],
            ..Unit::default()
        })
        .collect();
    let (mut lines, mut running): (Vec<String>, Vec<Running>) = (Vec::new(), Vec::new());
    let mut back: Vec<(u64, Running)> = Vec::new();
    let (mut clock, mut next) = (1, 0);
    let mut head: Option<(u64, u64, [usize; 2])> = None;
    while next < groups || head.is_some() || !running.is_empty() {
        clock += draw.below(3);
        // The dispatcher sees what came back some clocks ago.
        back.retain(|(at, it)| {
            if *at + late > clock {
                return true;
            }
            for (at, &(start, size)) in it.parts.iter().enumerate() {
                units[it.unit].blocks[at][start..start + size].fill(None);
                let ring = &mut units[it.unit].ring[at];
                ring.iter_mut()
                    .filter(|part| part.0 == it.workgroup)
                    .for_each(|part| part.3 = true);
                while ring.first().is_some_and(|part| part.3) {
                    ring.remove(0);
                }
            }
            false
        });
        if head.is_none() && next < groups {
            let waves = draw.below(4) + 1;
            let sizes = [(waves * (draw.below(5) + 1)) as usize, draw.below(9) as usize];
            lines.push(format!("{clock},request,,{next},{waves},,,,{},,{}", sizes[0], sizes[1]));
            head = Some((next, waves, sizes));
            next += 1;
        }
        if let Some((workgroup, waves, sizes)) = head {
            let fitting = (0..2).find_map(|unit| {
                let slots = units[unit].tags.iter().filter(|tag| tag.is_none()).count() as u64;
                let start = |at: usize| match sizes[at] {
                    0 => Some(0),
                    size => place(&units[unit], at, size, rule),
                };
                Some((unit, [start(0)?, start(1)?])).filter(|_| slots >= waves)
            });
            if let Some((unit, starts)) = fitting {
                let parts = [(starts[0], sizes[0]), (starts[1], sizes[1])];
                lines.push(format!(
                    "{clock},place,{unit},{workgroup},{waves},,,{},{},{},{}",
                    starts[0], sizes[0], starts[1], sizes[1]
                ));
                for (at, (start, size)) in parts.into_iter().enumerate().filter(|(_, it)| it.1 > 0)
                {
                    units[unit].blocks[at][start..start + size].fill(Some(workgroup));
                    units[unit].after[at] = start + size;
                    units[unit].ring[at].push((workgroup, start, size, false));
                }
                for wave in 0..waves {
                    let tag = units[unit].tags.iter().position(Option::is_none).unwrap();
                    units[unit].tags[tag] = Some((workgroup, wave));
                    let share = sizes[0] / waves as usize;
                    let lds = if sizes[1] > 0 { starts[1].to_string() } else { String::new() };
                    lines.push(format!(
                        "{clock},wave,{unit},{workgroup},,{wave},{tag},{},{share},{lds},",
                        starts[0] + wave as usize * share
                    ));
                }
                running.push(Running { workgroup, unit, waves, parts, left: (0..waves).collect() });
                head = None;
                continue;
            }
        }
        if running.is_empty() {
            clock += late;
            continue;
        }
        let at = draw.below(running.len() as u64) as usize;
        let it = &mut running[at];
        let wave = it.left.swap_remove(draw.below(it.left.len() as u64) as usize);
        let tag =
            units[it.unit].tags.iter().position(|tag| *tag == Some((it.workgroup, wave))).unwrap();
        units[it.unit].tags[tag] = None;
        lines.push(format!("{clock},end,{},{},,{wave},{tag},,,,", it.unit, it.workgroup));
        if it.left.is_empty() {
            lines.push(format!("{clock},free,{},{},,,,,,,", it.unit, it.workgroup));
            back.push((clock, running.swap_remove(at)));
        }
        assert!(running.iter().all(|it| it.waves > 0));
    }
    lines
}

fn checked(lines: &[String], options: &AllocationOptions) -> AllocationReport {
    check((HEAD.to_owned() + &lines.join("\n")).as_bytes(), options).unwrap()
}

fn by(rule: StartRule, lag: u64) -> AllocationOptions {
    AllocationOptions { starts: Some(rule), lag, ..AllocationOptions::default() }
}

const RULES: [StartRule; 5] =
    [StartRule::First, StartRule::Best, StartRule::Worst, StartRule::Next, StartRule::Ring];

#[test]
fn good_tables_have_no_finding_and_starts_tell_the_rules_apart() {
    for seed in 0..6 {
        for rule in RULES {
            let lines = table(400, rule, 0, seed);
            for other in RULES {
                let report = checked(&lines, &by(other, 0));
                assert!(report.predicted > 400);
                if rule == other {
                    assert_eq!(
                        (report.total(), report.agreeing),
                        (0, report.predicted),
                        "{report:?}"
                    );
                } else if (rule, other) != (StartRule::Ring, StartRule::Next) {
                    // Where a ring has room, the next fit is that room.
                    assert!(report.agreeing < report.predicted, "{rule:?} {other:?}");
                    assert!(report.findings.iter().any(|it| it.rule == AllocationRule::Start));
                }
            }
        }
    }
}

#[test]
fn a_start_that_is_chosen_earlier_agrees_within_the_lag_alone() {
    for rule in [StartRule::First, StartRule::Best, StartRule::Worst] {
        let lines = table(2_000, rule, 12, 3);
        let within = checked(&lines, &by(rule, 12));
        assert_eq!((within.total(), within.agreeing), (0, within.predicted), "{rule:?}");
        let without = checked(&lines, &by(rule, 0));
        assert!(without.agreeing < without.predicted, "{rule:?}");
        let first = without.findings.iter().find(|it| it.rule == AllocationRule::Start).unwrap();
        assert!(first.map.contains('^') && first.map.contains("free: "), "{}", first.map);
    }
}

/// A fault to plant in a table: the rule that it breaks, the word of the line that it changes, and
/// the change; `None` where this line does not allow it.
type Fault = (AllocationRule, &'static str, fn(&mut Vec<String>, usize) -> Option<()>);

fn cell(lines: &mut [String], at: usize, column: usize, change: impl Fn(&str) -> String) {
    let mut cells: Vec<String> = lines[at].split(',').map(str::to_owned).collect();
    cells[column] = change(&cells[column]);
    lines[at] = cells.join(",");
}

fn number(lines: &[String], at: usize, column: usize) -> u64 {
    lines[at].split(',').nth(column).unwrap().parse().unwrap_or(0)
}

const FAULTS: [Fault; 15] = [
    (AllocationRule::Bounds, ",place,", |lines, at| {
        cell(lines, at, 7, |_| "63".to_owned());
        (number(lines, at, 8) > 1).then_some(())
    }),
    (AllocationRule::Bounds, ",place,", |lines, at| {
        cell(lines, at, 2, |_| "2".to_owned());
        Some(())
    }),
    (AllocationRule::Overlap, ",place,", |lines, at| {
        // A workgroup that was placed just before on this unit still holds its first block.
        let before = (0..at).rev().find(|&it| {
            lines[it].contains(",place,") && number(lines, it, 2) == number(lines, at, 2)
        })?;
        let group = number(lines, before, 3);
        if lines[before..at]
            .iter()
            .any(|it| it.contains(&format!(",free,{},{group},", number(lines, at, 2))))
        {
            return None;
        }
        let start = number(lines, before, 7);
        let size = number(lines, at, 8);
        cell(lines, at, 7, |_| start.to_string());
        (start + size <= 64).then_some(())
    }),
    (AllocationRule::Size, ",place,", |lines, at| {
        cell(lines, at, 8, |size| (size.parse::<u64>().unwrap() - 1).to_string());
        Some(())
    }),
    (AllocationRule::Size, ",place,", |lines, at| {
        cell(lines, at, 4, |waves| (waves.parse::<u64>().unwrap() + 1).to_string());
        Some(())
    }),
    (AllocationRule::WaveSlots, ",place,", |lines, at| {
        cell(lines, at, 4, |_| "13".to_owned());
        Some(())
    }),
    (AllocationRule::WaveBase, ",wave,", |lines, at| {
        cell(lines, at, 7, |base| (base.parse::<u64>().unwrap() + 1).to_string());
        Some(())
    }),
    (AllocationRule::Tag, ",wave,", |lines, at| {
        if !lines[at - 1].contains(",wave,") {
            return None;
        }
        let tag = number(lines, at - 1, 6);
        cell(lines, at, 6, |_| tag.to_string());
        Some(())
    }),
    (AllocationRule::Tag, ",end,", |lines, at| {
        cell(lines, at, 6, |tag| ((tag.parse::<u64>().unwrap() + 1) % 12).to_string());
        Some(())
    }),
    (AllocationRule::FreedOnce, ",free,", |lines, at| {
        let line = lines[at].clone();
        lines.insert(at + 1, line);
        Some(())
    }),
    (AllocationRule::FreedOnce, ",end,", |lines, at| {
        if lines[at + 1].contains(",free,") {
            return None;
        }
        let line = lines[at].clone();
        lines.insert(at + 1, line);
        Some(())
    }),
    (AllocationRule::Order, ",end,", |lines, at| {
        // The workgroup leaves before its last wave ends.
        lines[at + 1].contains(",free,").then(|| lines.swap(at, at + 1))
    }),
    (AllocationRule::Order, ",request,", |lines, at| {
        lines.remove(at);
        Some(())
    }),
    (AllocationRule::Order, ",place,", |lines, at| {
        let line = lines[at].clone();
        lines.insert(at + 1, line);
        Some(())
    }),
    (AllocationRule::Order, ",wave,", |lines, at| {
        // The only wave of its workgroup never starts.
        let alone = [at - 1, at + 1].iter().all(|&it| !lines[it].contains(",wave,"));
        lines.remove(at);
        alone.then_some(())
    }),
];

#[test]
fn every_kind_of_planted_fault_is_found_at_its_line() {
    for (kind, (rule, word, plant)) in FAULTS.iter().enumerate() {
        let mut planted = 0;
        for seed in 0..40 {
            let good = table(60, StartRule::First, 0, seed);
            let from = 60 + seed as usize * 3;
            let line = (from..good.len() - 1).find(|&at| good[at].contains(word));
            let Some(at) = line else { continue };
            let mut bad = good.clone();
            if plant(&mut bad, at).is_none() {
                continue;
            }
            planted += 1;
            let report = checked(&bad, &AllocationOptions::default());
            // The header has 6 lines.
            let from = at as u64 + 7;
            // A request that lacks is missed at its placement, a wave at its end.
            let lacks = bad.len() < good.len();
            let to = if lacks { u64::MAX } else { from + 2 };
            let within = |line: u64| (from..=to).contains(&line);
            let found = report.findings.iter().any(|it| it.rule == *rule && within(it.line));
            assert!(found, "{kind} {rule}: {} {:#?}", bad[at], report.findings);
        }
        assert!(planted > 4, "{kind} {rule}: {planted}");
    }
}

#[test]
fn what_does_not_fit_and_a_stop_are_findings() {
    let place = |line: &str| -> Vec<String> { line.lines().map(str::to_owned).collect() };
    let report = checked(
        &place(
            "1,request,,1,1,,,,60,,\n1,place,0,1,1,,,0,60,,\n2,request,,2,1,,,,9,,\n2,place,0,2,1,,,50,9,,",
        ),
        &AllocationOptions::default(),
    );
    assert_eq!(report.findings[0].rule, AllocationRule::Fit);
    assert!(report.findings[0].map.contains("free: 60..64 (4)"), "{}", report.findings[0].map);
    let stop = checked(
        &place(
            "1,request,,1,1,,,,60,,\n1,place,0,1,1,,,0,60,,\n2,request,,2,1,,,,65,,\n3,end,0,1,,0,,,,,\n3,free,0,1,,,,,,,",
        ),
        &AllocationOptions::default(),
    );
    assert_eq!(stop.findings[0].rule, AllocationRule::Stop);
    // Something still runs: the table was cut.
    let cut = checked(
        &place("1,request,,1,1,,,,60,,\n1,place,0,1,1,,,0,60,,\n2,request,,2,1,,,,65,,"),
        &AllocationOptions::default(),
    );
    assert_eq!((cut.total(), cut.open), (0, 1));
}

#[test]
fn a_table_may_leave_waves_out_and_end_workgroups_as_a_whole() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<String>>();
    let good = "1,request,,1,4,,,,10,,\n1,place,0,1,4,,,0,10,,\n2,wave,0,1,,0,,0,,,\n2,wave,0,1,,1,,3,,,\n3,end,0,1,,,,,,,\n3,free,0,1,,,,,,,";
    let report = checked(&lines(good), &AllocationOptions::default());
    assert_eq!(report.total(), 0, "parts that waves do not divide: {report:?}");
    let twice = good.replace("3,free", "3,end,0,1,,,,,,,\n3,free");
    let report = checked(&lines(&twice), &AllocationOptions::default());
    assert_eq!(report.findings[0].rule, AllocationRule::FreedOnce);
    let early = "1,request,,1,1,,,,4,,\n1,wave,0,1,,0,,0,,,\n1,place,0,1,1,,,0,4,,";
    let report = checked(&lines(early), &AllocationOptions::default());
    assert_eq!(report.findings[0].rule, AllocationRule::Order);
}

#[test]
fn a_ring_hands_nothing_out_before_it_is_reclaimed_in_order() {
    let lines: Vec<String> = "1,place,0,1,1,,,0,30,,\n2,place,0,2,1,,,30,30,,\n3,free,0,2,,,,,,,\n4,place,0,3,1,,,30,30,,"
        .lines()
        .map(str::to_owned)
        .collect();
    let report = checked(&lines, &by(StartRule::Ring, 0));
    let rules: Vec<AllocationRule> = report.findings.iter().map(|it| it.rule).collect();
    assert_eq!(rules, [AllocationRule::Fit, AllocationRule::Start]);
}

#[test]
fn malformed_tables_are_refused_with_line_and_meaning() {
    let good = "1,place,0,1,1,,,0,8,0,4\n";
    for (table, line, said) in [
        (String::new(), 1, "begin with"),
        ("# raddle placement table 1\n".to_owned(), 1, "not declared"),
        (HEAD.replace("units = 2", "units = 0"), 2, "from 1 to"),
        (HEAD.replace("per-wave", "split"), 4, "`per-wave` or `shared`"),
        (HEAD.replace("lds = 40", "vgpr = 40"), 5, "declared twice"),
        (HEAD.replace("# wave-slots = 12", "# units = 3"), 3, "`units` is declared twice"),
        (HEAD.replace("# units = 2", "# wave-slots = 9"), 3, "`wave-slots` is declared twice"),
        (HEAD.replace("lds = 40", "l,s = 40"), 5, "`l,s` is no name"),
        (HEAD.replace("wave,tag", "tag,tag"), 6, "`tag` stands twice"),
        (HEAD.replace(",tag", ",tga"), 6, "`tga` is not known"),
        (HEAD.replace("clock,", ""), 6, "no column `clock`"),
        (format!("{HEAD}{good}2,finish,0,1,,,,,,,\n"), 8, "is no event"),
        (format!("{HEAD}{good}0,end,0,1,,,,,,,\n"), 8, "before clock 1"),
        (format!("{HEAD}{good}2,end,0,9,,,,,,,\n"), 8, "never placed"),
        (format!("{HEAD}{good}2,place,,2,1,,,0,8,,\n"), 8, "`unit` is empty"),
        (format!("{HEAD}{good}2,place,0,2,1,,,,8,,\n"), 8, "`vgpr_start` is empty"),
        (format!("{HEAD}{good}2,place,0,2,1,,,-1,8,,\n"), 8, "whole number"),
        (format!("{HEAD}{good}2,place,0,2,1,,,99999999999999999999,8,,\n"), 8, "whole number"),
        (format!("{HEAD}{good}2,place,0,2,1,,,0,,,\n"), 8, "`vgpr_size` is empty"),
        (format!("{HEAD}{good}2,free,0,1,,,,,,,,\n"), 8, "12 cells, and 11 columns"),
        (format!("{HEAD}{good}2,free,0,1"), 8, "4 cells, and 11 columns"),
        (format!("{HEAD}{good},free,0,1,,,,,,,\n"), 8, "`clock` is empty"),
    ] {
        let fault = check(table.as_bytes(), &AllocationOptions::default()).unwrap_err();
        assert!(fault.line == line && fault.message.contains(said), "{table}\n{fault}");
    }
    for bytes in [&b"\xff\xfe"[..], b"# raddle placement table 1\n\xff,\xff\n", &[0; 64]] {
        check(bytes, &AllocationOptions::default()).unwrap_err();
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a measurement reads a clock")]
fn a_million_lines_are_read_in_seconds() {
    let groups = if std::env::var_os("RADDLE_MEASURE").is_some() { 160_000 } else { 2_000 };
    let lines = table(groups, StartRule::Worst, 0, 1);
    let text = HEAD.to_owned() + &lines.join("\n");
    let start = std::time::Instant::now();
    let report = check(text.as_bytes(), &by(StartRule::Worst, 0)).unwrap();
    eprintln!("{} lines in {:?}", report.events, start.elapsed());
    assert_eq!((report.events, report.total()), (lines.len() as u64, 0));
}
