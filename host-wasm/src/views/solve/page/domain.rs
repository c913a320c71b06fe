//! The drawing of the grid: the field, the owners of the subdomains over it, and moves.

use tresse_draw::palette::{self, Rgb};

use super::state::State;
use crate::page::canvas::{Canvas, pixels};
use crate::page::dom;
use crate::views::solve::frame::{Frame, Scene};

/// Milliseconds for which a move is shown.
const FADES: f64 = 700.0;
/// Greatest number of moves that are shown at once.
const MOST_ARCS: usize = 36;

/// A move of a subdomain between two workers.
#[derive(Clone, Copy, Debug)]
struct Arc {
    subdomain: u32,
    from: u32,
    to: u32,
    /// Time of the browser when the move was first seen, in milliseconds.
    since: f64,
}

/// The state of the grid's drawing besides that of the run.
#[derive(Debug, Default)]
pub struct Domain {
    /// Moves that are still shown, the oldest first.
    arcs: Vec<Arc>,
    /// Pixels of the grid: red, green, blue and opacity of each.
    rgba: Vec<u8>,
}

/// Returns the colour of a worker; neighbours have different ones.
pub fn worker_colour(worker: u32) -> Rgb {
    // Black is none of them: it is that of the field where it is lowest.
    const COLOURS: [usize; 7] = [4, 1, 2, 5, 3, 0, 7];
    palette::category(COLOURS.get(worker as usize % COLOURS.len()).copied().unwrap_or(0))
}

impl Domain {
    /// Returns the number of pixels of the screen on the longer side.
    pub fn pixels(state: &State) -> u32 {
        let element = dom::by_id::<web_sys::HtmlCanvasElement>(&state.id("domain"));
        let side = element.map_or(0, |canvas| canvas.client_width().max(canvas.client_height()));
        pixels(f64::from(side) * dom::window().device_pixel_ratio()).clamp(256, 1_024)
    }

    /// Notes that another run has begun.
    pub fn opens(&mut self) {
        self.arcs.clear();
    }

    /// Adds the moves of the last frame to those that are shown.
    pub fn moved(&mut self, state: &State) {
        let now = milliseconds();
        let moved = state.frame.as_ref().map(|frame| &*frame.moved).unwrap_or_default();
        self.arcs.extend(moved.iter().map(|&(subdomain, from, to)| Arc {
            subdomain,
            from,
            to,
            since: now,
        }));
        let many = self.arcs.len().saturating_sub(MOST_ARCS);
        self.arcs.drain(..many);
    }

    /// Returns the row and column of the cell at a place of the canvas; `None` outside of the grid.
    pub fn cell(&self, state: &State, (x, y): (f64, f64)) -> Option<(u32, u32)> {
        let element = dom::by_id::<web_sys::HtmlCanvasElement>(&state.id("domain"))?;
        let cell = |at: f64, length: i32, cells: u32| {
            let cell = at / f64::from(length.max(1)) * f64::from(cells);
            (cell >= 0.0 && cell < f64::from(cells)).then(|| pixels(cell.floor()))
        };
        let (rows, columns) = state.scene.grid;
        Some((cell(y, element.client_height(), rows)?, cell(x, element.client_width(), columns)?))
    }

    /// Draws the grid, without moves if it `is_still`. Returns whether something moves.
    pub fn draw(&mut self, state: &State, is_still: bool) -> bool {
        let Some((frame, canvas)) = state.frame.as_ref().zip(Canvas::clear(&state.id("domain")))
        else {
            return false;
        };
        self.paint(state, frame, &canvas);
        if is_still {
            self.arcs.clear();
        }
        self.draw_arcs(&state.scene, &canvas)
    }

