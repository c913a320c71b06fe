//! The page of Replay: its input, its drawing and its texts.

use super::draw::{self, FOOT, Key, TIMELINE};
use super::frame::{Act, Answer, Frame, Scene};
use super::kind::Kind;
use crate::page::canvas::{self, Canvas, Still, pixels};
use crate::page::dom;
use crate::page::plot::Plot;
use crate::page::theme::Theme;
use crate::page::view::{Ask, Pointer, View};
use crate::parameters::Parameters;
use crate::views::solve::page::words::{grouped, milliseconds};

/// Speeds in units of time, which are nanoseconds, each second.
const SPEEDS: [(&str, f64); 6] = [
    ("10 ms each second", 1e7),
    ("100 ms each second", 1e8),
    ("1 s each second", 1e9),
    ("10 s each second", 1e10),
    ("1 ms each second", 1e6),
    ("0.1 ms each second", 1e5),
];

/// The page's state of a recording.
#[derive(Debug, Default)]
pub struct ReplayView {
    scene: Scene,
    frame: Option<Frame>,
    timeline: Still<Key>,
    braid: Still<Key>,
    /// Window that the timeline is to show; the frame may still have another.
    window: (u64, u64),
    over: Option<(String, f64, f64)>,
    /// Place where the timeline was pressed, the window at that time, and whether it was dragged
    /// since.
    pressed: Option<(f64, (u64, u64), bool)>,
    /// Whether an answer about the event under the pointer is awaited, and the last answer.
    asks: bool,
    did: String,
    saves: bool,
}

impl ReplayView {
    /// Returns the width of the timeline in pixels of the style sheet.
    fn width() -> f64 {
        let canvas = dom::by_id::<web_sys::HtmlCanvasElement>(TIMELINE);
        canvas.map_or(600.0, |canvas| f64::from(canvas.client_width())).max(1.0)
    }

    /// Returns the time at a place of the timeline.
    fn time_at(&self, x: f64) -> u64 {
        let (from, to) = self.window;
        let share = (x / Self::width()).clamp(0.0, 1.0);
        from + nanoseconds(share * (to - from) as f64)
    }

    /// Shows a window of this length, in nanoseconds, in which `time` is at `share` of it from the
    /// left.
    fn show_window(&mut self, length: f64, time: u64, share: f64) -> Vec<Ask> {
        let end = self.scene.end.max(1);
        let length = nanoseconds(length).clamp(200.min(end), end);
        let before = nanoseconds(share * length as f64);
        let from = time.saturating_sub(before).min(end - length);
        self.window = (from, from + length);
        vec![Ask::act(&Act::Window(from, from + length, pixels(Self::width()))), Ask::Refresh]
    }

    /// Shows `factor` times the present length; what is at `x` pixels stays there.
    fn zoom(&mut self, factor: f64, x: f64) -> Vec<Ask> {
        let (from, to) = self.window;
        let (time, share) = (self.time_at(x), (x / Self::width()).clamp(0.0, 1.0));
        self.show_window((to - from) as f64 * factor, time, share)
    }

    /// Shifts a window (nanoseconds, from and to) by a multiple of its length.
    fn pan(&mut self, by: f64, (from, to): (u64, u64)) -> Vec<Ask> {
        let length = (to - from) as f64;
        let start = from as f64 + by * length;
        self.show_window(length, nanoseconds(start.max(0.0)), 0.0)
    }

    /// Puts the window into the address.
    fn settle(&self) -> Vec<Ask> {
        let (from, to) = self.window;
        let text = |number: u64, is_default: bool| {
            if is_default { String::new() } else { number.to_string() }
        };
        let is_all = from == 0 && to >= self.scene.end;
        vec![
            Ask::Parameter("from".into(), text(from, is_all)),
            Ask::Parameter("to".into(), text(to, is_all)),
        ]
    }

    /// Returns the track at a height, in pixels from the top.
    fn track_at(&self, canvas: &Canvas, y: f64) -> u32 {
        let each = (canvas.height - FOOT) / self.scene.tracks.len().max(1) as f64;
        pixels((y / each).floor().max(0.0))
            .min(u32::try_from(self.scene.tracks.len().saturating_sub(1)).unwrap_or(0))
    }

