//! What all ranks do together while all of their workers are halted, round by round.

/// Rounds of all ranks, which end in the same round on all of them. In each, every rank says how
/// much it still waits for (`Rank::say`), and once all have said so, goes on
/// with the sum (`Rank::hear`): a collective operation, or words over a
/// network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounds {
    /// What is on its way between ranks arrives, and the halt is made once nothing is.
    Settling,
    /// All edges are out that are asked for afterwards: of a single round.
    Publishing,
    /// The newest edges come.
    Fetching,
}

impl Rounds {
    /// Beginning of the rounds in which everything arrives.
    pub const SETTLE: Self = Self::Settling;
    /// Beginning of the rounds in which all edges are brought, as they are while all are halted.
    pub const FETCH: Self = Self::Publishing;
}
