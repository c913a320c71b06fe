//! The braid, the residual, the spread and the rate over time.

use tresse_draw::palette;

use super::state::State;
use super::words::{grouped, milliseconds};
use crate::page::plot::{Line, Plot, Scale};
use crate::views::solve::track::{Sample, Track};

/// Width of the braid's lines where these are few; half of it where they are many.
const WIDTH: f64 = 1.8;

/// Draws all charts.
pub fn draw(state: &State) {
    let Some(track) = state.track.as_ref().filter(|track| !track.samples.is_empty()) else {
        return;
    };
    braid(state, track, range(track));
    let tolerance = state.scene.tolerance;
    let residuals = || track.samples.iter().map(|sample| sample.residual);
    let least = residuals().chain(tolerance).fold(f64::INFINITY, f64::min);
    let most = residuals().fold(0.0, f64::max);
    let plot = curve(
        state,
        track,
        "residual",
        Scale::logarithmic(least / 1.5, most * 1.5),
        |_, sample| sample.residual,
    );
    if let Some((plot, tolerance)) = plot.zip(tolerance) {
        plot.level(tolerance, "tolerance", &state.theme);
    }
    let most = track.samples.iter().map(|sample| sample.spread).max().unwrap_or(0);
    curve(state, track, "spread", Scale::linear(0.0, most.max(1) as f64 * 1.05), |_, sample| {
        sample.spread as f64
    });
    let subdomains = state.scene.first_owners.len() as f64;
    let rate = |before: Option<&Sample>, sample: &Sample| rate(before, sample, subdomains);
    let rates = track.samples.array_windows().map(|[one, next]| rate(Some(one), next));
    let most = rates.fold(0.0, f64::max);
    curve(state, track, "rate", Scale::linear(0.0, most.max(1.0) * 1.05), rate);
}

/// Returns the iterations per second since the sample before, not a number where there is none.
fn rate(before: Option<&Sample>, sample: &Sample, subdomains: f64) -> f64 {
    before.map_or(f64::NAN, |before| {
        let updates = (sample.updates - before.updates) as f64;
        updates / subdomains / ((sample.at - before.at) as f64 * 1e-9)
    })
}

/// Returns the scale of time, from the start to now, in seconds.
fn time(state: &State) -> Scale {
    let now = state.frame.as_ref().map_or(1, |frame| frame.now.max(1_000));
    Scale::seconds(now)
}

/// Returns the time of a sample in seconds.
fn seconds(sample: &Sample) -> f64 {
    sample.at as f64 * 1e-9
}

/// Draws one line over time, in seconds, on the chart `what`. `value` takes a sample and the one
/// before it. Returns the plot where it is shown.
fn curve(
    state: &State,
    track: &Track,
    what: &str,
    y: Scale,
    value: impl Fn(Option<&Sample>, &Sample) -> f64,
) -> Option<Plot> {
    let plot = Plot::on(&state.id(what), time(state), y)?;
    let before = [None].into_iter().chain(track.samples.iter().map(Some));
    let points =
        before.zip(&track.samples).map(|(before, sample)| (seconds(sample), value(before, sample)));
    let line = Line { colour: palette::category(0), width: WIDTH, points };
    plot.draw([line].into_iter(), &state.theme);
    Some(plot)
}

/// Returns the range of the braid, in updates from the mean: from a little below the line that is
/// furthest behind to a little above the one furthest ahead.
pub fn range(track: &Track) -> (f64, f64) {
    let all = track.samples.iter().flat_map(|sample| &sample.ahead);
    let (least, most) =
        all.fold((0.0_f32, 0.0_f32), |(least, most), &ahead| (least.min(ahead), most.max(ahead)));
    (f64::from(least) * 1.05 - 0.5, f64::from(most) * 1.05 + 0.5)
}

/// Draws the braid between two numbers of updates from the mean. `None` where its canvas is not
/// shown.
pub fn braid(state: &State, track: &Track, (least, most): (f64, f64)) -> Option<()> {
    let plot = Plot::on(&state.id("braid"), time(state), Scale::linear(least, most))?;
    let scene = &state.scene;
    let width = if scene.lines.len() > 48 { WIDTH / 2.0 } else { WIDTH };
    let lines = scene.lines.iter().enumerate().map(|(place, id)| {
        let worker = scene.first_owners.get(*id as usize).copied().unwrap_or(0);
        let points = track.samples.iter().map(move |sample| {
            let ahead = sample.ahead.get(place).copied().unwrap_or(0.0);
            (seconds(sample), f64::from(ahead))
        });
        Line { colour: super::domain::worker_colour(worker), width, points }
    });
    plot.draw(lines, &state.theme);
    Some(())
}

/// Returns the numbers of the chart `id` at a place in pixels, as a text; `least` and `most` bound
/// the braid.
pub fn tip(state: &State, id: &str, (least, most): (f64, f64), at: (f64, f64)) -> Option<String> {
    let track = state.track.as_ref()?;
    // The axes are those that were drawn; nothing is drawn here.
    let plot = Plot::again(id, time(state), Scale::linear(least, most))?;
    let (x, y) = plot.numbers_at(at);
    let place = track.samples.partition_point(|sample| seconds(sample) < x);
    let place = place.min(track.samples.len().saturating_sub(1));
    let sample = track.samples.get(place)?;
    let before = place.checked_sub(1).and_then(|before| track.samples.get(before));
    let when = milliseconds(sample.at);
    let what = id.strip_prefix(&state.view)?.strip_prefix('-')?;
    Some(match what {
        "residual" => format!("{:e} at {when}", sample.residual),
        "spread" => format!("{} at {when}", grouped(sample.spread)),
        "rate" => {
            let subdomains = state.scene.first_owners.len() as f64;
            format!("{:.0} iterations a second at {when}", rate(Some(before?), sample, subdomains))
        }
        "braid" => {
            let distance = |ahead: f32| (f64::from(ahead) - y).abs();
            let lines = sample.ahead.iter().zip(&state.scene.lines);
            let (ahead, id) =
                lines.min_by(|one, other| distance(*one.0).total_cmp(&distance(*other.0)))?;
            format!("subdomain {id}: {ahead:+.1} updates from the mean at {when}")
        }
        _ => return None,
    })
}
