//! What all ranks do together while all of their workers are halted, round by round.

/// A kind of round that all ranks make together, and that ends in the same round on all of them. In
/// each round, every rank works and reports how much it still waits for (`Rank::advance_round`).
/// The sum over all ranks, by a collective operation or by words over a network, decides whether
/// another round follows (`Rank::next_round`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounds {
    /// Everything in transit between ranks arrives; the halt is made once nothing is in transit.
    Settling,
    /// A single round, after which all edges are published that are fetched next.
    Publishing,
    /// The newest edges are fetched.
    Fetching,
}

impl Rounds {
    /// The first of the rounds in which everything in transit arrives.
    pub const SETTLE: Self = Self::Settling;
    /// The first of the rounds in which the newest edges are fetched, while all are halted.
    pub const FETCH: Self = Self::Publishing;
}
