//! The drawing of Sharing: trees that grow, managers and workers with the messages between them,
//! and everybody's activities.

use tresse_draw::palette::{self, Rgb};

use super::frame::{Act, Doing, Frame, Lane, Scene};
use super::grow::{DONE, WAITS};
use crate::page::canvas::{self, Canvas, pixels};
use crate::page::dom;
use crate::page::save::Saves;
use crate::page::theme::Theme;
use crate::page::view::{Ask, Pointer, View};
use crate::parameters::Parameters;

/// Speeds in units of time, which are nanoseconds, each second.
const SPEEDS: [(&str, f64); 5] = [
    ("30 µs each second", 3e4),
    ("100 µs each second", 1e5),
    ("10 µs each second", 1e4),
    ("1 µs each second", 1e3),
    ("as fast as it can", f64::INFINITY),
];
/// Beginnings of the names of the lanes' elements.
const LANES: [&str; 2] = ["sharing-0", "sharing-1"];
/// Heights in the canvas of the pool, above the managers and below the workers.
const HEAD: f64 = 22.0;
const FOOT: f64 = 34.0;

/// The page's state of both pools.
#[derive(Debug, Default)]
pub struct SharingView {
    scene: Scene,
    frame: Option<Frame>,
    over: Option<(String, f64, f64)>,
    saves: Saves,
}

/// Returns the colour of an activity, which all people can tell from the others.
fn colour(doing: Doing, theme: &Theme) -> String {
    let [red, green, blue] = match doing {
        Doing::Executes => palette::category(2),
        Doing::Speculates => palette::category(5),
        Doing::Writes => palette::category(4),
        Doing::Waits | Doing::Ended => return theme.waiting.clone(),
    };
    format!("rgb({red} {green} {blue})")
}

/// Returns an activity in words.
const fn words(doing: Doing) -> &'static str {
    match doing {
        Doing::Executes => "executes a task",
        Doing::Speculates => "executes a task of a copy",
        Doing::Writes => "sends and reads messages",
        Doing::Waits => "waits",
        Doing::Ended => "has heard of the end",
    }
}

const ALL: [Doing; 5] =
    [Doing::Waits, Doing::Executes, Doing::Speculates, Doing::Writes, Doing::Ended];

/// Words a time in microseconds.
fn microseconds(nanoseconds: u64) -> String {
    format!("{:.2} µs", nanoseconds as f64 * 1e-3)
}

/// Returns the colour of a worker's nodes.
fn worker_colour(worker: u8) -> Rgb {
    const COLOURS: [usize; 7] = [4, 1, 2, 5, 3, 0, 7];
    palette::category(COLOURS.get(usize::from(worker) % COLOURS.len()).copied().unwrap_or(0))
}

impl SharingView {
    fn lane(&self, number: usize) -> Option<&Lane> {
        self.frame.as_ref()?.lanes.get(number)
    }

    /// Returns the place of a node on a canvas, in pixels; `None` for a node that does not exist.
    fn node(&self, canvas: &Canvas, number: usize) -> Option<(f64, f64)> {
        let highest = f64::from(self.scene.heights.iter().max().copied().unwrap_or(1).max(1));
        let (x, y) = (self.scene.across.get(number)?, self.scene.heights.get(number)?);
        Some((
            6.0 + f64::from(*x) * (canvas.width - 12.0),
            6.0 + f64::from(*y) / highest * (canvas.height - 12.0),
        ))
    }

