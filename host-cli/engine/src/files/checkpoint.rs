//! The state of a run on the disk, to go on from: `--checkpoint DIR` and `--resume DIR`.
//!
//! ```text
//! DIR/checkpoint-7/manifest.jsonl   what was computed, and which pieces there are
//! DIR/checkpoint-7/piece-0          the subdomains that rank 0 had, and so on
//! DIR/checkpoint-8.part/            not complete: never read
//! ```
//!
//! Every rank writes its own piece, and then rank 0, when it has heard from all of them, the
//! manifest. A checkpoint takes its name only when it is whole and on the disk, and only then are
//! older ones removed but for the last before it ([`Folder`]).
//!
//! Where conjugate gradients go on from more than the cells, a piece has the rows of two fields
//! ([`CheckpointState::stored`]).
//!
//! What is read is judged first ([`Checkpoint`]): every byte is under a checksum, and together the
//! pieces have every cell exactly once. Any number of ranks can read it, whatever their cut.

mod coverage;
mod error;
mod folder;
mod found;
mod hex;
mod manifest;
mod multigrid_state;
mod open;
mod piece;
mod problem_hash;
mod reader;
mod writer;

#[cfg(test)]
mod tests;

pub use error::{CheckpointError, Fault};
pub use folder::Folder;
pub use found::{complete_path, newest};
pub use manifest::{CheckpointState, Manifest};
pub use multigrid_state::MultigridState;
pub use open::{Checkpoint, Opened};
pub use piece::PieceSummary;
pub use problem_hash::ProblemHash;
pub use reader::{Stretch, SubdomainRecord};
pub use writer::PieceWriter;
