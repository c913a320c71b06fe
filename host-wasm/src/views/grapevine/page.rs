//! The drawing of Grapevine: processors as bars, transfers as arcs over them, and the tables of the
//! slides.

use tresse_draw::palette;

use super::frame::{Act, Answer, Frame, Lane, Row, Scene};
use crate::page::canvas::{self, Canvas};
use crate::page::dom;
use crate::page::plot::{Line, Plot, Scale};
use crate::page::save::Saves;
use crate::page::theme::Theme;
use crate::page::view::{Ask, Pointer, View};
use crate::parameters::Parameters;

/// Speeds in iterations each second.
const SPEEDS: [(&str, f64); 4] = [
    ("1 iteration each second", 1.0),
    ("3 iterations each second", 3.0),
    ("1 iteration in 3 seconds", 1.0 / 3.0),
    ("as fast as it can", f64::INFINITY),
];
/// Names of the lanes' canvases.
const BARS: [&str; 2] = ["grapevine-0-bars", "grapevine-1-bars"];
/// Heights above the bars, for arcs, and below them, for numbers.
const HEAD: f64 = 54.0;
const FOOT: f64 = 20.0;
/// Width left of the bars, for a scale.
const LEFT: f64 = 60.0;

/// The page's state of both runs.
#[derive(Debug, Default)]
pub struct GrapevineView {
    scene: Scene,
    frame: Option<Frame>,
    chosen: u32,
    over: Option<(String, f64, f64)>,
    saves: Saves,
}

impl GrapevineView {
    /// Chooses the processor whose knowledge is shown.
    fn choose(&mut self, processor: u32) -> Vec<Ask> {
        self.chosen = processor.min(self.scene.processors.saturating_sub(1));
        vec![Ask::act(&Act::Choose(self.chosen)), Ask::Refresh]
    }

    /// Returns the highest load of either lane.
    fn highest(&self) -> f64 {
        let lanes = self.frame.iter().flat_map(|frame| &frame.lanes);
        let loads = lanes.flat_map(|lane| &lane.loads).copied();
        f64::from(loads.fold(0.0, f32::max)).max(self.scene.threshold * 1.1).max(f64::MIN_POSITIVE)
    }

    /// Returns the processor at `x` pixels from the left of a canvas.
    fn at(&self, canvas: &str, x: f64) -> Option<u32> {
        let element = dom::by_id::<web_sys::HtmlCanvasElement>(canvas)?;
        let width =
            (f64::from(element.client_width()) - LEFT) / f64::from(self.scene.processors.max(1));
        let place = ((x - LEFT) / width).floor();
        (place >= 0.0).then(|| canvas::pixels(place)).filter(|place| *place < self.scene.processors)
    }

    /// Draws a lane: loads as bars, average and threshold as lines, marks below, and transfers as
    /// arcs. `None` where the canvas is not shown.
    fn draw_lane(&self, id: &str, lane: &Lane, theme: &Theme) -> Option<()> {
        let canvas = Canvas::clear(id)?;
        let number = f64::from(self.scene.processors.max(1));
        let each = (canvas.width - LEFT) / number;
        let bottom = canvas.height - FOOT;
        let highest = self.highest();
        let height = |load: f64| load / highest * (bottom - HEAD);
        let middle = |processor: u32| LEFT + (f64::from(processor) + 0.5) * each;
        let mut knows = vec![false; self.scene.processors as usize];
        for known in &lane.known {
            if let Some(place) = knows.get_mut(*known as usize) {
                *place = true;
            }
        }
        for (value, name) in [(self.scene.average, "average"), (self.scene.threshold, "threshold")]
        {
            let y = bottom - height(value);
            canvas.line((LEFT, y), (canvas.width, y), &theme.quiet);
            let is_apart = name == "average" || self.scene.threshold > self.scene.average * 1.02;
            if is_apart {
                canvas.text(name, (LEFT - 4.0, y + 4.0), "right", &theme.quiet);
            }
        }
        for (processor, (&load, knows)) in (0_u32..).zip(lane.loads.iter().zip(&knows)) {
            let is_above = f64::from(load) > self.scene.threshold;
            let [red, green, blue] = palette::category(if is_above { 5 } else { 4 });
            let top = bottom - height(f64::from(load));
            let wide = (each - if each > 3.0 { 1.0 } else { 0.0 }).max(0.6);
            let x = LEFT + f64::from(processor) * each;
            canvas.fill((x, top), (wide, bottom - top), &format!("rgb({red} {green} {blue})"));
            if *knows {
                canvas.fill((x, bottom + 1.0), (wide, 3.0), &theme.accent);
            }
            if processor == self.chosen {
                canvas.fill((x, bottom + 5.0), (wide.max(3.0), 4.0), &theme.ink);
            }
        }
        Self::draw_arcs(&canvas, lane, (bottom, highest), middle);
        let every = (number * 34.0 / (canvas.width - LEFT)).ceil().max(1.0);
        for processor in (0..self.scene.processors).step_by(canvas::pixels(every) as usize) {
            canvas.text(
                &processor.to_string(),
                (middle(processor).min(canvas.width - 9.0), canvas.height - 1.0),
                "center",
                &theme.quiet,
            );
        }
        Some(())
    }

