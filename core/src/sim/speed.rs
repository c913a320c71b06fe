//! Speed of a core at any time: the share that its noise leaves.
//!
//! Each source of noise turns the time that is left by those before it into the time that it
//! leaves itself, so that a worker's finish is found by going through all of them and back, however
//! many bursts lie between.

use core::num::NonZero;

use crate::base::rng::Rng;
use crate::base::table::At;
use crate::base::time::{Duration, Instant};
use crate::run::noise::{Parasite, ParasiteCycle};

/// A share of 1 in the fixed-point numbers of traces and paces.
const ONE: u32 = 1 << 20;

/// The speed of one core over time.
#[derive(Clone, Copy, Debug)]
pub struct CoreTrace<'m> {
    /// The core, counted over all sockets and nodes.
    pub core: u32,
    /// Pieces in order of time.
    pub pieces: &'m [Piece],
}

impl CoreTrace<'_> {
    /// Whether times start at zero and ascend, and the core does not stand still at the end.
    pub fn is_possible(&self) -> bool {
        self.pieces.first().is_some_and(|piece| piece.from == Instant::ZERO)
            && self.pieces.last().is_some_and(|piece| piece.share > 0)
            && self.pieces.is_sorted_by(|one, next| one.from < next.from)
    }
}

/// One source of noise on one core, at the time that it has got to. Times only grow.
#[derive(Clone, Debug)]
pub struct Slowdown<'m>(Kind<'m>);

#[derive(Clone, Debug)]
enum Kind<'m> {
    /// Takes nothing.
    None,
    /// Leaves `idle` nanoseconds of each `cycle` and takes the rest, over and over; it started
    /// `phase` nanoseconds before time zero.
    Periodic { idle: NonZero<u64>, cycle: NonZero<u64>, phase: u64 },
    /// Takes bursts of random length after gaps of random length.
    Bursts(Bursts),
    /// Leaves a share that changes at given times.
    Trace(RemainingPieces<'m>),
}

/// Costs of parasites on a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParasiteCosts {
    /// One iteration of the loop, in picoseconds.
    pub iteration: u64,
    /// Time for which a parasite sleeps longer than it asks for.
    pub wake_up: Duration,
    /// Time that a burst takes from the core besides its work, out of the sleep.
    pub switch: Duration,
}

/// A piece of a speed trace: from a time on, a core has this share of its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Time at which the piece begins.
    pub from: Instant,
    /// Share in 2^20th; [`Piece::share`] makes it.
    pub share: u32,
}

impl Piece {
    /// Returns a piece of a share in millionths, at most 1,000,000.
    pub fn new(from: Instant, millionths: u32) -> Self {
        let share = u64::from(millionths.min(1_000_000)) * u64::from(ONE) / 1_000_000;
        Self { from, share: u32::try_from(share).unwrap_or(ONE) }
    }
}

/// Period over which a duty is kept, as the threads' parasites keep it (they wake each
/// millisecond).
const DUTY_PERIOD: u64 = 1_000_000;

impl<'m> Slowdown<'m> {
    /// Memory for a source; [`Simulation::new`](crate::sim::machine::Simulation::new) fills it.
    pub const NONE: Self = Self(Kind::None);

    /// Returns a parasite as a source; none where it would leave no time at all.
    pub(crate) fn parasite(parasite: Parasite, costs: ParasiteCosts, mut rng: Rng) -> Option<Self> {
        let ParasiteCosts { iteration, wake_up, switch } = costs;
        let (idle, busy) = match parasite {
            Parasite::Bursts { burst, gap } => {
                let burst = Duration(burst.0.saturating_add(switch.0));
                let gap = Duration(left_of(gap.0.saturating_add(wake_up.0), switch));
                return Some(Self(Kind::Bursts(Bursts::new(gap, burst, rng))));
            }
            // A parasite without sleep is never put to sleep.
            Parasite::Loop { sleep: Duration::ZERO, .. } => return None,
            Parasite::Loop { sleep, work } => {
                let work = work.saturating_mul(iteration) / 1_000;
                let idle = left_of(sleep.0.saturating_add(wake_up.0), switch);
                (idle, work.saturating_add(switch.0))
            }
            // It makes up for sleeping too long, but not for what the core loses.
            Parasite::Duty { millionths } => {
                let busy = DUTY_PERIOD * u64::from(millionths) / 1_000_000;
                let idle = left_of(DUTY_PERIOD - busy, switch);
                (idle, DUTY_PERIOD - idle)
            }
        };
        let (idle, cycle) = (NonZero::new(idle)?, NonZero::new(idle.checked_add(busy)?)?);
        // Sources are not in step with each other.
        let phase =
            u64::from(rng.below(ONE)).saturating_mul(cycle.get() / u64::from(ONE) + 1) % cycle;
        Some(Self(Kind::Periodic { idle, cycle, phase }))
    }