    /// Draws field, owners and borders, pixel by pixel of the screen. A border is the first pixels
    /// of a subdomain, and is brighter between two owners.
    fn paint(&mut self, state: &State, frame: &Frame, canvas: &Canvas) {
        let [width, height] =
            [canvas.width, canvas.height].map(|length| pixels(length * canvas.ratio));
        let scene = &state.scene;
        let across = u32::try_from(scene.columns.len().saturating_sub(1)).unwrap_or(0);
        let (tints, weight) = tints(state, frame);
        let heat: Vec<Rgb> = (0..=u8::MAX)
            .map(|value| {
                if value == u8::MAX {
                    palette::NOT_FINITE
                } else {
                    palette::heat(f64::from(value) / 254.0)
                }
            })
            .collect();
        let (grid_rows, grid_columns) = scene.grid;
        let (field_rows, field_columns) = frame.size;
        let columns = places(width, grid_columns, field_columns, &scene.columns);
        let rows = places(height, grid_rows, field_rows, &scene.rows);
        self.rgba.resize(width as usize * height as usize * 4, 0);
        let border = pixels(canvas.ratio).max(1);
        let lines = self.rgba.chunks_exact_mut(width as usize * 4);
        let mut above = None;
        for (line, row) in lines.zip(&rows) {
            let field = frame.field.get(row.cell * field_columns as usize..).unwrap_or_default();
            let is_cut = row.since_cut < border && above.is_some();
            let (pixels, _) = line.as_chunks_mut::<4>();
            let mut left = None;
            for (pixel, column) in pixels.iter_mut().zip(&columns) {
                let subdomain = row.part * across + column.part;
                let owner = |id: u32| frame.owners.get(id as usize).copied().unwrap_or(u32::MAX);
                let value = field.get(column.cell).copied().unwrap_or(u8::MAX);
                let base = heat.get(value as usize).copied().unwrap_or_default();
                let tint = tints.get(subdomain as usize).copied().unwrap_or_default();
                let mut colour = mix(base, tint, weight);
                let is_left_cut = column.since_cut < border && left.is_some();
                if is_cut || is_left_cut {
                    // Between two owners the border is stronger than between two parts of one.
                    let other = if is_cut {
                        subdomain.wrapping_sub(across)
                    } else {
                        subdomain.wrapping_sub(1)
                    };
                    let differs = owner(other) != owner(subdomain);
                    colour = mix(colour, [255; 3], if differs { 150 } else { 36 });
                }
                left = Some(column.part);
                let [red, green, blue] = colour;
                *pixel = [red, green, blue, 255];
            }
            above = Some(row.part);
        }
        canvas.put(&self.rgba, width as usize, (0.0, 0.0));
    }

    /// Draws the moves of the last 700 ms as arcs between the blocks of two workers. Returns
    /// whether any is left to fade.
    fn draw_arcs(&mut self, scene: &Scene, canvas: &Canvas) -> bool {
        let now = milliseconds();
        self.arcs.retain(|arc| now - arc.since < FADES);
        let context = &canvas.context;
        context.set_line_width(1.6);
        for &Arc { subdomain, from, to, since } in &self.arcs {
            let start = home_centroid(scene, from).or_else(|| centre(scene, subdomain));
            let Some(((x, y), (to_x, to_y))) = start.zip(home_centroid(scene, to)) else {
                continue;
            };
            let [x, to_x] = [x, to_x].map(|share| share * canvas.width);
            let [y, to_y] = [y, to_y].map(|share| share * canvas.height);
            context.set_global_alpha((1.0 - (now - since) / FADES).clamp(0.0, 1.0));
            let [red, green, blue] = worker_colour(to);
            let bend = 0.18;
            let (middle_x, middle_y) = (x.midpoint(to_x), y.midpoint(to_y));
            for (width, colour) in
                [(3.6, "rgb(0 0 0 / 45%)".to_owned()), (1.8, format!("rgb({red} {green} {blue})"))]
            {
                context.set_line_width(width);
                context.set_stroke_style_str(&colour);
                context.begin_path();
                context.move_to(x, y);
                context.quadratic_curve_to(
                    middle_x - bend * (to_y - y),
                    middle_y + bend * (to_x - x),
                    to_x,
                    to_y,
                );
                context.stroke();
            }
            canvas.fill(
                (to_x - 2.5, to_y - 2.5),
                (5.0, 5.0),
                &format!("rgb({red} {green} {blue})"),
            );
        }
        context.set_global_alpha(1.0);
        context.set_line_width(1.0);
        !self.arcs.is_empty()
    }
}

/// Returns the time of the browser in milliseconds.
fn milliseconds() -> f64 {
    dom::window().performance().map_or(0.0, |clock| clock.now())
}

/// The contents of one row or column of pixels.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Row or column of the field's picture.
    cell: usize,
    /// Row or column of subdomains.
    part: u32,
    /// Number of pixels since the beginning of the subdomain.
    since_cut: u32,
}