    /// Draws transfers, from the top of one bar to that of another. `bottom` is the foot of the
    /// bars in pixels, `highest` the load of a full bar, and `middle` gives the middle of a
    /// processor's bar.
    fn draw_arcs(
        canvas: &Canvas,
        lane: &Lane,
        (bottom, highest): (f64, f64),
        middle: impl Fn(u32) -> f64,
    ) {
        let top = |processor: u32| {
            let load = lane.loads.get(processor as usize).copied().map_or(0.0, f64::from);
            bottom - load / highest * (bottom - HEAD) - 2.0
        };
        let [red, green, blue] = palette::category(1);
        canvas.context.set_stroke_style_str(&format!("rgb({red} {green} {blue})"));
        for &(from, to, objects) in &lane.moved {
            let (x, to_x) = (middle(from), middle(to));
            canvas.context.set_global_alpha(0.55);
            canvas.context.set_line_width(f64::from(objects).sqrt().clamp(0.8, 4.0));
            canvas.context.begin_path();
            canvas.context.move_to(x, top(from));
            let high = top(from).min(top(to)) - 12.0 - (to_x - x).abs() * 0.12;
            canvas.context.quadratic_curve_to(x.midpoint(to_x), high.max(-20.0), to_x, top(to));
            canvas.context.stroke();
        }
        canvas.context.set_global_alpha(1.0);
        canvas.context.set_line_width(1.0);
    }

    /// Draws the imbalance of both runs over the iterations.
    fn draw_imbalance(&self, theme: &Theme) {
        let rows = || self.scene.rows.iter().flatten();
        let most = rows().map(|row| row.imbalance).fold(0.1, f64::max);
        let floor =
            rows().map(|row| row.imbalance).filter(|value| *value > 0.0).fold(most, f64::min);
        let last = self.scene.rows.iter().map(Vec::len).max().unwrap_or(2).saturating_sub(1).max(1);
        let (x, y) = (Scale::linear(0.0, last as f64), Scale::logarithmic(floor / 1.5, most * 1.5));
        let Some(plot) = Plot::on("grapevine-imbalance", x, y) else { return };
        let colours = [palette::category(5), palette::category(2)];
        let lines = self.scene.rows.iter().zip(colours).map(|(rows, colour)| Line {
            colour,
            width: 2.2,
            points: rows
                .iter()
                .enumerate()
                .map(move |(number, row)| (number as f64, row.imbalance.max(floor))),
        });
        plot.draw(lines, theme);
        plot.mark(self.frame.as_ref().map_or(0.0, |frame| frame.now as f64), &theme.accent);
        plot.legend(["6", "6'"].into_iter().zip(colours), theme);
    }