    /// Returns a speed trace as a source; its pieces are in order of time, the first from time
    /// zero, the last not zero.
    pub(crate) fn trace(pieces: &'m [Piece]) -> Self {
        Self(Kind::Trace(RemainingPieces { pieces, left_before: 0 }))
    }

    /// Returns how many of the nanoseconds until `time` the source leaves to others. Times must not
    /// decrease from call to call.
    pub(crate) fn left(&mut self, time: u64) -> u64 {
        match &mut self.0 {
            Kind::None => time,
            &mut Kind::Periodic { idle, cycle, phase } => {
                let at = |time: u64| {
                    let rest = (time % cycle).min(idle.get());
                    (time / cycle).saturating_mul(idle.get()).saturating_add(rest)
                };
                at(time.saturating_add(phase)).saturating_sub(at(phase))
            }
            Kind::Bursts(bursts) => bursts.left(time),
            Kind::Trace(trace) => trace.left(time),
        }
    }

    /// Returns the first time until which the source has left `left` nanoseconds to others: the
    /// inverse of [`left`](Self::left). It must not be less than at the last call.
    pub(crate) fn when(&mut self, left: u64) -> u64 {
        match &mut self.0 {
            Kind::None => left,
            &mut Kind::Periodic { idle, cycle, phase } => {
                // The phase is less than a cycle.
                let all = left.saturating_add(phase.min(idle.get()));
                // The time left at the end of a gap is there before the burst, not after it.
                let gaps = all.saturating_sub(1) / idle;
                let within = all.saturating_sub(gaps.saturating_mul(idle.get()));
                gaps.saturating_mul(cycle.get()).saturating_add(within).saturating_sub(phase)
            }
            Kind::Bursts(bursts) => bursts.when(left),
            Kind::Trace(trace) => trace.when(left),
        }
    }
}

/// Returns how much of a parasite's sleep others have, in nanoseconds: without the switch of the
/// core, and 1 at least.
const fn left_of(sleep: u64, switch: Duration) -> u64 {
    match sleep.checked_sub(switch.0) {
        Some(left) if left > 0 => left,
        _ => 1,
    }
}

/// Gaps and bursts, as far as they are drawn: one gap, and the burst after it.
#[derive(Clone, Debug)]
struct Bursts {
    mean_gap: Duration,
    mean_burst: Duration,
    rng: Rng,
    /// Time at which the gap starts, and the time that was left until then.
    start: u64,
    left_before: u64,
    /// Length of the gap.
    gap: u64,
    /// Length of the burst that follows.
    burst: u64,
}

impl Bursts {
    /// Returns a source whose first gap begins at time zero.
    fn new(mean_gap: Duration, mean_burst: Duration, rng: Rng) -> Self {
        let mut bursts =
            Self { mean_gap, mean_burst, rng, start: 0, left_before: 0, gap: 0, burst: 0 };
        bursts.draw();
        bursts
    }

    /// Draws the next gap and the burst after it.
    fn draw(&mut self) {
        let cycle = ParasiteCycle::draw(self.mean_burst, self.mean_gap, &mut self.rng);
        (self.gap, self.burst) = (cycle.gap.0, cycle.burst.0);
    }

    /// Goes on to the next gap and burst.
    fn next(&mut self) {
        self.start = self.start.saturating_add(self.gap.saturating_add(self.burst));
        self.left_before = self.left_before.saturating_add(self.gap);
        self.draw();
    }

