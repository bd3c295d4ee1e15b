//! Is the thread that carries out commands woken when there is one after there was none, and only
//! then?

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use raddle_policy::{Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CapturedWork, Command, ControllerConfig, Declared, Driver, Heard, LaunchHandle,
    Report, Runtime, SubmitCall, Wake, Wish,
};

struct Bell(Arc<AtomicU32>);

impl Wake for Bell {
    fn wake(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

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
fn a_wake_comes_on_the_edge() {
    let rings = Arc::new(AtomicU32::new(0));
    let options = ControllerConfig::default().with_window(2);
    let driver = Driver::new(Takes(2, Vec::new()), options).unwrap();
    let mut driver = driver.waking(Bell(Arc::clone(&rings)));
    let rung = || rings.swap(0, Ordering::Relaxed);
    let [a, b] = [(); 2].map(|()| {
        let process = driver.host(|c| c.join(Level(0))).unwrap();
        driver.host(|c| c.open(process)).unwrap();
        process
    });
    let _ = driver.wish(Wish::Pause { process: a }).unwrap();
    capture(&mut driver, a, "first");
    assert_eq!(rung(), 0, "it is paused: there is nothing to do");
    let _ = driver.wish(Wish::Resume { process: a }).unwrap();
    assert_eq!(rung(), 1);
    capture(&mut driver, a, "second");
    capture(&mut driver, a, "third");
    capture(&mut driver, b, "fourth");
    assert_eq!(rung(), 0, "there was something already");
    assert!(matches!(driver.step(), Some(Command::Submit { handle, .. }) if handle.process == a));
    assert!(matches!(driver.step(), Some(Command::Submit { handle, .. }) if handle.process == b));
    assert!(matches!(driver.step(), Some(Command::Submit { .. })), "they take turns");
    assert_eq!((driver.step(), rung()), (None, 0));
    let flying: Vec<_> = driver.controller().flying(a).unwrap().map(|(it, _)| it).collect();
    driver.report(Report::Started(flying[0])).unwrap();
    assert_eq!(rung(), 0, "nothing is to be done");
    let heard = driver.report(Report::Finished(flying[0])).unwrap();
    assert_eq!((heard, rung()), (Heard::Ended("first"), 1), "there is room");
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
