//! Workers on sockets.

use crate::base::id::{SocketId, WorkerId};
use crate::base::table::At;

/// The socket of each worker.
#[derive(Clone, Copy, Debug)]
pub struct Topology<'m> {
    sockets: &'m [SocketId],
    by_socket: &'m [WorkerId],
}

/// The list of workers is not all of them in ascending order of (socket, worker).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotSorted;

impl core::fmt::Display for NotSorted {
    #[inline]
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the workers must be listed once each, in ascending order of (socket, worker)")
    }
}

impl core::error::Error for NotSorted {}

impl<'m> Topology<'m> {
    /// Returns the topology of these workers. `sockets` has the socket of each worker; `by_socket`
    /// has all workers in ascending order of (socket, worker).
    pub fn new(sockets: &'m [SocketId], by_socket: &'m [WorkerId]) -> Result<Self, NotSorted> {
        let key = |worker: WorkerId| sockets.get(worker.index()).map(|&socket| (socket, worker));
        // Strictly ascending and as many as there are: each worker once.
        let known = by_socket.iter().all(|&worker| key(worker).is_some());
        let ascending = by_socket.is_sorted_by(|&a, &b| key(a) < key(b));
        if !known || !ascending || by_socket.len() != sockets.len() {
            return Err(NotSorted);
        }
        Ok(Self { sockets, by_socket })
    }

    /// Returns the topology of `number` workers from index `first` of the list on, such as those of
    /// one node.
    pub fn within(&self, first: usize, number: usize) -> Self {
        let by_socket = self.by_socket.stretch(first..first + number);
        Self { sockets: self.sockets, by_socket }
    }

    /// Returns the socket of a worker; none where there is no such worker.
    #[inline]
    pub fn socket(&self, worker: WorkerId) -> Option<SocketId> {
        self.sockets.get(worker.index()).copied()
    }

    /// Returns all workers, in ascending order of (socket, worker).
    pub const fn workers(&self) -> &'m [WorkerId] {
        self.by_socket
    }

    /// Returns the workers of each socket, in ascending order of the sockets.
    pub fn sockets(&self) -> impl Iterator<Item = &'m [WorkerId]> + use<'m> {
        let (sockets, mut rest) = (self.sockets, self.by_socket);
        // Not `chunk_by`, which has a panicking path.
        core::iter::from_fn(move || {
            let socket = |worker: &WorkerId| sockets.get(worker.index());
            let first = socket(rest.first()?);
            let number = rest.iter().take_while(|&worker| socket(worker) == first).count();
            let (workers, others) = rest.split_at_checked(number)?;
            rest = others;
            Some(workers)
        })
    }
}
