//! Plots the activities of everybody in a pool over time.

use plotters::prelude::*;
use tresse_core::base::time::Instant;
use tresse_core::sim::owned::timeline::{Span, Timeline, Track};
use tresse_core::tasks::sharing::Activity;

use super::axis::Axis;
use super::legend::{Key, Legend};
use super::mark::Mark;
use super::{Picture, Titles, palette};

/// Greatest number of rows; more would be too thin to see.
const MOST_ROWS: usize = 64;
/// Greatest number of names; more would lie over each other.
const MOST_NAMES: usize = 16;
/// Number of blocks that make a picture neither coarse nor large.
const BLOCKS: usize = 20_000;
/// Least and greatest number of columns.
const COLUMNS: (usize, usize) = (150, 600);
/// Half the height of a row's blocks; the distance of two rows is 1.
const HALF: f64 = 0.42;
/// Least share of a row that is drawn.
const THINNEST: f64 = 2e-3;
const KINDS: usize = Activity::ALL.len();

/// Plots a row for each worker, or for several neighbours, and one for each manager; each row shows
/// the shares of the activities in every moment.
pub fn timeline(timeline: &Timeline, title: &str) -> Picture {
    let end = timeline.end();
    let rows: Vec<Row<'_>> = rows(timeline);
    let columns = (BLOCKS / rows.len().max(1) / 2).clamp(COLUMNS.0, COLUMNS.1);
    let (scale, unit) = unit(end);
    let width = end.seconds() * scale / columns as f64;
    let mut marks = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        for (from, to, shares) in alike(&row.shares(end, columns)) {
            let corners = (from as f64 * width, to as f64 * width);
            marks.extend(blocks(place as f64, corners, &shares, row.is_manager));
        }
    }
    let every = rows.len().div_ceil(MOST_NAMES).max(1);
    let of_workers = rows.iter().filter(|row| !row.is_manager).count();
    // The first of each kind has its name in any case.
    let label = |(place, row): (usize, &Row<'_>)| {
        let first = if row.is_manager { of_workers } else { 0 };
        ((place - first) % every == 0).then(|| (place, row.name()))
    };
    let names = rows.iter().enumerate().filter_map(label);
    let axes = [
        Axis::from_zero([end.seconds() * scale]),
        Axis::some_names(rows.len(), names.collect::<Vec<_>>()),
    ];
    let time = format!("time ({unit})");
    Titles { title, x: &time, y: "" }.picture(axes, legend(timeline), marks)
}

/// One track, or several neighbouring ones, in a row.
struct Row<'a> {
    first: usize,
    tracks: &'a [Track],
    is_manager: bool,
}

/// Returns the rows, workers before managers; where there are too many, each row has several.
fn rows(timeline: &Timeline) -> Vec<Row<'_>> {
    let part = |tracks: &[Track], most: usize| tracks.len().div_ceil(most.max(1)).max(1);
    let managers = part(&timeline.managers, MOST_ROWS / 4);
    let workers = part(&timeline.workers, MOST_ROWS);
    let of = |tracks, each, is_manager| {
        let parts = <[Track]>::chunks(tracks, each).enumerate();
        parts.map(move |(place, tracks)| Row { first: place * each, tracks, is_manager })
    };
    let workers = of(&timeline.workers, workers, false);
    workers.chain(of(&timeline.managers, managers, true)).collect()
}

impl Row<'_> {
    /// Returns the name of the row, with its first and last number where it has several.
    fn name(&self) -> String {
        let who = if self.is_manager { "manager" } else { "worker" };
        match self.tracks.len() {
            0 | 1 => format!("{who} {}", self.first),
            more => format!("{who}s {}–{}", self.first, self.first + more - 1),
        }
    }

    /// Divides the time up to `end` into columns of equal width, and returns the share of each
    /// activity in each of them.
    fn shares(&self, end: Instant, columns: usize) -> Vec<[f64; KINDS]> {
        let mut shares = vec![[0.0; KINDS]; columns];
        let width = end.0 as f64 / columns as f64;
        let total = width * self.tracks.len() as f64;
        for span in self.tracks.iter().flat_map(Track::spans) {
            spread(&span, width, &mut |column, part| {
                let Some(shares) = shares.get_mut(column) else { return };
                for (share, activity) in shares.iter_mut().zip(Activity::ALL) {
                    *share += span.spent.with(activity).0 as f64 * part / total;
                }
            });
        }
        shares
    }
}

