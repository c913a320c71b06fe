//! The model of both pools, in lock step of virtual time.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;

use tresse_core::base::id::{ManagerId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::sim::machine::CoreNoise;
use tresse_core::sim::virtual_pool::{self, PoolCosts, PoolRun, PoolSimulation};
use tresse_core::tasks::sharing::{Managers, Message, Peer, SharingStatistics};
use tresse_core::tasks::uts::Node;

use super::frame::{Act, Counts, Doing, Frame, Lane, MessageInFlight, Past, Rank, Scene};
use super::grow::{Forest, Grow, Marks, UNSEEN, WAITS};
use super::settings::{SEED, Setting, read};
use crate::model::{GARBLED, Model};
use crate::parameters::Parameters;
use crate::views::solve::sentence;

/// Nanoseconds between two columns of activities, at first, and greatest number of columns.
const INTERVAL: u64 = 200;
const MOST_COLUMNS: usize = 1_024;
/// Greatest number of nanoseconds that one pool is ahead of the other between two frames.
const SLICE: u64 = 1_000;
/// Nanoseconds of a step, and greatest number of steps in which nothing changes.
const STEP: u64 = 50;
const MOST_STEPS: u32 = 2_000;

/// Names of a worker's activities, by the numbers of [`Doing`].
const NAMES: [&str; 5] = ["waits", "executes", "speculates", "messages", "ended"];

/// One pool.
struct Pool {
    run: PoolRun<'static, Grow>,
    managers: Managers,
    marks: Marks,
    past: Past,
    ended: Option<u64>,
    problem: Option<String>,
}

/// Both pools.
pub struct SharingModel {
    setting: Setting,
    forest: Rc<Forest>,
    scene: Scene,
    pools: [Pool; 2],
    now: u64,
    has_told_scene: bool,
}

impl Pool {
    /// Starts the pool of a lane on the tree of the setting, whose root waits.
    fn new(setting: &Setting, lane: usize, forest: &Rc<Forest>) -> Result<Self, String> {
        let config = setting.configs.get(lane).copied().ok_or(GARBLED)?;
        let managers = Managers::one(setting.workers);
        let simulation = PoolSimulation {
            config,
            managers,
            hardware: &setting.hardware,
            noise: CoreNoise { seed: SEED, ..CoreNoise::NONE },
            costs: PoolCosts::default(),
            most_tasks: forest.len() + 1,
        };
        let marks: Marks = Rc::new(RefCell::new(vec![UNSEEN; forest.len()]));
        if let Some(root) = marks.borrow_mut().first_mut() {
            *root = WAITS;
        }
        let work = |worker: WorkerId| Grow::new(Rc::clone(forest), Rc::clone(&marks), worker.0);
        let run = simulation.start(&[Node::root(setting.tree.seed)], work);
        let run = run.map_err(|error| sentence(&error))?;
        let past = Past { interval: INTERVAL, columns: Vec::new() };
        Ok(Self { run, managers, marks, past, ended: None, problem: None })
    }

    fn is_over(&self) -> bool {
        self.ended.is_some() || self.problem.is_some()
    }

    /// Advances the pool to a time in nanoseconds, and notes all activities on the way.
    fn advance(&mut self, until: u64) {
        while !self.is_over() {
            let columns = self.past.columns.len() / self.workers().max(1);
            let due = columns as u64 * self.past.interval;
            match self.run.advance_to(Instant(due.min(until))) {
                Ok(true) => {}
                Ok(false) => self.ended = Some(self.run.end().0),
                Err(error) => self.problem = Some(sentence(&error)),
            }
            if due > until {
                return;
            }
            self.note();
        }
    }

    fn workers(&self) -> usize {
        self.managers.workers() as usize
    }

    /// Adds a column of activities; where there are too many columns, every other one is dropped.
    fn note(&mut self) {
        let peers = (0..self.managers.workers()).map(|worker| Peer::Worker(WorkerId(worker)));
        let column: Vec<u8> = peers.map(|peer| self.doing(peer) as u8).collect();
        self.past.columns.extend(column);
        let workers = self.workers().max(1);
        if self.past.columns.len() / workers > MOST_COLUMNS {
            let kept = self.past.columns.chunks(workers).step_by(2).flatten().copied();
            self.past.columns = kept.collect();
            self.past.interval *= 2;
        }
    }

    /// Returns the activity of a worker or manager as the page shows it.
    fn doing(&self, peer: Peer) -> Doing {
        match self.run.doing(peer) {
            Some(virtual_pool::Doing::Executing) => Doing::Executes,
            Some(virtual_pool::Doing::Speculating) => Doing::Speculates,
            Some(virtual_pool::Doing::Messaging | virtual_pool::Doing::Managing) => Doing::Writes,
            Some(virtual_pool::Doing::Ended) => Doing::Ended,
            Some(virtual_pool::Doing::Waiting) | None => Doing::Waits,
        }
    }

    /// Returns the counts of the whole pool: tasks, messages, and speculation.
    fn counts(&self) -> Counts {
        let progress = self.run.progress();
        let all = self.run.workers().map(|(worker, _)| *worker.statistics());
        let all = all.fold(SharingStatistics::default(), SharingStatistics::and);
        Counts {
            done: progress.done,
            queued: progress.queued,
            messages: self.run.messages(),
            speculated: all.speculated,
            committed: all.committed,
            rolled_back: all.rolled_back,
        }
    }

    /// Returns the number of a worker or manager on the page: managers follow the workers.
    fn rank(&self, peer: Peer) -> u32 {
        match peer {
            Peer::Worker(WorkerId(worker)) => worker,
            Peer::Manager(ManagerId(manager)) => self.managers.workers() + manager,
        }
    }

    /// Returns what a lane shows now: marks, activities and messages under way. The share of a
    /// message is how much of its way is made, from 0 to 1.
    fn lane(&self) -> Lane {
        let number = |tasks: usize| u32::try_from(tasks).unwrap_or(u32::MAX);
        let workers = self.run.workers().map(|(worker, _)| Rank {
            doing: self.doing(Peer::Worker(worker.id())),
            tasks: number(worker.tasks()),
        });
        let managers = self.run.managers().map(|manager| Rank {
            doing: self.doing(Peer::Manager(manager.id())),
            tasks: number(manager.tasks()),
        });
        let now = self.run.now();
        let left = self.run.in_flight().filter(|envelope| envelope.departs <= now);
        let messages = left.map(|envelope| {
            let (made, way) =
                (now.since(envelope.departs).0, envelope.arrives.since(envelope.departs).0);
            #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
            let share = (made as f64 / way.max(1) as f64) as f32;
            let has_copies = match envelope.message {
                Message::Work { copies, .. } | Message::Nothing { copies } => !copies.is_empty(),
                _ => false,
            };
            let (from, to) = (self.rank(envelope.from), self.rank(envelope.to));
            MessageInFlight { from, to, tasks: number(envelope.tasks), has_copies, share }
        });
        Lane {
            ended: self.ended,
            problem: self.problem.clone(),
            marks: self.marks.borrow().clone(),
            ranks: workers.chain(managers).collect(),
            messages: messages.collect(),
            counts: self.counts(),
            past: self.past.clone(),
        }
    }
}

impl SharingModel {
    /// Returns both pools before the first task.
    pub fn new(parameters: &Parameters) -> Result<Self, String> {
        let setting = read(parameters)?;
        let forest = Rc::new(Forest::new(&setting.tree)?);
        let scene = Scene {
            parents: forest.parents.clone(),
            heights: forest.heights.clone(),
            across: forest.across.clone(),
            workers: setting.workers,
            methods: setting.configs.map(|config| config.method.name().to_owned()),
            commands: setting.commands(),
        };
        let pools = [Pool::new(&setting, 0, &forest)?, Pool::new(&setting, 1, &forest)?];
        Ok(Self { setting, forest, scene, pools, now: 0, has_told_scene: false })
    }

    /// Puts both pools back to their start.
    fn begin_again(&mut self) -> Result<(), String> {
        self.pools = [
            Pool::new(&self.setting, 0, &self.forest)?,
            Pool::new(&self.setting, 1, &self.forest)?,
        ];
        self.now = 0;
        Ok(())
    }

    /// Returns the activities of all workers over time, as CSV.
    fn past(&self) -> String {
        let mut table = String::from("method,nanoseconds,worker,doing\n");
        for (pool, method) in self.pools.iter().zip(&self.scene.methods) {
            for (place, column) in pool.past.columns.chunks(pool.workers().max(1)).enumerate() {
                let at = place as u64 * pool.past.interval;
                for (worker, doing) in column.iter().enumerate() {
                    let doing = NAMES.get(*doing as usize).copied().unwrap_or_default();
                    // Text takes whatever is written.
                    let _ = writeln!(table, "{method},{at},{worker},{doing}");
                }
            }
        }
        table
    }

    /// Returns a text of the counts, and of a sum over the workers that have executed the nodes.
    fn hash(&self) -> String {
        let pools = self.pools.iter().map(|pool| {
            let marks = pool.marks.borrow();
            let sum = marks
                .iter()
                .fold(17_u64, |sum, mark| sum.wrapping_mul(31).wrapping_add((*mark).into()));
            format!("field {sum:016x}, {:?}, ended {:?}", pool.counts(), pool.ended)
        });
        pools.collect::<Vec<_>>().join("; ")
    }
}

impl Model for SharingModel {
    fn now(&self) -> u64 {
        self.now
    }

    fn has_ended(&self) -> bool {
        self.pools.iter().all(Pool::is_over)
    }

    fn advance(&mut self, until: u64, pause: &mut dyn FnMut() -> bool) {
        while self.now < until && !self.has_ended() {
            let next = self.now.saturating_add(SLICE).min(until);
            self.pools.iter_mut().for_each(|pool| pool.advance(next));
            self.now = next;
            if self.has_ended() {
                let ends = self.pools.iter().filter_map(|pool| pool.ended);
                self.now = ends.max().unwrap_or(next);
            }
            if pause() {
                return;
            }
        }
    }

    fn step(&mut self) {
        let before = self.pools.each_ref().map(Pool::counts);
        for _ in 0..MOST_STEPS {
            self.advance(self.now + STEP, &mut || false);
            if self.has_ended() || self.pools.each_ref().map(Pool::counts) != before {
                return;
            }
        }
    }

    fn rewind(&mut self, to: u64) {
        // It began once, and begins again.
        if to < self.now && self.begin_again().is_err() {
            self.now = 0;
        }
    }

    fn frame(&mut self) -> Vec<u8> {
        let [first, second] = &self.pools;
        let frame = Frame {
            scene: (!self.has_told_scene).then(|| self.scene.clone()),
            now: self.now,
            lanes: [first.lane(), second.lane()],
        };
        self.has_told_scene = true;
        // There is memory, or there is no page.
        postcard::to_allocvec(&frame).unwrap_or_default()
    }

    fn act(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        let text = match postcard::from_bytes(request).map_err(|_| GARBLED)? {
            Act::Past => self.past(),
            Act::Hash => self.hash(),
        };
        Ok(text.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Parameters {
        Parameters::of_form(include_str!("../../../web/views/sharing.html"))
    }

    fn end(parameters: &Parameters) -> SharingModel {
        let mut model = SharingModel::new(parameters).unwrap();
        model.advance(u64::MAX, &mut || false);
        model
    }

    #[test]
    fn every_node_is_executed_once_and_speculation_is_sooner_where_messages_are_slow() {
        let model = end(&parameters());
        let nodes = model.forest.len() as u64;
        for pool in &model.pools {
            assert_eq!(pool.counts().done, nodes);
            assert!(pool.problem.is_none());
            // Everybody's work is certain at the end.
            assert!(pool.marks.borrow().iter().all(|mark| *mark > WAITS && mark % 2 == 0));
        }
        let [sharing, speculative] = &model.pools;
        assert!(speculative.counts().committed > 0 && sharing.counts().speculated == 0);
        assert!(speculative.ended < sharing.ended);
    }

    #[test]
    fn whoever_comes_back_sees_the_same() {
        let mut straight = SharingModel::new(&parameters()).unwrap();
        straight.advance(30_000, &mut || false);
        let mut scrubbed = end(&parameters());
        scrubbed.rewind(30_000);
        scrubbed.advance(30_000, &mut || false);
        assert_eq!(straight.hash(), scrubbed.hash());
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (text, says) in [
            ("workers=0", "0 workers"),
            ("chunk=1000", "chunk"),
            ("lane-1=luck", "luck"),
            ("latency=long", "latency cannot be"),
            ("kind=oak", "oak"),
            ("probability=0.5", "infinite"),
            ("branching=1e9", "more than 30000 nodes"),
        ] {
            let problem = SharingModel::new(&Parameters::parse(text)).err().unwrap_or_default();
            assert!(problem.contains(says), "{text}: {problem}");
        }
    }
}
