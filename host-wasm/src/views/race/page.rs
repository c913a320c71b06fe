//! The drawing of Race: each lane is drawn as the view Solve draws a run, on scales common to all
//! lanes.

use tresse_draw::palette;

use super::frame::Frame;
use crate::page::canvas;
use crate::page::dom;
use crate::page::plot::{Line, Plot, Scale};
use crate::page::save::Saves;
use crate::page::theme::{self, Theme};
use crate::page::view::{Ask, Pointer, View};
use crate::parameters::{Parameters, SEPARATOR};
use crate::views::race::LANES;
use crate::views::solve::frame::{Act, Answer, Look};
use crate::views::solve::page::cores::Cores;
use crate::views::solve::page::curves;
use crate::views::solve::page::domain::Domain;
use crate::views::solve::page::state::State;
use crate::views::solve::page::words::{self, grouped, milliseconds};

/// Beginning of the elements' names.
const VIEW: &str = "race";

/// Speeds in units of time, which are nanoseconds, each second.
const SPEEDS: [(&str, f64); 5] = [
    ("20 ms each second", 2e7),
    ("100 ms each second", 1e8),
    ("5 ms each second", 5e6),
    ("1 ms each second", 1e6),
    ("as fast as it can", f64::INFINITY),
];

/// The drawing of one run.
#[derive(Debug, Default)]
struct Lane {
    state: State,
    domain: Domain,
    cores: Cores,
    /// Time at which the run converged.
    reached: Option<u64>,
    is_there: bool,
}

/// The page's state of a race.
#[derive(Debug)]
pub struct RaceView {
    lanes: Vec<Lane>,
    interventions: Vec<String>,
    over: Option<(String, f64, f64)>,
    saves: Saves,
}

impl Default for RaceView {
    fn default() -> Self {
        let lane = |number| {
            let state = State { view: format!("{VIEW}-{number}"), ..State::default() };
            Lane { state, ..Lane::default() }
        };
        Self {
            lanes: (0..LANES.len()).map(lane).collect(),
            interventions: Vec::new(),
            over: None,
            saves: Saves::default(),
        }
    }
}

/// Returns the colour of a lane.
fn colour(lane: usize) -> palette::Rgb {
    palette::category([5, 1, 4, 2].get(lane).copied().unwrap_or(0))
}