    /// Returns the figures of an iteration of a lane, if it was made.
    fn row(&self, lane: usize, number: u64) -> Option<&Row> {
        self.scene.rows.get(lane)?.get(usize::try_from(number).ok()?)
    }

    /// Writes the sentences of both lanes, and labels their canvases.
    fn say(&self) {
        let Some(frame) = &self.frame else { return };
        let now = frame.now;
        let sum = |lane: usize| {
            self.scene
                .rows
                .get(lane)
                .and_then(|rows| rows.get(usize::try_from(now).ok()?.min(rows.len() - 1)))
        };
        let imbalance = |lane| sum(lane).map_or(0.0, |row: &Row| row.imbalance);
        let messages = self.row(1, now).map_or(0, |row| row.messages);
        let when = match now {
            0 => "Before the first iteration".to_owned(),
            now => format!("After iteration {now}"),
        };
        dom::set_text(
            "grapevine-says",
            &format!(
                "{}. {when} the imbalance is {:.3} by criterion 6 and {:.3} by 6'. {messages} messages of gossip \
                 were sent in the last one. Processor {}, which is chosen, {}.",
                self.scene.title,
                imbalance(0),
                imbalance(1),
                self.chosen,
                frame.lanes.get(1).map_or(String::new(), |lane| match lane.known.len() {
                    _ if !lane.knows => "has heard of nobody yet".to_owned(),
                    number => format!("had heard of {number} others (marked below)"),
                })
            ),
        );
        for (lane, name) in ["grapevine-0-says", "grapevine-1-says"].into_iter().enumerate() {
            let row = self.row(lane, now);
            let text = row.map_or("it has ended".to_owned(), |row| {
                format!("{} moved, {} rejected", row.transfers, row.rejected)
            });
            dom::set_text(name, &text);
        }
        for (id, lane) in BARS.iter().zip(&frame.lanes) {
            let most = lane.loads.iter().copied().fold(0.0, f32::max);
            dom::set_attribute(
                id,
                "aria-label",
                &format!(
                    "Loads of {} processors, the highest {most:.3} s. Arrows choose one.",
                    lane.loads.len()
                ),
            );
        }
    }

    /// Writes the table of all iterations up to now.
    fn write_rows(&self) {
        let Some(body) = dom::by_id::<web_sys::Element>("grapevine-rows") else { return };
        let now = self.frame.as_ref().map_or(0, |frame| frame.now);
        if u64::from(body.child_element_count()) == now + 1 {
            return;
        }
        body.set_text_content(None);
        for number in 0..=now {
            let Ok(line) = dom::document().create_element("tr") else { return };
            let cells = [0, 1].into_iter().flat_map(|lane| {
                let row = self.row(lane, number);
                let of = |value: &dyn Fn(&Row) -> String| row.map(value).unwrap_or_default();
                [
                    of(&|row| row.transfers.to_string()),
                    of(&|row| row.rejected.to_string()),
                    of(&|row| format!("{:.4}", row.imbalance)),
                ]
            });
            for (place, text) in [number.to_string()].into_iter().chain(cells).enumerate() {
                let Ok(cell) = dom::document().create_element(if place == 0 { "th" } else { "td" })
                else {
                    return;
                };
                cell.set_text_content(Some(&text));
                // Elements of ours are possible.
                let _ = line.append_child(&cell);
            }
            let _ = body.append_child(&line);
        }
    }

