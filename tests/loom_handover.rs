//! The hand-over of subdomains under every interleaving and every allowed reordering: the core's
//! own code on loom's atomics.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test --release -p tresse-tests --test loom_handover
//! --target-dir target/loom`.

#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::ownership::Move;
use tresse_core::shared::{Assignment, DirtyMark, Handover, Held};

/// Explores everything with at most so many involuntary switches between threads.
fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// What workers and balancer share; loom checks that the values are never touched by two at once,
/// and that what one holder wrote is seen by the next.
struct World {
    assignment: Assignment<'static>,
    subdomains: Vec<Handover<u32>>,
    workers: u32,
}

impl World {
    /// All subdomains with worker 0. Loom makes many worlds; the little that is leaked is no harm.
    fn new(workers: u32, subdomains: u32) -> &'static Self {
        let owners = (0..subdomains).map(|_| AtomicU32::new(0)).collect::<Vec<_>>();
        let dirty = (0..workers).map(|_| DirtyMark::new()).collect::<Vec<_>>();
        let assignment = Assignment::new(owners.leak(), dirty.leak());
        let subdomains = (0..subdomains).map(|_| Handover::new(0)).collect();
        Box::leak(Box::new(Self { assignment, subdomains, workers }))
    }

    fn announce(&self, subdomain: u32, from: u32, to: u32) {
        let (from, to) = (WorkerId(from), WorkerId(to));
        self.assignment.announce(Move { subdomain: SubdomainId(subdomain), from, to });
    }
}

/// When a worker clears its mark: before it reads what it is assigned, or after, which is wrong.
#[derive(Clone, Copy, PartialEq)]
enum Clears {
    Before,
    After,
}

struct Worker {
    id: WorkerId,
    world: &'static World,
    members: Vec<(SubdomainId, Held<'static, u32>)>,
    awaited: Vec<SubdomainId>,
    sweeps: u32,
}

/// What a worker had at the end.
struct Left {
    id: WorkerId,
    has_or_awaits: Vec<SubdomainId>,
    sweeps: u32,
}

impl Worker {
    fn new(world: &'static World, id: u32) -> Self {
        let (members, awaited) = (Vec::new(), Vec::new());
        Self { id: WorkerId(id), world, members, awaited, sweeps: 0 }
    }

    /// As the engine's workers do before each iteration.
    fn refresh(&mut self, clears: Clears) {
        let (id, assignment) = (self.id, &self.world.assignment);
        let late = (clears == Clears::After).then(|| assignment.of(id).collect::<Vec<_>>());
        if assignment.take_dirty(id) {
            let assigned = late.unwrap_or_else(|| assignment.of(id).collect());
            self.members.retain(|(member, _)| assigned.contains(member));
            let has = |id: &SubdomainId| self.members.iter().any(|(member, _)| member == id);
            self.awaited = assigned.into_iter().filter(|id| !has(id)).collect();
        }
        let (world, members) = (self.world, &mut self.members);
        self.awaited.retain(|&awaited| match world.subdomains[awaited.index()].take(id) {
            Some(held) => {
                members.push((awaited, held));
                false
            }
            None => true,
        });
    }

    fn sweep(&mut self) {
        for (_, held) in &mut self.members {
            held.with(|count| *count += 1);
            self.sweeps += 1;
        }
    }

    fn work(mut self, rounds: u32, clears: Clears) -> Left {
        for _ in 0..rounds {
            self.refresh(clears);
            self.sweep();
        }
        let members = self.members.iter().map(|(id, _)| *id);
        let mut has_or_awaits = members.chain(self.awaited).collect::<Vec<_>>();
        has_or_awaits.sort();
        Left { id: self.id, has_or_awaits, sweeps: self.sweeps }
    }
}

/// Workers make some rounds while the balancer makes its moves; then nothing may be lost.
fn braid(workers: u32, rounds: u32, moves: &'static [(u32, u32, u32)], clears: Clears) {
    let world = World::new(workers, 1);
    let start = |id| thread::spawn(move || Worker::new(world, id).work(rounds, clears));
    let threads: Vec<_> = (0..workers).map(start).collect();
    for &(subdomain, from, to) in moves {
        world.announce(subdomain, from, to);
    }
    let left: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    for left in &left {
        if !world.assignment.take_dirty(left.id) {
            let assigned: Vec<_> = world.assignment.of(left.id).collect();
            assert_eq!(left.has_or_awaits, assigned, "a clean worker has what it is assigned");
        }
    }
    let mut swept = 0;
    for (subdomain, id) in world.subdomains.iter().zip(0..) {
        let owner = world.assignment.owner(SubdomainId(id)).unwrap();
        assert!(owner.0 < world.workers);
        swept += subdomain.take(owner).expect("its owner can take it").with(|count| *count);
    }
    assert_eq!(swept, left.iter().map(|left| left.sweeps).sum(), "no sweep is lost");
}

#[test]
fn two_workers_there_and_back() {
    explore(3, || braid(2, 2, &[(0, 0, 1), (0, 1, 0)], Clears::Before));
}

#[test]
fn three_workers_on_and_on() {
    explore(2, || braid(3, 2, &[(0, 0, 1), (0, 1, 2)], Clears::Before));
}

/// The old owner lets go, and the new one gets it with every sweep in it, however long it waits.
#[test]
fn a_move_arrives() {
    explore(3, || {
        let world = World::new(2, 1);
        let first = thread::spawn(move || Worker::new(world, 0).work(3, Clears::Before));
        world.announce(0, 0, 1);
        let mut second = Worker::new(world, 1);
        second.refresh(Clears::Before);
        while second.members.is_empty() {
            thread::yield_now();
            second.refresh(Clears::Before);
        }
        let seen = second.members[0].1.with(|count| *count);
        assert_eq!(seen, first.join().unwrap().sweeps, "the new owner sees every sweep");
    });
}

#[test]
#[should_panic(expected = "a clean worker has what it is assigned")]
fn a_mark_that_is_cleared_late_is_caught() {
    explore(3, || braid(2, 2, &[(0, 0, 1), (0, 1, 0)], Clears::After));
}

/// A copy of [`Handover`] whose parts can be weakened.
struct Copied {
    holder: AtomicU32,
    value: UnsafeCell<u32>,
    waits: bool,
    release: Ordering,
}

#[expect(unsafe_code, reason = "as in the original; the value is never reached, only traced")]
// SAFETY: nobody dereferences the pointers; loom checks when they could be.
unsafe impl Sync for Copied {}

impl Copied {
    fn take(&self, worker: u32) -> bool {
        if !self.waits {
            self.holder.store(worker, Ordering::Relaxed);
            return true;
        }
        let free = u32::MAX;
        self.holder.compare_exchange(free, worker, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn release(&self) {
        self.holder.store(u32::MAX, self.release);
    }
}

fn copied(waits: bool, release: Ordering) {
    explore(3, move || {
        let (holder, value) = (AtomicU32::new(u32::MAX), UnsafeCell::new(0));
        let copied = Arc::new(Copied { holder, value, waits, release });
        let threads = [0, 1].map(|worker| {
            let copied = Arc::clone(&copied);
            thread::spawn(move || {
                if copied.take(worker) {
                    copied.value.with_mut(|_| ());
                    copied.release();
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn the_copy_is_sound_as_it_is() {
    copied(true, Ordering::Release);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_take_that_does_not_wait_is_caught() {
    copied(false, Ordering::Release);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_release_without_its_order_is_caught() {
    copied(true, Ordering::Relaxed);
}
