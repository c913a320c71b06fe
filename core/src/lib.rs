//! The deciding half of Tresse.
//!
//! # Purity
//!
//! This crate takes counts, owners, time, seeds and memory as arguments and returns decisions as
//! plain values. It never reads a clock, spawns, allocates, prints or panics on input, and it has
//! no `unsafe` outside [`shared`] and [`halo`]. The same functions are driven by pinned threads, by the
//! virtual [`machine`], by the fuzzers and by the model checkers, and their decisions are integer
//! arithmetic with explicit tie-breaks, so that every driver agrees to the bit. Floats live in
//! [`stencil`], in [`multigrid`], in [`convergence`] and in reports.
//!
//! Mistakes that a person or another process may have made are answered with an error. Mistakes
//! that only a bug can make, in this crate or in a driver that lends less memory than is asked for,
//! are asserted in builds with debug assertions, so that tests, fuzzing and models hear them; other
//! builds take a fallback.
//!
//! # Map
//!
//! A run iterates [`part`]s of a [`graph`], each with a number, neighbours, a version and an owner. This crate's
//! parts are rectangles of the [`grid`] ([`subdomain`]) under the [`stencil`]; `heat.rs` among the
//! examples of `tresse` has other ones.
//!
//! A [`worker`] finishes a [`stencil`] sweep of a [`subdomain`]; the edges go out with their version
//! ([`halo::Publication`]), which is the subdomain's update count ([`progress`]). Every period
//! one worker lends the counts and the [`ownership`] to a [`balance`]r, which makes moves; each is
//! announced ([`shared::Assignment`]), and the subdomain changes hands ([`shared::Handover`]).
//! Between the memories of two nodes it goes by [`migration`], and its neighbours find it by [`halo`]; [`remote`]
//! drives both over any transport of words.
//! [`multigrid`] solves the same equation by visits of all levels of ever coarser grids, shared by bands of rows.
//! Which of its subdomains a worker sweeps next is said by [`node`], whether it keeps them or claims them for one
//! sweep at a time.
//! [`schedule`] says whether a subdomain may be swept yet, [`convergence`] when the run may end.
//! [`sharing`] is a pool of tasks that workers share, with speculation; [`uts`] counts trees by it, and
//! [`traversal`] reaches all of a graph.
//! [`balance::grapevine`] and [`balance::central`] balance loads of any objects on processors.
//! [`run`] has the configuration of a run and its report, in the [`grammar`] of every host.
//!
//! # A driven example
//!
//! A driver asks a [`worker::Worker`] what it does next, and does that. Here one thread drives two of
//! them, the second three times as slow. They make 200 iterations of eight subdomains of which only the
//! counts matter, and Algorithm 1, in whoever's turn it is, keeps the counts together.
//!
//! ```
//! use core::cell::Cell;
//! use tresse_core::balance::plb;
//! use tresse_core::base::id::{SubdomainId, WorkerId};
//! use tresse_core::node::{Hands, Keep, Keeper};
//! use tresse_core::parts::ownership::{Holding, Link, Ownership};
//! use tresse_core::run::progress::Progress;
//! use tresse_core::run::{PlbParams, RunConfig, Stop};
//! use tresse_core::base::time::Instant;
//! use tresse_core::node::worker::{Command, Control, Detection, Pass, Said, Turn, Worker};
//!
//! const PARAMS: PlbParams = PlbParams { pairs: 1, low: 1, high: 7, dead_band: 0 };
//! let stop = Stop { iterations: Some(200), ..Stop::NEVER };
//! let config = RunConfig { workers: 2, split: 4, stop, ..RunConfig::default() };
//! let (control, turn) = (Control::<Cell<u64>>::new(&config, 8), Turn::<Cell<u64>>::new(2));
//! let mut detection = Detection::new(&config);
//! let mut workers = [0, 1].map(|id| Worker::new(WorkerId(id), config.mode, false));
//!
//! let mut owners = [0, 0, 0, 0, 1, 1, 1, 1].map(WorkerId);
//! let (mut links, mut holdings) = ([Link::EMPTY; 8], [Holding::EMPTY; 2]);
//! let mut ownership = Ownership::new(&mut owners, &mut links, &mut holdings)?;
//! let (mut held, mut done) = ([None; 8], [Pass::BEFORE; 8]);
//! let (mut counts, mut dirty, mut waits) = ([0_u64; 8], [true; 2], [false; 2]);
//! let mut keepers = [Keeper::START; 2];
//!
//! /// What a worker has in its hands: those of all parts that it holds, each at the place of its number.
//! struct Held<'a>(&'a [Option<WorkerId>; 8], &'a [u64; 8], Option<WorkerId>);
//! impl Hands for Held<'_> {
//!     fn after(&self, place: Option<u32>) -> Option<u32> {
//!         let mut rest = place.map_or(0, |place| place + 1)..8;
//!         rest.find(|&part| self.0[part as usize] == self.2)
//!     }
//!     fn count(&self, part: u32) -> (u64, SubdomainId) {
//!         (self.1[part as usize], SubdomainId(part))
//!     }
//!     fn is_ready(&self, _: u32) -> bool {
//!         true
//!     }
//! }
//!
//! for step in 0.. {
//!     let id = usize::from(step % 4 == 3);
//!     let (worker, me) = (&mut workers[id], WorkerId(id as u32));
//!     let own = Some(me);
//!     if waits[id] {
//!         continue;
//!     }
//!     let command = worker.next(&control, || core::mem::take(&mut dirty[id]));
//!     let pass = worker.pass();
//!     match command {
//!         Command::Release => {
//!             let mine = (0..).zip(&mut held).filter(|(_, holder)| **holder == own);
//!             let leave = mine.filter(|(id, _)| !Worker::keeps(me, ownership.owner(SubdomainId(*id))));
//!             leave.for_each(|(_, holder)| *holder = None);
//!         }
//!         Command::Take => worker.take(ownership.of(me), |part| {
//!             let holder = &mut held[part.index()];
//!             *holder = holder.or(own.filter(|_| pass.admits(done[part.index()])));
//!             *holder == own
//!         }),
//!         Command::Halt if turn.worker() == me => worker.begin_halt(&control, 8),
//!         Command::Freeze | Command::Share => {
//!             let mut parts = 0;
//!             for (holder, done) in held.iter_mut().zip(&mut done) {
//!                 let is_free = holder.is_none() && pass.admits(*done);
//!                 if is_free || command == Command::Freeze && *holder == own {
//!                     (*holder, *done) = (None, pass);
//!                     parts += 1;
//!                 }
//!             }
//!             worker.has_done(&control, parts);
//!         }
//!         Command::Sweep => match keepers[id].next(config.mode, &Held(&held, &counts, own), None) {
//!             Keep::Sweep(part) => counts[part as usize] += 1,
//!             Keep::Done(swept) => worker.has_swept(swept),
//!         },
//!         Command::TakeTurn => {
//!             worker.count(&control, || counts.iter().sum());
//!             if turn.is_due(me, || Instant::ZERO) {
//!                 plb::joint(&counts, &mut ownership, &PARAMS, &mut |_| dirty = [true; 2]);
//!                 turn.pass_on(Instant::ZERO);
//!             }
//!         }
//!         Command::Barrier => {
//!             waits[id] = true;
//!             if waits == [true; 2] {
//!                 waits = [false; 2];
//!             }
//!         }
//!         Command::Begin => control.begin(&Progress::of(counts.into_iter()), false),
//!         Command::Decide => {
//!             let said = Said { progress: Progress::of(counts.into_iter()), ..Said::default() };
//!             control.carry_out(&detection.decide(1.0, &said));
//!         }
//!         Command::End => break,
//!         _ => {}
//!     }
//! }
//! let progress = Progress::of(counts.into_iter());
//! assert!(progress.mean() >= 200.0 && progress.spread() < 20, "{counts:?}");
//! # Ok::<(), tresse_core::parts::ownership::OwnershipError>(())
//! ```
//!
//! # Words
//!
//! The papers' words, and their places in the code; modules of `tresse` and `tresse_mpi` are named
//! without links.
//!
//! | paper | here |
//! |---|---|
//! | domain, subdomain | a worker's block, [`id::SubdomainId`] and [`subdomain::Subdomain`]; a [`part::Part`] of any kind |
//! | thread | [`id::WorkerId`]; its life is [`worker`], the thread itself is `tresse::engine::threads` |
//! | CPU socket | [`id::SocketId`], [`topology::Topology`] |
//! | update count, iteration, spread | [`progress::Progress`]; an iteration is a sweep of all of a worker's subdomains |
//! | staleness, halo | [`progress::Staleness`], [`halo::Publication`] |
//! | sync, ssync(n), async(n) | [`run::Mode`] and [`run::RunConfig::split`] |
//! | work stealing (section 6, future work) | what is behind is borrowed: by moves ([`balance::borrow`]), or sweep by sweep ([`run::Balance::Pull`], [`node::Visitor`]), to which a run may turn ([`run::RunConfig::may_turn`]) |
//! | help (beyond the paper) | a sweep that another worker is stuck in: [`node::Visit::Help`], [`shared::Copies`] |
//! | Algorithm 1, nPairs, lowThresh, highThresh | [`balance::plb`], [`run::PlbParams`] |
//! | joint, split, hybrid | [`run::Balance`], [`balance::Balancer`] |
//! | load (Grapevine) | the time of a subdomain's sweeps, [`balance::measured`] |
//! | `GetThread`, `SetThread` | [`ownership::Ownership`], the only door through which owners change |
//! | dirty | [`shared::Assignment`]; [`shared::Handover`] decides who may write |
//! | node, DPLB | [`id::NodeId`], [`balance::dplb`], [`run::Nodes`]; with MPI, a rank is a node |
//! | window, passive target | `tresse_mpi::Window`: memory that other ranks read while its owner computes |
//! | halo header | a [`halo::HaloTag`] (subdomain, owner), and the edge's version in a [`halo::Publication`] |
//! | displacement array | the directory of a rank, one [`halo::DirectoryEntry`] for each subdomain: in which slot it is, or where it went |
//! | forward | [`halo::DirectoryEntry::Left`]; a [`halo::Search`] follows it and remembers its end |
//! | processor, object, load, imbalance | [`id::ProcessorId`], [`id::ObjectId`], [`balance::objects`] |
//! | gossip, underloaded, CMF | [`balance::grapevine`], its `gossip` and `transfer::cmf`; the loop is [`balance::grapevine::run()`] |
//! | criteria 6 and 6' | [`balance::grapevine::Criterion`]; lines 3 to 11 are [`balance::grapevine::transfer::sender`] |
//! | termination detection, refusal | [`balance::grapevine::protocol`], [`balance::grapevine::transfer::receiver`] |
//! | k, f, T | `rounds`, `fanout` and `threshold` of [`balance::grapevine::Config`] |
//! | fully sequential simulation, distributed run | [`balance::grapevine::View`]: live or gossiped loads |
//! | rank, task, phase (of a load trace) | `tresse::files::load_traces`; a rank is a processor, a task an object |
//! | task, manager, chunk, release interval (Eslami & Gropp) | [`sharing::Work`], [`sharing::Manager`], [`sharing::SharingConfig`] |
//! | arbitration, commit, roll back | [`sharing::Message::Claim`], [`sharing::Work::commit`], [`sharing::Work::undo`] |
//! | residual, convergence | [`stencil`], [`convergence::Convergence`] |
//! | parasite, noise | [`noise::Noise`], `tresse::platform::noise`; in virtual time a part of [`machine`] |
//! | Cirrus, ARCHER | [`machine::Hardware`], `host-cli/machines` |
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
//! 4. Counts are a snapshot for the round, the number of subdomains of a worker is live; a subdomain
//!    moves at most once a round.
//! 5. `low` is at least 1 and below `high`; where no worker has more subdomains than `low`, or none
//!    fewer than `high`, nothing can ever move: [`balance::plb::stuck`] says so.
//! 6. Split runs Algorithm 1 for each socket; hybrid adds, every n-th round, one random subdomain from
//!    the socket with the lowest mean count to the one with the highest, thresholds respected.
//! 7. No move while a pair's counts differ by less than the dead band, which is 0 by default.
//! 8. DPLB: the least progressed node, as it finds itself, sends one random subdomain to the most
//!    progressed one where they are further apart than the threshold. What is in flight counts as
//!    arrived, one at a time is in flight from a node, only workers with more than `low` send, and a
//!    node gets nothing at `high` times its workers; [`run::NodeRule::Published`] leaves all of that
//!    out. With [`run::NodeRule::Boundary`] the subdomain is the least updated one beside another node's,
//!    ties by lowest id.
//! 9. A subdomain that moved leaves a forward (new rank and sequence number of the move); the tag
//!    of a halo names the subdomain and the rank that owns it. A reader that meets a forward follows
//!    it and remembers where the subdomain is, so that chains stay short.
//! 10. Grapevine: underloaded processors are gossiped about, an overloaded one transfers to those
//!     that it has heard of while its load is above T times the average. Criterion 6 is
//!     `L_x + load(o) < L_avg`, criterion 6' `load(o) < L_i − L_x`, both strict, and what carries no
//!     load stays.
//! 11. Iterations are all updates ÷ subdomains, and a run that is to make N of them ends when that mean
//!     has reached N; the iteration rate is that ÷ seconds; the spread is the highest minus the lowest
//!     count; staleness is the version gap met when a halo is read.
//! 12. The residual that ends a run is verified on a consistent state; if that fails, the run goes on. In the exact
//!     mode each version is such a state, so on one node a run halts for the verification once a version has passed it.
//! 13. Sharing: a worker's own tasks come before those of copies, and no child of a task that is not
//!     committed is executed. Each chunk is rolled back on its own. Who waits for an answer to a claim
//!     is not idle, so that what is granted and not committed keeps the run going.

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
