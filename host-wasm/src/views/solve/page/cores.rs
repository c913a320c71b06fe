//! The cores on their sockets and nodes, each with its load.

use tresse_draw::palette;
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::domain::worker_colour;
use super::state::State;
use crate::page::canvas::Canvas;
use crate::page::dom;
use crate::views::solve::frame::{Activity, Burden, CorePlace, Scene};

/// Number of workers from which on each is a small square in the column of its node.
const MOST_BARS: usize = 160;
/// Height below the bars, for numbers.
const FOOT: f64 = 18.0;

/// The cores, one of which is chosen.
#[derive(Debug, Default)]
pub struct Cores {
    chosen: u32,
}

/// The place of a worker on the canvas.
#[derive(Clone, Copy, Debug)]
struct Box {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    /// Width of the worker's slot.
    slot: f64,
}

impl Cores {
    /// Notes that another run has begun; `form` is the view whose controls name the chosen place.
    pub fn opens(&mut self, scene: &Scene, form: &str) {
        let last = u32::try_from(scene.places.len().saturating_sub(1)).unwrap_or(0);
        self.chosen = self.chosen.min(last);
        if let Some(place) = dom::by_id::<HtmlInputElement>(&format!("{form}-place")) {
            place.set_max(&last.to_string());
            // Beside the first frame nobody has chosen any.
            let number = place.value().parse().unwrap_or(self.chosen).min(last);
            self.choose(scene, form, number);
        }
    }

    /// Chooses a worker's core, or the socket or node that it is part of.
    pub fn choose(&mut self, scene: &Scene, form: &str, worker: u32) {
        self.chosen = worker;
        let CorePlace { node, socket, core } =
            scene.places.get(worker as usize).copied().unwrap_or_default();
        let scope =
            dom::by_id::<HtmlSelectElement>(&format!("{form}-scope")).map(|scope| scope.value());
        let number = match scope.as_deref() {
            Some("node") => node,
            Some("socket") => socket,
            _ => core,
        };
        if let Some(place) = dom::by_id::<HtmlInputElement>(&format!("{form}-place")) {
            place.set_value(&number.to_string());
        }
    }

    /// Returns the worker whose number is `by` from the chosen one's.
    pub fn next(&self, scene: &Scene, by: i32) -> u32 {
        let last = u32::try_from(scene.places.len().saturating_sub(1)).unwrap_or(0);
        self.chosen.saturating_add_signed(by).min(last)
    }

    /// Reports whether a person slows the chosen place down.
    pub fn is_burdened(&self, state: &State) -> bool {
        let burdens =
            state.frame.as_ref().map(|frame| frame.burdens.as_slice()).unwrap_or_default();
        matches!(burdens.get(self.chosen as usize), Some(Burden::Slowed | Burden::Stopped))
    }

    /// Returns the worker at a place of the canvas, in pixels of the style sheet.
    pub fn at(&self, state: &State, (x, y): (f64, f64)) -> Option<u32> {
        let canvas = dom::by_id::<web_sys::HtmlCanvasElement>(&state.id("cores"))?;
        let size = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        let boxes = boxes(&state.scene, size);
        let within = |own: &Box| {
            (own.x - 1.0..own.x + own.width.max(own.slot) + 1.0).contains(&x)
                && (own.y..own.y + own.height + FOOT).contains(&y)
        };
        boxes.iter().position(within).and_then(|place| u32::try_from(place).ok())
    }

    /// Draws all cores.
    pub fn draw(&self, state: &State) {
        let Some(canvas) = Canvas::clear(&state.id("cores")) else { return };
        let boxes = boxes(&state.scene, (canvas.width, canvas.height));
        if state.scene.places.len() <= MOST_BARS {
            self.draw_bars(state, &canvas, &boxes);
        } else {
            self.draw_squares(state, &canvas, &boxes);
        }
        let chosen = self.chosen;
        dom::set_attribute(
            &state.id("cores"),
            "aria-label",
            &format!(
                "Cores and their loads. Arrows choose a core, Enter slows it down or lets it go, S stops it, B lets it \
             work in bursts. Chosen: {}",
                super::words::of_worker(state, chosen)
            ),
        );
    }