    /// Asks for the event under the pointer, unless a question is under way.
    fn ask(&mut self) -> Vec<Ask> {
        let Some((canvas, x, y)) =
            self.over.clone().filter(|(name, ..)| name == TIMELINE && !self.asks)
        else {
            return Vec::new();
        };
        let Some(track) = Canvas::again(&canvas).map(|canvas| self.track_at(&canvas, y)) else {
            return Vec::new();
        };
        self.asks = true;
        vec![Ask::act(&Act::Event(track, self.time_at(x)))]
    }

    /// Writes the sentence on the run and the window, and labels the timeline.
    fn say(&self, frame: &Frame) {
        let percent = |kind: Kind| {
            let share = self.scene.shares.get(kind as usize).copied().unwrap_or(0);
            format!("{}.{}\u{202f}%", share / 10, share % 10)
        };
        let Scene { title, sweeps, workers, end, .. } = &self.scene;
        let end = milliseconds(*end);
        let text = if self.scene.is_of_pool() {
            let with = [
                (Kind::Execute, "with tasks of their own"),
                (Kind::Speculate, "with tasks of copies"),
                (Kind::Search, "searching"),
                (Kind::Wait, "with nothing to do"),
                (Kind::Message, "with messages"),
            ];
            let with = with.map(|(kind, what)| format!("{} {what}", percent(kind)));
            format!(
                "{title}. {workers} workers for {end}, of which they spent {}.",
                with.join(", ")
            )
        } else {
            let spread = frame.above.iter().max().copied().unwrap_or(0);
            format!(
                "{title}. {} sweeps by {workers} workers in {end}: they swept for {} of the time and waited for {}. Now {} \
                 updates are made, and the spread is {}.",
                grouped(*sweeps),
                percent(Kind::Sweep),
                percent(Kind::Wait),
                grouped(frame.updates),
                grouped(spread.into()),
            )
        };
        dom::set_text("replay-says", &text);
        let (from, to) = frame.window;
        let window = format!("from {} to {}", milliseconds(from), milliseconds(to));
        dom::set_text("replay-window", &window);
        let label = format!(
            "Timeline of {} tracks {window}. Plus and minus zoom, arrows pan.",
            self.scene.tracks.len()
        );
        dom::set_attribute(TIMELINE, "aria-label", &label);
    }

    /// Shows what a track does under the pointer, or the nearest line of the braid.
    fn tip(&self) {
        let text = self.over.as_ref().and_then(|(canvas, x, y)| match canvas.as_str() {
            TIMELINE => Some(self.did.clone()).filter(|text| !text.is_empty()),
            "replay-braid" => {
                let (across, up) = draw::axes(&self.scene);
                let (time, ahead) = Plot::again(canvas, across, up)?.numbers_at((*x, *y));
                let point = pixels((time * 1e9 / self.scene.every.max(1) as f64).max(0.0)) as usize;
                let lines = self.scene.lines.iter().zip(&self.scene.braid);
                let values =
                    lines.filter_map(|((id, _), line)| Some((id, f64::from(*line.get(point)?))));
                let (id, own) = values.min_by(|one, other| {
                    (one.1 - ahead).abs().total_cmp(&(other.1 - ahead).abs())
                })?;
                Some(format!(
                    "subdomain {id}: {own:+.1} updates from the mean at {:.3} ms",
                    time * 1e3
                ))
            }
            _ => None,
        });
        let at = self.over.as_ref().map(|(canvas, x, y)| (canvas.as_str(), *x, *y));
        canvas::tip("replay-tip", at, text);
    }
}

/// Returns a number of nanoseconds, without its fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
const fn nanoseconds(number: f64) -> u64 {
    number as u64
}

impl View for ReplayView {
    fn opened(&mut self, _: &Parameters) -> Vec<Ask> {
        (self.saves, self.asks) = (false, false);
        vec![Ask::Refresh]
    }

