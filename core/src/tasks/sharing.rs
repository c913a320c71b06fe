//! Work sharing: a pool of tasks that workers share, with speculation.
//!
//! A [`Worker`] executes tasks, and releases some of those that come of them to a [`Manager`],
//! which hands them to whoever asks. With a chunk come copies of others; a worker that has nothing
//! else executes these before it is certain that it may, and claims them: what is granted is
//! committed, what is refused is rolled back (H. Eslami and W. D. Gropp, *Speculative load
//! balancing*; the slides leave the protocol open, so it is a reconstruction). Both are state
//! machines: messages in, messages out, which may come in any order. What a task is, a type says
//! that implements [`Work`].
//!
//! | file | what it decides |
//! |---|---|
//! | `method`, `managers` | the method with its parameters; which worker belongs to which manager |
//! | `worker` | execute, release, ask, speculate |
//! | `speculation` | claims for a copy, commit and roll back |
//! | `manager`, `member`, `pool`, `trust` | who gets what, who is asked, what copies are worth |
//! | `victim`, `ending` | stealing, and its end |
//! | `ahead` | how early a worker asks |
//! | `activity` | what everybody is at, for reports |
//!
//! ```
//! use tresse_core::tasks::sharing::{Extent, Full, Stack, Work};
//!
//! /// Numbers, each of which makes two halves.
//! struct Halves {
//!     ones: u32,
//! }
//!
//! impl Work for Halves {
//!     type Task = u32;
//!     type Outcome = bool;
//!
//!     fn execute(&mut self, number: &u32, children: &mut Stack<'_, u32>) -> Result<bool, Full> {
//!         if *number > 1 {
//!             children.extend(&[number / 2, number - number / 2])?;
//!         }
//!         Ok(*number == 1)
//!     }
//!
//!     fn commit(&mut self, _: &u32, is_one: bool) {
//!         self.ones += u32::from(is_one);
//!     }
//! }
//!
//! let (mut work, mut memory, mut extent) = (Halves { ones: 0 }, [0; 16], Extent::NONE);
//! let mut stack = Stack::new(&mut memory, &mut extent);
//! stack.push(100)?;
//! while work.run(&mut stack, 10)? > 0 {}
//! assert_eq!(work.ones, 100);
//! # Ok::<(), Full>(())
//! ```
#![deny(clippy::float_arithmetic)]
#![expect(
    clippy::cast_possible_truncation,
    reason = "chunks, copies and members are numbers of at most 32 bits, asserted where they come in"
)]

mod activity;
mod ahead;
mod ending;
mod manager;
mod managers;
mod member;
mod message;
mod method;
mod pool;
mod speculation;
mod stack;
mod statistics;
mod trust;
mod victim;
mod work;
mod worker;

pub use activity::Activity;
pub use manager::{Manager, ManagerMemory};
pub use managers::{ENOUGH_FOR_ONE, Managers, Members};
pub use member::Member;
pub use message::{
    Copied, Copies, CopyId, Counts, MAX_CHUNK, MAX_COPIES, MOST_AT_A_LOOK, Message, Outbox, Peer,
};
pub use method::{Arbitration, Method, Parameter, Release, SharingConfig, SharingError};
pub use pool::PoolSlot;
pub use speculation::Record;
pub use stack::{Extent, Full, Stack};
pub use statistics::{PoolProgress, SharingStatistics};
pub use work::Work;
pub use worker::{Step, Worker, WorkerMemory, WorkerNeeds};
