//! Checks that worker 0 acts for all only while all others of its node wait: core's own workers, on one
//! node and on one of several, in every order of their steps.

use stateright::{Checker, HasDiscoveries, Model, Property};
use tresse_core::id::WorkerId;
use tresse_core::progress::Progress;
use tresse_core::run::{Mode, RunConfig, Stop};
use tresse_core::worker::{Command, Control, Detection, Said, Verdict, Worker};
use tresse_core_tests::step::Number;

use crate::explore;

const ALONE: &str = "nobody does anything while worker 0 acts for all";
const GOES_ON: &str = "somebody can go on until all have ended";
const ENDS: &str = "all lives end, whatever came before, where everybody goes on in turn";

/// Number of iterations that a worker makes before the run ends.
const ITERATIONS: u64 = 2;

/// A node whose workers have nothing to sweep but time.
struct Node {
    mode: Mode,
    workers: u32,
    has_other_nodes: bool,
    saves: bool,
    /// A worker does not wait at the barrier behind this command: the fault.
    runs_on_after: Option<Command>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    control: Control<Number>,
    workers: Vec<Worker>,
    /// Present command of each worker.
    doing: Vec<Option<Command>>,
    /// Previous command of each worker.
    done: Vec<Option<Command>>,
}

impl State {
    fn waits(&self, worker: usize) -> bool {
        self.doing[worker] == Some(Command::Barrier)
    }

    fn has_ended(&self) -> bool {
        self.doing.iter().all(|doing| *doing == Some(Command::End))
    }

    /// Reports whether worker 0, where it acts for all, is alone in doing something.
    fn is_alone(&self) -> bool {
        use Command::{Begin, Decide, Fetch, Saved, Settle, Step};
        let acts = matches!(self.doing[0], Some(Settle | Fetch | Begin | Decide | Step | Saved));
        !acts || (1..self.doing.len()).all(|other| self.waits(other) || self.doing[other].is_none())
    }
}

impl Node {
    fn config(&self) -> RunConfig {
        let stop = Stop { iterations: Some(ITERATIONS), tolerance: None };
        RunConfig { workers: self.workers, mode: self.mode, stop, ..RunConfig::default() }
    }

    fn ask(&self, state: &mut State, worker: usize) {
        let command = state.workers[worker].next(&state.control, || false);
        let runs_on = command == Command::Barrier
            && self.runs_on_after.is_some()
            && state.done[worker] == self.runs_on_after;
        state.doing[worker] = (!runs_on).then_some(command);
        state.done[worker] = Some(command);
        let all_wait = (0..state.workers.len()).all(|worker| state.waits(worker));
        if all_wait {
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
            Command::Sweep => life.has_swept(1),
            Command::Take => life.has_taken(false),
            Command::TakeTurn if life.iteration() >= ITERATIONS => {
                life.ask_to_halt(&state.control);
            }
            Command::Begin => {
                state.control.begin(&Progress::level(0, self.workers.into()), false);
            }
            Command::Decide => {
                // A run that was interrupted saves what it has.
                let said = Said { is_interrupted: true, ..Said::default() };
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
            control: Control::new(&self.config()),
            workers: (0..self.workers).map(life).collect(),
            doing: none.clone(),
            done: none,
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
            None => self.ask(&mut next, worker),
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
    Node { mode, workers: 2, has_other_nodes, saves: true, runs_on_after: None }
}

#[test]
fn worker_0_acts_for_all_while_the_others_wait() {
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

/// Checks that without any one of the barriers beside worker 0's actions for all, another worker does
/// something meanwhile.
#[test]
fn a_barrier_that_is_left_out_is_caught() {
    for command in [Command::Settle, Command::Fetch, Command::PublishResiduals] {
        let faulty = Node { runs_on_after: Some(command), ..node(Mode::Async, true) };
        let caught = HasDiscoveries::AnyOf([ALONE, GOES_ON].into());
        let checker = faulty.checker().finish_when(caught).spawn_bfs().join();
        assert!(
            checker.discovery(ALONE).or_else(|| checker.discovery(GOES_ON)).is_some(),
            "{command:?}: nobody notices"
        );
    }
}