/// Returns what each pixel along one side shows. `cells` is the side of the grid, `shown` that of
/// the field's picture, and `cuts` are the first cells of the subdomains.
fn places(pixels: u32, cells: u32, shown: u32, cuts: &[u32]) -> Vec<Place> {
    let share = |pixel: u32, of: u32| {
        let at = u64::from(pixel) * u64::from(of) / u64::from(pixels.max(1));
        u32::try_from(at).unwrap_or(0)
    };
    let mut last = Place::default();
    let mut place = |pixel| {
        let cell = share(pixel, cells);
        let part = cuts.partition_point(|&first| first <= cell).saturating_sub(1);
        let part = u32::try_from(part).unwrap_or(0);
        let since_cut = if part == last.part { last.since_cut + 1 } else { 0 };
        last = Place { cell: share(pixel, shown) as usize, part, since_cut };
        last
    };
    (0..pixels).map(&mut place).collect()
}

/// Returns a colour with another over it, whose weight is out of 256.
fn mix(under: Rgb, over: Rgb, weight: u32) -> Rgb {
    let [red, green, blue] = [0, 1, 2].map(|channel: usize| {
        let of = |colour: Rgb| u32::from(colour.get(channel).copied().unwrap_or(0));
        u8::try_from((of(under) * (256 - weight) + of(over) * weight) >> 8).unwrap_or(u8::MAX)
    });
    [red, green, blue]
}

/// Returns the colour that lies over each subdomain, and its weight out of 256.
fn tints(state: &State, frame: &Frame) -> (Vec<Rgb>, u32) {
    const STRONG: u32 = 225;
    let scaled = |values: Vec<f64>| {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let (least, most) =
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let share = |value: f64| if most > least { (value - least) / (most - least) } else { 0.0 };
        values.iter().map(|&value| palette::scale(share(value.max(least)))).collect()
    };
    match state.colour.as_str() {
        "none" => (Vec::new(), 0),
        "count" => (scaled(frame.above.iter().map(|&above| above.into()).collect()), STRONG),
        "staleness" => (scaled(staleness(&state.scene, frame)), STRONG),
        "residual" => {
            (scaled(frame.residuals.iter().map(|&sum| f64::from(sum).log10()).collect()), STRONG)
        }
        _ => (frame.owners.iter().map(|&owner| worker_colour(owner)).collect(), 110),
    }
}

/// Returns for each subdomain the number of updates by which its slowest neighbour is behind it.
fn staleness(scene: &Scene, frame: &Frame) -> Vec<f64> {
    let across = scene.columns.len().saturating_sub(1).max(1);
    let count = |id: Option<usize>| id.and_then(|id| frame.above.get(id)).copied();
    let of = |(id, &own): (usize, &u32)| {
        let column = id % across;
        let around = [
            id.checked_sub(across),
            Some(id + across),
            (column > 0).then(|| id - 1),
            (column + 1 < across).then(|| id + 1),
        ];
        let gaps = around.into_iter().filter_map(count).map(|other| own.saturating_sub(other));
        f64::from(gaps.max().unwrap_or(0))
    };
    frame.above.iter().enumerate().map(of).collect()
}

/// Returns the middle of a subdomain, as shares of the grid.
fn centre(scene: &Scene, id: u32) -> Option<(f64, f64)> {
    let across = scene.columns.len().checked_sub(1)?;
    let middle = |cuts: &[u32], at: usize, length: u32| {
        let ends = cuts.get(at).zip(cuts.get(at + 1))?;
        Some(f64::from(ends.0 + ends.1) / 2.0 / f64::from(length.max(1)))
    };
    let id = id as usize;
    let y = middle(&scene.rows, id.checked_div(across)?, scene.grid.0)?;
    Some((middle(&scene.columns, id % across, scene.grid.1)?, y))
}

/// Returns the middle of the block that a worker started with, as shares of the grid.
fn home_centroid(scene: &Scene, worker: u32) -> Option<(f64, f64)> {
    let own = scene.first_owners.iter().enumerate().filter(|(_, owner)| **owner == worker);
    let (mut sum, mut number) = ((0.0, 0.0), 0.0);
    for (x, y) in own.filter_map(|(id, _)| centre(scene, u32::try_from(id).ok()?)) {
        sum = (sum.0 + x, sum.1 + y);
        number += 1.0;
    }
    (number > 0.0).then(|| (sum.0 / number, sum.1 / number))
}
