//! Does a policy see what waits and what programs say, and does the log of a run replay?

use std::cell::RefCell;

use raddle_dispatch::{Registry, log};
use raddle_policy::{
    Configured, Cus, Hint, Level, NoConfig, Preemption, ProcessId, ProcessState, SettingError,
    StreamId, StreamState, Tick, Turn, VictimView, preempt_fn, turn_fn,
};
use raddle_sim::Script;
use raddle_testkit::{SMALL_CU, Sink};

/// A turn policy that names the most urgent process by its hint, and of it the most urgent stream.
#[derive(Clone, Debug)]
struct Urgent;

impl Turn for Urgent {
    fn turn(&mut self, all: &[ProcessState], _: Tick, named: &mut Vec<ProcessId>) -> Option<Tick> {
        let of = |it: &&ProcessState| it.hints.priority().unwrap_or(it.level).rank();
        named.extend(all.iter().min_by_key(of).map(|it| it.id));
        None
    }
    fn by_stream(&self) -> bool {
        true
    }
    fn streams(
        &mut self,
        _: &ProcessState,
        streams: &[StreamState],
        _: Tick,
        named: &mut Vec<StreamId>,
    ) -> Option<Tick> {
        named.extend(streams.iter().min_by_key(|it| it.level.rank()).map(|it| it.id));
        None
    }
}

impl Configured for Urgent {
    const NAME: &'static str = "urgent";
    type Config = NoConfig;
    fn make(_: &NoConfig, _: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }
}

/// Returns a script of a process with two streams of two launches each, and a process that hints
/// how urgent it is.
fn script() -> Script {
    let script = Script::on("1x2").join(0, 1).join(1, 1);
    let script = script.launch(0).stream(0).level(5).launch(0).stream(0).level(5);
    let script = script.launch(0).stream(1).level(1).launch(0).stream(1).level(1);
    script.at(150).hint(1, Hint::Priority(Level(0))).launch(1).level(9).workgroups(12)
}

#[test]
fn hints_and_streams_are_logged_and_replayed() {
    let registry = Registry::bundled().turn::<Urgent>();
    let text = "raddle = 1\n[turn]\npolicy = 'urgent'\n[preempt]\npolicy = 'drain'";
    let recipe = registry.recipe("hints", text).expect("a recipe");
    let header = log::LogHeader::new(recipe, "any", SMALL_CU, 1);
    let (full, short) = (Sink::default(), Sink::default());
    for log in [header.writer(Box::new(full.clone())), header.short_writer(Box::new(short.clone()))]
    {
        let builder = header.recipe().builder(SMALL_CU, 1).expect("it can be made");
        let mut dispatcher = builder.log(log).build().expect("it builds");
        let transcript = script().run(&mut dispatcher).expect("it runs").to_string();
        insta::assert_snapshot!("hints_and_streams", transcript);
    }
    for part in [
        r#""event":"hint","process":1,"hint":{"priority":0}"#,
        r#""answer":"streams","process":0,"may-issue":[1]"#,
        r#""estimate":100"#,
    ] {
        assert!(full.text().contains(part), "{part} in {}", full.text());
    }
    for log in [full, short] {
        let replayed = log::replay_with(&registry, log.text().as_bytes()).expect("it can be read");
        assert_eq!(replayed.difference(), None);
        let checked = log::check::check(&registry, log.text().as_bytes());
        assert!(checked.is_ok_and(|found| found.broken().is_empty()));
    }
}

thread_local!(static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) });

#[test]
fn a_policy_sees_what_waits_since_when_and_for_whom_work_leaves() {
    let turn = turn_fn(|all, now, named| {
        for it in all {
            let ProcessState { id, ready, submitted, outstanding, ready_since, .. } = *it;
            let (waits, streams) = (it.waiting_since, it.streams);
            SEEN.with_borrow_mut(|seen| {
                seen.push(format!(
                    "{now}: {id} ready {ready:?} submitted {submitted} for {outstanding:?} since {ready_since}, \
                     waits {waits:?}, streams {streams:?}"
                ));
            });
        }
        named.extend(all.iter().min_by_key(|it| it.level.rank()).map(|it| it.id));
        None
    });
    let preempt = preempt_fn(|victim: &VictimView<'_>, now| {
        let by: Vec<String> = victim.by().iter().map(|it| it.id.to_string()).collect();
        SEEN.with_borrow_mut(|seen| {
            seen.push(format!("{now}: {} leaves for {by:?}", victim.process().id))
        });
        Some(Preemption::Drain)
    });
    let script = Script::on("1x1").launch(0).level(5).workgroups(6).launch(0).level(5).lasts(30);
    let script = script.at(50).launch(1).level(1).workgroups(3);
    let builder = script.builder().turn("it", turn).preempt("it", preempt);
    script.run(&mut builder.build().expect("it builds")).expect("lawful");
    insta::assert_snapshot!(SEEN.take().join("\n"));
}
