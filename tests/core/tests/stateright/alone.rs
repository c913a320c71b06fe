//! Checks that a worker acts for all only while all others of its node wait: core's own workers, on
//! one node and on one of several, in every order of their steps.

use stateright::{Checker, HasDiscoveries, Model, Property};
use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::node::worker::{Command, Control, Detection, HaltStatus, Pass, Verdict, Worker};
use tresse_core::run::progress::Progress;
use tresse_core::run::{Mode, RunConfig, Stop};
use tresse_core_tests::number::Number;

use crate::explore;

const ALONE: &str = "nobody does anything while one acts for all";
const GOES_ON: &str = "somebody can go on until all have ended";
const ENDS: &str = "all lives end, whatever came before, where everybody goes on in turn";

/// Number of iterations that a worker makes before the run ends.
const ITERATIONS: u64 = 2;

/// A node whose workers have a part each, and nothing to sweep but time.
struct Node {
    mode: Mode,
    workers: u32,
    has_other_nodes: bool,
    saves: bool,
    /// A worker counts what it has done at this command twice: the fault.
    counts_twice: Option<Command>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    control: Control<Number>,
    workers: Vec<Worker>,
    /// Present command of each worker.
    doing: Vec<Option<Command>>,
    /// Whether each worker has its part in its hands, and the pass in which that was done last.
    parts: Vec<(bool, Pass)>,
}

impl State {
    fn waits(&self, worker: usize) -> bool {
        let has_passed = self.workers[worker].pass() != self.control.pass();
        match self.doing[worker] {
            Some(Command::Barrier) => true,
            Some(Command::Wait) => !has_passed,
            _ => false,
        }
    }

    fn has_ended(&self) -> bool {
        self.doing.iter().all(|doing| *doing == Some(Command::End))
    }

    /// Reports whether a worker that acts for all is alone in doing something: nobody else has a
    /// part in its hands, or acts. Others may come late, and find nothing that they may take.
    fn is_alone(&self) -> bool {
        use Command::{Begin, Decide, Fetch, Saved, Settle, Step};
        let acts = |doing: &Option<Command>| {
            matches!(doing, Some(Settle | Fetch | Begin | Decide | Step | Saved))
        };
        let Some(acting) = self.doing.iter().position(acts) else { return true };
        let mut others = (0..self.doing.len()).filter(|other| *other != acting);
        if self.doing[acting] == Some(Step) {
            // Between two synchronous iterations everybody keeps its part.
            return others.all(|other| matches!(self.doing[other], None | Some(Command::Barrier)));
        }
        others.all(|other| !acts(&self.doing[other]) && !self.parts[other].0)
    }
}

impl Node {
    fn config(&self) -> RunConfig {
        let stop = Stop { iterations: Some(ITERATIONS), ..Stop::NEVER };
        RunConfig { workers: self.workers, mode: self.mode, stop, ..RunConfig::default() }
    }

    fn ask(state: &mut State, worker: usize) {
        let command = state.workers[worker].next(&state.control, || false);
        state.doing[worker] = Some(command);
        let waits = |doing: &Option<Command>| *doing == Some(Command::Barrier);
        if state.doing.iter().all(waits) {
            state.doing.fill(None);
        }
    }

    /// Whether all lives end from here on, where everybody goes on in turn.
    fn ends(&self, state: &State) -> bool {
        let mut rest = state.clone();
        for _ in 0..1_000 {
            let mut able = Vec::new();
            self.actions(&rest, &mut able);
            if able.is_empty() {
                break;
            }
            for worker in able {
                if let Some(next) = self.next_state(&rest, worker) {
                    rest = next;
                }
            }
        }
        rest.has_ended()
    }