/// Calls `add` with each column that a span is in, and with the part of the span in the column.
fn spread(span: &Span, width: f64, add: &mut dyn FnMut(usize, f64)) {
    let (start, end) = (span.start.0 as f64, span.end.0 as f64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a column")]
    let place = |at: f64| (at / width) as usize;
    for number in place(start)..=place(end) {
        let from = start.max(number as f64 * width);
        let to = end.min((number + 1) as f64 * width);
        if to > from {
            add(number, (to - from) / (end - start));
        }
    }
}

/// Joins neighbouring columns that are alike; returns the first column, the end, and the shares of
/// each group.
fn alike(shares: &[[f64; KINDS]]) -> Vec<(usize, usize, [f64; KINDS])> {
    let mut all: Vec<(usize, usize, [f64; KINDS])> = Vec::new();
    for (place, shares) in shares.iter().enumerate() {
        let is_like = |other: &[f64; KINDS]| {
            shares.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-3)
        };
        match all.last_mut() {
            Some((_, to, before)) if is_like(before) => *to = place + 1,
            _ => all.push((place, place + 1, *shares)),
        }
    }
    all
}

/// Returns the blocks of a row between two times, one above the other.
fn blocks(
    row: f64,
    (from, to): (f64, f64),
    shares: &[f64; KINDS],
    is_manager: bool,
) -> impl Iterator<Item = Mark> {
    let mut bottom = row + HALF;
    let shares = Activity::ALL.into_iter().zip(*shares);
    // A manager that nobody asks for anything leaves its row white.
    let is_seen = |(activity, share): &(Activity, f64)| {
        *share > THINNEST && !(is_manager && *activity == Activity::Idle)
    };
    let seen: Vec<_> = shares.filter(is_seen).collect();
    seen.into_iter().map(move |(activity, share)| {
        let top = bottom - 2.0 * HALF * share;
        let corners = [(from, bottom), (to, top)];
        bottom = top;
        Mark::Block(corners, colour(activity).filled())
    })
}

/// Returns the colour of an activity, by its number in the palette.
const fn category(activity: Activity) -> usize {
    match activity {
        Activity::Tasks => 0,
        Activity::Copies => 4,
        Activity::Searching => 1,
        Activity::Idle => 7,
        Activity::Managing => 2,
        Activity::Messages => 5,
    }
}

fn colour(activity: Activity) -> RGBColor {
    palette::category(category(activity))
}

/// Returns a legend of the activities with their shares of the workers' time; an activity of
/// managers only has no share.
fn legend(timeline: &Timeline) -> Legend {
    let spent = |tracks: &[Track], activity: Activity| {
        let spent = |track: &Track| track.spent().with(activity).seconds();
        tracks.iter().map(spent).sum::<f64>()
    };
    let all = timeline.end().seconds() * timeline.workers.len() as f64;
    let entry = |activity: Activity| {
        let own = spent(&timeline.workers, activity);
        let of_managers = spent(&timeline.managers, activity);
        let name = activity.name();
        let named = match 100.0 * own / all {
            share if share >= 0.05 => format!("{share:.1} % {name}"),
            share if share > 0.0 => format!("<0.1 % {name}"),
            _ if activity == Activity::Managing && of_managers > 0.0 => name.to_owned(),
            _ => return None,
        };
        Some((Key::Filled(colour(activity)), named))
    };
    Legend::of(Activity::ALL.into_iter().filter_map(entry)).with_remarks(["% of the workers' time"])
}

/// Returns the factor that makes a time of `end` a readable number when multiplied by its seconds,
/// and the unit of that number.
fn unit(end: Instant) -> (f64, &'static str) {
    match end.0 {
        0..2_000_000 => (1e6, "µs"),
        2_000_000..2_000_000_000 => (1e3, "ms"),
        _ => (1.0, "s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tresse_core::sim::owned::timeline::TrackRecorder;

    #[test]
    fn columns_have_all_of_the_time() {
        let mut recorder = TrackRecorder::new(Activity::Searching, 99);
        recorder.turn_to(Activity::Tasks, Instant(10));
        recorder.turn_to(Activity::Copies, Instant(85));
        let tracks = [recorder.finish(Instant(100))];
        let row = Row { first: 0, tracks: &tracks, is_manager: false };
        let shares = row.shares(Instant(100), 8);
        assert!((shares[0][Activity::Searching.index()] - 0.8).abs() < 1e-9, "{shares:?}");
        assert!((shares[3][Activity::Tasks.index()] - 1.0).abs() < 1e-9, "{shares:?}");
        assert!(shares.iter().all(|column| (column.iter().sum::<f64>() - 1.0).abs() < 1e-9));
        assert_eq!(alike(&shares).len(), 4, "{shares:?}");
    }
}
