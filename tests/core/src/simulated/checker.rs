//! Learns from the stream of events what the machine must look like.

mod compare;

use std::collections::BTreeMap;

use tresse_core::balance::dplb::Transfer;
use tresse_core::base::id::{NodeId, SocketId, SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::parts::ownership::Move;
use tresse_core::run::progress::Progress;
use tresse_core::run::{Balance, Mode, NodeBalance, NodeRule};
use tresse_core::sim::machine::{Event, Watch};

use super::world::VirtualWorld;

type Verdict = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(what()) }
}

/// The most that the number of events may be, given what came of them.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    steps: u64,
    effects: u64,
    sweeps: u64,
}

/// A subdomain that its owner does not hold yet, and how many sweeps may pass until it does.
#[derive(Clone, Copy, Debug)]
struct Change {
    holder: Option<WorkerId>,
    owner: WorkerId,
    /// Number of sweeps of the worker that must act: the holder, or else the owner.
    sweeps_at_most: u64,
}

/// The state of a run that follows from its events alone.
pub struct Checker<'w> {
    world: &'w VirtualWorld,
    decomposition: Decomposition,
    now: Instant,
    versions: Vec<u64>,
    owners: Vec<WorkerId>,
    held: Vec<u32>,
    sweeping: Vec<Option<(SubdomainId, Instant)>>,
    /// Version of the subdomain when each worker's sweep began.
    began: Vec<u64>,
    /// Whether each worker helps with a sweep of another.
    helps: Vec<bool>,
    swept: Vec<u64>,
    changes: BTreeMap<SubdomainId, Change>,
    /// Transfers with their times.
    flights: Vec<(Transfer, Instant)>,
    last_sent: BTreeMap<NodeId, Instant>,
    holders: Vec<Option<WorkerId>>,
    held_before_round: Option<Vec<u32>>,
    round: Option<(Instant, NodeId)>,
    /// Whether subdomains are claimed for one sweep at a time, by now.
    visits: bool,
    moves: u64,
    away: u64,
    helped: u64,
    discarded: u64,
    transfers: u64,
    rounds: u64,
    all: Effort,
    at_once: Effort,
    in_flight: u64,
    fault: Option<String>,
}

impl Watch for Checker<'_> {
    fn see(&mut self, now: Instant, event: Event) {
        if self.fault.is_none()
            && let Err(what) = self.learn(now, event)
        {
            self.fault = Some(format!("at {}: {event:?}: {what}", now.0));
        }
    }
}

impl<'w> Checker<'w> {
    /// Returns the state before the first event.
    pub fn new(world: &'w VirtualWorld) -> Result<Self, String> {
        let config = &world.config;
        let decomposition = Decomposition::new(config).map_err(|error| error.to_string())?;
        let owners: Vec<_> = decomposition.ids().map(|id| decomposition.first_owner(id)).collect();
        let workers = config.workers as usize;
        let mut checker = Self {
            world,
            decomposition,
            now: Instant::ZERO,
            versions: vec![0; owners.len()],
            held: vec![0; workers + config.nodes.number as usize],
            holders: vec![None; owners.len()],
            sweeping: vec![None; workers],
            began: vec![0; workers],
            helps: vec![false; workers],
            swept: vec![0; workers],
            changes: BTreeMap::new(),
            flights: Vec::new(),
            last_sent: BTreeMap::new(),
            held_before_round: None,
            round: None,
            visits: config.visits(),
            moves: 0,
            away: 0,
            helped: 0,
            discarded: 0,
            transfers: 0,
            rounds: 0,
            all: Effort::default(),
            at_once: Effort::default(),
            in_flight: 0,
            fault: None,
            owners,
        };
        for owner in &checker.owners {
            checker.held[owner.index()] += 1;
        }
        Ok(checker)
    }

    /// Events after which subdomains were in flight.
    pub const fn events_in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Sweeps that another worker was done with first.
    pub const fn discarded(&self) -> u64 {
        self.discarded
    }

