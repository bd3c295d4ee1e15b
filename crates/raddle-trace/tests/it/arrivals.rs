//! Do files with arrivals say what they say, exactly, and is everything else refused with a reason?
#![allow(clippy::print_stdout, reason = "a skipped test says so where its output is shown")]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use raddle_policy::Level;
use raddle_trace::TraceError;
use raddle_trace::arrivals::{
    ArrivalConfig, ArrivalFile, ArrivalProcess, ArrivalTask, TimeUnit, TimesCount, open, read,
};

fn of(text: &str) -> ArrivalFile {
    read("x", text.as_bytes(), &ArrivalConfig::default()).expect(text)
}

fn refusal(text: &str) -> String {
    read("x", text.as_bytes(), &ArrivalConfig::default()).expect_err(text).to_string()
}

/// Writes a load as one line for each task: name, level, process, number of requests, first times
/// of arrival.
fn lines(file: &ArrivalFile) -> Vec<String> {
    let line = |task: &ArrivalTask| {
        let level = file.level(task).map_or("-".to_owned(), |level| level.0.to_string());
        let rest = match &task.process {
            ArrivalProcess::Trace(times) => {
                format!("{} from {}", times.len(), times[0])
            }
            ArrivalProcess::Periodic { rate } | ArrivalProcess::Poisson { rate } => {
                format!("{rate}/s")
            }
            ArrivalProcess::Dependent { after } => after.join("+"),
            _ => String::new(),
        };
        format!("{} @{level} {} {rest}", task.name, task.process.name()).trim_end().to_owned()
    };
    file.tasks.iter().map(line).collect()
}

const DISB: &str = r#"{
    "time": 5,
    "tasks": [
        {"id": "d", "load": {"type": "periodic", "priority": 0, "frequency": 100}, "client": {}},
        {"id": "p", "load": {"type": "poisson", "priority": 300, "frequency": 2.5}, "client": {}},
        {"load": {"type": "trace", "trace": [49, 25, 25.5]}, "client": {"name": "s", "priority": 1}},
        {"load": {"type": "continuous"}, "client": {"model_name": "d"}},
        {"load": {"type": "continuous"}},
        {"id": "e", "load": {"type": "dependent", "prev_task_ids": ["d", "p"]}, "client": {}}
    ]
}"#;

#[test]
fn every_type_of_load() {
    let file = of(DISB);
    assert_eq!(
        lines(&file),
        [
            "d @0 periodic 100/s",
            "p @255 poisson 2.5/s",
            "s @1 trace 3 from 25000000",
            "d-2 @255 continuous",
            "task-5 @255 continuous",
            "e @255 dependent d+p",
        ]
    );
    assert_eq!((file.format, file.unsorted), ("disb", 1));
    assert_eq!(
        file.tasks[2].process,
        ArrivalProcess::Trace(vec![25_000_000, 25_500_000, 49_000_000])
    );
    assert_eq!(file.task("s").map(|task| task.number), Some(2));
    assert_eq!(file.level(&file.tasks[1]), Some(Level(255)), "300 is beyond the last level");
}

#[test]
fn a_figure_of_reef() {
    let file = of(r#"{"time":1,"rt":[{"name":"vgg","frequency":100}],
        "be":[{"name":"vgg","frequency":20},{"name":"vgg","frequency":9,"trace":[0,7]}]}"#);
    assert_eq!(
        lines(&file),
        ["rt/vgg @0 periodic 100/s", "be/vgg @255 periodic 20/s", "be/vgg-2 @255 trace 2 from 0"]
    );
    assert_eq!(file.format, "reef");
}

