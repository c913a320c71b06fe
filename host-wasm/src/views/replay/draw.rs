//! The pictures of Replay: timelines, the map of subdomains, the braid.

use tresse_draw::palette::{self, Rgb};

use super::frame::{Frame, Scene};
use super::kind::Kind;
use crate::page::canvas::{Canvas, Still, pixels};
use crate::page::plot::{Line, Plot, Scale};
use crate::page::theme::Theme;
use crate::views::solve::page::domain::worker_colour;

/// Name of the timeline's canvas.
pub const TIMELINE: &str = "replay-timeline";
/// Height below the tracks, for times.
pub const FOOT: f64 = 18.0;

/// The values that a picture depends on, besides the time that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key {
    scene: u32,
    window: (u64, u64),
    columns: u32,
    theme: Theme,
}

/// Draws the timeline with the time that is shown.
pub fn timeline(scene: &Scene, frame: &Frame, still: &mut Still<Key>, theme: &Theme) -> Option<()> {
    let key = Key {
        scene: scene.number,
        window: frame.window,
        columns: frame.columns,
        theme: theme.clone(),
    };
    let canvas = still.draw(TIMELINE, key, |canvas| tracks(scene, frame, canvas, theme))?;
    let now = place(&canvas, frame.window, frame.now);
    if (0.0..=canvas.width).contains(&now) {
        canvas.context.set_line_width(2.0);
        canvas.line((now, 0.0), (now, canvas.height - FOOT), &theme.accent);
        canvas.context.set_line_width(1.0);
    }
    Some(())
}

/// Returns the place of a time on the timeline.
fn place(canvas: &Canvas, (from, to): (u64, u64), time: u64) -> f64 {
    (time as f64 - from as f64) / (to as f64 - from as f64) * canvas.width
}

/// Draws the activities of all tracks, and the times below them.
fn tracks(scene: &Scene, frame: &Frame, canvas: &Canvas, theme: &Theme) {
    let tracks = scene.tracks.len().max(1);
    let (wide, high) = (canvas.width * canvas.ratio, (canvas.height - FOOT) * canvas.ratio);
    let [wide, high] = [wide, high].map(|length| pixels(length) as usize);
    let mut rgba = vec![0_u8; wide * high * 4];
    let waiting = rgb(&theme.waiting);
    let (ink, noise) = (rgb(&theme.ink), rgb(&theme.stopped));
    // As in the view Sharing.
    let [executes, speculates, messages] = [2, 5, 4].map(palette::category);
    for (y, line) in rgba.chunks_exact_mut((wide * 4).max(1)).enumerate() {
        let track = y * tracks / high.max(1);
        // A line between two tracks, where there is room for one.
        let is_gap = high / tracks > 4 && (y + 1) * tracks / high.max(1) != track;
        if is_gap {
            continue;
        }
        let own = worker_colour(u32::try_from(track).unwrap_or(0));
        let columns = frame.columns.max(1) as usize;
        let row =
            frame.rows.get(track * columns * 2..(track + 1) * columns * 2).unwrap_or_default();
        let (pixels, _) = line.as_chunks_mut::<4>();
        let number = pixels.len().max(1);
        for (x, pixel) in pixels.iter_mut().enumerate() {
            let place = x * columns / number * 2;
            let (Some(&kind), Some(&share)) = (row.get(place), row.get(place + 1)) else {
                continue;
            };
            let [red, green, blue] = match kind {
                kind if kind == Kind::Sweep as u8 => own,
                kind if kind == Kind::Wait as u8 => waiting,
                kind if kind == Kind::Balance as u8 => ink,
                kind if kind == Kind::Noise as u8 => noise,
                kind if kind == Kind::Execute as u8 => executes,
                kind if kind == Kind::Speculate as u8 => speculates,
                kind if kind == Kind::Message as u8 => messages,
                _ => palette::category(3),
            };
            *pixel = [red, green, blue, share];
        }
    }
    canvas.put(&rgba, wide, (0.0, 0.0));
    let (from, to) = frame.window;
    let range = from as f64 * 1e-6..to as f64 * 1e-6;
    let place = |time: f64| (time - range.start) / (range.end - range.start) * canvas.width;
    for (tick, label) in tresse_draw::numbers::round_ticks(&range) {
        let x = place(tick);
        canvas.text(
            &format!("{label} ms"),
            (x.clamp(20.0, canvas.width - 24.0), canvas.height - 4.0),
            "center",
            &theme.quiet,
        );
    }
}