    /// Draws the nodes that are known: filled where executed, empty where they wait, framed where
    /// they are speculative. `None` where the canvas is not shown.
    fn draw_tree(&self, id: &str, lane: &Lane, theme: &Theme) -> Option<()> {
        let canvas = Canvas::clear(&format!("{id}-tree"))?;
        let context = &canvas.context;
        let size = (600.0 / (lane.marks.len() as f64).sqrt()).clamp(2.0, 7.0);
        context.set_stroke_style_str(&theme.line);
        context.begin_path();
        for (number, mark) in lane.marks.iter().enumerate().filter(|(_, mark)| **mark >= WAITS) {
            let parent = self.scene.parents.get(number).copied().unwrap_or(0) as usize;
            if *mark >= WAITS && parent != number {
                let (from, to) = (self.node(&canvas, parent)?, self.node(&canvas, number)?);
                context.move_to(from.0, from.1);
                context.line_to(to.0, to.1);
            }
        }
        context.stroke();
        // Those that are executed, colour by colour, then those that wait or are not certain.
        for (number, mark) in lane.marks.iter().enumerate().filter(|(_, mark)| **mark >= WAITS) {
            let (x, y) = self.node(&canvas, number)?;
            let (x, y) = (x - size / 2.0, y - size / 2.0);
            if *mark < DONE {
                context.set_stroke_style_str(&theme.quiet);
                context.stroke_rect(x + 0.5, y + 0.5, size - 1.0, size - 1.0);
                continue;
            }
            let [red, green, blue] = worker_colour((mark - DONE) / 2);
            canvas.fill((x, y), (size, size), &format!("rgb({red} {green} {blue})"));
            if mark % 2 == 1 {
                context.set_stroke_style_str(&theme.ink);
                context.stroke_rect(x - 1.5, y - 1.5, size + 3.0, size + 3.0);
            }
        }
        Some(())
    }

    /// Returns the place of a worker or manager on the canvas of the pool, in pixels.
    fn place(&self, canvas: &Canvas, rank: u32, ranks: usize) -> (f64, f64) {
        let workers = self.scene.workers;
        if let Some(manager) = rank.checked_sub(workers) {
            let managers = (ranks as f64 - f64::from(workers)).max(1.0);
            return ((f64::from(manager) + 0.5) / managers * canvas.width, HEAD);
        }
        ((f64::from(rank) + 0.5) / f64::from(workers.max(1)) * canvas.width, canvas.height - FOOT)
    }

    /// Draws workers and managers with their tasks, and messages on their way between them. A
    /// square's area grows with its tasks.
    fn draw_pool(&self, id: &str, lane: &Lane, theme: &Theme) -> Option<()> {
        let canvas = Canvas::clear(&format!("{id}-pool"))?;
        let context = &canvas.context;
        let each = canvas.width / f64::from(self.scene.workers.max(1));
        for (number, rank) in (0_u32..).zip(&lane.ranks) {
            let (x, y) = self.place(&canvas, number, lane.ranks.len());
            let is_worker = number < self.scene.workers;
            let (wide, high) =
                if is_worker { ((each - 4.0).clamp(4.0, 46.0), 16.0) } else { (120.0, 18.0) };
            canvas.fill((x - wide / 2.0, y), (wide, high), &colour(rank.doing, theme));
            let text = if is_worker {
                rank.tasks.to_string()
            } else {
                format!("manager: {} tasks", rank.tasks)
            };
            let place = if is_worker { (x, y + high + 13.0) } else { (x, y - 6.0) };
            canvas.text(&text, place, "center", &theme.ink);
        }
        for message in &lane.messages {
            let (x, y) = self.place(&canvas, message.from, lane.ranks.len());
            let (to_x, to_y) = self.place(&canvas, message.to, lane.ranks.len());
            let share = f64::from(message.share).clamp(0.0, 1.0);
            let (x, y) = (x + (to_x - x) * share, y + 8.0 + (to_y - y) * share);
            let size =
                if message.tasks > 0 { 4.0 + f64::from(message.tasks).sqrt() * 2.5 } else { 3.5 };
            let doing = if message.has_copies { Doing::Speculates } else { Doing::Executes };
            let fill = if message.tasks > 0 { colour(doing, theme) } else { theme.quiet.clone() };
            canvas.fill((x - size / 2.0, y - size / 2.0), (size, size), &fill);
            if message.tasks > 0 {
                context.set_stroke_style_str(&theme.ink);
                context.stroke_rect(x - size / 2.0, y - size / 2.0, size, size);
            }
        }
        Some(())
    }

    /// Returns the number of workers, and the number of columns that there is room for: that of the
    /// lane that takes longer.
    fn columns(&self, lane: &Lane) -> (usize, f64) {
        let workers = (self.scene.workers as usize).max(1);
        let lanes = self.frame.iter().flat_map(|frame| &frame.lanes);
        let length =
            |lane: &Lane| (lane.past.columns.len() / workers) as f64 * lane.past.interval as f64;
        let most = lanes.map(length).fold(1.0, f64::max);
        (workers, most / lane.past.interval.max(1) as f64)
    }