    /// Returns how much of the time until `time` falls into gaps, in nanoseconds.
    fn left(&mut self, time: u64) -> u64 {
        if time < self.start {
            // A run ends amid a sweep that another worker has made first: there is so much at most.
            return self.left_before.min(time);
        }
        while time >= self.start.saturating_add(self.gap.saturating_add(self.burst))
            && time < u64::MAX
        {
            self.next();
        }
        self.left_before + time.saturating_sub(self.start).min(self.gap)
    }

    /// Returns the first time until which `left` nanoseconds have fallen into gaps.
    fn when(&mut self, left: u64) -> u64 {
        debug_assert!(left >= self.left_before, "a burst is asked for a time that has passed");
        while left > self.left_before.saturating_add(self.gap) && left < u64::MAX {
            self.next();
        }
        self.start.saturating_add(left.saturating_sub(self.left_before))
    }
}

/// The pieces that have not passed, the first of them begun.
#[derive(Clone, Debug)]
struct RemainingPieces<'m> {
    pieces: &'m [Piece],
    /// Time that was left until the first of them began.
    left_before: u64,
}

impl RemainingPieces<'_> {
    /// Returns the piece that the trace is in, and the time of its end.
    fn current(&self) -> (Piece, Instant) {
        let end = self.pieces.get(1).map_or(Instant::NEVER, |next| next.from);
        (*self.pieces.at(0_u32), end)
    }

    /// Goes on to the next piece.
    fn next(&mut self) {
        let (piece, end) = self.current();
        self.left_before = self.left_before.saturating_add(piece.left(end.0));
        self.pieces = self.pieces.get(1..).unwrap_or_default();
    }

    /// Returns how many nanoseconds at full speed the core has had until `time`.
    fn left(&mut self, time: u64) -> u64 {
        loop {
            let (piece, end) = self.current();
            if time < end.0 || end == Instant::NEVER {
                return self.left_before.saturating_add(piece.left(time));
            }
            self.next();
        }
    }

    /// Returns the first time at which the core has had `left` nanoseconds at full speed.
    fn when(&mut self, left: u64) -> u64 {
        loop {
            let (piece, end) = self.current();
            let more = left.saturating_sub(self.left_before);
            if more <= piece.left(end.0) || end == Instant::NEVER {
                return piece.when(more);
            }
            self.next();
        }
    }
}

impl Piece {
    /// Returns how many nanoseconds at full speed the core has had from the piece's beginning until
    /// `time`.
    fn left(self, time: u64) -> u64 {
        let since = u128::from(time.saturating_sub(self.from.0));
        u64::try_from((since * u128::from(self.share)) >> ONE.trailing_zeros()).unwrap_or(u64::MAX)
    }

    /// Returns the first time at which the core has had `left` nanoseconds at full speed since the
    /// piece began.
    fn when(self, left: u64) -> u64 {
        let scaled = u128::from(left) << ONE.trailing_zeros();
        let since = scaled.checked_div(u128::from(self.share)).map(|since| {
            let is_exact = since * u128::from(self.share) == scaled;
            u64::try_from(since + u128::from(!is_exact)).unwrap_or(u64::MAX)
        });
        let never = if left == 0 { 0 } else { u64::MAX };
        self.from.0.saturating_add(since.unwrap_or(never))
    }
}

/// Returns the time at which a core has done `work` nanoseconds of work that it begins at `start`,
/// with all sources of noise.
pub(crate) fn finish(sources: &mut [Slowdown<'_>], start: Instant, work: u64) -> Instant {
    let mut time = start.0;
    for source in sources.iter_mut() {
        time = source.left(time);
    }
    time = time.saturating_add(work);
    for source in sources.iter_mut().rev() {
        time = source.when(time);
    }
    Instant(time).max(start)
}

/// Returns the sources of one worker: `number` of `all`, from `first` on.
pub(crate) fn part<'s, 'm>(
    all: &'s mut [Slowdown<'m>],
    (first, number): (u32, u32),
) -> &'s mut [Slowdown<'m>] {
    all.get_mut(first as usize..)
        .and_then(|rest| rest.get_mut(..number as usize))
        .unwrap_or_default()
}

