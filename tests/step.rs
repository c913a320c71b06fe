//! Everything that can happen between workers, their subdomains and the balancer, one step at a
//! time: the model checker explores all orders of these steps in a small system, the properties
//! random orders in large ones.

use tresse_core::id::SocketId;
use tresse_core::run::PlbParams;

use crate::world::{self, Fault, Policy, World};

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A balancing round decides, and assigns subdomains to other workers.
    Decide,
    /// The worker that ran the round marks those that it concerns as dirty.
    Mark,
    /// A worker sweeps a subdomain of its working set; nothing else of it happens meanwhile.
    Sweep(usize, usize),
    /// A worker, between two sweeps, finds that it is dirty.
    Notice(usize),
    /// That worker re-reads what is assigned to it: releases, then takes.
    Reread(usize),
}

/// How working sets follow the assignment; all but the first are faults that checks must catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandOver {
    /// The mark is cleared before the assignment is read; only a released subdomain is taken.
    Sound,
    /// Takes a subdomain without waiting until it is released.
    Grabs,
    /// Clears the mark after it has read the assignment, and so loses marks that came between.
    ClearsLate,
    /// Takes what is free, but does not come back for what is not free yet.
    GivesUp,
}

/// Workers, subdomains and the balancer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct System {
    /// Update counts, less the smallest of them: only differences decide.
    pub counts: Vec<u64>,
    /// The worker that each subdomain is assigned to.
    pub assigned: Vec<usize>,
    /// What each worker sweeps, in order of identity.
    pub working: Vec<Vec<usize>>,
    /// Dirty marks.
    pub dirty: Vec<bool>,
    /// What a worker read of the assignment when it noticed its mark: only for `ClearsLate`.
    pub noticed: Vec<Option<Vec<usize>>>,
    /// Workers that a round concerned and that are not marked yet.
    pub unmarked: Vec<usize>,
}

impl System {
    /// Everything swept by the worker that it is assigned to, nothing under way.
    pub fn new(workers: usize, assigned: &[usize]) -> Self {
        let mut system = Self {
            counts: vec![0; assigned.len()],
            assigned: assigned.to_vec(),
            working: Vec::new(),
            dirty: vec![false; workers],
            noticed: vec![None; workers],
            unmarked: Vec::new(),
        };
        system.working = (0..workers).map(|worker| system.assigned_to(worker)).collect();
        system
    }

    /// The world that a balancing round sees now.
    pub fn world(&self, params: PlbParams) -> World {
        World {
            counts: self.counts.clone(),
            owners: self.assigned.clone(),
            sockets: vec![SocketId(0); self.working.len()],
            policy: Policy::Joint,
            params,
        }
    }

    /// The steps that can happen now, where no subdomain gets `ahead` sweeps ahead of the last.
    pub fn possible(&self, ahead: u64) -> Vec<Step> {
        let mut steps = vec![if self.unmarked.is_empty() { Step::Decide } else { Step::Mark }];
        for worker in 0..self.working.len() {
            if self.noticed[worker].is_some() {
                steps.push(Step::Reread(worker));
            } else if self.dirty[worker] {
                steps.push(Step::Notice(worker));
            } else {
                let ready = self.working[worker].iter().filter(|&&id| self.counts[id] < ahead);
                steps.extend(ready.map(|&subdomain| Step::Sweep(worker, subdomain)));
            }
        }
        steps
    }

    /// Lets one step happen; an error where the round fails a check.
    pub fn apply(&mut self, step: Step, params: PlbParams, rule: HandOver) -> Result<(), Fault> {
        match step {
            Step::Decide => {
                for sent in world::core_round(&self.world(params))? {
                    self.assigned[sent.subdomain] = sent.to;
                    self.unmarked.extend([sent.from, sent.to]);
                }
                self.unmarked.sort_unstable();
                self.unmarked.dedup();
            }
            Step::Mark => {
                for worker in std::mem::take(&mut self.unmarked) {
                    self.dirty[worker] = true;
                }
            }
            Step::Sweep(_, subdomain) => {
                self.counts[subdomain] += 1;
                let smallest = self.counts.iter().copied().min().unwrap_or(0);
                self.counts.iter_mut().for_each(|count| *count -= smallest);
            }
            Step::Notice(worker) => {
                let late = rule == HandOver::ClearsLate;
                self.dirty[worker] = late;
                let read = if late { self.assigned_to(worker) } else { Vec::new() };
                self.noticed[worker] = Some(read);
            }
            Step::Reread(worker) => self.reread(worker, rule),
        }
        Ok(())
    }

    fn reread(&mut self, worker: usize, rule: HandOver) {
        let read_before = self.noticed[worker].take();
        let wanted = match read_before {
            Some(read) if rule == HandOver::ClearsLate => read,
            _ => self.assigned_to(worker),
        };
        self.working[worker].retain(|subdomain| wanted.contains(subdomain));
        let held = self.working.concat();
        let free = |subdomain: &&usize| rule == HandOver::Grabs || !held.contains(subdomain);
        let taken = wanted.iter().filter(|id| !self.working[worker].contains(id)).filter(free);
        let taken: Vec<usize> = taken.copied().collect();
        self.working[worker].extend(taken);
        self.working[worker].sort_unstable();
        let complete = self.working[worker] == wanted;
        self.dirty[worker] = match rule {
            HandOver::ClearsLate => !complete,
            HandOver::GivesUp => self.dirty[worker],
            HandOver::Sound | HandOver::Grabs => self.dirty[worker] || !complete,
        };
    }

    /// Never two workers for one subdomain.
    pub fn has_one_writer(&self) -> bool {
        let swept = self.working.concat();
        (1..swept.len()).all(|place| !swept[place..].contains(&swept[place - 1]))
    }

    /// A worker that is clean and that nobody is about to mark sweeps just what it is assigned.
    pub fn clean_means_current(&self) -> bool {
        (0..self.working.len()).all(|worker| {
            self.dirty[worker]
                || self.noticed[worker].is_some()
                || self.unmarked.contains(&worker)
                || self.working[worker] == self.assigned_to(worker)
        })
    }

    /// Whether everything is handed over once the balancer rests and every worker has
    /// re-read its dirty mark twice: once to release, once to take.
    pub fn settles(&self, params: PlbParams, rule: HandOver) -> bool {
        let mut rested = self.clone();
        let workers = || 0..self.working.len();
        let twice = (0..2).flat_map(|_| workers());
        let reread = twice.flat_map(|worker| [Step::Notice(worker), Step::Reread(worker)]);
        for step in workers().map(Step::Reread).chain([Step::Mark]).chain(reread) {
            let idle = match step {
                Step::Notice(worker) => !rested.dirty[worker],
                Step::Reread(worker) => rested.noticed[worker].is_none(),
                _ => false,
            };
            if !idle && rested.apply(step, params, rule).is_err() {
                return false;
            }
        }
        workers().all(|worker| rested.working[worker] == rested.assigned_to(worker))
    }

    fn assigned_to(&self, worker: usize) -> Vec<usize> {
        (0..self.assigned.len()).filter(|&id| self.assigned[id] == worker).collect()
    }
}