    /// Draws the activity of each worker over time, one row for each worker.
    fn draw_past(&self, id: &str, lane: &Lane, theme: &Theme) -> Option<()> {
        let canvas = Canvas::clear(&format!("{id}-past"))?;
        let (workers, most) = self.columns(lane);
        let (wide, high) = (canvas.width / most, canvas.height / workers as f64);
        let colours = ALL.map(|doing| colour(doing, theme));
        for worker in 0..workers {
            let mut doings =
                lane.past.columns.iter().skip(worker).step_by(workers).enumerate().peekable();
            while let Some((first, doing)) = doings.next() {
                let mut end = first + 1;
                while doings.next_if(|(_, other)| *other == doing).is_some() {
                    end += 1;
                }
                let fill =
                    colours.get(usize::from(*doing)).filter(|_| *doing != Doing::Ended as u8);
                if let Some(fill) = fill {
                    let (x, y) = (first as f64 * wide, worker as f64 * high);
                    canvas.fill((x, y), ((end - first) as f64 * wide, (high - 1.0).max(0.5)), fill);
                }
            }
        }
        Some(())
    }

    /// Writes the counts of both lanes, and which of them ends first.
    fn say(&self) {
        let Some(frame) = &self.frame else { return };
        for (place, (id, lane)) in LANES.iter().zip(&frame.lanes).enumerate() {
            let method = self.scene.methods.get(place).map(String::as_str).unwrap_or_default();
            dom::set_text(&format!("{id}-name"), method);
            let counts = lane.counts;
            let speculated = if counts.speculated > 0 {
                format!(
                    "; {} ahead of certainty: {} committed, {} rolled back",
                    counts.speculated, counts.committed, counts.rolled_back
                )
            } else {
                String::new()
            };
            let end = match (&lane.problem, lane.ended) {
                (Some(problem), _) => problem.clone(),
                (_, Some(at)) => format!("ended after {}", microseconds(at)),
                _ => format!("{} known to wait", counts.queued),
            };
            let text = format!(
                "{} tasks done, {end}; {} messages{speculated}",
                counts.done, counts.messages
            );
            dom::set_text(&format!("{id}-says"), &text);
            dom::set_attribute(
                &format!("{id}-tree"),
                "aria-label",
                &format!("The tree by {method}: {text}"),
            );
        }
        let methods = self.scene.methods.each_ref().map(String::as_str);
        let ends = frame.lanes.each_ref().map(|lane| lane.ended);
        let nodes = self.scene.parents.len();
        let text = match (methods, ends) {
            ([first, second], [Some(one), Some(other)]) => {
                let (fast, slow, ratio) = if one <= other {
                    (first, second, other as f64 / one.max(1) as f64)
                } else {
                    (second, first, one as f64 / other.max(1) as f64)
                };
                format!("{nodes} nodes: {fast} ends first, {slow} takes {ratio:.2} times as long.")
            }
            ([first, _], [Some(_), None]) => format!("{nodes} nodes: {first} has ended."),
            ([_, second], [None, Some(_)]) => format!("{nodes} nodes: {second} has ended."),
            _ => format!(
                "{nodes} nodes, searched by {} workers, each in its colour. Empty squares wait; a square in a frame is \
                 executed before it is certain whose it is.",
                self.scene.workers
            ),
        };
        dom::set_text("sharing-says", &text);
    }