    /// Shows the numbers under the pointer: of a processor, or of an iteration.
    fn tip(&self) {
        let text = self.over.as_ref().and_then(|(canvas, x, y)| {
            let frame = self.frame.as_ref()?;
            let Some(place) = BARS.iter().position(|name| name == canvas) else {
                let last = self.scene.rows.iter().map(Vec::len).max()?.saturating_sub(1).max(1);
                let plot = Plot::again(canvas, Scale::linear(0.0, last as f64), Scale::linear(0.0, 1.0))?;
                let number = u64::from(canvas::pixels(plot.numbers_at((*x, *y)).0.max(0.0)));
                let of = |lane| self.row(lane, number).map_or("ended".to_owned(), |row| format!("{:.4}", row.imbalance));
                return Some(format!("iteration {number}: 6 {}, 6' {}", of(0), of(1)));
            };
            let lane = frame.lanes.get(place)?;
            let processor = self.at(canvas, *x)?;
            let load = f64::from(*lane.loads.get(processor as usize)?);
            let given: u32 = lane.moved.iter().filter(|(from, ..)| *from == processor).map(|(.., objects)| objects).sum();
            let got: u32 = lane.moved.iter().filter(|(_, to, _)| *to == processor).map(|(.., objects)| objects).sum();
            Some(format!(
                "processor {processor}: {load:.4} s, {:.2} of the average; gave {given} objects, got {got}",
                load / self.scene.average
            ))
        });
        let at = self.over.as_ref().map(|(canvas, x, y)| (canvas.as_str(), *x, *y));
        canvas::tip("grapevine-tip", at, text);
    }
}

impl View for GrapevineView {
    fn opened(&mut self, _: &Parameters) -> Vec<Ask> {
        self.saves.clear();
        vec![Ask::Refresh]
    }

    fn show(&mut self, frame: &[u8]) {
        let Ok(mut frame) = postcard::from_bytes::<Frame>(frame) else { return };
        if let Some(scene) = frame.scene.take() {
            self.scene = scene;
            let loads = frame.lanes.first().map(|lane| lane.loads.as_slice()).unwrap_or_default();
            let busiest = (0_u32..)
                .zip(loads)
                .max_by(|one, other| one.1.total_cmp(other.1).then(other.0.cmp(&one.0)));
            self.chosen = busiest.map_or(0, |(processor, _)| processor);
        }
        self.frame = Some(frame);
    }

    fn draw(&mut self) -> bool {
        let theme = Theme::now();
        let lanes = self.frame.iter().flat_map(|frame| &frame.lanes);
        for (id, lane) in BARS.iter().zip(lanes) {
            self.draw_lane(id, lane, &theme);
        }
        self.draw_imbalance(&theme);
        self.write_rows();
        self.say();
        self.tip();
        false
    }

    fn answer(&mut self, answer: &[u8]) -> Vec<Ask> {
        match postcard::from_bytes(answer) {
            Ok(Answer::Text(text)) => self.saves.take(text),
            _ => Vec::new(),
        }
    }

    fn command(&mut self, what: &str) -> Vec<Ask> {
        match what {
            "table" => self.saves.ask("grapevine.csv", &Act::Table),
            "placement" => self.saves.ask("placement.csv", &Act::Placement),
            "hash" => self.saves.ask("", &Act::Hash),
            "command" => vec![Ask::Copy(self.scene.commands.join("\n"))],
            _ => Vec::new(),
        }
    }

    fn pointer(&mut self, canvas: &str, event: Pointer) -> Vec<Ask> {
        self.over = event.over(canvas);
        self.tip();
        match event {
            Pointer::Down(x, _) if BARS.contains(&canvas) => {
                self.at(canvas, x).map_or(Vec::new(), |processor| self.choose(processor))
            }
            _ => Vec::new(),
        }
    }

    fn key(&mut self, canvas: &str, key: &str) -> Option<Vec<Ask>> {
        if !BARS.contains(&canvas) {
            return None;
        }
        match key {
            "ArrowRight" | "ArrowDown" => Some(self.choose(self.chosen.saturating_add(1))),
            "ArrowLeft" | "ArrowUp" => Some(self.choose(self.chosen.saturating_sub(1))),
            _ => None,
        }
    }

    fn time(&self, now: u64) -> String {
        format!("iteration {now}")
    }

    fn speeds(&self) -> &'static [(&'static str, f64)] {
        &SPEEDS
    }

    fn exports(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("table", "Save the iterations (CSV)"),
            ("placement", "Save the placement (CSV)"),
            ("command", "Copy the command lines of these runs"),
        ]
    }
}