    fn carry_out(&self, state: &mut State, worker: usize, command: Command) {
        let life = &mut state.workers[worker];
        match command {
            Command::Sweep => life.handle_swept(1),
            Command::Take => {
                let pass = life.pass();
                let (has, done) = &mut state.parts[worker];
                *has |= pass.admits(*done);
                life.take(std::iter::once(SubdomainId(0)), |_| *has);
            }
            // Worker 0 has the turn.
            Command::Halt if worker == 0 => life.begin_halt(&state.control, self.workers.into()),
            Command::Freeze | Command::Share | Command::Save => {
                let pass = life.pass();
                let mut number = 0;
                for (part, (has, done)) in state.parts.iter_mut().enumerate() {
                    let is_own = command == Command::Freeze && part == worker;
                    if pass.admits(*done) && (is_own || !*has) {
                        (*has, *done) = (false, pass);
                        number += 1;
                    }
                }
                let twice = self.counts_twice == Some(command);
                life.handle_done(&state.control, if twice { 2 * number } else { number });
            }
            Command::TakeTurn if life.iteration() >= ITERATIONS => {
                life.ask_to_halt(&state.control);
            }
            Command::Begin => {
                state.control.begin(&Progress::level(0, self.workers.into()), false);
            }
            Command::Decide => {
                // A run that was interrupted saves what it has.
                let said = HaltStatus { is_interrupted: true, ..HaltStatus::default() };
                let verdict = Detection::new(&self.config()).decide(1.0, &said);
                state.control.carry_out(&Verdict { saves: self.saves, ..verdict });
            }
            _ => {}
        }
        state.doing[worker] = None;
    }
}

impl Model for Node {
    type State = State;
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        let life = |worker| Worker::new(WorkerId(worker), self.mode, self.has_other_nodes);
        let none = vec![None; self.workers as usize];
        vec![State {
            control: Control::new(&self.config(), self.workers.into()),
            workers: (0..self.workers).map(life).collect(),
            doing: none,
            parts: vec![(false, Pass::BEFORE); self.workers as usize],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        let goes_on =
            |&worker: &usize| !state.waits(worker) && state.doing[worker] != Some(Command::End);
        actions.extend((0..state.workers.len()).filter(goes_on));
    }

    fn next_state(&self, state: &State, worker: usize) -> Option<State> {
        let mut next = state.clone();
        match state.doing[worker] {
            None => Self::ask(&mut next, worker),
            Some(command) => self.carry_out(&mut next, worker, command),
        }
        Some(next)
    }

    fn within_boundary(&self, state: &State) -> bool {
        state.workers.iter().all(|worker| worker.iteration() <= ITERATIONS + 2)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ALONE, |_, state: &State| state.is_alone()),
            Property::always(GOES_ON, |node: &Self, state: &State| {
                let mut actions = Vec::new();
                node.actions(state, &mut actions);
                !actions.is_empty() || state.has_ended()
            }),
            Property::always(ENDS, |node: &Self, state: &State| node.ends(state)),
        ]
    }
}

const fn node(mode: Mode, has_other_nodes: bool) -> Node {
    Node { mode, workers: 2, has_other_nodes, saves: true, counts_twice: None }
}

#[test]
fn who_acts_for_all_is_alone() {
    for (mode, has_other_nodes) in
        [(Mode::Async, false), (Mode::Async, true), (Mode::Sync, false), (Mode::Sync, true)]
    {
        let two = node(mode, has_other_nodes);
        let three = Node { workers: 3, ..node(mode, has_other_nodes) };
        for node in [two, three] {
            explore(node);
        }
    }
}

/// Checks that a pass that is over before all is done breaks a property.
#[test]
fn a_pass_that_is_over_too_soon_is_caught() {
    for command in [Command::Freeze, Command::Share, Command::Save] {
        let faulty = Node { counts_twice: Some(command), ..node(Mode::Async, true) };
        let caught = HasDiscoveries::AnyOf([ALONE, GOES_ON, ENDS].into());
        let checker = faulty.checker().finish_when(caught).spawn_bfs().join();
        let found = [ALONE, GOES_ON, ENDS].map(|name| checker.discovery(name).is_some());
        assert!(found.contains(&true), "{command:?}: nobody notices");
    }
}