    fn node(&self, worker: WorkerId) -> NodeId {
        NodeId(worker.0 / self.world.config.workers_per_node())
    }

    fn socket(&self, worker: WorkerId) -> SocketId {
        let local = worker.0 % self.world.config.workers_per_node();
        let hardware = &self.world.hardware;
        SocketId(self.node(worker).0 * hardware.sockets + local / hardware.cores)
    }

    fn workers_of(&self, node: NodeId) -> impl Iterator<Item = WorkerId> + use<> {
        let each = self.world.config.workers_per_node();
        (node.0 * each..(node.0 + 1) * each).map(WorkerId)
    }

    fn in_transit(&self, node: NodeId) -> WorkerId {
        WorkerId(self.world.config.workers + node.0)
    }

    fn give(&mut self, id: SubdomainId, to: WorkerId) {
        let from = std::mem::replace(&mut self.owners[id.index()], to);
        self.held[from.index()] -= 1;
        self.held[to.index()] += 1;
    }

    fn learn(&mut self, now: Instant, event: Event) -> Verdict {
        ensure(now >= self.now, || format!("time went back from {}", self.now.0))?;
        if now > self.now {
            self.now = now;
            self.at_once = Effort::default();
        }
        for effort in [&mut self.all, &mut self.at_once] {
            effort.effects += 1;
            effort.sweeps += u64::from(matches!(event, Event::Swept { .. }));
        }
        match event {
            Event::Started { worker, subdomain, until } => self.starts(worker, subdomain, until),
            Event::Helps { worker, subdomain, until } => self.helps(worker, subdomain, until),
            Event::Discarded { worker, subdomain } => self.discards(worker, subdomain),
            Event::Switched => self.turns(),
            Event::Swept { worker, subdomain, version } => self.ends(worker, subdomain, version),
            Event::Waits { worker, .. } => {
                ensure(self.sweeping[worker.index()].is_none(), || "it waits and sweeps".into())
            }
            Event::Round { node, worker } => {
                self.rounds += 1;
                self.round = Some((now, node));
                self.held_before_round = Some(self.held.clone());
                ensure(self.node(worker) == node, || "a round on another node".into())
            }
            Event::Moved(made) => self.moved(made),
            Event::Sent(transfer) => self.sent(transfer),
            Event::Arrived { transfer, worker } => self.arrived(transfer, worker),
            Event::Refused { transfer, worker } => self.refused(transfer, worker),
            Event::Verified { .. } => {
                ensure(self.sweeps_for_nothing(), || {
                    "somebody sweeps while a consistent state is looked at".into()
                })?;
                let spread = Progress::of(self.versions.iter().copied()).spread();
                ensure(self.world.config.mode != Mode::Exact || spread == 0, || {
                    format!("an exact halt finds subdomains {spread} apart")
                })?;
                ensure(self.flights.is_empty(), || {
                    "a consistent state is looked at while a subdomain is between nodes".into()
                })
            }
        }
    }

    fn starts(&mut self, worker: WorkerId, id: SubdomainId, until: Instant) -> Verdict {
        ensure(until > self.now, || "a sweep takes no time".into())?;
        ensure(self.sweeping[worker.index()].is_none(), || "a second sweep at once".into())?;
        ensure(self.sweeps_of(id).next().is_none(), || "two sweep the same".into())?;
        self.sweeping[worker.index()] = Some((id, until));
        let is_away = self.is_away(worker, id);
        let stays = self.world.config.balance == Balance::None;
        ensure(!(is_away && stays), || "it is at home with somebody else".into())?;
        self.is_on_node_of(worker, id)?;
        let own = self.versions[id.index()];
        self.began[worker.index()] = own;
        for side in Side::ALL {
            let Some(neighbour) = self.decomposition.neighbour(id, side) else { continue };
            let other = self.versions[neighbour.index()];
            let allowed = match self.world.config.mode {
                // At the barrier all halos are read; without one, nobody is more than one ahead.
                Mode::Sync | Mode::Exact => (own..=own + 1).contains(&other),
                Mode::SemiSync(bound) => own.saturating_sub(other) <= u64::from(bound),
                Mode::Async => true,
            };
            ensure(allowed, || format!("version {own} starts beside {other} of {neighbour}"))?;
        }
        Ok(())
    }

