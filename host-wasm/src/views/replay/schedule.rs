//! The schedule of all tracks: all events, and summaries of them, so that drawing costs what the
//! screen is wide and not what the run was long.

use super::kind::{KINDS, Kind};
use super::summary::{Summary, share};

/// Number of an event's bits that have its kind.
const BITS: u32 = 3;
/// Greatest number of moments at which counts and owners are kept, and greatest number of counts.
const MOMENTS: usize = 2_048;
const MOST_COUNTS: usize = 1 << 22;

/// The events of one track, in order of time.
#[derive(Clone, Debug, Default)]
struct Track {
    starts: Vec<u64>,
    lengths: Vec<u32>,
    /// Kind of each event in the lowest bits, and the subdomain above them.
    whats: Vec<u32>,
    summary: Summary,
}

impl Track {
    /// Returns the events: beginning, end, kind, and subdomain.
    fn events(&self) -> impl Iterator<Item = (u64, u64, u32, u32)> {
        self.events_from(0)
    }

    /// Returns the events from number `first` on.
    fn events_from(&self, first: usize) -> impl Iterator<Item = (u64, u64, u32, u32)> {
        let events = self.starts.iter().zip(&self.lengths).zip(&self.whats).skip(first);
        events.map(|((&start, &length), &what)| {
            (start, start + u64::from(length), what & ((1 << BITS) - 1), what >> BITS)
        })
    }
}

/// An event of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackEvent {
    /// Time at which it begins, in nanoseconds.
    pub start: u64,
    /// Time at which it ends.
    pub end: u64,
    /// Its kind.
    pub kind: Kind,
    /// The subdomain that it is about.
    pub subdomain: u32,
}

/// The state of all subdomains at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<'a> {
    /// Number of sweeps of each subdomain.
    pub sweeps: &'a [u32],
    /// Owner of each subdomain.
    pub owners: &'a [u32],
}

/// The events of all tracks.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    tracks: Vec<Track>,
    subdomains: usize,
    /// End of the last event, in nanoseconds.
    pub end: u64,
    /// Nanoseconds between two moments.
    pub every: u64,
    /// Number of sweeps of each subdomain before each moment, moment by moment.
    counts: Vec<u32>,
    /// Last owner of each subdomain before each moment.
    owners: Vec<u32>,
}

impl Schedule {
    /// Returns a schedule without events; each subdomain has a first owner.
    pub fn new(tracks: usize, first_owners: &[u32]) -> Self {
        let tracks = vec![Track::default(); tracks];
        Self {
            tracks,
            subdomains: first_owners.len(),
            owners: first_owners.to_vec(),
            ..Self::default()
        }
    }

    /// Adds an event, its times in nanoseconds, that follows all others of its track; a very long
    /// one is added as several.
    pub fn add(&mut self, track: usize, (start, end): (u64, u64), kind: Kind, subdomain: u32) {
        let Some(track) = self.tracks.get_mut(track) else { return };
        let mut from = start;
        loop {
            let length = u32::try_from(end.saturating_sub(from)).unwrap_or(u32::MAX);
            track.starts.push(from);
            track.lengths.push(length);
            track.whats.push(kind as u32 | subdomain << BITS);
            from += u64::from(length);
            if from >= end {
                break;
            }
        }
        self.end = self.end.max(end);
    }

    /// Makes the summaries, when all events are added.
    pub fn finish(&mut self) {
        for track in &mut self.tracks {
            let events = track.events().map(|(start, end, kind, _)| (start, end, kind as usize));
            track.summary = Summary::of(events, self.end);
        }
        self.count();
    }

