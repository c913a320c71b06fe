//! The deciding half of Tresse.
//!
//! # Purity
//!
//! This crate takes counts, owners, time, seeds and memory as arguments and returns decisions as
//! plain values. It never reads a clock, spawns, allocates, prints or panics on input, and it has
//! no `unsafe` outside [`node::shared`], [`parts::halo`] and `multigrid::lent_rows`. The same
//! functions are driven by pinned threads, by the virtual [`sim::machine`], by the fuzzers and by
//! the model checkers, and their decisions are integer arithmetic with explicit tie-breaks, so that
//! every driver agrees to the bit. Floats live in [`field::stencil`], in [`multigrid`], in
//! [`run::convergence`] and in reports.
//!
//! No panic on input; a broken invariant panics, always. Mistakes that a person or another process
//! may have made are answered with an error. Mistakes that only a bug can make, in this crate or in
//! a driver that lends less memory than is asked for, stop every build: to go on would give a wrong
//! field that looks right. Memory by part, worker, node and so on is a [table](base::table), made
//! once with the right length and indexed by its id; whatever else is broken stops by
//! [`base::bug`].
//!
//! # Map
//!
//! Ten districts. Each has a front page, which says what it never does and which type to read
//! first. Imports go down only: a district names those above it in this table that its last column
//! lists, and no others. A test reads the table and holds the crate to it.
//!
//! | district | what it is | imports |
//! |---|---|---|
//! | [`base`] | ids, time, random numbers, the types of cells, sorting, the grammar of flags' values, topology | – |
//! | [`run`] | configuration, report, noise as data, progress, schedule, convergence | `base` |
//! | [`parts`] | a part, the graph of parts, ownership, halos | `base` `run` |
//! | [`balance`] | balancers: Algorithm 1, borrowing, DPLB, measured loads, Grapevine, central ones; advice | `base` `run` `parts` |
//! | [`field`] | grid, stencil, subdomain, problem | `base` `run` `parts` |
//! | [`multigrid`] | hierarchy, cycles, and its drivers in memory | `base` `run` `field` |
//! | [`node`] | a worker's life, what it sweeps next, who has a part | `base` `run` `parts` `balance` `field` |
//! | [`ranks`] | several nodes over a transport of words: views, migration, rounds | `base` `run` `parts` `balance` `field` `node` |
//! | [`tasks`] | pools of tasks with speculation, unbalanced trees, traversal | `base` |
//! | [`sim`] | events, hardware, and the virtual machines that nodes, multigrid and pools run on | `base` `run` `parts` `balance` `field` `multigrid` `node` `ranks` `tasks` |
//!
//! Memory that a district's types are lent, owned by one value each, is its `owned`, where the
//! feature `alloc` allows it.
//!
//! # A sweep's way
//!
//! A run iterates [`Part`](parts::Part)s of a [`Graph`](parts::Graph). This crate's parts are
//! rectangles of the [grid](field::grid) ([`Subdomain`](field::subdomain::Subdomain)) under the
//! [stencil](field::stencil); `heat.rs` among the examples of `tresse` has other ones.
//!
//! A [`Worker`](node::worker::Worker) finishes a sweep; the edges go out with their version
//! ([`Publication`](parts::halo::Publication)), which is the part's update count
//! ([`run::progress`]). Every period one worker lends the counts and the
//! [`Ownership`](parts::ownership::Ownership) to a [`balance`]r, which makes moves; each is
//! announced ([`Assignment`](node::shared::Assignment)), and the part changes hands
//! ([`Claim`](node::shared::Claim)). Between the memories of two nodes it goes by
//! [`ranks::migration`], and its neighbours find it by [`parts::halo`]; [`ranks`] drives both over
//! any transport of words. Which of its parts a worker sweeps next is said by [`node`], whether it
//! keeps them or claims them for one sweep at a time. [`run::schedule`] says whether a part may be
//! swept yet, [`run::convergence`] when the run may end. [`node::executor`] does all that, for
//! threads and ranks.
//!
//! # A driven example
//!
//! A driver lends a [`node::executor::Node`] its memory, and lets its workers make their steps.
//! Here one thread drives two of them, the second three times as slow. They make 200 iterations of
//! eight subdomains of which only the counts matter, and Algorithm 1, in whoever's turn it is,
//! keeps the counts together.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use core::sync::atomic::{AtomicBool, AtomicU32};
//! use tresse_core::base::id::{NodeId, SocketId, WorkerId};
//! use tresse_core::base::time::{Duration, Instant};
//! use tresse_core::base::topology::Topology;
//! use tresse_core::field::grid::Decomposition;
//! use tresse_core::node::executor::{
//!     Alone, Host, Node, OwnedNodeMemory, OwnedWorkerMemory, Setup, SlotTable, Slots, Step, Wait,
//!     Worker,
//! };
//! use tresse_core::node::shared::{Claim, Claims, Copies};
//! use tresse_core::parts::{NoCells, owned::EdgeMemory};
//! use tresse_core::run::progress::Progress;
//! use tresse_core::run::{Balance, PlbParams, RunConfig, Stop};
//!
//! /// The surroundings of a worker: a clock that stands, and nobody who looks on.
//! struct Still(());
//! impl Host<NoCells> for Still {
//!     type Observer = ();
//!     fn observer(&mut self) -> &mut () {
//!         &mut self.0
//!     }
//!     fn now(&self) -> Instant {
//!         Instant::ZERO
//!     }
//!     fn wait(&mut self, _: Wait) {}
//! }
//!
//! let config = RunConfig {
//!     workers: 2,
//!     split: 4,
//!     stop: Stop { iterations: Some(200), ..Stop::NEVER },
//!     // A round in every turn.
//!     balance: Balance::Joint(Duration(0)),
//!     plb: PlbParams { pairs: 1, low: 1, high: 7, dead_band: 0 },
//!     ..RunConfig::default()
//! };
//! let graph = Decomposition::new(&config).unwrap();
//!
//! let mut parts = [(); 8].map(|()| Claim::new(NoCells));
//! let mut claims = Claims::new(&mut parts);
//! let grips = [claims.grip(), claims.grip()];
//! let (edges, words) = (EdgeMemory::new(&graph), [(); 8].map(|()| AtomicU32::new(0)));
//! let (publications, parts) = (edges.lend(), Copies::single(claims.all()));
//! let table = SlotTable::new(&words, (0..8).map(Some));
//! let slots = Slots { parts, publications: &publications, table };
//! let (sockets, workers) = ([SocketId(0); 2], [0, 1].map(WorkerId));
//! let interrupt = &AtomicBool::new(false);
//! let topology = Topology::new(&sockets, &workers).unwrap();
//! let (config, graph, node, peers) = (&config, &graph, NodeId(0), &Alone);
//! let setup = Setup { config, graph, node, slots, peers, topology, interrupt };
//! let mut memory = OwnedNodeMemory::new(config, 8, 2);
//! let node = Node::new(setup, claims.grip(), memory.lend()).unwrap();
//!
//! let mut memory = [8, 8].map(OwnedWorkerMemory::new);
//! let workers = grips.into_iter().zip(&mut memory);
//! let mut workers: Vec<_> =
//!     workers.map(|(grip, memory)| Worker::new(&node, grip, memory.lend(), Still(()))).collect();
//! let turns = (0..).map(|step| usize::from(step % 4 == 3));
//! // Until the first has come to the end of its life.
//! turns.map(|worker| workers[worker].step()).find(|&step| step == Step::End);
//!
//! let progress = Progress::of(node.slots().here().map(|(_, published)| published.version()));
//! // Without the balancer, the second would be 200 behind.
//! assert!(progress.mean() >= 200.0 && progress.spread() < 100, "{progress:?}");
//! # }
//! ```
//!
//! # Words
//!
//! The papers' words, and their places in the code; modules of `tresse` and `tresse_mpi` are named
//! without links.
//!
//! | paper | here |
//! |---|---|
//! | domain, subdomain | a worker's block, [`base::id::SubdomainId`] and [`field::subdomain::Subdomain`]; a [`parts::Part`] of any kind |
//! | thread | [`base::id::WorkerId`]; its life is [`node::worker`], the thread itself is `tresse::engine::threads` |
//! | CPU socket | [`base::id::SocketId`], [`base::topology::Topology`] |
//! | update count, iteration, spread | [`run::progress::Progress`]; an iteration is a sweep of all of a worker's subdomains |
//! | staleness, halo | [`run::progress::Staleness`], [`parts::halo::Publication`] |
//! | sync, ssync(n), async(n) | [`run::Mode`] and [`run::RunConfig::split`] |
//! | work stealing (section 6, future work) | what is behind is borrowed: by moves ([`balance::borrow`]), or sweep by sweep ([`run::Balance::Pull`], [`node::Visitor`]), to which a run may turn ([`run::RunConfig::may_switch`]) |
//! | help (beyond the paper) | a sweep that another worker is stuck in: [`node::Visit::Help`], [`node::shared::Copies`] |
//! | Algorithm 1, nPairs, lowThresh, highThresh | [`balance::plb`], [`run::PlbParams`] |
//! | joint, split, hybrid | [`run::Balance`], [`balance::Balancer`] |
//! | load (Grapevine) | the time of a subdomain's sweeps, [`balance::measured`] |
//! | `GetThread`, `SetThread` | [`parts::ownership::Ownership`], the only door through which owners change |
//! | dirty | [`parts::ownership::Mark`]; [`node::shared::Claim`] decides who may write |
//! | node, DPLB | [`base::id::NodeId`], [`balance::dplb`], [`run::Nodes`]; with MPI, a rank is a node |
//! | window, passive target | `tresse_mpi::Window`: memory that other ranks read while its owner computes |
//! | halo header | a [`parts::halo::HaloTag`] (subdomain, owner), and the edge's version in a [`parts::halo::Publication`] |
//! | displacement array | the directory of a rank, one [`parts::halo::DirectoryEntry`] for each subdomain: in which slot it is, or where it went |
//! | forward | [`parts::halo::DirectoryEntry::Left`]; a [`parts::halo::Search`] follows it and remembers its end |
//! | processor, object, load, imbalance | [`base::id::ProcessorId`], [`base::id::ObjectId`], [`balance::objects`] |
//! | gossip, underloaded, CMF | [`balance::grapevine`], its `gossip` and `transfer::cmf`; the loop is [`balance::grapevine::run()`] |
//! | criteria 6 and 6' | [`balance::grapevine::Criterion`]; lines 3 to 11 are [`balance::grapevine::transfer::sender`] |
//! | termination detection, refusal | [`balance::grapevine::protocol`], [`balance::grapevine::transfer::receiver`] |
//! | k, f, T | `rounds`, `fanout` and `threshold` of [`balance::grapevine::Config`] |
//! | fully sequential simulation, distributed run | [`balance::grapevine::View`]: live or gossiped loads |
//! | rank, task, phase (of a load trace) | `tresse::files::load_traces`; a rank is a processor, a task an object |
//! | task, manager, chunk, release interval (Eslami & Gropp) | [`tasks::sharing::Work`], [`tasks::sharing::Manager`], [`tasks::sharing::SharingConfig`] |
//! | arbitration, commit, roll back | [`tasks::sharing::Message::Claim`], [`tasks::sharing::Work::commit`], [`tasks::sharing::Work::undo`] |
//! | residual, convergence | [`field::stencil`], [`run::convergence::Convergence`] |
//! | parasite, noise | [`run::noise::Noise`], `tresse::platform::noise`; in virtual time a part of [`sim::machine`] |
//! | Cirrus, ARCHER | [`sim::machine::Hardware`], `host-cli/machines` |
//!
//! # Sources
//!
//! Sections without another source are those of J. Zarins and M. Weiland, *Progressive load
//! balancing of asynchronous algorithms*, IA³ 2017.
//!
//! # Rules
//!
//! Where the papers leave a choice, it is made once:
//!
//! 1. Algorithm 1 considers `i` in `0..min(nPairs, subdomains / 2)`; its list is ordered by count,
//!    descending, then by id, ascending.
//! 2. Top and bottom on the same worker: no move.
//! 3. The subdomain sent is the most updated one of the bottom worker other than the bottom one,
//!    ties by lowest id; where there is none, nothing moves.
//! 4. Counts are a snapshot for the round, the number of subdomains of a worker is live; a
//!    subdomain moves at most once a round.
//! 5. `low` is at least 1 and below `high`; where no worker has more subdomains than `low`, or none
//!    fewer than `high`, nothing can ever move: [`balance::plb::stuck`] says so.
//! 6. Split runs Algorithm 1 for each socket; hybrid adds, every n-th round, one random subdomain
//!    from the socket with the lowest mean count to the one with the highest, thresholds respected.
//! 7. No move while a pair's counts differ by less than the dead band, which is 0 by default.
//! 8. DPLB: the least progressed node, as it finds itself, sends one random subdomain to the most
//!    progressed one where they are further apart than the threshold. What is in flight counts as
//!    arrived, one at a time is in flight from a node, only workers with more than `low` send, and
//!    a node gets nothing at `high` times its workers; [`run::NodeRule::Published`] leaves all of
//!    that out. With [`run::NodeRule::Boundary`] the subdomain is the least updated one beside
//!    another node's, ties by lowest id.
//! 9. A subdomain that moved leaves a forward (new rank and sequence number of the move); the tag
//!    of a halo names the subdomain and the rank that owns it. A reader that meets a forward
//!    follows it and remembers where the subdomain is, so that chains stay short.
//! 10. Grapevine: underloaded processors are gossiped about, an overloaded one transfers to those
//!     that it has heard of while its load is above T times the average. Criterion 6 is `L_x +
//!     load(o) < L_avg`, criterion 6' `load(o) < L_i − L_x`, both strict, and what carries no load
//!     stays.
//! 11. Iterations are all updates ÷ subdomains, and a run that is to make N of them ends when that
//!     mean has reached N; the iteration rate is that ÷ seconds; the spread is the highest minus
//!     the lowest count; staleness is the version gap met when a halo is read.
//! 12. The residual that ends a run is verified on a consistent state; if that fails, the run goes
//!     on. In the exact mode each version is such a state, so on one node a run halts for the
//!     verification once a version has passed it.
//! 13. Sharing: a worker's own tasks come before those of copies, and no child of a task that is
//!     not committed is executed. Each chunk is rolled back on its own. Who waits for an answer to
//!     a claim is not idle, so that what is granted and not committed keeps the run going.

#![no_std]
#![warn(clippy::std_instead_of_core, clippy::indexing_slicing, clippy::panic)]
#![expect(
    clippy::inline_always,
    reason = "what a sweep goes through is compiled into each host, and again for wider vectors"
)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod balance;
pub mod base;
pub mod field;
pub mod multigrid;
pub mod node;
pub mod parts;
pub mod ranks;
pub mod run;
pub mod sim;
pub mod tasks;
