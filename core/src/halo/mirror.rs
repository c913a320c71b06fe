//! One edge of a subdomain on another machine, as it was last fetched.
//!
//! Whoever fetches writes the buffer after the newest one, as a publication does; but versions that
//! are fetched have gaps, so each buffer is labelled with its own.

use super::edge::EdgeReader;
use super::publication::{EDGE_BUFFERS, HEAD_WORDS, buffer, is_overtaken};
use super::shared_real::SharedReal;
use crate::id::SubdomainId;
use crate::schedule::Wanted;
use crate::shared::sync::{AtomicU64, Ordering, fence};

/// The edge of one neighbour, for any number of readers; one thread at a time fetches.
#[derive(Debug)]
pub struct Mirror<'m, F: SharedReal> {
    /// Number of times that an edge was fetched.
    fetched: &'m AtomicU64,
    /// Number of the subdomain whose edge it is, + 1; 0 for nobody.
    subdomain: &'m AtomicU64,
    /// Number of times that the subdomain has changed.
    changes: &'m AtomicU64,
    /// The version in each buffer.
    versions: [&'m AtomicU64; EDGE_BUFFERS],
    /// [`EDGE_BUFFERS`] times the edge.
    edge: &'m [F::Shared],
}

impl<'m, F: SharedReal> Mirror<'m, F> {
    /// Returns a mirror on lent memory: nobody's edge, where the words are zero; `edge` has at
    /// least [`EDGE_BUFFERS`] times its length.
    pub const fn new(words: &'m [AtomicU64; HEAD_WORDS], edge: &'m [F::Shared]) -> Self {
        let [fetched, subdomain, first, second, third, changes, ..] = words;
        Self { fetched, subdomain, changes, versions: [first, second, third], edge }
    }

    /// Returns the version that was fetched last.
    pub fn version(&self) -> u64 {
        self.label(self.fetched.load(Ordering::Relaxed)).load(Ordering::Relaxed)
    }

    /// Shows a version of `subdomain`'s edge that was fetched.
    pub fn publish(&self, subdomain: SubdomainId, version: u64, edge: &[F::Shared]) {
        let is_new = !self.is_of(subdomain);
        if is_new {
            self.subdomain.store(0, Ordering::Relaxed);
            let changes = self.changes.load(Ordering::Relaxed).wrapping_add(1);
            self.changes.store(changes, Ordering::Release);
        }
        let next = self.fetched.load(Ordering::Relaxed).wrapping_add(1);
        // Whoever sees a word of this one must also see that the one before is out, and that
        // another subdomain's is gone.
        fence(Ordering::Release);
        if is_new {
            // No buffer holds a version that somebody may want of this one.
            self.versions.iter().for_each(|version| version.store(u64::MAX, Ordering::Relaxed));
        }
        let buffer = buffer(self.edge, next);
        debug_assert!(buffer.len() >= edge.len(), "a mirror is shorter than the edge in it");
        for (to, from) in buffer.iter().zip(edge) {
            F::store(to, F::load(from));
        }
        self.label(next).store(version, Ordering::Relaxed);
        self.fetched.store(next, Ordering::Release);
        self.subdomain.store(u64::from(subdomain.0) + 1, Ordering::Release);
    }

    /// Lets `read` read a version of `subdomain`'s edge, as
    /// [`Publication::read`](super::Publication::read) does; a wanted version is there if it was
    /// fetched last or before that.
    #[inline(always)]
    pub fn read(
        &self,
        subdomain: SubdomainId,
        wanted: Wanted,
        mut read: impl FnMut(EdgeReader<'_, F>),
    ) -> Option<u64> {
        loop {
            // The order is that of a publication's reader, for the same reason.
            let changes = self.changes.load(Ordering::Acquire);
            if !self.is_of(subdomain) {
                return None;
            }
            let newest = self.fetched.load(Ordering::Acquire);
            let has = |&fetched: &u64| match wanted {
                Wanted::Newest => true,
                Wanted::Exactly(version) => self.label(fetched).load(Ordering::Relaxed) == version,
            };
            let fetched = [newest, newest.wrapping_sub(1)].into_iter().find(has)?;
            let version = self.label(fetched).load(Ordering::Relaxed);
            read(EdgeReader::new(buffer(self.edge, fetched)));
            fence(Ordering::Acquire);
            let is_same = self.changes.load(Ordering::Relaxed) == changes;
            if is_same && !is_overtaken(fetched, self.fetched.load(Ordering::Relaxed)) {
                return Some(version);
            }
        }
    }

    #[inline]
    fn is_of(&self, subdomain: SubdomainId) -> bool {
        self.subdomain.load(Ordering::Acquire) == u64::from(subdomain.0) + 1
    }

    #[inline]
    fn label(&self, fetched: u64) -> &AtomicU64 {
        let [first, second, third] = self.versions;
        match fetched % EDGE_BUFFERS as u64 {
            0 => first,
            1 => second,
            _ => third,
        }
    }
}

/// Source from which the edge of a neighbour in other hands is read.
#[derive(Clone, Copy)]
pub enum Edges<'r, 'm, F: SharedReal, const N: usize = 4> {
    /// Memory that the neighbour's holder writes.
    Published(&'r super::Publication<'m, F, N>),
    /// Copy of the edge that was last fetched.
    Fetched(&'r Mirror<'m, F>),
}

impl<F: SharedReal, const N: usize> Edges<'_, '_, F, N> {
    /// Returns the neighbour's update count, as it is known here.
    #[inline]
    pub fn version(&self) -> u64 {
        match self {
            Self::Published(publication) => publication.version(),
            Self::Fetched(mirror) => mirror.version(),
        }
    }

    /// Lets `read` read the edge that `subdomain` publishes on its `link`, as
    /// [`Publication::read`](super::Publication::read) does; a mirror has only the one edge that
    /// was fetched.
    #[inline(always)]
    pub fn read(
        &self,
        (subdomain, link): (SubdomainId, usize),
        wanted: Wanted,
        read: impl FnMut(EdgeReader<'_, F>),
    ) -> Option<u64> {
        match self {
            Self::Published(publication) => publication.read((subdomain, link), wanted, read),
            Self::Fetched(mirror) => mirror.read(subdomain, wanted, read),
        }
    }
}
