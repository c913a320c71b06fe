//! What one rank does with the others while its workers sweep, and while all are halted.

use super::links::{GhostViews, Link, Links};
use super::moving::{Home, Moving};
use super::record::RankRecord;
use super::transport::{Place, Transport};
use super::view::{Seen, View};
use crate::balance::Mean;
use crate::base::SharedNumber;
use crate::base::id::RankId;
use crate::base::sync::AtomicU64;
use crate::base::time::Instant;
use crate::base::unit::Unit;
use crate::node::worker::{GlobalProgress, Halts, Rounds, Versions};
use crate::parts::Graph;
use crate::run::progress::Progress;

/// One rank among others: the edges that it reads of them (`L`, [`Links`]), the subdomains on their
/// way from and to it (`M`, [`Moving`]), and what it knows of their progress (`V`, [`View`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rank<L, M, V> {
    /// Neighbours on other ranks.
    pub links: L,
    /// Subdomains in transit.
    pub moves: M,
    /// Progress of all ranks.
    pub view: V,
}

/// This rank's own progress, at the time of an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    /// The time.
    pub now: Instant,
    /// Mean count of the subdomains here.
    pub mean: Mean,
    /// Counts of the subdomains here.
    pub progress: Progress,
    /// Sum of squares of the residuals published here.
    pub residual: f64,
    /// Moves between the rank's workers so far.
    pub moves: u64,
    /// Balancing rounds of the rank's workers.
    pub rounds: u64,
}

/// Result of an exchange with the other ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exchanged {
    /// Progress of all ranks together; only on the first rank, which judges it, and once it is
    /// known.
    pub global: Option<GlobalProgress>,
    /// Whether all ranks are to halt.
    pub halts: bool,
}

impl<G, S, C, D, W, L, H, M, R, A, const K: usize>
    Rank<Links<G, S, C, D, L, K>, Moving<G, C, D, H, M, K>, View<C, W, R, A>>