/// Draws the map of subdomains, with their owners and sweeps at the present time.
pub fn map(scene: &Scene, frame: &Frame, theme: &Theme) -> Option<()> {
    let canvas = Canvas::clear("replay-domain")?;
    let (rows, columns) = scene.grid;
    let across = scene.columns.len().saturating_sub(1).max(1);
    let most = frame.above.iter().max().copied().unwrap_or(0).max(1);
    let paper = rgb(&theme.raised);
    for (id, (owner, above)) in frame.owners.iter().zip(&frame.above).enumerate() {
        let (down, right) = (id / across, id % across);
        let ends = |cuts: &[u32], at: usize| {
            Some((f64::from(*cuts.get(at)?), f64::from(*cuts.get(at + 1)?)))
        };
        let ((top, bottom), (left, end)) = (ends(&scene.rows, down)?, ends(&scene.columns, right)?);
        let (x, y) = (
            left / f64::from(columns.max(1)) * canvas.width,
            top / f64::from(rows.max(1)) * canvas.height,
        );
        let wide = (end - left) / f64::from(columns.max(1)) * canvas.width;
        let high = (bottom - top) / f64::from(rows.max(1)) * canvas.height;
        let [red, green, blue] = worker_colour(*owner);
        let share = 0.25 + 0.75 * f64::from(*above) / f64::from(most);
        canvas.context.set_global_alpha(share);
        canvas.fill(
            (x, y),
            ((wide - 1.0).max(0.5), (high - 1.0).max(0.5)),
            &format!("rgb({red} {green} {blue})"),
        );
        canvas.context.set_global_alpha(1.0);
        if wide > 26.0 && high > 14.0 {
            let light = share * lightness(worker_colour(*owner)) + (1.0 - share) * lightness(paper);
            canvas.text(
                &owner.to_string(),
                (x + wide / 2.0, y + high / 2.0 + 4.0),
                "center",
                if light > 104.0 { "black" } else { "white" },
            );
        }
    }
    Some(())
}

/// Returns the axes of the braid: seconds, and updates from the mean.
pub fn axes(scene: &Scene) -> (Scale, Scale) {
    let all = scene.braid.iter().flatten();
    let (least, most) =
        all.fold((0.0_f32, 0.0_f32), |(least, most), &ahead| (least.min(ahead), most.max(ahead)));
    (
        Scale::seconds(scene.end.max(1)),
        Scale::linear(f64::from(least) * 1.05 - 0.5, f64::from(most) * 1.05 + 0.5),
    )
}

/// Draws the braid with the time that is shown.
pub fn braid(scene: &Scene, frame: &Frame, still: &mut Still<Key>, theme: &Theme) -> Option<()> {
    let key = Key { scene: scene.number, theme: theme.clone(), ..Key::default() };
    let (x, y) = axes(scene);
    let canvas = still.draw("replay-braid", key, |canvas| {
        let lines = scene.lines.iter().zip(&scene.braid).map(|((_, worker), ahead)| Line {
            colour: worker_colour(*worker),
            width: if scene.lines.len() > 48 { 0.9 } else { 1.8 },
            points: (0_u64..)
                .zip(ahead)
                .map(|(point, ahead)| ((point * scene.every) as f64 * 1e-9, f64::from(*ahead))),
        });
        Plot::over(canvas, x.clone(), y.clone()).draw(lines, theme);
    })?;
    Plot::over(&canvas, x, y).mark(frame.now as f64 * 1e-9, &theme.accent);
    Some(())
}

/// Returns how light a colour is, of 255.
fn lightness([red, green, blue]: Rgb) -> f64 {
    0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue)
}

/// Returns a colour of the style sheet, as in `#c9c5bb`.
fn rgb(text: &str) -> Rgb {
    let part = |at: usize| text.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok());
    let parts = [part(1), part(3), part(5)];
    parts.map(|part| part.unwrap_or(palette::NOT_FINITE[0]))
}
