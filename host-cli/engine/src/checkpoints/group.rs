//! What the processes of a run say to each other about a checkpoint.

/// What the processes of a run say to each other about a checkpoint. All calls are collective; a
/// single process has nobody to talk to, and is `()`.
pub trait Group {
    /// Returns the highest of what the processes say.
    fn max(&mut self, own: u64) -> u64;
    /// Returns, on the first process, what each one says.
    fn gather(&mut self, said: Vec<u8>) -> Option<Vec<Vec<u8>>>;
    /// Tells all what the first one says.
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

impl<G: Group> Group for &mut G {
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