    /// Draws each core as a bar whose height is its number of subdomains. A frame marks a burden,
    /// and dashed lines mark the limits of balancing.
    fn draw_bars(&self, state: &State, canvas: &Canvas, boxes: &[Box]) {
        let theme = &state.theme;
        let (scene, Some(frame)) = (&state.scene, &state.frame) else { return };
        let most = state.held.iter().copied().max().unwrap_or(0).max(scene.high).max(1);
        let level = |held: u32, own: &Box| f64::from(held) / f64::from(most) * own.height;
        for (worker, own) in (0_u32..).zip(boxes) {
            let at = worker as usize;
            let held = state.held.get(at).copied().unwrap_or(0);
            let height = level(held, own);
            canvas.fill((own.x, own.y), (own.width, own.height), &theme.grid);
            let [red, green, blue] = worker_colour(worker);
            let waits =
                frame.activities.get(at).is_some_and(|activity| *activity != Activity::Works);
            let colour =
                if waits { theme.waiting.clone() } else { format!("rgb({red} {green} {blue})") };
            let top = own.y + own.height - height;
            canvas.fill((own.x, top), (own.width, height), &colour);
            // One line for each subdomain.
            for part in 1..held.min(64) {
                let y = own.y + own.height - level(part, own);
                canvas.line((own.x, y), (own.x + own.width, y), &theme.raised);
            }
            let mark = match frame.burdens.get(at) {
                Some(Burden::Slowed) => Some(("slow", &theme.warn)),
                Some(Burden::Stopped) => Some(("stop", &theme.stopped)),
                Some(Burden::Noise) => Some(("noise", &theme.quiet)),
                _ => None,
            };
            if let Some((text, colour)) = mark {
                canvas.context.set_line_width(2.5);
                canvas.context.set_stroke_style_str(colour);
                canvas.context.stroke_rect(own.x - 1.0, own.y, own.width + 2.0, own.height + 1.0);
                canvas.context.set_line_width(1.0);
                if own.width >= 26.0 {
                    canvas.text(text, (own.x + own.width / 2.0, own.y + 12.0), "center", colour);
                }
            }
            if own.width >= 12.0 || worker % 6 == 0 {
                let CorePlace { core, .. } = scene.places.get(at).copied().unwrap_or_default();
                let colour = if worker == self.chosen { &theme.ink } else { &theme.quiet };
                let place = (own.x + own.width / 2.0, own.y + own.height + 14.0);
                canvas.text(&core.to_string(), place, "center", colour);
            }
            if worker == self.chosen {
                canvas.fill(
                    (own.x, own.y + own.height + FOOT - 2.5),
                    (own.width, 2.5),
                    &theme.accent,
                );
            }
        }
        if let (Some(first), Some(last), true) = (boxes.first(), boxes.last(), scene.is_balanced) {
            for held in [scene.low, scene.high] {
                let y = first.y + first.height - level(held, first);
                let _ = canvas.context.set_line_dash(&js_sys::Array::of2(&3.into(), &4.into()));
                canvas.line((first.x, y), (last.x + last.width, y), &theme.quiet);
                let _ = canvas.context.set_line_dash(&js_sys::Array::new());
            }
        }
    }

    /// Draws each core as a square whose colour is its number of subdomains or its burden.
    fn draw_squares(&self, state: &State, canvas: &Canvas, boxes: &[Box]) {
        let Some(frame) = &state.frame else { return };
        let most = state.held.iter().copied().max().unwrap_or(0).max(state.scene.high).max(1);
        let colours: Vec<String> = (0..=most)
            .map(|held| {
                let [red, green, blue] = palette::scale(f64::from(held) / f64::from(most));
                format!("rgb({red} {green} {blue})")
            })
            .collect();
        for (worker, own) in boxes.iter().enumerate() {
            let held = state.held.get(worker).copied().unwrap_or(0);
            let colour = match frame.burdens.get(worker) {
                Some(Burden::Slowed) => &state.theme.warn,
                Some(Burden::Stopped) => &state.theme.stopped,
                _ => colours.get(held as usize).unwrap_or(&state.theme.waiting),
            };
            canvas.fill((own.x, own.y), (own.width, own.height), colour);
        }
        if let Some(own) = boxes.get(self.chosen as usize) {
            canvas.context.set_stroke_style_str(&state.theme.ink);
            canvas.context.stroke_rect(own.x - 1.0, own.y - 1.0, own.width + 2.0, own.height + 2.0);
        }
    }
}

/// Returns the boxes of all workers on a canvas of this size in pixels, with gaps between sockets,
/// and wider ones between nodes.
fn boxes(scene: &Scene, (width, height): (f64, f64)) -> Vec<Box> {
    let Some(last) = scene.places.last() else { return Vec::new() };
    let number = scene.places.len() as f64;
    if scene.places.len() > MOST_BARS {
        let nodes = f64::from(last.node + 1);
        let each = number / nodes;
        let (column, row) = (width / nodes, (height - FOOT) / each);
        let place = |(worker, &CorePlace { node, .. }): (usize, &CorePlace)| Box {
            x: f64::from(node) * column,
            y: (worker as f64 - f64::from(node) * each) * row,
            width: (column - 1.0).max(1.0),
            height: (row - 0.5).max(1.0),
            slot: 0.0,
        };
        return scene.places.iter().enumerate().map(place).collect();
    }
    let (of_socket, of_node) = (8.0, 10.0);
    let gaps = f64::from(last.socket) * of_socket + f64::from(last.node) * of_node;
    let each = ((width - gaps - 4.0) / number).max(1.5);
    let place = |(worker, &CorePlace { node, socket, .. }): (usize, &CorePlace)| Box {
        x: 2.0 + worker as f64 * each + f64::from(socket) * of_socket + f64::from(node) * of_node,
        y: 2.0,
        width: (each - 2.0).clamp(1.0, 90.0),
        height: (height - FOOT - 4.0).max(4.0),
        slot: each - 2.0,
    };
    scene.places.iter().enumerate().map(place).collect()
}
