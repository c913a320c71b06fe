//! The kinds of events on a timeline.

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Sweeping a subdomain.
    Sweep,
    /// Waiting for others, or having nothing to do until the end.
    Wait,
    /// Balancing, or computing the residual.
    Balance,
    /// Taking time from a core: noise.
    Noise,
    /// Executing tasks of one's own.
    Execute,
    /// Executing tasks before it is certain that this is permitted.
    Speculate,
    /// Having no tasks until some come.
    Search,
    /// Sending and reading messages, or doing a manager's work.
    Message,
}

/// Number of kinds of events.
pub const KINDS: usize = 8;

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; KINDS] = [
        Self::Sweep,
        Self::Wait,
        Self::Balance,
        Self::Noise,
        Self::Execute,
        Self::Speculate,
        Self::Search,
        Self::Message,
    ];

    /// Returns the kind's name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sweep => "sweeps",
            Self::Wait => "waits",
            Self::Balance => "balances",
            Self::Noise => "noise",
            Self::Execute => "executes",
            Self::Speculate => "speculates",
            Self::Search => "searches",
            Self::Message => "messages",
        }
    }
}