#[test]
fn seconds_or_minutes_by_rule_or_as_asked() {
    let time = |text: &str, time_unit| {
        let options = ArrivalConfig { time_unit };
        let time = read("x", text.as_bytes(), &options).expect(text).time.expect("it says one");
        (time.ns / 1_000_000, time.unit)
    };
    let task =
        |more: &str, load: &str| format!(r#"{{"time":2,"tasks":[{{{more}"load":{load}}}]}}"#);
    let trace = |last: &str| format!(r#"{{"type":"trace","trace":[1,{last}]}}"#);
    let (seconds, minutes) = ((2_000, TimeUnit::Seconds), (120_000, TimeUnit::Minutes));
    let id = r#""id":"a","#;
    assert_eq!(time(&task(id, &trace("4000")), None), seconds);
    assert_eq!(time(&task(id, &trace("4000.000001")), None), minutes);
    assert_eq!(time(&task("", &trace("3000")), None), seconds);
    let even = r#"{"type":"periodic","frequency":1}"#;
    assert_eq!(time(&task(id, even), None), seconds);
    assert_eq!(time(&task("", even), None), minutes);
    assert_eq!(time(&task("", even), Some(TimeUnit::Seconds)), seconds);
    assert_eq!(time(&task(id, even), Some(TimeUnit::Minutes)), minutes);
    let reef = r#"{"time":0.5,"rt":[{"name":"a","frequency":1}]}"#;
    assert_eq!(time(reef, None), (30_000, TimeUnit::Minutes));
    assert_eq!(of(r#"{"rt":[{"name":"a","frequency":1}]}"#).time, None);
    let why = of(reef).time.expect("it says one").why;
    assert_eq!(why, "a figure of REEF counts minutes");
}

#[test]
fn malformed_loads_say_where_and_what() {
    let task = |load: &str| refusal(&format!(r#"{{"tasks":[{{"id":"a","load":{load}}}]}}"#));
    for (load, words) in [
        (r#"{"type":"periodc","frequency":1}"#, "did you mean `periodic`?"),
        (r#"{"type":"periodic"}"#, "no `frequency`, in requests a second"),
        (r#"{"type":"poisson","frequency":0}"#, "`0` requests a second: above 0"),
        (r#"{"type":"poisson","frequency":-1}"#, "`-1` is no decimal number"),
        (r#"{"type":"periodic","frequency":1e3}"#, "exponent"),
        (r#"{"type":"periodic","frequency":"many"}"#, "`\\\"many\\\"` is no decimal number"),
        (r#"{"type":"periodic","frequency":1,"priority":-1}"#, "priority `-1` is no whole number"),
        (r#"{"type":"periodic","frequency":1,"priority":1.5}"#, "priority `1.5`"),
        (r#"{"type":"trace"}"#, "wants a `trace`"),
        (r#"{"type":"trace","trace":[]}"#, "its trace has no request"),
        (r#"{"type":"trace","trace":[1,-2]}"#, "request 2 of its trace: `-2`"),
        (r#"{"type":"trace","trace":[1,null]}"#, "request 2 of its trace: `null`"),
        (r#"{"type":"trace","trace":[99999999999999]}"#, "is too large"),
        (r#"{"type":"trace","trace":7}"#, "a value of another kind, expected a sequence"),
        (r#"{"type":"dependent"}"#, "wants `prev_task_ids`"),
        (
            r#"{"type":"dependent","prev_task_ids":["b"]}"#,
            "it follows `b`, and no task is called so",
        ),
    ] {
        let said = task(load);
        assert!(said.starts_with("x, task 1 (`a`): ") && said.contains(words), "{said}");
    }
    assert!(task("{}").starts_with("x, task 1 (`a`): missing field `type`"), "{}", task("{}"));
    assert!(
        refusal(r#"{"tasks":{}}"#)
            .contains("`tasks`: a value of another kind, expected a sequence")
    );
    assert!(refusal("{\n\"tasks\": [\n").contains("x, line 3: it is not valid JSON (EOF"));
    assert!(refusal(r#"{"rt":[{"name":"v"}]}"#).contains("`rt`, client 1 (`rt/v`): it has no"));
    let time = r#"{"time":-1,"rt":[{"name":"v","frequency":1}]}"#;
    assert!(refusal(time).contains("x, `time`: `-1` is no decimal number"), "{}", refusal(time));
    let long = r#"{"time":9999999999,"rt":[{"name":"v","frequency":1}]}"#;
    assert!(refusal(long).contains("too large"));
}

#[test]
fn what_says_nothing_of_arrivals_is_refused_with_what_it_is() {
    for (text, words) in [
        ("", "it is empty"),
        (" \n\t\n", "it is empty"),
        ("{}", "an empty JSON object"),
        (r#"{"tasks":[]}"#, "it has no task"),
        (r#"{"results":[]}"#, "a result of a benchmark"),
        (r#"{"kernels":[],"args":[]}"#, "the kernels of a model"),
        (r#"{"model_latency":1,"kernel_latency":{}}"#, "latencies of a model's kernels"),
        (r#"{"schemaVersion":1,"traceEvents":[]}"#, "give it as a profile"),
        (r#"{"a":1,"b":2}"#, "JSON without `tasks`, `rt` or `be`"),
        ("[1,2]", "line 1 is neither JSON nor the header"),
        ("name,start_ns\nk,1", "line 1 is neither JSON nor the header"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens", "a header and no request"),
        ("SQLite format 3\0", "line 1 is neither JSON nor the header"),
    ] {
        let said = refusal(text);
        assert!(said.starts_with("x says nothing of arrivals: ") && said.contains(words), "{said}");
        assert!(said.contains("docs/arrivals.md"));
    }
    assert!(!refusal(&"y".repeat(3 << 20)).contains("yy"));
    let folder = open(&PathBuf::from("/"), &ArrivalConfig::default());
    assert!(matches!(folder, Err(TraceError::Directory { .. })));
    let gone = open(&PathBuf::from("no-such-file"), &ArrivalConfig::default());
    assert!(matches!(gone, Err(TraceError::Unreadable { .. })));
}

fn times(file: &ArrivalFile) -> Vec<u64> {
    file.tasks[0].times(0).expect("a trace").collect()
}

#[test]
fn requests_to_a_service() {
    let azure = of("\u{feff}TIMESTAMP,ContextTokens,GeneratedTokens\r\n\
        2023-11-16 18:15:46.6805900,374,44\r\n2023-11-16 18:15:50.9951690,396,109\r\n\r\n\
        2023-11-16 18:15:50.9951689,1,1");
    assert_eq!(times(&azure), [0, 4_314_578_900, 4_314_579_000]);
    assert_eq!((azure.format, azure.unsorted, azure.time), ("azure", 1, None));
    assert_eq!((&*azure.tasks[0].name, azure.level(&azure.tasks[0])), ("requests", None));
    let images = of(
        "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.5+00:00,1,2,3\n",
    );
    assert_eq!(times(&images), [0]);

    let mooncake = of("\n{\"timestamp\": 3000, \"input_length\": 9}\n{\"timestamp\": 3000}\r\n\
        {\"timestamp\": 6000.25, \"hash_ids\": [1, 2]}");
    assert_eq!(times(&mooncake), [0, 0, 3_000_250_000]);
    assert_eq!(mooncake.format, "mooncake");
    assert_eq!(times(&of("{\"timestamp\": 7}")), [0]);

    let burst = of("Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,\
        Total tokens,Log Type\n5,1,0.5,ChatGPT,472,18,490,Conversation log\n45.000000001,,,,,0,,\n");
    assert_eq!(times(&burst), [0, 40_000_000_001]);
    assert_eq!(burst.format, "burstgpt");
}

/// Checks with two requests, half a unit of time apart, as each format writes them.
#[test]
fn every_trace_says_what_its_times_count_and_takes_another_unit() {
    let bailian = "{\"chat_id\": 159, \"parent_chat_id\": -1, \"timestamp\": 61.0, \"input_length\": 7}\n\
        {\"chat_id\": 160, \"parent_chat_id\": -1, \"timestamp\": 61.5, \"input_length\": 7}\n";
    let mooncake = bailian.replace("chat_id", "other");
    let burst = "Timestamp,Request tokens,Response tokens\n61,1,1\n61.5,1,1\n";
    let azure = "TIMESTAMP,ContextTokens,GeneratedTokens\n61,1,1\n61.5,1,1\n";
    let seconds = TimesCount::ByFormat(TimeUnit::Seconds);
    for (text, name, counts, last) in [
        (bailian, "bailian", seconds, 500_000_000),
        (&mooncake, "mooncake", TimesCount::ByFormat(TimeUnit::Milliseconds), 500_000),
        (burst, "burstgpt", seconds, 500_000_000),
    ] {
        let file = of(text);
        assert_eq!((file.format, file.counts, times(&file)), (name, counts, vec![0, last]));
    }
    for text in [bailian, &mooncake, burst, azure] {
        for (unit, last) in [
            (TimeUnit::Milliseconds, 500_000),
            (TimeUnit::Seconds, 500_000_000),
            (TimeUnit::Minutes, 30_000_000_000),
        ] {
            let options = ArrivalConfig { time_unit: Some(unit) };
            let file = read("x", text.as_bytes(), &options).unwrap();
            assert_eq!((file.counts, times(&file)), (TimesCount::AsAsked(unit), vec![0, last]));
        }
    }
    // A date needs no unit, whatever was asked.
    let dates = azure.replace("61", "2023-11-16 18:15:46");
    let options = ArrivalConfig { time_unit: Some(TimeUnit::Minutes) };
    let file = read("x", dates.as_bytes(), &options).unwrap();
    assert_eq!((file.counts, times(&file)), (TimesCount::Dates, vec![0, 500_000_000]));
}

#[test]
fn lines_whose_first_differs_are_not_called_invalid() {
    let said = refusal("\n{\"session\": 1, \"delay\": 5}\n{\"timestamp\": 3}\n");
    assert_eq!(
        said,
        "x, line 2: these are JSON Lines, and this one has no `timestamp`: each request \
         wants the time of its arrival; leave other lines out"
    );
    let said = refusal("{\"session\": 1} 7");
    assert!(said.contains("it is not valid JSON (trailing characters)"), "{said}");
}

#[test]
fn malformed_requests_say_in_which_line() {
    let azure = |row: &str| refusal(&format!("TIMESTAMP,ContextTokens,GeneratedTokens\n{row}\n"));
    assert_eq!(
        azure("16.11.2023,1,2"),
        "x, line 2: `16.11.2023` is no time such as `2023-11-16 18:15:46.6805900`; what a number \
         counts --time-unit says"
    );
    assert_eq!(
        azure("\n2023-11-16 18:15:46,1"),
        "x, line 3: the row has 2 cells but the header 3: leave a cell blank where nothing is known, \
         but keep its comma"
    );
    let apart = "0000-01-01 00:00:00,1,1\n9999-01-01 00:00:00,1,1";
    assert!(azure(apart).contains("584 years"));
    let said = refusal("{\"timestamp\":1}\n{\"time\":2}\n");
    assert_eq!(said, "x, line 2: missing field `timestamp`");
    assert!(
        refusal("{\"timestamp\":1}\n{\"timestamp\":\"x\"}").contains("line 2: `\\\"x\\\"` is no")
    );
    let burst = "Timestamp,Request tokens,Response tokens\n1e3,1,1";
    assert!(refusal(burst).contains("line 2: `1e3` is written with an exponent"));
}

#[test]
fn gzip_is_told_by_its_content_and_may_not_break_off() {
    let gz = |text: &str| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gz.write_all(text.as_bytes()).unwrap();
        gz.finish().unwrap()
    };
    let whole = gz(DISB);
    let file = read("x", &whole[..], &ArrivalConfig::default()).unwrap();
    assert_eq!(file, of(DISB));
    for len in [2, 9, whole.len() / 2, whole.len() - 1] {
        let error = read("x", &whole[..len], &ArrivalConfig::default()).unwrap_err().to_string();
        assert!(error.contains("the file breaks off here: copy it again"), "{len}: {error}");
    }
}

#[test]
fn no_input_makes_it_panic() {
    let azure = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n";
    for text in [DISB, azure, "{\"timestamp\":3,\"x\":[1]}\n{\"timestamp\":4}\n"] {
        let bytes = text.as_bytes();
        for at in 0..bytes.len() {
            for other in [b'"', b'9', b'-', 0xff, b'\n'] {
                let mut broken = bytes.to_vec();
                broken[at] = other;
                // Read or refused, but never more than that.
                let _ = read("x", &broken[..], &ArrivalConfig::default());
            }
            let _ = read("x", &bytes[..at], &ArrivalConfig::default());
        }
    }
}

fn sample(folder: &str, name: &str) -> Option<Result<ArrivalFile, TraceError>> {
    Some(open(&raddle_testkit::sample(folder)?.join(name), &ArrivalConfig::default()))
}

/// Returns the number of requests of a task, and the sum of their arrival times in nanoseconds.
fn sums(task: &ArrivalTask) -> (usize, u64) {
    match &task.process {
        ArrivalProcess::Trace(times) => (times.len(), times.iter().sum()),
        other => panic!("{} is {}", task.name, other.name()),
    }
}

#[test]
fn every_file_beside_the_benchmarks_is_read_or_refused() {
    let (Some(disb), Some(reef)) = (raddle_testkit::sample("disb"), raddle_testkit::sample("reef"))
    else {
        return;
    };
    let mut read = Vec::new();
    for path in [disb, reef].iter().flat_map(|dir| fs::read_dir(dir).unwrap()) {
        let path = path.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match open(&path, &ArrivalConfig::default()) {
            Ok(file) => {
                let time = file.time.expect("each says one");
                let unit = if time.unit == TimeUnit::Minutes { "min" } else { "s" };
                read.push(format!(
                    "{name}: {} {} ms in {unit}",
                    file.tasks.len(),
                    time.ns / 1_000_000
                ));
            }
            Err(TraceError::NoArrivals { reason, .. }) => {
                let expected = match &name {
                    n if n.starts_with("result_trt_") => "it is a result of a benchmark",
                    n if n.ends_with(".profile.json") => "it holds latencies of a model's kernels",
                    n if n.ends_with(".json.gz") => "it describes the kernels of a model",
                    n if n.ends_with(".md") => "line 1 is neither JSON nor the header",
                    _ => "nothing else is refused",
                };
                assert!(reason.starts_with(expected), "{name}: {reason}");
            }
            Err(other) => panic!("{name}: {other}"),
        }
    }
    read.sort();
    assert_eq!(
        read,
        [
            "fig10_A.json: 2 60000 ms in min",
            "fig10_B.json: 2 60000 ms in min",
            "fig10_C.json: 6 60000 ms in min",
            "fig10_D.json: 10 60000 ms in min",
            "fig10_E.json: 10 60000 ms in min",
            "hellodisb_config.json: 6 5000 ms in s",
            "reef_config_A.json: 2 60000 ms in min",
            "reef_config_B.json: 2 60000 ms in min",
            "reef_config_C.json: 6 60000 ms in min",
            "reef_config_D.json: 10 60000 ms in min",
            "reef_config_E.json: 10 60000 ms in min",
            "workload_A.json: 2 60000 ms in s",
            "workload_B.json: 2 60000 ms in s",
            "workload_C.json: 6 60000 ms in s",
            "workload_D.json: 10 60000 ms in s",
            "workload_E.json: 10 60000 ms in s",
            "workload_REAL.json: 10 38000 ms in s",
        ]
    );
}

#[test]
fn the_real_workload() {
    let Some(file) = sample("disb", "workload_REAL.json") else { return };
    let file = file.unwrap();
    let found: Vec<_> = file.tasks[..5].iter().map(|task| (&*task.name, sums(task))).collect();
    assert_eq!(
        found,
        [
            ("resnet152_rt", (375, 7_456_754_000_000)),
            ("densenet201_rt", (202, 3_965_110_000_000)),
            ("vgg19_rt", (560, 7_929_236_000_000)),
            ("inceptionv3_rt", (374, 7_225_552_000_000)),
            ("distilbert_rt", (173, 3_523_682_000_000)),
        ]
    );
    assert!(file.tasks[5..].iter().all(|task| task.process == ArrivalProcess::Continuous));
    assert!(file.tasks.iter().all(|task| file.level(task).is_none()), "none has a priority");
    assert_eq!(file.unsorted, 0);
}

#[test]
fn the_trace_of_reef_is_the_same_in_both_forms() {
    let (Some(disb), Some(reef)) =
        (sample("disb", "reef_config_E.json"), sample("reef", "fig10_E.json"))
    else {
        return;
    };
    let (disb, reef) = (disb.unwrap(), reef.unwrap());
    let expected = [
        ("densenet", (1260, 37_740_480_000_000)),
        ("inception", (1260, 37_798_080_000_000)),
        ("vgg", (1020, 30_602_460_000_000)),
        ("bert", (1560, 46_784_220_000_000)),
        ("resnet152", (1140, 34_272_900_000_000)),
    ];
    for (name, figures) in expected {
        let task = disb.task(name).expect(name);
        assert_eq!((sums(task), disb.level(task)), (figures, Some(Level(0))));
        let same = reef.task(&format!("rt/{name}")).expect(name);
        assert_eq!((sums(same), reef.level(same)), (figures, Some(Level(0))));
        let other = disb.task(&format!("{name}-2")).expect(name);
        assert_eq!(disb.level(other), Some(Level(1)));
    }
    assert_eq!(lines(&reef)[5], "be/densenet @255 periodic 100/s");
}

#[test]
fn the_hello_of_disb() {
    let Some(file) = sample("disb", "hellodisb_config.json") else { return };
    assert_eq!(
        lines(&file.unwrap()),
        [
            "task_d @0 periodic 100/s",
            "task_i @0 periodic 100/s",
            "task_s @255 trace 11 from 25000000",
            "task_b @1 periodic 1000/s",
            "task_e @255 dependent task_d",
            "task_f @255 continuous",
        ]
    );
}

#[test]
fn an_hour_of_a_service() {
    let Some(file) = sample("llm_requests", "azure2023_conv.csv.gz") else { return };
    let file = file.unwrap();
    assert_eq!((file.format, file.unsorted), ("azure", 0));
    assert_eq!(sums(&file.tasks[0]), (19_366, 33_473_340_385_407_000));
    let times = times(&file);
    assert_eq!(times[..3], [0, 4_314_579_000, 4_541_877_000]);
    assert_eq!(times.last(), Some(&3_501_721_937_000));
}

#[test]
fn profiles_are_no_arrivals() {
    let Some(folder) = raddle_testkit::sample("kineto_nvidia") else { return };
    for path in fs::read_dir(folder).unwrap() {
        let error = open(&path.unwrap().path(), &ArrivalConfig::default()).unwrap_err();
        let known = matches!(error, TraceError::NoArrivals { .. } | TraceError::TooLarge { .. });
        assert!(known, "{error}");
    }
}