    /// Shows what is under the pointer: a node, a worker or manager, or a past activity.
    fn tip(&self) {
        let text = self.over.as_ref().and_then(|(name, x, y)| {
            let place = LANES.iter().position(|id| name.starts_with(id))?;
            let lane = self.lane(place)?;
            let canvas = Canvas::again(name)?;
            match name.rsplit('-').next()? {
                "tree" => self.tip_of_node(&canvas, lane, (*x, *y)),
                "pool" => {
                    let near =
                        |rank: &u32| (self.place(&canvas, *rank, lane.ranks.len()).0 - x).abs();
                    let is_manager = *y < canvas.height / 2.0;
                    let ranks = (0_u32..).take(lane.ranks.len());
                    let ranks = ranks.filter(|rank| (*rank >= self.scene.workers) == is_manager);
                    let rank = ranks.min_by(|one, other| near(one).total_cmp(&near(other)))?;
                    let state = lane.ranks.get(rank as usize)?;
                    let who = if is_manager {
                        "the manager".to_owned()
                    } else {
                        format!("worker {rank}")
                    };
                    Some(format!("{who} {}, and has {} tasks", words(state.doing), state.tasks))
                }
                _ => {
                    let (workers, most) = self.columns(lane);
                    let column = pixels((x / canvas.width * most).max(0.0)) as usize;
                    let worker =
                        pixels((y / canvas.height * workers as f64).floor().max(0.0)) as usize;
                    let doing =
                        lane.past.columns.get(column * workers + worker.min(workers - 1))?;
                    let at = microseconds(column as u64 * lane.past.interval);
                    Some(format!(
                        "worker {worker} {} at {at}",
                        words(*ALL.get(usize::from(*doing))?)
                    ))
                }
            }
        });
        let at = self.over.as_ref().map(|(canvas, x, y)| (canvas.as_str(), *x, *y));
        canvas::tip("sharing-tip", at, text);
    }

    /// Describes the nearest known node within 12 pixels of a place, if there is one.
    fn tip_of_node(&self, canvas: &Canvas, lane: &Lane, (x, y): (f64, f64)) -> Option<String> {
        let known = lane.marks.iter().enumerate().filter(|(_, mark)| **mark >= WAITS);
        let near = |number: usize| {
            let (other_x, other_y) = self.node(canvas, number)?;
            Some((other_x - x).hypot(other_y - y))
        };
        let all = known.filter_map(|(number, mark)| Some((near(number)?, number, *mark)));
        let (_, number, mark) =
            all.filter(|(far, ..)| *far < 12.0).min_by(|one, other| one.0.total_cmp(&other.0))?;
        let height = self.scene.heights.get(number)?;
        let what = match mark {
            WAITS => "waits".to_owned(),
            mark if mark % 2 == 1 => format!(
                "executed by worker {}, which is not certain that it may",
                (mark - DONE) / 2
            ),
            mark => format!("executed by worker {}", (mark - DONE) / 2),
        };
        Some(format!("node {number}, {height} below the root: {what}"))
    }
}

impl View for SharingView {
    fn opened(&mut self, _: &Parameters) -> Vec<Ask> {
        self.saves.clear();
        vec![Ask::Refresh]
    }

    fn show(&mut self, frame: &[u8]) {
        let Ok(mut frame) = postcard::from_bytes::<Frame>(frame) else { return };
        if let Some(scene) = frame.scene.take() {
            self.scene = scene;
        }
        self.frame = Some(frame);
    }

    fn draw(&mut self) -> bool {
        let theme = Theme::now();
        let lanes = self.frame.iter().flat_map(|frame| &frame.lanes);
        for (id, lane) in LANES.iter().zip(lanes) {
            self.draw_tree(id, lane, &theme);
            self.draw_pool(id, lane, &theme);
            self.draw_past(id, lane, &theme);
        }
        self.say();
        self.tip();
        false
    }

    fn answer(&mut self, answer: &[u8]) -> Vec<Ask> {
        self.saves.take(String::from_utf8_lossy(answer).into_owned())
    }

    fn command(&mut self, what: &str) -> Vec<Ask> {
        match what {
            "past" => self.saves.ask("sharing.csv", &Act::Past),
            "hash" => self.saves.ask("", &Act::Hash),
            "command" => vec![Ask::Copy(self.scene.commands.clone())],
            _ => Vec::new(),
        }
    }

    fn pointer(&mut self, canvas: &str, event: Pointer) -> Vec<Ask> {
        self.over = event.over(canvas);
        self.tip();
        Vec::new()
    }

    fn time(&self, now: u64) -> String {
        microseconds(now)
    }

    fn speeds(&self) -> &'static [(&'static str, f64)] {
        &SPEEDS
    }

    fn exports(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("past", "Save what everybody did (CSV)"),
            ("command", "Copy the command lines of these runs"),
        ]
    }
}
