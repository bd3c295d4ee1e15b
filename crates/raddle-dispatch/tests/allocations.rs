//! Does a turn allocate nothing once the lists of a dispatcher have the size that they will have?

use raddle_dispatch::{Action, Actions, Composed, Dispatcher, Event, Recipe};
use raddle_policy::{Launch, LaunchId, Piece, Preemption, ProcessId, Tick, WaveSpan};
use raddle_testkit::{CountingAllocator, made};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

use raddle_testkit::SMALL_CU as SHAPE;
const PROCESSES: u16 = 4;
/// The number of launches of each process: one runs, and the others wait on the device.
const LAUNCHES: u32 = 3;

/// A device that carries out actions one tick later; its launches never end.
struct Device {
    dispatcher: Composed,
    actions: Actions,
    now: Tick,
    /// The workgroups of each launch that are on the device, by launch id.
    running: Vec<Vec<Piece>>,
    /// True for each launch whose workgroups are saved, by launch id.
    saved: Vec<bool>,
    /// Launches that the dispatcher takes off; their event comes at the next tick. The next three
    /// lists are those of restores, raised flags and resets.
    leaving: Vec<(LaunchId, Preemption)>,
    restored: Vec<LaunchId>,
    raising: Vec<ProcessId>,
    resetting: Vec<ProcessId>,
    /// The tick at which the turn is over.
    wake: Tick,
    /// [turns, launches taken off, times that workgroups of a launch ended] so far.
    seen: [u64; 3],
}

impl Device {
    fn new(turn: &str, preempt: &str) -> Self {
        // The limit is so high that every launch is killed again and again, and never ends.
        let kills = if preempt == "reset" { "most-kills = 4294967295" } else { "" };
        let text = format!(
            "raddle = 1\nwindow = {LAUNCHES}\n[turn]\n{turn}\n[preempt]\npolicy = \"{preempt}\"\n{kills}"
        );
        let recipe = Recipe::parse("turns", &text).expect("a recipe");
        let dispatcher = recipe.builder(SHAPE, 2).expect("it builds").build().expect("it builds");
        let running = vec![Vec::new(); usize::from(PROCESSES) * LAUNCHES as usize];
        let mut device = Self {
            dispatcher,
            actions: Actions::default(),
            now: Tick(0),
            saved: vec![false; running.len()],
            running,
            leaving: Vec::new(),
            restored: Vec::new(),
            raising: Vec::new(),
            resetting: Vec::new(),
            wake: Tick(0),
            seen: [0; 3],
        };
        for process in (0..PROCESSES).map(ProcessId) {
            device.tell(&Event::ProcessJoined { process, share: 1 });
            for n in 0..LAUNCHES {
                device.tell(&Event::LaunchReady { launch: launch(process, n) });
            }
        }
        device.decide();
        device
    }

    fn tell(&mut self, event: &Event<'_>) {
        self.dispatcher.event(event, self.now).expect("it makes sense");
    }

    /// Lets the dispatcher decide, and notes the actions that it wants of the device.
    fn decide(&mut self) {
        self.actions.clear();
        self.dispatcher.decide(self.now, &mut self.actions).expect("lawful policies");
        for action in &self.actions.list {
            match action {
                Action::Start { launch, pieces, .. } => {
                    self.running[launch.0 as usize].extend(self.actions.pieces(pieces));
                }
                Action::TakeOff { launch, how } => self.leaving.push((*launch, *how)),
                Action::Restore { launch } => self.restored.push(*launch),
                Action::Raise { process, .. } => self.raising.push(*process),
                Action::Reset { process } => self.resetting.push(*process),
                Action::WakeAt(at) => self.wake = *at,
                _ => {}
            }
        }
    }

