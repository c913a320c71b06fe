//! The names under which processors draw and are drawn.

use crate::id::ProcessorId;

/// What each processor is called: every draw, hash and tie-break goes by names, so that processors
/// that are numbered otherwise, and keep their names, come to the same decisions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    of: &'a [u32],
    called: &'a [ProcessorId],
}

impl<'a> Names<'a> {
    /// Each processor is called by its number.
    pub const NUMBERS: Self = Self { of: &[], called: &[] };

    /// `of` has each processor's name, which are 0 and up, each once; `called` is filled with the
    /// processor of each name. None where a name is there twice, or is too high.
    pub fn new(of: &'a [u32], called: &'a mut [ProcessorId]) -> Option<Self> {
        const NOBODY: ProcessorId = ProcessorId(u32::MAX);
        if of.len() != called.len() {
            return None;
        }
        called.fill(NOBODY);
        for (processor, &name) in (0..).map(ProcessorId).zip(of) {
            let called = called.get_mut(name as usize)?;
            if *called != NOBODY {
                return None;
            }
            *called = processor;
        }
        Some(Self { of, called })
    }

    /// The name of a processor.
    #[inline]
    pub fn of(&self, processor: ProcessorId) -> u32 {
        debug_assert!(
            self.is_empty() || processor.index() < self.of.len(),
            "a processor has no name"
        );
        self.of.get(processor.index()).copied().unwrap_or(processor.0)
    }

    /// The processor of a name.
    #[inline]
    pub fn called(&self, name: u32) -> ProcessorId {
        debug_assert!(self.is_empty() || (name as usize) < self.called.len(), "nobody has a name");
        self.called.get(name as usize).copied().unwrap_or(ProcessorId(name))
    }

    /// How many there are; 0 where each processor is called by its number.
    pub const fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether each processor is called by its number.
    pub const fn is_empty(&self) -> bool {
        self.of.is_empty()
    }
}
