//! Is a runtime that takes no launch now asked again later?

use raddle_policy::{Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CapturedWork, ControllerConfig, Declared, Driver, LaunchHandle, Runtime, SubmitCall,
};

/// A runtime that takes this number of launches and then no more, and keeps their handles.
#[derive(Debug)]
struct Takes(usize, Vec<LaunchHandle>);

impl Runtime<&'static str> for Takes {
    fn declared(&self) -> Declared {
        let abilities = Abilities::NONE.with(Preemption::Flag, true);
        Declared { abilities, latched: true, ..Declared::default() }
    }

    fn submit(&mut self, handle: LaunchHandle, _: StreamId, _: &'static str) -> SubmitCall {
        if self.1.len() == self.0 {
            return SubmitCall::NotNow;
        }
        self.1.push(handle);
        SubmitCall::Returned
    }
}

type Ours = Driver<&'static str, Takes>;

fn capture(driver: &mut Ours, process: ProcessId, name: &'static str) {
    let work = CapturedWork::opaque(name);
    let taken = driver.host(|c| c.captured(process, StreamId(0), work)).unwrap();
    assert!(taken.order().is_some());
}

#[test]
fn a_runtime_that_takes_nothing_now_is_asked_later() {
    let driver = Driver::new(Takes(1, Vec::new()), ControllerConfig::default());
    let mut driver = driver.unwrap();
    let process = driver.host(|c| c.join(Level(0))).unwrap();
    driver.host(|c| c.open(process)).unwrap();
    capture(&mut driver, process, "first");
    capture(&mut driver, process, "second");
    assert_eq!(driver.run(), Ok(false));
    assert_eq!(driver.controller().buffered(process), Ok(1), "it waits at its place");
    driver.runtime_mut().0 = 2;
    assert_eq!(driver.run(), Ok(true));
    let names: Vec<_> = driver.runtime().1.clone();
    let names: Vec<_> =
        names.into_iter().filter_map(|it| driver.controller().payload(it)).collect();
    assert_eq!(names, [&"first", &"second"]);
}