/// Returns the share of the way to the tolerance, on a logarithmic scale: the last steps are as
/// long as the first ones.
fn progress(residual: f64, tolerance: f64) -> f64 {
    let share = residual.ln() / tolerance.ln();
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns a place from 1 on as people write it, such as `1st`.
fn ordinal(place: usize) -> String {
    let ending = match place {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}

impl RaceView {
    /// Asks the model to intervene at a place in all lanes.
    fn intervene(place: String, effect: String) -> Vec<Ask> {
        vec![Ask::act(&Act::Intervene(place, effect)), Ask::Refresh]
    }

    /// Returns the lanes that have a run, with their numbers.
    fn runs(&self) -> impl DoubleEndedIterator<Item = (usize, &Lane)> {
        self.lanes.iter().enumerate().filter(|(_, lane)| lane.is_there)
    }

    /// Returns the lane whose canvas has this name.
    fn lane_of(&self, canvas: &str) -> Option<usize> {
        let number = canvas.strip_prefix("race-")?.split('-').next()?.parse::<usize>().ok()?;
        self.lanes.get(number).filter(|lane| lane.is_there).map(|_| number)
    }

    /// Burdens the chosen core of all lanes, or frees it where it is burdened in this one.
    fn toggle(&mut self, lane: usize) -> Vec<Ask> {
        let Some(Lane { state, cores, .. }) = self.lanes.get(lane) else { return Vec::new() };
        let effect = if cores.is_burdened(state) { "free".to_owned() } else { words::duty(VIEW) };
        Self::intervene(words::place(VIEW), effect)
    }

    /// Chooses a core in all lanes.
    fn choose(&mut self, worker: u32) {
        for lane in &mut self.lanes {
            lane.cores.choose(&lane.state.scene, VIEW, worker);
        }
    }

    /// Returns the lanes that have converged, each with its time in nanoseconds, the first one
    /// first.
    fn places(&self) -> Vec<(usize, u64)> {
        let mut places: Vec<_> =
            self.runs().filter_map(|(number, lane)| Some((number, lane.reached?))).collect();
        places.sort_by_key(|&(number, at)| (at, number));
        places
    }

    /// Writes the name, rank, progress and sentence of each lane, and hides lanes without a run.
    fn say_lanes(&self) {
        let places = self.places();
        for (number, lane) in self.lanes.iter().enumerate() {
            let id = |what: &str| lane.state.id(what);
            if let Some(article) = dom::by_id::<web_sys::HtmlElement>(&lane.state.view) {
                article.set_hidden(!lane.is_there);
            }
            let Some(frame) = lane.state.frame.as_ref().filter(|_| lane.is_there) else { continue };
            dom::set_text(&id("name"), &lane.state.scene.method);
            let place = places.iter().position(|(other, _)| *other == number);
            let text = place.map(|place| ordinal(place + 1)).unwrap_or_default();
            dom::set_text(&id("place"), &text);
            let share = progress(frame.residual, lane.state.scene.tolerance.unwrap_or(0.0));
            let share = if frame.has_converged { 1.0 } else { share };
            dom::set_attribute(&id("progress"), "value", &format!("{share:.3}"));
            let spread = frame.above.iter().max().copied().unwrap_or(0);
            let mean = frame.updates / (lane.state.scene.first_owners.len() as u64).max(1);
            let has_failed = frame.end.is_some() && !frame.has_converged;
            let end = match (lane.reached, &frame.end) {
                (Some(at), _) => format!("converged after {}", milliseconds(at)),
                (None, Some(end)) if has_failed => end.clone(),
                _ => format!("{:.0}\u{202f}% of the way", share * 100.0),
            };
            let spread = grouped(spread.into());
            dom::set_text(
                &id("says"),
                &format!("{end}; iteration {}, spread {spread}", grouped(mean)),
            );
        }
        dom::set_text("race-says", &self.sentence(&places));
    }

    /// Returns a sentence that says which lane is ahead, or has won.
    fn sentence(&self, places: &[(usize, u64)]) -> String {
        let method = |lane: usize| {
            self.lanes.get(lane).map(|lane| lane.state.scene.method.clone()).unwrap_or_default()
        };
        let there = self.runs().count();
        let at = |nanoseconds: u64| milliseconds(nanoseconds);
        match places {
            [] => {
                let residual =
                    |lane: &Lane| lane.state.frame.as_ref().map_or(1.0, |frame| frame.residual);
                let ahead =
                    self.runs().min_by(|one, other| residual(one.1).total_cmp(&residual(other.1)));
                ahead.map_or(String::new(), |(lane, _)| format!("{} is ahead.", method(lane)))
            }
            [(first, time), .., (last, slowest)] if places.len() == there => {
                let times = *slowest as f64 / (*time).max(1) as f64;
                format!(
                    "{} wins after {}; {} takes {}, {times:.1} times as long.",
                    method(*first),
                    at(*time),
                    method(*last),
                    at(*slowest)
                )
            }
            [(first, time), ..] => format!(
                "{} is first, after {}; {} of {there} lanes are there.",
                method(*first),
                at(*time),
                places.len()
            ),
        }
    }

    /// Draws the residuals of all lanes over the time of the run.
    fn draw_residuals(&self, theme: &Theme) {
        let tracks =
            || self.runs().filter_map(|(number, lane)| Some((number, lane.state.track.as_ref()?)));
        let residuals =
            || tracks().flat_map(|(_, track)| track.samples.iter().map(|sample| sample.residual));
        let tolerance = self.runs().find_map(|(_, lane)| lane.state.scene.tolerance);
        let lowest = residuals().chain(tolerance).fold(f64::INFINITY, f64::min);
        let highest = residuals().fold(0.0, f64::max);
        let end =
            tracks().filter_map(|(_, track)| track.samples.last()).map(|sample| sample.at).max();
        let x = Scale::seconds(end.unwrap_or(0).max(1_000));
        let y = Scale::logarithmic(lowest / 1.5, highest * 1.5);
        let Some(plot) = Plot::on("race-residual", x, y) else { return };
        let lines = tracks().map(|(number, track)| Line {
            colour: colour(number),
            width: 2.2,
            points: track.samples.iter().map(|sample| (sample.at as f64 * 1e-9, sample.residual)),
        });
        plot.draw(lines, theme);
        if let Some(tolerance) = tolerance {
            plot.level(tolerance, "tolerance", theme);
        }
        let names = self.runs().map(|(number, lane)| (&*lane.state.scene.method, colour(number)));
        plot.legend(names, theme);
    }

    /// Shows the numbers under the pointer: of a cell, a worker, or a curve.
    fn tip(&self) {
        let text = self.over.as_ref().and_then(|(canvas, x, y)| {
            let Lane { state, domain, cores, .. } = self.lanes.get(self.lane_of(canvas)?)?;
            let what = canvas.strip_prefix(&state.view)?.strip_prefix('-')?;
            match what {
                "domain" => Some(words::of_cell(state, domain.cell(state, (*x, *y))?, None)),
                "cores" => Some(words::of_worker(state, cores.at(state, (*x, *y))?)),
                _ => curves::tip(state, canvas, self.range(), (*x, *y)),
            }
        });
        let at = self.over.as_ref().map(|(canvas, x, y)| (canvas.as_str(), *x, *y));
        canvas::tip("race-tip", at, text);
    }

    /// Returns the range of update counts, from the part that is furthest behind in any lane to the
    /// one furthest ahead.
    fn range(&self) -> (f64, f64) {
        let ranges =
            self.runs().filter_map(|(_, lane)| lane.state.track.as_ref().map(curves::range));
        ranges.fold((-0.5, 0.5), |(least, most), (low, high)| (least.min(low), most.max(high)))
    }

    /// Returns the command lines of all runs.
    fn command_lines(&self) -> String {
        let lines = self.runs().map(|(_, lane)| {
            let mut line = lane.state.scene.command.clone();
            for intervention in &self.interventions {
                if !line.contains(intervention.as_str()) {
                    line.extend([" --intervene ", intervention]);
                }
            }
            line
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl View for RaceView {
    fn opened(&mut self, parameters: &Parameters) -> Vec<Ask> {
        self.interventions = parameters.all("intervene").map(str::to_owned).collect();
        self.saves.clear();
        let pixels = self.lanes.iter().map(|lane| Domain::pixels(&lane.state)).max().unwrap_or(256);
        vec![Ask::act(&Act::Look(Look { pixels, field: true, residuals: false })), Ask::Refresh]
    }

    fn show(&mut self, frame: &[u8]) {
        let Ok(frame) = postcard::from_bytes::<Frame>(frame) else { return };
        self.lanes.iter_mut().for_each(|lane| lane.is_there = false);
        for run in frame.runs {
            let Some(lane) = self.lanes.get_mut(run.lane as usize) else { continue };
            lane.is_there = true;
            if lane.state.take_frame(&run.frame) {
                lane.cores.opens(&lane.state.scene, VIEW);
                lane.domain.opens();
            }
            lane.domain.moved(&lane.state);
            let own = lane.state.frame.as_ref();
            lane.reached = own.and_then(|frame| frame.has_converged.then_some(frame.now));
        }
    }

    fn draw(&mut self) -> bool {
        let theme = Theme::now();
        let range = self.range();
        let mut moves = false;
        self.say_lanes();
        for lane in self.lanes.iter_mut().filter(|lane| lane.is_there) {
            lane.state.theme = theme.clone();
            moves |= lane.domain.draw(&lane.state, theme::is_still());
            lane.cores.draw(&lane.state);
            if let Some(track) = lane.state.track.as_ref().filter(|track| !track.samples.is_empty())
            {
                curves::braid(&lane.state, track, range);
            }
        }
        self.draw_residuals(&theme);
        self.tip();
        moves
    }

    fn answer(&mut self, answer: &[u8]) -> Vec<Ask> {
        match postcard::from_bytes(answer) {
            Ok(Answer::Intervened(text)) => {
                let said = format!("{text} in all lanes.");
                self.interventions.push(text);
                let all = self.interventions.join(&SEPARATOR.to_string());
                vec![Ask::Parameter("intervene".into(), all), Ask::Say(said), Ask::Refresh]
            }
            Ok(Answer::Text(text)) => self.saves.take(text),
            _ => Vec::new(),
        }
    }

    fn command(&mut self, what: &str) -> Vec<Ask> {
        let place = words::place(VIEW);
        match what {
            "slow" => Self::intervene(place, words::duty(VIEW)),
            "bursts" => Self::intervene(place, words::bursts(VIEW)),
            "stop" => Self::intervene(place, "stop".into()),
            "free" => Self::intervene(place, "free".into()),
            "history" => self.saves.ask("race.csv", &Act::History),
            "hash" => self.saves.ask("", &Act::Hash),
            "command" => vec![Ask::Copy(self.command_lines())],
            _ => Vec::new(),
        }
    }

    fn pointer(&mut self, canvas: &str, event: Pointer) -> Vec<Ask> {
        match event {
            Pointer::Down(x, y) => {
                self.over = Some((canvas.to_owned(), x, y));
                let lane = self.lane_of(canvas).filter(|_| canvas.ends_with("-cores"));
                let worker = lane.and_then(|number| {
                    let lane = self.lanes.get(number)?;
                    lane.cores.at(&lane.state, (x, y)).map(|worker| (number, worker))
                });
                self.tip();
                worker.map_or(Vec::new(), |(lane, worker)| {
                    self.choose(worker);
                    self.toggle(lane)
                })
            }
            Pointer::Over(x, y) | Pointer::Drag(x, y) => {
                self.over = Some((canvas.to_owned(), x, y));
                self.tip();
                Vec::new()
            }
            Pointer::Gone => {
                self.over = None;
                self.tip();
                Vec::new()
            }
            Pointer::Wheel(..) => Vec::new(),
        }
    }

    fn key(&mut self, canvas: &str, key: &str) -> Option<Vec<Ask>> {
        let lane = self.lane_of(canvas).filter(|_| canvas.ends_with("-cores"))?;
        let by = match key {
            "ArrowRight" | "ArrowDown" => 1,
            "ArrowLeft" | "ArrowUp" => -1,
            "Enter" => return Some(self.toggle(lane)),
            "s" => return Some(self.command("stop")),
            "f" => return Some(self.command("free")),
            "b" => return Some(self.command("bursts")),
            _ => return None,
        };
        let worker = self.lanes.get(lane)?.cores.next(&self.lanes.get(lane)?.state.scene, by);
        self.choose(worker);
        Some(vec![Ask::Draw])
    }

    fn time(&self, now: u64) -> String {
        milliseconds(now)
    }

    fn speeds(&self) -> &'static [(&'static str, f64)] {
        &SPEEDS
    }

    fn exports(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("history", "Save how it went (CSV)"),
            ("command", "Copy the command lines of these runs"),
        ]
    }
}