    /// Returns the workers that sweep a subdomain at its newest version.
    fn sweeps_of(&self, id: SubdomainId) -> impl Iterator<Item = usize> + '_ {
        let version = self.versions[id.index()];
        let sweeps = move |&worker: &usize| {
            self.sweeping[worker].is_some_and(|(other, _)| other == id)
                && self.began[worker] == version
        };
        (0..self.sweeping.len()).filter(sweeps)
    }

    fn is_on_node_of(&self, worker: WorkerId, id: SubdomainId) -> Verdict {
        let owner = self.owners[id.index()];
        ensure(!self.visits || self.node(owner) == self.node(worker), || {
            format!("it is on the node of {owner}")
        })
    }

    fn is_away(&self, worker: WorkerId, id: SubdomainId) -> bool {
        self.visits && self.owners[id.index()] != worker
    }

    fn turns(&mut self) -> Verdict {
        ensure(self.world.config.may_switch(), || "nobody may turn to pulling".into())?;
        ensure(!self.visits, || "a second turn".into())?;
        ensure(self.sweeping.iter().all(Option::is_none), || "a turn during a sweep".into())?;
        self.visits = true;
        self.changes.clear();
        Ok(())
    }

    fn helps(&mut self, worker: WorkerId, id: SubdomainId, until: Instant) -> Verdict {
        ensure(until > self.now, || "a sweep takes no time".into())?;
        ensure(self.world.config.helps(), || "nobody is to help".into())?;
        ensure(self.sweeping[worker.index()].is_none(), || "a second sweep at once".into())?;
        ensure(self.sweeps_of(id).count() == 1, || "one other sweeps it".into())?;
        self.is_on_node_of(worker, id)?;
        self.sweeping[worker.index()] = Some((id, until));
        self.began[worker.index()] = self.versions[id.index()];
        self.helps[worker.index()] = true;
        Ok(())
    }

    fn discards(&mut self, worker: WorkerId, id: SubdomainId) -> Verdict {
        let started = self.sweeping[worker.index()].take();
        ensure(started == Some((id, self.now)), || format!("it started {started:?}"))?;
        self.helps[worker.index()] = false;
        self.discarded += 1;
        let is_late = self.versions[id.index()] > self.began[worker.index()];
        ensure(is_late, || "nobody else has published it".into())
    }

    fn ends(&mut self, worker: WorkerId, id: SubdomainId, version: u64) -> Verdict {
        let started = self.sweeping[worker.index()].take();
        ensure(started == Some((id, self.now)), || format!("it started {started:?}"))?;
        let began = self.began[worker.index()];
        ensure(began == self.versions[id.index()], || {
            format!("it began at version {began}, and another has published since")
        })?;
        self.helped += u64::from(std::mem::take(&mut self.helps[worker.index()]));
        self.versions[id.index()] += 1;
        self.swept[worker.index()] += 1;
        self.away += u64::from(self.is_away(worker, id));
        ensure(self.versions[id.index()] == version, || {
            format!("version {} comes next", self.versions[id.index()])
        })
    }

    fn moved(&mut self, made: Move) -> Verdict {
        let Move { subdomain, from, to } = made;
        let config = &self.world.config;
        ensure(self.owners[subdomain.index()] == from && from != to, || "not its owner".into())?;
        let node = self.node(from);
        if self.visits {
            let home = self.decomposition.first_owner(subdomain);
            ensure(to == home, || format!("a move to another place than {home}"))?;
        } else {
            ensure(self.round == Some((self.now, node)), || "a move without a round".into())?;
        }
        ensure(self.node(to) == node, || "a move to another node".into())?;
        let is_split = matches!(config.balance, Balance::Split(_));
        ensure(!is_split || self.socket(from) == self.socket(to), || "another socket".into())?;
        if matches!(config.balance, Balance::Joint(_) | Balance::Split(_) | Balance::Hybrid(..)) {
            let held = |worker: WorkerId| self.held[worker.index()];
            ensure(held(from) > config.plb.low, || "below the lower threshold".into())?;
            ensure(held(to) < config.plb.high, || "above the upper threshold".into())?;
        }
        self.moves += 1;
        self.give(subdomain, to);
        Ok(())
    }

    /// Checks that one of a subdomain's neighbours is with no worker of its node.
    fn is_beside_another_node(&self, subdomain: SubdomainId, node: NodeId) -> Verdict {
        let beside = self.decomposition.neighbours(subdomain).into_iter().flatten();
        let mut owners = beside.map(|other| self.owners[other.index()]);
        let is_elsewhere = owners.any(|owner| self.workers_of(node).all(|worker| worker != owner));
        ensure(is_elsewhere, || format!("{subdomain} is beside none of another node"))
    }

    fn sent(&mut self, transfer: Transfer) -> Verdict {
        let Transfer { subdomain, from, to } = transfer;
        let (config, owner) = (&self.world.config, self.owners[subdomain.index()]);
        ensure(owner.0 < config.workers && self.node(owner) == from && from != to, || {
            format!("its owner is {owner}")
        })?;
        let others = self.flights.iter().filter(|(flight, _)| flight.from == from).count();
        let held: u32 = self.workers_of(from).map(|worker| self.held[worker.index()]).sum();
        let low = match (config.nodes.balance, config.nodes.rule) {
            // Any but the last.
            (NodeBalance::Chaos { .. }, _) => 1,
            (_, NodeRule::Settled | NodeRule::Boundary) => {
                config.plb.low * config.workers_per_node()
            }
            (_, NodeRule::Published) => 0,
        };
        let is_dplb = matches!(config.nodes.balance, NodeBalance::Dplb { .. });
        if is_dplb && config.nodes.rule == NodeRule::Boundary {
            self.is_beside_another_node(subdomain, from)?;
        }
        ensure(others == 0, || format!("{others} others are in flight"))?;
        ensure(held > low, || format!("only {held} are left"))?;
        let rested = self.last_sent.insert(from, self.now);
        let rest = rested.is_none_or(|last| self.now.since(last) >= config.nodes.cooldown);
        ensure(rest, || "the node has not rested".into())?;
        self.flights.push((transfer, self.now));
        self.give(subdomain, self.in_transit(to));
        Ok(())
    }

    fn arrived(&mut self, transfer: Transfer, worker: WorkerId) -> Verdict {
        let id = transfer.subdomain;
        let place = self.flights.iter().position(|(flight, _)| *flight == transfer);
        let (_, since) = self.flights.swap_remove(place.ok_or("it was not sent")?);
        let cells = self.decomposition.rectangle(id).size.cells();
        let travels = self.world.hardware.costs.hand_over.network.time(cells);
        ensure(self.now.since(since) >= travels, || "faster than the network".into())?;
        ensure(self.node(worker) == transfer.to, || "on another node".into())?;
        ensure(self.holders[id.index()].is_none(), || "somebody still holds it".into())?;
        let held = |worker: WorkerId| self.held[worker.index()];
        let fewest = self.workers_of(transfer.to).map(held).min();
        ensure(Some(held(worker)) == fewest, || "others have fewer".into())?;
        self.transfers += 1;
        self.give(id, worker);
        Ok(())
    }

    fn refused(&mut self, transfer: Transfer, worker: WorkerId) -> Verdict {
        let place = self.flights.iter().position(|(flight, _)| *flight == transfer);
        let (_, since) = self.flights.swap_remove(place.ok_or("it was not sent")?);
        let network = self.world.hardware.costs.halo.network;
        ensure(self.now.since(since) >= network.time(1), || "faster than the network".into())?;
        ensure(self.node(worker) == transfer.from, || "on another node".into())?;
        self.give(transfer.subdomain, worker);
        Ok(())
    }
}
