//! Halos: what a subdomain publishes of its edges, and how its neighbours read it, wherever it is.
//!
//! A [`Publication`] has the edges of a subdomain in one memory, each in a few buffers with a
//! version. A neighbour in the same memory reads it directly; what a transport has copied from
//! another memory is a [`Mirror`], whose buffers carry a label, as nothing is known of the order in
//! which it was copied ([`accept`]). A transport only gets words.
//!
//! Nobody knows where all subdomains are (Zarins & Weiland 2020, section 3.2). A rank keeps what
//! the others see of each of its subdomains in a slot ([`SlotId`](crate::base::id::SlotId)) of its
//! memory, with a [`HaloTag`], and says in its [`directory`], in one word a subdomain, in which
//! slot it lies or which rank it was given to. A [`Reader`] reads where its neighbour was until the
//! halo tag names another subdomain, and then makes a [`Search`].
//!
//! Publications are safe code over atomics but for `block_copy`, which copies many words at once.
//! They need 64-bit atomics, so small microcontrollers do without them; they have no threads to
//! share with.

pub mod directory;
mod reader;

mod block_copy;
mod edge;
#[cfg(target_has_atomic = "64")]
mod publication;
#[cfg(all(test, not(loom)))]
mod tests;

pub use directory::{
    Bounds, DirectoryEntry, HaloTag, Location, Met, Search, SearchStep, shortened,
};
pub(crate) use directory::{halves, word};
pub use reader::{ReadContext, Reader, ReaderAction, Request};

pub use edge::{BufferFormat, EdgeReader, EdgeWriter, FetchedEdge, LABEL_WORDS, accept};
#[cfg(target_has_atomic = "64")]
pub(crate) use edge::{Checksum, seal, unseal};
#[cfg(target_has_atomic = "64")]
pub use publication::{EDGE_BUFFERS, Edges, HEAD_WORDS, Head, Mirror, Publication, head};