    /// Reports that all noted actions have been carried out, until there are none.
    fn settle(&mut self) {
        let asked = |it: &Self| {
            let processes = it.raising.len() + it.resetting.len();
            it.leaving.len() + it.restored.len() + processes > 0
        };
        while asked(self) {
            self.now.0 += 1;
            while let Some(process) = self.raising.pop() {
                self.tell(&Event::Raised { process });
            }
            while let Some((launch, how)) = self.leaving.pop() {
                self.seen[1] += 1;
                match how {
                    Preemption::Drain => self.end(launch),
                    Preemption::Reset => self.running[launch.0 as usize].clear(),
                    Preemption::Switch => self.saved[launch.0 as usize] = true,
                    _ => {}
                }
                self.tell(&Event::TakenOff { launch, how, done: 0 });
            }
            while let Some(process) = self.resetting.pop() {
                self.tell(&Event::ResetOver { process });
            }
            while let Some(launch) = self.restored.pop() {
                self.saved[launch.0 as usize] = false;
                self.tell(&Event::Restored { launch });
            }
            self.decide();
        }
    }

    /// Reports that the running workgroups of a launch have ended, unless they are saved.
    fn end(&mut self, launch: LaunchId) {
        let pieces = &mut self.running[launch.0 as usize];
        if !pieces.is_empty() && !self.saved[launch.0 as usize] {
            let event = Event::WavesEnded { launch, waves: WaveSpan::All, pieces };
            self.dispatcher.event(&event, self.now).expect("it runs");
            pieces.clear();
            self.seen[2] += 1;
        }
    }

    /// Runs a number of turns; in each, all running workgroups end once.
    fn turns(&mut self, turns: u32) {
        for _ in 0..turns {
            self.seen[0] += 1;
            self.settle();
            self.now = self.wake;
            self.tell(&Event::Woke);
            self.decide();
            self.settle();
            self.now.0 += 1;
            let on_device = (0..self.running.len() as u32).map(LaunchId);
            on_device.for_each(|launch| self.end(launch));
            self.tell(&Event::Woke);
            self.decide();
        }
    }
}

fn launch(process: ProcessId, n: u32) -> Launch {
    let launch = raddle_testkit::launch(u32::from(process.0) * LAUNCHES + n).process(process.0);
    launch.stream(n).workgroups(1 << 40).idempotent().build()
}

#[test]
fn the_count_counts() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

/// Checks that turns under this turn policy and this method of preempting allocate nothing. Returns
/// [turns lost, launches taken off].
fn steady(turn: &str, preempt: &str) -> [u64; 2] {
    let mut device = Device::new(turn, preempt);
    device.turns(100);
    let (before, lost) = (device.seen, device.dispatcher.turns().revoked());
    assert_eq!(made(|| device.turns(1000)), 0, "{turn}, {preempt}");
    let [turns, taken_off, ended] = device.seen;
    assert_eq!(turns - before[0], 1000);
    assert!(ended - before[2] >= 1000, "{turn}, {preempt}");
    [device.dispatcher.turns().revoked() - lost, taken_off - before[1]]
}

/// Checks all methods of preempting except `cheapest`, which keeps a growing table of launches.
#[test]
fn turns_of_every_policy_with_every_way_off() {
    let turns = [
        "policy = \"round-robin\"\nslice-us = 10",
        "policy = \"vruntime\"\nslice-us = 10",
        "policy = \"unmap-all\"\nslice-us = 10\ncapacity = 2",
        "policy = \"weighted-slices\"\nt0-us = 10\nrule = \"claim\"\ncapacity = 3",
    ];
    let mut flagged = 0;
    for turn in turns {
        for preempt in ["never", "wait"] {
            assert_eq!(steady(turn, preempt)[1], 0, "{turn}, {preempt}");
        }
        flagged += steady(turn, "flag")[1];
        for preempt in ["drain", "reset", "switch"] {
            let [lost, taken_off] = steady(turn, preempt);
            assert!(lost >= 500 && taken_off >= 1500, "{turn}, {preempt}: {lost}, {taken_off}");
        }
    }
    // A flag leaves running launches, so a turn may belong to a process whose launches all wait.
    assert!(flagged >= 5000, "{flagged}");
}
