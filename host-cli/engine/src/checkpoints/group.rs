//! What the processes of a run say to each other about a checkpoint.

/// What the processes of a run say to each other about a checkpoint. All calls are collective; a
/// single process has nobody to talk to, and is `()`.
pub trait Group {
    /// Returns the highest number of all processes.
    fn max(&mut self, own: u64) -> u64;
    /// Returns the bytes of all processes on the first one.
    fn gather(&mut self, said: Vec<u8>) -> Option<Vec<Vec<u8>>>;
    /// Replaces the bytes of all processes by those of the first one.
    fn broadcast(&mut self, said: &mut Vec<u8>);
}

impl Group for () {
    fn max(&mut self, own: u64) -> u64 {
        own
    }

    fn gather(&mut self, said: Vec<u8>) -> Option<Vec<Vec<u8>>> {
        Some(vec![said])
    }

    fn broadcast(&mut self, _: &mut Vec<u8>) {}
}

impl<G: Group + ?Sized> Group for &mut G {
    fn max(&mut self, own: u64) -> u64 {
        (**self).max(own)
    }

    fn gather(&mut self, said: Vec<u8>) -> Option<Vec<Vec<u8>>> {
        (**self).gather(said)
    }

    fn broadcast(&mut self, said: &mut Vec<u8>) {
        (**self).broadcast(said);
    }
}