    /// Computes the counts of sweeps and the owners at all moments that are kept.
    fn count(&mut self) {
        let subdomains = self.subdomains.max(1);
        let moments = MOMENTS.min(MOST_COUNTS / subdomains).max(2);
        self.every = self.end.div_ceil(moments as u64 - 1).max(1);
        let mut counts = vec![0_u32; moments * subdomains];
        let mut last = vec![(0_u64, u32::MAX); moments * subdomains];
        for (number, track) in (0_u32..).zip(&self.tracks) {
            for (_, end, kind, subdomain) in track.events() {
                if kind != Kind::Sweep as u32 {
                    continue;
                }
                let moment = usize::try_from(end.div_ceil(self.every)).unwrap_or(usize::MAX);
                let place = moment.saturating_mul(subdomains).saturating_add(subdomain as usize);
                if let Some((count, last)) = counts.get_mut(place).zip(last.get_mut(place)) {
                    *count += 1;
                    *last = (*last).max((end, number));
                }
            }
        }
        let mut owners = self.owners.clone();
        self.owners = Vec::with_capacity(counts.len());
        let mut before = vec![0_u32; subdomains];
        for (counts, last) in counts.chunks_mut(subdomains).zip(last.chunks(subdomains)) {
            for (count, before) in counts.iter_mut().zip(&mut before) {
                *count += *before;
                *before = *count;
            }
            for (owner, (_, last)) in
                owners.iter_mut().zip(last).filter(|(_, (_, last))| *last != u32::MAX)
            {
                *owner = *last;
            }
            self.owners.extend(&owners);
        }
        self.counts = counts;
    }

