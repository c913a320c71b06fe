//! The steps of the workers of a node, one at a time, in any order: the executor as it ships. A
//! state is known by the steps that lead to it from the beginning, which are made again.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher as _};

use tresse_core::base::id::WorkerId;
use tresse_core::node::executor::{Slots, Step};
use tresse_core::node::shared::{Claims, Grip};
use tresse_core::node::worker::{Command, Work};
use tresse_core::run::Mode;

use crate::node_life::{self, Count, Memory, Node, Setting, Views, Worker, WorkerMemory};

/// The most rounds of steps in which all come to the end.
const ROUNDS: usize = 10_000;

/// A node's workers somewhere on their way.
#[derive(Debug)]
pub struct Lives<'e, 'm> {
    setting: Setting,
    node: &'e Node<'m>,
    workers: Vec<Worker<'e, 'm>>,
    has_ended: Vec<bool>,
    claims: Claims<'m, Count>,
    /// Takes what is frozen, and sweeps it: the fault.
    thief: Grip<'m, Count>,
}

/// Returns what is seen of a node after the steps of these workers; the number after the last
/// worker's is that of a thief.
///
/// # Panics
/// Where a rule is broken on the way.
pub fn after<R>(
    setting: Setting,
    steps: impl IntoIterator<Item = usize>,
    see: impl FnOnce(&mut Lives<'_, '_>) -> R,
) -> R {
    let (mut memory, mut views) = (Memory::new(setting), Views::default());
    let (node, mut claims, grips) = node_life::node(&mut memory, &mut views);
    let mut memories: Vec<_> =
        grips.iter().map(|_| WorkerMemory::new(setting.parts as usize)).collect();
    let workers = grips.into_iter().zip(&mut memories);
    let workers: Vec<_> =
        workers.map(|(grip, memory)| node_life::worker(&node, grip, memory)).collect();
    let has_ended = vec![false; workers.len()];
    let thief = claims.grip();
    let mut lives = Lives { setting, node: &node, workers, has_ended, claims, thief };
    steps.into_iter().for_each(|worker| lives.step(worker));
    see(&mut lives)
}

/// Lets workers go on in the order of these choices, and then all in turn, to the end.
///
/// # Panics
/// Where a rule is broken on the way.
pub fn walk(setting: Setting, choices: impl IntoIterator<Item = usize>) {
    after(setting, [], |lives| {
        for choice in choices {
            let alive: Vec<_> = lives.alive().collect();
            let Some(&worker) = alive.get(choice % alive.len().max(1)) else { break };
            lives.step(worker);
            assert!(lives.have_their_parts(), "a mark was lost: {lives:?}");
        }
        lives.settle();
    });
}

impl Lives<'_, '_> {
    /// Lets a worker make a step. Once it has let go of parts it finds in the same step that it
    /// takes others: nothing but that can follow.
    pub fn step(&mut self, worker: usize) {
        let Some(life) = self.workers.get_mut(worker) else { return self.steal() };
        let releases = life.command() == Some(Command::Release);
        if life.step() == Step::End {
            self.has_ended[worker] = true;
        } else if releases {
            life.step();
        }
    }

    fn steal(&mut self) {
        let Slots { parts, publications, .. } = self.node.slots();
        if self.node.initial().is_some()
            && let Some(claim) = parts.take(&mut self.thief, 0)
        {
            let publish = |count: &mut Count| {
                tresse_core::parts::Part::update(count, false);
                publications[0].publish([false; 2], |_, _| ());
            };
            self.thief.with(claim, publish);
            self.thief.leave(claim);
        }
    }

    /// Returns the workers whose lives are not over.
    pub fn alive(&self) -> impl Iterator<Item = usize> {
        (0..self.workers.len()).filter(|&worker| !self.has_ended[worker])
    }

    /// Whether a worker has made more iterations than `most`, as one that has nothing to sweep
    /// does.
    pub fn has_come_beyond(&self, most: u64) -> bool {
        self.workers.iter().any(|worker| worker.life().iteration() > most)
    }

    /// Returns the number of moves so far.
    pub fn moves(&self) -> u64 {
        self.node.moves()
    }

    /// Whether workers claim parts for one sweep at a time by now.
    pub fn have_switched(&self) -> bool {
        self.node.visits_parts()
    }

    /// Returns a number that stands for all that decides what follows.
    pub fn key(&self) -> u64 {
        /// Hashes what is written.
        #[derive(Default)]
        struct Text(DefaultHasher);
        impl std::fmt::Write for Text {
            fn write_str(&mut self, text: &str) -> std::fmt::Result {
                self.0.write(text.as_bytes());
                Ok(())
            }
        }
        let Self { node, workers, has_ended, .. } = self;
        let mut text = Text::default();
        let turns = node.peers();
        // Hashing does not fail.
        let _ = write!(text, "{node:?} {turns:?} {workers:?} {has_ended:?}");
        text.0.finish()
    }

    /// Whether every worker that is not to hear of a change, and awaits nothing, has just the parts
    /// that belong to it in its hands, wherever parts are kept.
    pub fn have_their_parts(&self) -> bool {
        let (control, assignment) = (self.node.control(), self.node.assignment());
        let is_busy = |worker: &Worker<'_, '_>| {
            matches!(worker.command(), Some(Command::Release | Command::Take))
                || worker.life().awaits()
                || worker.life().pass() != control.pass()
        };
        if control.pass().work() != Work::Run || self.have_switched() {
            return true;
        }
        (0..).map(WorkerId).zip(&self.workers).all(|(id, worker)| {
            is_busy(worker) || assignment.is_marked(id) || worker.parts().eq(assignment.of(id))
        })
    }

    /// Lets all go on in turn, to the end.
    ///
    /// # Panics
    /// Where they do not come to the end, or something is lost.
    pub fn settle(&mut self) {
        for _ in 0..ROUNDS {
            if self.alive().next().is_none() {
                break;
            }
            for worker in 0..self.workers.len() {
                if !self.has_ended[worker] {
                    self.step(worker);
                }
            }
        }
        assert!(self.alive().next().is_none(), "no way to the end: {self:?}");
        let all = self.claims.all().len();
        let mut collector = self.claims.grip();
        let counts: Vec<_> = (0..all)
            .map(|part| {
                assert!(collector.take(part), "somebody has part {part} at the end");
                collector.with(part, |count| count.made())
            })
            .collect();
        let Setting { iterations, mode, .. } = self.setting;
        assert_eq!(counts.iter().sum::<u64>(), self.node.made(), "a sweep is lost");
        let is_level = counts.iter().all(|&count| count == iterations);
        assert!(
            is_level || !matches!(mode, Mode::Sync | Mode::Exact),
            "{iterations} iterations were asked for: {counts:?}"
        );
    }
}