/// Ranges of the paces of a machine's parts, in millionths: a pace may be faster or slower than the
/// nominal one by as much, and is drawn from this range around it, by the run's seed.
///
/// A worker has the paces of its core, its socket and its node together (Zarins & Weiland 2017,
/// Figure 1: performance varies within and across nodes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaceRanges {
    /// The range of a core's pace, among the cores of its socket.
    pub core: u32,
    /// The range of a socket's pace, among the sockets of its node.
    pub socket: u32,
    /// The range of a node's pace.
    pub node: u32,
}

impl PaceRanges {
    /// Ranges of a machine whose parts are alike.
    pub const NONE: Self = Self { core: 0, socket: 0, node: 0 };

    /// Returns the first range that would let something stand still.
    pub(crate) fn too_wide(self) -> Option<u32> {
        [self.core, self.socket, self.node].into_iter().find(|&range| range >= 1_000_000)
    }

    /// Returns the pace of a core in 2^20th of the nominal time for the same work; `core`, `socket`
    /// and `node` draw for this core, its socket and its node.
    pub(crate) fn draw(self, mut core: Rng, mut socket: Rng, mut node: Rng) -> u32 {
        let drawn = [
            draw_pace(self.core, &mut core),
            draw_pace(self.socket, &mut socket),
            draw_pace(self.node, &mut node),
        ];
        let pace = drawn.into_iter().fold(u64::from(ONE), |pace, next| {
            // Each is less than twice the nominal one.
            pace * u64::from(next) / u64::from(ONE)
        });
        u32::try_from(pace).unwrap_or(u32::MAX)
    }
}

/// Draws a pace from the range around 1, in 2^20th of the nominal time for the same work.
fn draw_pace(range_millionths: u32, rng: &mut Rng) -> u32 {
    let drawn = rng.below(range_millionths.saturating_mul(2).saturating_add(1));
    let millionths = 1_000_000 + u64::from(drawn) - u64::from(range_millionths);
    u32::try_from(millionths * u64::from(ONE) / 1_000_000).unwrap_or(ONE)
}

