//! Work sharing over a network that keeps no order: every task counts once, and the end is found.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]
#![expect(clippy::cast_possible_truncation, reason = "a few workers, tasks and messages")]

use proptest::prelude::*;
use tresse_core::base::id::{ManagerId, WorkerId};
use tresse_core::base::rng::Rng;
use tresse_core::tasks::owned::{OwnedManager, OwnedWorker, everybody};
use tresse_core::tasks::sharing::{
    Arbitration, Managers, Message, Method, Peer, Release, SharingConfig, Step,
};
use tresse_core_tests::sharing::tasks::{Hashed, HashedTask as Task};

struct World {
    workers: Vec<OwnedWorker<Hashed>>,
    managers: Vec<OwnedManager<Task>>,
    messages: Vec<(Peer, Peer, Message, Vec<Task>)>,
    ended: Vec<bool>,
}

impl World {
    fn new(managers: Managers, config: SharingConfig, root: Task, branches: u32) -> Self {
        let tree = |_| Hashed::new(branches);
        let (mut workers, managers) = everybody(&managers, config, 1 << 20, tree);
        workers[0].begin(&[root]).unwrap();
        let ended = vec![false; workers.len()];
        Self { workers, managers, messages: Vec::new(), ended }
    }

    fn step(&mut self, index: usize, most: u32) {
        let Self { workers, messages, ended, .. } = self;
        let from = Peer::Worker(WorkerId(index as u32));
        let mut out = |to: Peer, message: Message, parts: &[&[Task]]| {
            messages.push((from, to, message, parts.concat()));
        };
        let step = workers[index].step(most, &mut out).unwrap();
        ended[index] = step == Step::Ended;
    }

    fn deliver(&mut self, index: usize) {
        let (from, to, message, tasks) = self.messages.swap_remove(index);
        let Self { workers, managers, messages, .. } = self;
        let mut out = |next: Peer, message: Message, parts: &[&[Task]]| {
            messages.push((to, next, message, parts.concat()));
        };
        match to {
            Peer::Worker(id) => {
                workers[id.index()].receive(from, &message, &tasks, &mut out).unwrap();
            }
            Peer::Manager(ManagerId(id)) => {
                managers[id as usize].receive(from, &message, &tasks, &mut out).unwrap();
            }
        }
    }

    fn run(&mut self, rng: &mut Rng) {
        for _ in 0..4_000_000 {
            if self.ended.iter().all(|ended| *ended) {
                return;
            }
            let actors = self.workers.len() as u32;
            let deliver = rng.below(2) == 0;
            if deliver && !self.messages.is_empty() {
                let index = rng.below(self.messages.len() as u32);
                self.deliver(index as usize);
            } else {
                let most = 1 + rng.below(20);
                self.step(rng.below(actors) as usize, most);
            }
        }
        panic!("no end: {:?}", self.messages.iter().map(|m| &m.2).collect::<Vec<_>>());
    }
}

prop_compose! {
    fn configs()(
        method in prop::sample::select(Method::ALL),
        chunk in 1_u32..12,
        interval in 1_u32..40,
        copies in 0_u32..=4,
        window in 1_u32..16,
        arbitration in prop::sample::select(Arbitration::ALL),
        release in prop::sample::select(Release::ALL),
        seed in 0_u64..1_000,
    ) -> SharingConfig {
        SharingConfig { method, chunk, interval, copies, window, arbitration, release, seed }
    }
}

/// Compares what workers did together with what one does alone.
fn counts(
    (config, workers, managers): (SharingConfig, u32, u32),
    (root, branches): (Task, u32),
    seed: u64,
) -> [(u64, u64); 2] {
    let managers = if config.method.steals() { 1 } else { managers };
    let mut world = World::new(Managers::with(workers, managers), config, root, branches);
    world.run(&mut Rng::new(seed, 0));
    let nodes: u64 = world.workers.iter().map(|worker| worker.work.nodes).sum();
    let sum = world.workers.iter().fold(0_u64, |sum, worker| sum.wrapping_add(worker.work.sum));
    [(nodes, sum), Hashed::alone(root, branches)]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100_000,
        ..ProptestConfig::default()
    })]
    #[test]
    fn every_task_counts_once(
        config in configs(),
        workers in 1_u32..8,
        managers in 1_u32..4,
        root in (any::<u64>(), 0_u8..10),
        branches in 1_u32..5,
        seed in any::<u64>(),
    ) {
        let [together, alone] = counts((config, workers, managers), (root, branches), seed);
        prop_assert_eq!(together, alone);
    }
}

/// A worker had become busy after the question was asked, and idle again before it answered: the
/// answer was compared with what it had said in between.
#[test]
fn who_was_busy_since_the_question_is_not_taken_for_idle() {
    let config =
        SharingConfig { chunk: 2, interval: 1, ..SharingConfig::new(Method::PrefetchStealing) };
    let config = SharingConfig { copies: 0, window: 1, release: Release::Interval, ..config };
    let root = (6_505_160_205_972_111_980, 8);
    let [together, alone] = counts((config, 2, 1), (root, 3), 3_841_852_854_678_312_974);
    assert_eq!(together, alone);
}

/// A thief had two copies of a chunk, and took the answer to a claim on one for that on the other.
#[test]
fn answers_are_never_taken_for_those_to_another_copy() {
    let config = SharingConfig { chunk: 2, interval: 1, copies: 1, window: 4, ..speculative() };
    let root = (365_100_872_907_208_479, 8);
    let [together, alone] = counts((config, 2, 1), (root, 4), 2_113_312_757_478_431_860);
    assert_eq!(together, alone);
}

fn speculative() -> SharingConfig {
    let config = SharingConfig::new(Method::SpeculativeStealing);
    SharingConfig { arbitration: Arbitration::Task, release: Release::Interval, ..config }
}