    /// Returns the sweeps and the owner of each subdomain at the last moment that was kept before a
    /// time.
    pub fn at(&self, time: u64) -> State<'_> {
        // At the end all is counted, also what ended since the last moment.
        let time = if time >= self.end { u64::MAX } else { time };
        let moment = usize::try_from(time / self.every.max(1)).unwrap_or(usize::MAX);
        let first = moment.min(self.moments().saturating_sub(1)) * self.subdomains;
        let range = first..first + self.subdomains;
        State {
            sweeps: self.counts.get(range.clone()).unwrap_or_default(),
            owners: self.owners.get(range).unwrap_or_default(),
        }
    }

    /// Returns the number of moments that are kept.
    pub fn moments(&self) -> usize {
        self.counts.len().checked_div(self.subdomains).unwrap_or(0)
    }

    /// Appends two bytes for each of `columns` columns between two times: the kind that took most
    /// of the track's time there, and its share of the time, out of 255.
    pub fn row(&self, track: usize, (from, to): (u64, u64), columns: u32, out: &mut Vec<u8>) {
        let wide = ((to.saturating_sub(from)) / u64::from(columns.max(1))).max(1);
        let mut sums = vec![[0.0; KINDS]; columns as usize];
        let Some(track) = self.tracks.get(track) else { return };
        if track.summary.tells(wide) {
            track.summary.add(from, wide, &mut sums);
        } else {
            // The one that goes on from before, too.
            let first = track.starts.partition_point(|&start| start < from).saturating_sub(1);
            for (start, end, kind, _) in
                track.events_from(first).take_while(|(start, ..)| *start < to)
            {
                share(start, end, from, wide, |column, time| {
                    let sums = sums.get_mut(column);
                    if let Some(place) = sums.and_then(|sums| sums.get_mut(kind as usize)) {
                        *place += time as f64;
                    }
                });
            }
        }
        for sums in sums {
            // Of several the first.
            let (kind, time) = (0_u8..)
                .zip(sums)
                .fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most });
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "saturates"
            )]
            let share =
                (time * 255.0 / wide as f64).round().max(f64::from(u8::from(time > 0.0))) as u8;
            out.extend([kind, share]);
        }
    }

    /// Returns the event of a track at a time.
    pub fn event(&self, track: usize, time: u64) -> Option<TrackEvent> {
        let track = self.tracks.get(track)?;
        let place = track.starts.partition_point(|&start| start <= time).checked_sub(1)?;
        let (start, end, kind, subdomain) = track.events_from(place).next()?;
        let kind = *Kind::ALL.get(kind as usize)?;
        (time < end).then_some(TrackEvent { start, end, kind, subdomain })
    }

    /// Returns the nanoseconds of each kind of a track.
    pub fn times(&self, track: usize) -> [u64; KINDS] {
        self.tracks.get(track).map(|track| track.summary.times).unwrap_or_default()
    }

    /// Returns the number of sweeps of all tracks.
    pub fn sweeps(&self) -> u64 {
        let events = self.tracks.iter().flat_map(Track::events);
        events.filter(|(_, _, kind, _)| *kind == Kind::Sweep as u32).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a schedule of two tracks: one sweeps for 6 and waits for 4, a thousand times; the
    /// other sweeps all the time.
    fn schedule() -> Schedule {
        let mut schedule = Schedule::new(2, &[0, 0, 1]);
        for turn in 0..1_000_u64 {
            let start = turn * 10;
            schedule.add(0, (start, start + 6), Kind::Sweep, u32::from(turn % 2 == 1));
            schedule.add(0, (start + 6, start + 10), Kind::Wait, 0);
            // In the second half it takes the other's second subdomain as well.
            let subdomain = if turn >= 500 && turn % 2 == 0 { 1 } else { 2 };
            schedule.add(1, (start, start + 10), Kind::Sweep, subdomain);
        }
        schedule.finish();
        schedule
    }

    #[test]
    fn counts_are_those_of_all_events_up_to_then() {
        let schedule = schedule();
        assert_eq!((schedule.end, schedule.every), (10_000, 5));
        assert_eq!(schedule.at(0).sweeps, [0, 0, 0]);
        // 300 sweeps of the second subdomain by the first track, and by then none by the other.
        assert_eq!(schedule.at(6_000).sweeps, [300, 300 + 50, 550]);
        assert_eq!(schedule.at(2_000).owners, [0, 0, 1]);
        let last = State { sweeps: &[500, 750, 750], owners: &[0, 0, 1] };
        assert_eq!(schedule.at(u64::MAX), last);
    }

    #[test]
    fn rows_say_the_same_near_and_far() {
        let schedule = schedule();
        assert_eq!(schedule.sweeps(), 2_000);
        assert_eq!(schedule.times(0), [6_000, 4_000, 0, 0, 0, 0, 0, 0]);
        assert_eq!(schedule.times(1), [10_000, 0, 0, 0, 0, 0, 0, 0]);
        let row = |track, window, columns| {
            let mut out = Vec::new();
            schedule.row(track, window, columns, &mut out);
            out
        };
        // Far: most of the time it sweeps.
        assert!(row(0, (0, 10_000), 10).chunks(2).all(|column| column == [0, 153]));
        // Near: six columns of sweeping, four of waiting.
        let near = row(0, (100, 110), 10);
        let kinds: Vec<_> = near.chunks(2).map(|column| column[0]).collect();
        assert_eq!(kinds, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
        assert!(
            row(1, (3_333, 3_999), 7).chunks(2).all(|column| column[0] == 0 && column[1] > 250)
        );
        let event = TrackEvent { start: 106, end: 110, kind: Kind::Wait, subdomain: 0 };
        assert_eq!(schedule.event(0, 107), Some(event));
        assert_eq!(schedule.event(0, 10_000), None);
        assert!(row(0, (20_000, 30_000), 4).chunks(2).all(|column| column == [0, 0]));
    }

    #[test]
    fn what_takes_longer_than_an_event_can_is_several() {
        let mut schedule = Schedule::new(1, &[]);
        let long = 10_000_000_000;
        schedule.add(0, (5, long), Kind::Search, 0);
        schedule.finish();
        assert_eq!(schedule.times(0).get(Kind::Search as usize), Some(&(long - 5)));
        let last = schedule.event(0, long - 1).unwrap();
        assert_eq!((last.end, last.kind), (long, Kind::Search));
        assert!(schedule.at(7).sweeps.is_empty());
    }
}
