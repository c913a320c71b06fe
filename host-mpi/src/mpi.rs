//! MPI: entering it, the window through which ranks read each other, collective operations, and the
//! properties of the [`launcher`] and the [`library`].
//!
//! A process enters through its one [`Entry`]. [`probe`] finds out whether a read needs the help of
//! the rank that is read; [`agreement`] has all ranks go on together or end together.

pub mod agreement;
pub mod binding;
pub(crate) mod collectives;
mod constants;
mod entry;
mod error;
mod extents;
pub mod launcher;
pub mod library;
mod messages;
pub mod nodes;
pub mod probe;
pub mod window;

pub(crate) use entry::MOST_ON_THE_WAY;
pub use entry::{Entry, LaunchError, initialize};
pub use error::WindowError;
pub use extents::Outside;
pub(crate) use messages::Messages;
pub use window::{Get, Progress, Window, Word};