/// Returns the nanoseconds that nominal work takes at a pace in 2^20th.
#[inline]
pub(crate) const fn paced(work: u64, pace: u32) -> u64 {
    // Work below 2^43 ns, over two hours, does not overflow.
    match work.checked_mul(pace as u64) {
        Some(product) => product >> ONE.trailing_zeros(),
        None => (work >> ONE.trailing_zeros()).saturating_mul(pace as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the time that is left, nanosecond by nanosecond.
    fn naive(source: &Slowdown<'_>, start: u64, work: u64) -> u64 {
        let mut source = source.clone();
        let (mut time, before) = (start, source.left(start));
        while source.left(time) < before + work {
            time += 1;
        }
        time
    }

    fn sources(pieces: &[Piece]) -> [Slowdown<'_>; 4] {
        let looped = Parasite::Loop { sleep: Duration(200), work: 10 };
        [
            Slowdown::NONE,
            Slowdown::parasite(looped, LOOP, Rng::new(1, 2)).unwrap(),
            Slowdown(Kind::Bursts(Bursts::new(Duration(50), Duration(20), Rng::new(5, 5)))),
            Slowdown::trace(pieces),
        ]
    }

    const LOOP: ParasiteCosts =
        ParasiteCosts { iteration: 4_600, wake_up: Duration::ZERO, switch: Duration::ZERO };

    const PIECES: [(u64, u32); 4] = [(0, 1_000_000), (100, 0), (250, 300_000), (400, 700_000)];

    fn pieces() -> [Piece; 4] {
        PIECES.map(|(from, share)| Piece::new(Instant(from), share))
    }

    #[test]
    fn work_ends_as_soon_as_so_much_time_was_left() {
        let pieces = pieces();
        for source in sources(&pieces) {
            let mut time = 0;
            let mut fast = source.clone();
            let mut rng = Rng::new(2, 2);
            // Miri is some hundred times slower.
            for _ in 0..if cfg!(miri) { 5 } else { 60 } {
                let work = u64::from(rng.below(40)) + 1;
                let expected = naive(&source, time, work);
                time = finish(core::slice::from_mut(&mut fast), Instant(time), work).0;
                assert_eq!(time, expected, "{source:?}");
            }
        }
    }

    #[test]
    fn a_worker_has_the_paces_of_its_core_socket_and_node_together() {
        let rng = |stream| Rng::new(7, stream);
        let draw = |ranges: PaceRanges| ranges.draw(rng(1), rng(2), rng(3));
        let alone = [
            PaceRanges { core: 100_000, ..PaceRanges::NONE },
            PaceRanges { socket: 100_000, ..PaceRanges::NONE },
            PaceRanges { node: 100_000, ..PaceRanges::NONE },
        ]
        .map(draw);
        assert_eq!(draw(PaceRanges::NONE), ONE);
        assert!(alone.iter().all(|pace| *pace != ONE), "{alone:?}");
        let all = draw(PaceRanges { core: 100_000, socket: 100_000, node: 100_000 });
        let product = alone.iter().map(|&pace| f64::from(pace) / f64::from(ONE)).product::<f64>();
        assert!((f64::from(all) / f64::from(ONE) - product).abs() < 1e-5, "{all} {product}");
        // Millionths of a range that is all there is.
        let widest = PaceRanges { core: 999_999, socket: 999_999, node: 999_999 };
        for stream in 0..50 {
            let pace = widest.draw(rng(stream), rng(stream + 1), rng(stream + 2));
            assert!(pace < 8 * ONE);
        }
        assert_eq!(PaceRanges { node: 1_000_000, ..widest }.too_wide(), Some(1_000_000));
    }

    #[test]
    fn sources_share_a_core() {
        let half = |stream| {
            let duty = Parasite::Duty { millionths: 500_000 };
            Slowdown::parasite(duty, LOOP, Rng::new(1, stream)).unwrap()
        };
        let mut sources = [half(1), half(2)];
        let end = finish(&mut sources, Instant::ZERO, 25_000_000).0;
        assert!(end.abs_diff(100_000_000) < 2_000_000, "{end}");
    }

    #[test]
    fn the_papers_parasite_takes_its_share() {
        let looped = Parasite::Loop { sleep: Duration::from_micros(200), work: 10_000 };
        let mut source = Slowdown::parasite(looped, LOOP, Rng::new(1, 1)).unwrap();
        let left = source.left(1_000_000_000);
        assert!(left.abs_diff(813_008_000) < 300_000, "{left}");
        let greedy = Parasite::Loop { sleep: Duration::ZERO, work: 1 };
        assert!(Slowdown::parasite(greedy, LOOP, Rng::new(1, 1)).is_none());
    }

    #[test]
    fn parasites_oversleep_and_their_bursts_cost_the_core_more_than_their_work() {
        let costs = ParasiteCosts { wake_up: Duration(50_000), switch: Duration(4_000), ..LOOP };
        let share = |parasite| {
            let mut source = Slowdown::parasite(parasite, costs, Rng::new(1, 1)).unwrap();
            1_000_000_000 - source.left(1_000_000_000)
        };
        // 46 + 4 of 200 + 50 + 46 µs.
        let looped = Parasite::Loop { sleep: Duration::from_micros(200), work: 10_000 };
        assert!(share(looped).abs_diff(168_919_000) < 100_000, "{}", share(looped));
        // 0.4 of each millisecond, and 4 µs.
        let duty = share(Parasite::Duty { millionths: 400_000 });
        assert!(duty.abs_diff(404_000_000) < 500_000, "{duty}");
        // 6 + 4 of 44 + 50 + 6 µs.
        let bursts = Parasite::Bursts { burst: Duration(6_000), gap: Duration(44_000) };
        assert!(share(bursts).abs_diff(100_000_000) < 3_000_000, "{}", share(bursts));
        let whole = Parasite::Duty { millionths: 999_999 };
        assert!(Slowdown::parasite(whole, costs, Rng::new(1, 1)).is_some());
    }

    #[test]
    fn enormous_times_saturate() {
        let pieces = pieces();
        for mut source in sources(&pieces).into_iter().filter(|s| !matches!(s.0, Kind::Bursts(_))) {
            let end = finish(core::slice::from_mut(&mut source), Instant(1 << 62), u64::MAX);
            assert!(end > Instant(1 << 62));
        }
    }
}
