//! The paper's figures from our own measurements (Zarins & Weiland 2017, figures 2 to 5).
//!
//! Each plot is drawn once, for any backend of plotters, and written as SVG and as PNG. No font of
//! the system is needed.

mod axis;
pub mod braid;
pub mod comparison;
pub mod descent;
pub mod heat_table;
pub mod imbalances;
pub mod landscape;
mod legend;
pub mod moves;
pub(super) mod numbers;
mod palette;
pub mod processor_loads;
pub(super) mod raster;
pub(super) mod text;
pub mod time_box;
pub mod trends;

use std::io::{self, Write};

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use self::axis::Axis;
use self::legend::Legend;
use self::raster::Raster;
use super::output::{OutputDir, OutputError};
use super::pixels::Pixels;

/// Everything is drawn at twice the size of the PNG, which is then halved: smooth lines.
const CANVAS: (u32, u32) = (2400, 1600);
/// Height of the title's line.
const HEAD: i32 = 110;
const TITLE: u32 = 60;
const DESCRIPTION: u32 = 50;
const LABEL: u32 = 44;
/// The widest that the numbers or names left of the y axis may be.
const MOST_LABEL: u32 = 800;
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(222, 222, 222);

type Area<B> = DrawingArea<B, Shift>;
type Failure<B> = DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>;
type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Axis, Axis>>;

/// A picture that can be drawn on any backend.
pub trait Plot {
    /// Draws onto an area of 2400 × 1600 units.
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>>;
}