    fn show(&mut self, frame: &[u8]) {
        let Ok(mut frame) = postcard::from_bytes::<Frame>(frame) else { return };
        if let Some(scene) = frame.scene.take() {
            self.scene = Scene { number: self.scene.number.wrapping_add(1), ..scene };
            self.window = frame.window;
            let is_of_pool = self.scene.is_of_pool();
            dom::show_some("#view-replay [data-of=run]", !is_of_pool);
            dom::show_some("#view-replay [data-of=pool]", is_of_pool);
        }
        if let Some(before) = self.frame.take().filter(|_| frame.rows.is_empty()) {
            frame.rows = before.rows;
        }
        self.frame = Some(frame);
    }

    fn draw(&mut self) -> bool {
        let theme = Theme::now();
        let Self { scene, timeline, braid, .. } = self;
        let Some(frame) = &self.frame else { return false };
        draw::timeline(scene, frame, timeline, &theme);
        draw::map(scene, frame, &theme);
        draw::braid(scene, frame, braid, &theme);
        self.say(frame);
        self.tip();
        false
    }

    fn answer(&mut self, answer: &[u8]) -> Vec<Ask> {
        match postcard::from_bytes(answer) {
            Ok(Answer::Did(did)) => {
                (self.asks, self.did) = (false, did);
                self.tip();
                Vec::new()
            }
            Ok(Answer::Text(text)) if self.saves => {
                self.saves = false;
                let name = if self.scene.is_of_pool() { "times.csv" } else { "counts.csv" };
                vec![Ask::Save(name.into(), text)]
            }
            _ => Vec::new(),
        }
    }

    fn command(&mut self, what: &str) -> Vec<Ask> {
        let middle = Self::width() / 2.0;
        let mut asks = match what {
            "in" => self.zoom(0.5, middle),
            "out" => self.zoom(2.0, middle),
            "all" => self.show_window(self.scene.end as f64, 0, 0.0),
            "counts" => {
                self.saves = true;
                return vec![Ask::act(&Act::Table)];
            }
            "command" => return vec![Ask::Copy(self.scene.command.clone())],
            _ => return Vec::new(),
        };
        asks.extend(self.settle());
        asks
    }

    fn pointer(&mut self, canvas: &str, event: Pointer) -> Vec<Ask> {
        self.over = event.over(canvas);
        if canvas != TIMELINE {
            self.tip();
            return Vec::new();
        }
        match event {
            Pointer::Wheel(x, _, by) => self.zoom((by / 400.0).clamp(-1.0, 1.0).exp2(), x),
            Pointer::Down(x, _) => {
                self.pressed = Some((x, self.window, false));
                Vec::new()
            }
            Pointer::Drag(x, _) => match &mut self.pressed {
                Some((start, window, is_moved)) if (x - *start).abs() > 3.0 || *is_moved => {
                    *is_moved = true;
                    let (start, window) = (*start, *window);
                    self.pan((start - x) / Self::width(), window)
                }
                _ => Vec::new(),
            },
            Pointer::Over(..) => self.ask(),
            Pointer::Gone => {
                self.tip();
                match self.pressed.take() {
                    Some((x, _, false)) => vec![Ask::Seek(self.time_at(x))],
                    _ => self.settle(),
                }
            }
        }
    }

    fn key(&mut self, canvas: &str, key: &str) -> Option<Vec<Ask>> {
        if canvas != TIMELINE {
            return None;
        }
        let middle = Self::width() / 2.0;
        let mut asks = match key {
            "+" | "=" | "w" => self.zoom(0.5, middle),
            "-" | "s" => self.zoom(2.0, middle),
            "ArrowLeft" | "a" => self.pan(-0.25, self.window),
            "ArrowRight" | "d" => self.pan(0.25, self.window),
            "0" => self.show_window(self.scene.end as f64, 0, 0.0),
            _ => return None,
        };
        asks.extend(self.settle());
        Some(asks)
    }

    fn time(&self, now: u64) -> String {
        milliseconds(now)
    }

    fn speeds(&self) -> &'static [(&'static str, f64)] {
        &SPEEDS
    }

    fn exports(&self) -> &'static [(&'static str, &'static str)] {
        &[("counts", "Save counts, or times of a pool (CSV)"), ("command", "Copy the command line")]
    }
}
