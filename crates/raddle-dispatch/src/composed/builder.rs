//! How is a dispatcher put together?

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::book::Book;
use raddle_policy::{Allocate, CuShape, LaunchPath, Preempt, Round, Turn};
use raddle_workgroup::Leftover;

use super::lists::Lists;
use super::ready::Ready;
use super::{Composed, Named};
use crate::log::LogWriter;
use crate::slots::{Everyone, Never, Ordinary};

/// Collects the four policies; a slot left out gets its default: ordinary, everyone, leftover,
/// never.
pub struct Builder {
    shape: CuShape,
    cus: u16,
    path: Named<dyn LaunchPath>,
    turn: Named<dyn Turn>,
    allocate: Named<dyn Allocate>,
    preempt: Named<dyn Preempt>,
    cuts: bool,
    window: Option<u32>,
    log: LogWriter,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("cus", &self.cus).finish_non_exhaustive()
    }
}

impl Builder {
    pub(super) fn new(shape: CuShape, cus: u16) -> Self {
        Self {
            shape,
            cus,
            path: Named { name: "ordinary".into(), policy: Box::new(Ordinary::default()) },
            turn: Named { name: "everyone".into(), policy: Box::new(Everyone) },
            allocate: Named { name: "leftover".into(), policy: Box::new(Leftover::default()) },
            preempt: Named { name: "never".into(), policy: Box::new(Never) },
            cuts: false,
            window: None,
            log: LogWriter::off(),
        }
    }

    /// How launches reach the device, under a name for the log.
    #[must_use]
    pub fn launch_path(mut self, name: &str, policy: impl LaunchPath + 'static) -> Self {
        self.path = Named { name: name.into(), policy: Box::new(policy) };
        self
    }

    /// Which processes may issue, under a name for the log.
    #[must_use]
    pub fn turn(mut self, name: &str, policy: impl Turn + 'static) -> Self {
        self.turn = Named { name: name.into(), policy: Box::new(policy) };
        self
    }

    /// Which workgroups go where, under a name for the log.
    #[must_use]
    pub fn allocate(mut self, name: &str, policy: impl Allocate + 'static) -> Self {
        self.allocate = Named { name: name.into(), policy: Box::new(policy) };
        self
    }

    /// All four policies with their names: launch path, turn, allocate, preempt.
    pub(crate) fn policies(
        self,
        [path_name, turn_name, allocate_name, preempt_name]: [&str; 4],
        path: Box<dyn LaunchPath>,
        turn: Box<dyn Turn>,
        allocate: Box<dyn Allocate>,
        preempt: Box<dyn Preempt>,
    ) -> Self {
        Self {
            path: Named { name: path_name.into(), policy: path },
            turn: Named { name: turn_name.into(), policy: turn },
            allocate: Named { name: allocate_name.into(), policy: allocate },
            preempt: Named { name: preempt_name.into(), policy: preempt },
            ..self
        }
    }

    /// The allocation policy cuts workgroups whose waves are independent: of those, one wave with
    /// all that is shared must fit, or the launch is refused.
    #[must_use]
    pub const fn cuts(mut self) -> Self {
        self.cuts = true;
        self
    }

    /// The submission window: each process may have so many launches (at least one) submitted and
    /// unfinished, and submits what its host has issued, in that order, before what it waits for
    /// has ended. Without, each launch is submitted when it is ready, however many there are.
    #[must_use]
    pub fn window(mut self, launches: u32) -> Self {
        self.window = Some(launches.max(1));
        self
    }

    /// How work leaves, under a name for the log.
    #[must_use]
    pub fn preempt(mut self, name: &str, policy: impl Preempt + 'static) -> Self {
        self.preempt = Named { name: name.into(), policy: Box::new(policy) };
        self
    }

    /// Where events and answers are written.
    #[must_use]
    pub fn log(mut self, log: LogWriter) -> Self {
        self.log = log;
        self
    }

    /// The dispatcher, over an empty device.
    #[must_use]
    pub fn build(self) -> Composed {
        Composed {
            path: self.path,
            turn: self.turn,
            allocate: self.allocate,
            preempt: self.preempt,
            book: Book::new(self.shape, self.cus),
            processes: BTreeMap::new(),
            launches: BTreeMap::new(),
            ready: Ready::default(),
            travelling: BTreeSet::new(),
            lines: BTreeMap::new(),
            refused: Vec::new(),
            wakes: VecDeque::new(),
            turn_until: None,
            turn_stale: false,
            late: Vec::new(),
            allocate_stale: false,
            orders: 0,
            submissions: 0,
            step: 0,
            heard: false,
            round: Round::default(),
            may_issue: Vec::new(),
            lists: Lists::default(),
            tally: crate::TurnTally::default(),
            seen: Vec::new(),
            cuts: self.cuts,
            window: self.window,
            log: self.log,
        }
    }
}
