//! Lives of one worker.

use core::cell::Cell;

use super::*;
use crate::run::progress::Progress;
use crate::run::{RunConfig, Stop};

/// A worker alone, whose sweeps are those of `swept` subdomains an iteration.
struct Alone {
    worker: Worker,
    control: Control<Cell<u64>>,
    swept: u64,
}

impl Alone {
    fn new(mode: Mode, swept: u64) -> Self {
        let stop = Stop { iterations: Some(100), ..Stop::NEVER };
        let control = Control::new(&RunConfig { mode, stop, ..RunConfig::default() }, 4);
        Self { worker: Worker::new(WorkerId(0), mode, false), control, swept }
    }

    /// Carries commands out, where nothing changes hands, up to one of this kind.
    fn reach(&mut self, wanted: Command) {
        let comes = (0..100).any(|_| self.next() == wanted);
        assert!(comes, "{wanted:?} does not come any more");
    }

    fn next(&mut self) -> Command {
        let command = self.worker.next(&self.control, || false);
        match command {
            Command::Begin => self.control.begin(&Progress::level(0, 4), false),
            Command::Sweep => self.worker.handle_swept(self.swept),
            Command::Freeze | Command::Share => self.worker.handle_done(&self.control, 4),
            _ => {}
        }
        command
    }
}

#[test]
fn what_is_not_free_yet_is_looked_for_in_each_iteration_until_it_is_taken() {
    let mut alone = Alone::new(Mode::Async, 1);
    let take = |worker: &mut Worker, has: [bool; 3]| {
        worker.take((0..3).map(SubdomainId), |part| has.get(part.index()) == Some(&true));
    };
    alone.reach(Command::Begin);
    for (iteration, has) in (0..).zip([[false, true, true], [true, true, false], [false; 3]]) {
        alone.reach(Command::Take);
        take(&mut alone.worker, has);
        assert_eq!(alone.worker.iteration(), iteration);
        alone.reach(Command::TakeTurn);
    }
    alone.reach(Command::Take);
    take(&mut alone.worker, [true; 3]);
    assert_eq!(alone.next(), Command::Sweep);
    assert_eq!([alone.next(), alone.next()], [Command::TakeTurn, Command::Sweep]);
}

/// Halts are set for an iteration of everybody's, so whoever has no subdomain counts as the others
/// do.
#[test]
fn an_iteration_without_a_sweep_counts() {
    for mode in [Mode::Sync, Mode::SemiSync(1), Mode::Async] {
        let mut alone = Alone::new(mode, 0);
        for iteration in 1..=3 {
            alone.reach(Command::TakeTurn);
            assert_eq!(alone.worker.iteration(), iteration, "{mode:?}");
        }
    }
}