/// Writes the plot as SVG of 1200 × 800 pixels.
pub fn write_svg(plot: &impl Plot, mut w: impl Write) -> io::Result<()> {
    let mut text = String::new();
    draw_on(plot, SVGBackend::with_string(&mut text, CANVAS))?;
    // The view box keeps the canvas's units; only the size at which it is shown changes.
    let text = text.replacen(r#"width="2400" height="1600""#, r#"width="1200" height="800""#, 1);
    w.write_all(text.as_bytes())
}

/// Writes the plot as PNG of 1200 × 800 pixels.
pub fn write_png(plot: &impl Plot, w: impl Write) -> io::Result<()> {
    let mut pixels = Pixels::new(CANVAS.0, CANVAS.1);
    draw_on(plot, Raster::on(&mut pixels))?;
    pixels.halved().write_png(w)
}

/// Leaves the plot as `{stem}.svg` and `{stem}.png`.
///
/// Both are drawn at once where there are cores for it.
pub fn write_pair(
    plot: &(impl Plot + Sync),
    out: &OutputDir,
    stem: &str,
) -> Result<(), OutputError> {
    let (svg, png) = rayon::join(
        || out.write(format!("{stem}.svg"), |w| write_svg(plot, w)),
        || out.write(format!("{stem}.png"), |w| write_png(plot, w)),
    );
    svg.and(png)
}

fn draw_on<B: DrawingBackend>(plot: &impl Plot, backend: B) -> io::Result<()>
where
    B::ErrorType: 'static,
{
    text::register_font()?;
    let area = backend.into_drawing_area();
    area.fill(&WHITE).and_then(|()| plot.draw(&area)).map_err(io::Error::other)?;
    area.present().map_err(io::Error::other)
}

/// What surrounds the data of every plot.
struct Frame<'a> {
    title: &'a str,
    x: (Axis, &'a str),
    y: (Axis, &'a str),
    legend: Legend,
}

impl Frame<'_> {
    /// Draws title, axes, grid and legend, and returns the chart for the data.
    fn draw<'a, B: DrawingBackend + 'a>(
        self,
        area: &'a Area<B>,
    ) -> Result<Chart<'a, B>, Failure<B>> {
        let width = area.dim_in_pixel().0;
        let style = text::fitted(area, self.title, TITLE, width.saturating_sub(80))?;
        let (above, below) = area.split_vertically(HEAD);
        let middle = Pos::new(HPos::Center, VPos::Center);
        above.draw_text(self.title, &style.pos(middle), ((width / 2).cast_signed(), HEAD / 2))?;
        let (left, right) = below.split_horizontally(width - self.legend.width(area)?);
        self.legend.draw(&right)?;
        let longest = self.y.0.labels().max_by_key(|label| label.chars().count()).unwrap_or("");
        let y_style = text::fitted(area, longest, LABEL, MOST_LABEL)?;
        let y_width = text::widest(area, self.y.0.labels(), LABEL)?.min(MOST_LABEL);
        let mut chart = ChartBuilder::on(&left)
            .margin(24)
            .margin_right(50)
            .set_label_area_size(
                LabelAreaPosition::Left,
                y_width + if self.y.1.is_empty() { 40 } else { 100 },
            )
            .set_label_area_size(LabelAreaPosition::Bottom, 130)
            .build_cartesian_2d(self.x.0, self.y.0)?;
        chart
            .configure_mesh()
            .x_desc(self.x.1)
            .y_desc(self.y.1)
            .axis_desc_style(text::style(DESCRIPTION))
            .x_label_style(text::style(LABEL))
            .y_label_style(y_style)
            .axis_style(INK.stroke_width(2))
            .bold_line_style(GRID.stroke_width(2))
            .light_line_style(TRANSPARENT)
            .draw()?;
        Ok(chart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::history::{History, HistorySample};
    use crate::report::pixels::tests::decode;
    use crate::report::statistics::Quartiles;
    use crate::report::statistics::Whiskers;
    use braid::Braid;
    use comparison::{Compared, Comparison};
    use descent::{Descent, Descents};
    use heat_table::HeatTable;
    use imbalances::{Imbalance, Imbalances};
    use landscape::{Landscape, LandscapePoint, Samples};
    use moves::Moves;
    use processor_loads::ProcessorLoads;
    use time_box::{TimeBox, Times};
    use trends::{Trend, Trends};

    /// Both files of a plot, drawn twice to the same bytes.
    fn drawn(plot: &(impl Plot + Sync)) -> (String, Pixels) {
        let root = tempfile::tempdir().unwrap();
        let out = crate::report::output::Outputs::default()
            .folder("--out", root.path(), ["plot.svg"])
            .unwrap();
        let files = || {
            write_pair(plot, &out, "plot").unwrap();
            ["plot.svg", "plot.png"].map(|name| std::fs::read(root.path().join(name)).unwrap())
        };
        let [svg, png] = files();
        assert_eq!([&svg, &png], files().each_ref());
        let pixels = decode(&png);
        assert_eq!((pixels.width, pixels.height), (1200, 800));
        let svg = String::from_utf8(svg).unwrap();
        assert!(svg.starts_with(r#"<svg width="1200" height="800" viewBox="0 0 2400 1600""#));
        (svg, pixels)
    }

    fn has(pixels: &Pixels, RGBColor(r, g, b): RGBColor) -> bool {
        pixels.rgb.as_chunks().0.contains(&[r, g, b])
    }

    fn braid(subdomains: u32) -> History {
        let counts = |time: u64| (0..u64::from(subdomains)).map(|s| time * (s + 1)).collect();
        let sample = |time| HistorySample { seconds: time, mean: 5.0, ..HistorySample::default() };
        History {
            samples: [0.0, 1.0, f64::NAN].map(sample).to_vec(),
            counts: (0..3).map(counts).collect(),
            subdomains: (0..subdomains).map(|id| 100 + id).collect(),
            first_workers: (0..subdomains).map(|id| id / 50).collect(),
        }
    }

    #[test]
    fn the_braid_has_a_line_a_subdomain() {
        let lines = |svg: &str, width| svg.matches(&format!(r#"width="{width}" points"#)).count();
        let (svg, pixels) = drawn(&Braid { history: &braid(3), title: "three & more" });
        assert_eq!(lines(&svg, 5), 3);
        assert!(svg.contains("three &amp; more") && svg.contains("subdomain 102"));
        assert!((0..3).all(|line| has(&pixels, palette::colour(line, 3))));
        let (svg, _) = drawn(&Braid { history: &braid(1000), title: "many" });
        assert_eq!(lines(&svg, 3), 64);
        assert!(!svg.contains("subdomain 1"));
        for text in ["workers 0–2", "workers 18–19", "colours: first worker", "64 of 1000 lines"]
        {
            assert!(svg.contains(text), "{text}");
        }
        let (svg, _) = drawn(&Braid { history: &braid(50), title: "one worker" });
        assert!(svg.contains("subdomains 0–18"), "{svg}");
        drawn(&Braid { history: &History::default(), title: "" });
    }

    #[test]
    fn the_landscape_shows_every_method() {
        let samples = |rate: f64, spread| Samples {
            iteration_rate: vec![rate, rate * 1.1],
            spread: vec![spread, spread * 2.0],
        };
        let point =
            |method: &str, quiet, noisy| LandscapePoint { method: method.into(), quiet, noisy };
        let points = [
            point("sync", samples(10.0, 0.0), samples(5.0, 0.0)),
            point("async", samples(20.0, 400.0), Samples::default()),
        ];
        let (svg, pixels) = drawn(&Landscape { points: &points, title: "a landscape" });
        for text in ["sync", "async", "filled: quiet", "iteration rate", "spread", "1000"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!((0..2).all(|method| has(&pixels, palette::category(method))));
        drawn(&Landscape { points: &[], title: "" });
    }

    #[test]
    fn the_comparison_has_a_row_a_figure() {
        let quartiles = Quartiles { low: 1.0, median: 2.0, high: 4.0 };
        let row = |label: &str, published, ours| Compared { label: label.into(), published, ours };
        let rows = [
            row("async & more", Some(-3.0), Some(quartiles)),
            row("nothing", None, None),
            row("only printed", Some(7.5), None),
        ];
        let plot = Comparison { rows: &rows, title: "ours and theirs", unit: "%" };
        let (svg, pixels) = drawn(&plot);
        for text in ["async &amp; more", "nothing", "only printed", "published", "bars: quartiles"]
        {
            assert!(svg.contains(text), "{text}");
        }
        assert!((0..2).all(|kind| has(&pixels, palette::category(kind))));
        drawn(&Comparison { rows: &[], title: "", unit: "" });
    }

    #[test]
    fn the_heat_table_has_a_number_in_each_cell() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let (columns, rows) = (names(&["1 ms", "10 ms"]), names(&["a & b", "c", "d"]));
        let table = |cells| HeatTable {
            title: "a table",
            columns: ("period", &columns),
            rows: ("thresholds", &rows),
            cells,
        };
        let cells = [Some(1.0), Some(12.34), None, Some(f64::NAN), Some(987.0)];
        let (svg, pixels) = drawn(&table(&cells));
        for text in ["1 ms", "a &amp; b", "period", "thresholds", "1.00", "12.3", "987"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(has(&pixels, RGBColor(68, 1, 84)) && has(&pixels, RGBColor(253, 231, 37)));
        let nothing = HeatTable { title: "", columns: ("", &[]), rows: ("", &[]), cells: &cells };
        drawn(&nothing);
        drawn(&table(&[]));
    }

    #[test]
    fn loads_have_a_mark_a_processor() {
        let plot = |processors: usize| {
            let loads =
                |scale: f64| (0..processors).map(|place| place as f64 * scale).collect::<Vec<_>>();
            let (before, after) = (loads(2.0), loads(1.0));
            drawn(&ProcessorLoads { before: &before, after: &after, title: "a & b" })
        };
        let (svg, pixels) = plot(3);
        // Two kinds of three markers, and those of the legend.
        assert_eq!(svg.matches("<polygon").count(), 2 * 3 + 2);
        for text in ["a &amp; b", "before", "after", "mean", "processor"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!((0..2).all(|kind| has(&pixels, palette::category(kind))));
        let (svg, _) = plot(1000);
        assert!(svg.contains("of 3 processors") && !svg.contains("<polygon"));
        plot(0);
    }

    #[test]
    fn imbalances_have_a_line_a_run() {
        let run = |name: &str, after: &[f64]| Imbalance { name: name.into(), after: after.into() };
        let runs = [run("phase 3", &[4.0, 0.5, 0.0]), run("phase 4", &[0.01])];
        let (svg, _) = drawn(&Imbalances { runs: &runs, title: "all" });
        for text in ["phase 3", "phase 4", "iteration", "0.1"] {
            assert!(svg.contains(text), "{text}");
        }
        let (svg, _) = drawn(&Imbalances { runs: &runs[..1], title: "one" });
        assert!(!svg.contains("phase 3"));
        drawn(&Imbalances { runs: &[], title: "" });
        drawn(&Imbalances { runs: &[run("", &[0.0, 0.0])], title: "" });
    }

    #[test]
    fn moves_have_an_arc_a_pair() {
        let plot = |processors, moves: &[((u32, u32), u64)]| {
            let moves = moves.iter().copied().collect();
            drawn(&Moves { processors, moves: &moves, title: "moves" }).0
        };
        let arcs = |svg: &str| svg.matches(r#"fill="none" opacity="0."#).count();
        let svg = plot(4, &[((0, 3), 5), ((3, 0), 1), ((1, 2), 2)]);
        assert_eq!(arcs(&svg), 3, "{svg}");
        for text in ["widest: 5 objects", "to a higher number", "to a lower number"] {
            assert!(svg.contains(text), "{text}");
        }
        let svg = plot(1000, &[((0, 1), 3), ((0, 999), 1)]);
        for text in ["a place: 16 processors", "within places: 3", "widest: 1 object"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("to a lower number"));
        assert_eq!(arcs(&plot(1, &[])), 0);
        plot(0, &[]);
    }

    #[test]
    fn trends_have_a_line_a_method() {
        let trend = |method: &str, points: &[(f64, &[f64])]| Trend {
            method: method.into(),
            points: points.iter().map(|(x, samples)| (*x, samples.to_vec())).collect(),
        };
        let trends = [
            trend("swap & more", &[(0.0, &[1.0, 2.0]), (0.5, &[900.0]), (0.7, &[])]),
            trend("none", &[(0.0, &[0.0]), (0.5, &[5.0])]),
        ];
        let plot = Trends { trends: &trends, title: "spreads", x: "imbalance", y: "spread" };
        let (svg, pixels) = drawn(&plot);
        assert_eq!(svg.matches(r#"width="4" points"#).count(), 2 + 4);
        for text in ["swap &amp; more", "none", "imbalance", "spread", "1000"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!((0..2).all(|method| has(&pixels, palette::category(method))));
        drawn(&Trends { trends: &[], title: "", x: "", y: "" });
    }

    #[test]
    fn descents_have_a_band_a_balancer() {
        let band =
            |median: f64| descent::Envelope { low: median / 2.0, median, high: median * 2.0 };
        let line = |name: &str, published: &[(f64, f64)]| Descent {
            name: name.into(),
            points: [280.0, 3.0, 0.0].map(band).into_iter().enumerate().map(at).collect(),
            published: published.to_vec(),
        };
        let lines = [line("6 & more", &[(1.0, 3.5)]), line("ours", &[])];
        let levels = [("central".to_owned(), 0.01)];
        let plot =
            Descents { lines: &lines, levels: &levels, title: "down", x: "iteration", y: "load" };
        let (svg, pixels) = drawn(&plot);
        for text in ["6 &amp; more", "ours", "central", "published", "band: all seeds", "100"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!((0..2).all(|line| has(&pixels, palette::category(line))));
        let (svg, _) = drawn(&Descents { lines: &lines[1..], levels: &[], ..plot });
        assert!(!svg.contains("published"));
        drawn(&Descents { lines: &[], levels: &[], title: "", x: "", y: "" });
    }

    fn at((place, band): (usize, descent::Envelope)) -> (f64, descent::Envelope) {
        (place as f64, band)
    }

    #[test]
    fn the_time_box_shows_quiet_and_noisy() {
        let long = "a method with a name that is much too long for the place that it has here";
        let times = [Times { name: long.into(), seconds: [vec![1.0, 2.0, 4.0], vec![5.0]] }];
        let (svg, pixels) = drawn(&TimeBox::of_noise(&times, long));
        assert!(svg.contains(long) && svg.contains("quiet") && svg.contains("noisy"));
        assert!((0..2).all(|kind| has(&pixels, palette::category(kind))));
        drawn(&TimeBox::of_noise(&[], ""));
    }

    #[test]
    fn what_lies_beyond_the_whiskers_is_drawn_by_itself() {
        let many: Vec<f64> = (1..=10).map(f64::from).collect();
        let drawing = |outliers: &[f64]| {
            let seconds = [[many.as_slice(), outliers].concat(), Vec::new()];
            let times = [Times { name: "1".into(), seconds }];
            let kinds = ["unbalanced", "balanced"];
            drawn(&TimeBox { times: &times, kinds, whiskers: Whiskers::tukey, title: "" }).0
        };
        let markers = |svg: &str| svg.matches("<polygon").count();
        assert!(drawing(&[]).contains("unbalanced"));
        assert_eq!((markers(&drawing(&[])), markers(&drawing(&[50.0, 60.0]))), (0, 2));
    }
}