where
    G: Graph<K>,
    W: AsRef<[AtomicU64]>,
    L: AsRef<[Option<Link<C, D>>]> + AsMut<[Option<Link<C, D>>]>,
    H: AsMut<[u32]>,
    M: AsMut<[bool]>,
    R: AsRef<[Seen<C, W>]> + AsMut<[Seen<C, W>]>,
    A: AsMut<[Mean]>,
{
    /// Does all that is due with the other ranks, as far as it goes without waiting: publishes this
    /// rank's progress, advances transfers and fetches, polls the others, and sends a subdomain
    /// where the balancer says so. The first rank also calls a requested halt, and requests the
    /// residual of a version where `versions` are collected.
    pub fn exchange<T, N>(
        &mut self,
        own: Own,
        halts: &Halts<N>,
        versions: Option<Versions<'_, N>>,
        home: &mut impl Home<T::Unit, K>,
        transport: &mut T,
    ) -> Result<Exchanged, T::Error>
    where
        T: Transport<WordsComing = C, CellsComing = D, Words = W>,
        S: GhostViews<T::Unit>,
        N: SharedNumber,
    {
        let contribution = versions.map(|versions| versions.contribution(&own.progress));
        let record = RankRecord { contribution, ..self.record(own, halts, home) };
        self.view.publish(&record, transport);
        self.advance(home, transport)?;
        let is_first = transport.own() == RankId(0);
        let is_due = own.now >= home.chooses_at();
        let is_complete = (is_first || is_due) && self.view.look(transport)?;
        if is_complete && is_due {
            self.balance(own.now, home, transport);
        }
        let mut global = None;
        if is_complete && is_first {
            let next = halts.next();
            global = self.view.global(next, transport.bounds().subdomains);
            if let (Some(versions), Some(all)) = (versions, &mut global)
                && let Some(contribution) = self.view.contribution()
            {
                let total = versions.residuals.total(contribution, &all.progress);
                all.known = total.known;
                put_on_all(Place::Asked, total.asks, transport)?;
            }
            put_on_all(Place::Command, halts.call(self.view.wishes(next)), transport)?;
        }
        if let Some(versions) = versions {
            versions.residuals.receive_request(transport.load(Place::Asked));
        }
        Ok(Exchanged { global, halts: halts.is_called(transport.load(Place::Command)) })
    }

    /// Returns the record that this rank publishes.
    fn record<N: SharedNumber, F: Unit>(
        &self,
        own: Own,
        halts: &Halts<N>,
        home: &impl Home<F, K>,
    ) -> RankRecord {
        let Own { mean, progress, residual, moves, rounds, .. } = own;
        let sends = self.moves.departure().map(|departure| departure.transfer);
        let in_flight = sends.and_then(|sent| Some((sent.to, home.updates(sent.subdomain)?)));
        RankRecord {
            mean,
            in_flight,
            residual,
            progress,
            moves,
            rounds,
            sent: self.moves.sent,
            requested_halt: halts.wished(),
            next_halt: halts.next(),
            contribution: None,
        }
    }

    /// Begins the transfer that the balancer between ranks chooses, if any; the records of all
    /// ranks are known.
    fn balance<T>(&mut self, now: Instant, home: &mut impl Home<T::Unit, K>, transport: &T)
    where
        T: Transport<WordsComing = C, CellsComing = D, Words = W>,
    {
        let Self { view, moves, .. } = self;
        if let Some(transfer) = home.choose(now, view.means())
            && !moves.send(transfer, home, transport)
        {
            home.arrived();
        }
    }

    /// Advances transfers and fetches between ranks, as far as they go without waiting.
    pub fn advance<T>(
        &mut self,
        home: &mut impl Home<T::Unit, K>,
        transport: &mut T,
    ) -> Result<(), T::Error>
    where
        T: Transport<WordsComing = C, CellsComing = D, Words = W>,
        S: GhostViews<T::Unit>,
    {
        let Self { links, moves, .. } = self;
        if moves.advance(home, links, transport)? {
            home.arrived();
        }
        links.advance(transport)
    }

    /// Does this rank's work in a round, as far as it goes without waiting; returns how much the
    /// rank still waits for. In [`Rounds::Settling`], a rank that returns 0 sends nothing more, and
    /// what comes to it is counted by its sender; so nothing is in transit once all return 0 in one
    /// round.
    pub fn advance_round<T>(
        &mut self,
        rounds: Rounds,
        home: &mut impl Home<T::Unit, K>,
        transport: &mut T,
    ) -> Result<u64, T::Error>
    where
        T: Transport<WordsComing = C, CellsComing = D, Words = W>,
        S: GhostViews<T::Unit>,
    {
        match rounds {
            Rounds::Settling => {
                self.advance(home, transport)?;
                Ok(u64::from(!self.moves.is_idle()))
            }
            Rounds::Publishing => Ok(0),
            Rounds::Fetching => {
                self.links.advance(transport)?;
                Ok(u64::from(!self.links.are_fresh()))
            }
        }
    }

    /// Returns the next round after one in which all ranks together wait for `sum`, which is the
    /// same on all; none where that was the last round.
    pub fn next_round<N: SharedNumber>(
        &mut self,
        rounds: Rounds,
        sum: u64,
        halts: &Halts<N>,
    ) -> Option<Rounds> {
        match rounds {
            Rounds::Settling => (!halts.settle(sum)).then_some(Rounds::Settling),
            Rounds::Publishing => {
                self.links.renew_all();
                Some(Rounds::Fetching)
            }
            Rounds::Fetching => (sum > 0).then_some(Rounds::Fetching),
        }
    }
}

/// Puts a word of the first rank, if there is one, on every rank.
fn put_on_all<T: Transport>(
    place: Place,
    word: Option<u64>,
    transport: &mut T,
) -> Result<(), T::Error> {
    let Some(word) = word else { return Ok(()) };
    (0..transport.bounds().ranks).map(RankId).try_for_each(|rank| transport.put(rank, place, word))
}
