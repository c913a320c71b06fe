//! The services that the engine needs from the other ranks.

use std::io::{self, Write as _};
use std::mem;
use std::sync::atomic::Ordering;

use tresse::engine::checkpoints::Keeper;
use tresse::engine::threads::{Exchanged, Local, MissingHalo, Moment, Peers, RemoteProgress};
use tresse_core::balance::Mean;
use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::base::unit::Unit;
use tresse_core::node::worker::{HaltStatus, Rounds, Verdict};
use tresse_core::parts::halo::Edges;
use tresse_core::parts::{Graph, Part};
use tresse_core::ranks::{self, Own, RankRecord, Transport as _};

use super::home::RankHome;
use super::{Entering, RankLinks, RankState, Ranks, must, statement};
use crate::mpi::Word;

/// Time after which the thread that watches lets messages through again.
const ATTENTION: Duration = Duration::from_micros(50);

impl<'r, T, G, K, const N: usize> Peers<'r, T, N> for Ranks<'_, 'r, T::Unit, G, K, N>
where
    T: Part<Unit: Unit<Shared: Word>>,
    G: Graph<N> + Sync,
    K: Keeper<T>,
{
    const ALONE: bool = false;

    fn edges(&self, reader: SubdomainId, link: usize) -> Option<Edges<'r, 'r, T::Unit, N>> {
        self.ghost_views.edges(self.table.slot(reader)?, link)
    }

    #[inline]
    fn enter(&self) {
        if self.fetches && self.entering == Entering::Workers {
            self.let_through();
        }
    }

    fn attend(&self) -> Duration {
        if self.interrupt.load(Ordering::Relaxed)
            && let Some(left) = self.keeper.left()
        {
            self.termination_notice.send(|| left);
        }
        if self.fetches && self.entering == Entering::Watcher {
            self.let_through();
            return ATTENTION;
        }
        Duration::from_millis(50)
    }

    // Whoever else looks after gets: nobody has more time for it.
    fn look(&self) {
        if self.fetches {
            self.let_through();
        }
    }

    fn bring_halos(&self) {
        self.let_through();
    }

    fn give_up(&self, missing: &MissingHalo) -> ! {
        self.lock().transport.entry.give_up(missing)
    }

    fn fill(&self, id: SubdomainId, part: &mut T) {
        self.keeper.fill(id, part);
    }

    fn initial(&self) -> Option<f64> {
        self.keeper.initial()
    }

    fn exchange(&self, local: &mut Local<'_, '_, 'r, T, N>, sum: f64) -> Exchanged {
        if self.keeper.is_wanted(local.now) {
            self.halts.wish();
        }
        let own = Own {
            now: local.now,
            mean: Mean::of(local.workers, local.counts, local.ownership),
            progress: local.progress,
            residual: sum,
            moves: local.moves,
            rounds: local.rounds,
        };
        let versions = local.versions;
        let mut state = self.lock();
        let RankState { transport, rank, home_state, cadence } = &mut *state;
        let mut home = RankHome::new((self.graph, self.keeper), home_state, local, transport);
        let exchanged = rank.exchange(own, &self.halts, versions, &mut home, transport);
        let cleared = exchanged.and_then(|exchanged| transport.clear().map(|_| exchanged));
        let ranks::Exchanged { global, halts } = must(cleared, transport.entry);
        reconnect(&mut rank.links, local);
        // The first one sees the progress of all.
        let ranks = if self.own == RankId(0) { transport.entry.ranks() } else { 1 };
        let all = global.map(|global| global.progress);
        let due = cadence.next(local.now, ranks, &local.progress, all.as_ref());
        Exchanged { global, halts, due }
    }

    fn ask_to_halt(&self) -> bool {
        self.halts.wish();
        false
    }

    fn agree(&self, count: u64) -> u64 {
        self.lock().transport.entry.max_u64(count)
    }

    fn step(&self) -> bool {
        let mut state = self.lock();
        let RankState { rank, transport, .. } = &mut *state;
        let halts = transport.entry.max_u64(self.halts.wished()) > 0;
        rank.links.renew();
        while !rank.links.are_fresh() {
            let advanced = rank.links.advance(transport);
            must(advanced, transport.entry);
        }
        halts
    }

    fn go_through(&self, rounds: Rounds, local: &mut Local<'_, '_, 'r, T, N>) {
        let mut state = self.lock();
        let RankState { transport, rank, home_state, .. } = &mut *state;
        let mut next = Some(rounds);
        while let Some(rounds) = next {
            let said = rank.advance_round(
                rounds,
                &mut RankHome::new((self.graph, self.keeper), home_state, local, transport),
                transport,
            );
            let waits =
                must(said.and_then(|waits| transport.clear().map(|_| waits)), transport.entry);
            let sum = transport.entry.sum_u64(waits);
            next = rank.next_round(rounds, sum, &self.halts);
        }
        reconnect(&mut rank.links, local);
    }

    fn decide(
        &self,
        said: HaltStatus,
        residuals: &mut dyn Iterator<Item = (SubdomainId, f64)>,
        judge: &mut dyn FnMut(f64, &HaltStatus) -> Verdict,
    ) -> Verdict {
        let mut state = self.lock();
        let entry = &mut *state.transport.entry;
        let all = entry.gather_bytes(statement::encode(&said, residuals));
        let verdict = all.map(|all| statement::in_order(&all, self.graph.parts()));
        let mut words = match verdict {
            Some(Ok((sum, said))) => judge(sum, &said).encode(),
            Some(Err(error)) => {
                let _ = writeln!(io::stderr(), "error: {error}");
                entry.abort(1)
            }
            None => [0; Verdict::WORDS],
        };
        entry.broadcast_words(&mut words);
        Verdict::decode(&words)
    }

    fn wants_to_save(&self, now: Instant) -> bool {
        self.keeper.is_wanted(now)
    }

    fn begin_saving(&self, moment: &Moment) -> bool {
        self.keeper.begin(moment, self.lock().transport.entry)
    }

    fn save(&self, id: SubdomainId, updates: u64, part: &T) {
        self.keeper.save(id, updates, part);
    }

    fn saved(&self) {
        self.keeper.complete(self.lock().transport.entry);
    }

    fn remote(&self, counts: &mut [u64]) -> Option<RemoteProgress> {
        if self.own != RankId(0) {
            return None;
        }
        let state = self.state.try_lock().ok()?;
        let view = &state.rank.view;
        view.counts(counts, state.transport.bounds());
        let add = |sum: RemoteProgress, record: RankRecord| RemoteProgress {
            residual: sum.residual + record.residual,
            moves: sum.moves + record.moves,
            rounds: sum.rounds + record.rounds,
            ..sum
        };
        let is_late = state.transport.entry.ranks() > 1;
        let start = RemoteProgress { before: self.before, is_late, ..RemoteProgress::default() };
        Some(view.others().fold(start, add))
    }
}

impl<F, G, K, const N: usize> Ranks<'_, '_, F, G, K, N>
where
    F: Unit<Shared: Word>,
    G: Graph<N>,
{
    /// Advances messages, gets and links between ranks, unless another thread is doing so.
    fn let_through(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            let RankState { transport, rank, .. } = &mut *state;
            transport.entry.enter();
            let advanced = rank.links.advance(transport).and_then(|()| transport.clear());
            must(advanced, transport.entry);
        }
    }
}

/// Makes workers look up again where their neighbours are, if these have moved.
fn reconnect<T: Part<Unit: Unit<Shared: Word>>, G, const N: usize>(
    links: &mut RankLinks<'_, '_, T::Unit, G, N>,
    local: &Local<'_, '_, '_, T, N>,
) {
    if mem::take(&mut links.has_changed) {
        local.reconnect();
    }
}
