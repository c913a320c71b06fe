//! Draws every kind of picture.

use super::*;
use crate::history::{History, HistorySample};
use crate::pictures::pixels::tests::decode;
use crate::statistics::{Quartiles, Whiskers};

/// Draws a plot twice as both kinds of files, and checks that the bytes are the same.
fn drawn(plot: &impl Plot) -> (String, Pixels) {
    let files = || {
        let mut files = [Vec::new(), Vec::new()];
        let [svg, png] = &mut files;
        write_svg(plot, svg).unwrap();
        write_png(plot, png).unwrap();
        files
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

fn history(subdomains: u32) -> History {
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
    let (svg, pixels) = drawn(&braid(&history(3), "three & more"));
    assert_eq!(lines(&svg, 5), 3);
    assert!(svg.contains("three &amp; more") && svg.contains("subdomain 102"));
    assert!((0..3).all(|line| has(&pixels, palette::colour(line, 3))));
    let (svg, _) = drawn(&braid(&history(1000), "many"));
    assert_eq!(lines(&svg, 3), 64);
    assert!(!svg.contains("subdomain 1"));
    for text in ["workers 0–2", "workers 18–19", "colours: first worker", "64 of 1000 lines"] {
        assert!(svg.contains(text), "{text}");
    }
    let (svg, _) = drawn(&braid(&history(50), "one worker"));
    assert!(svg.contains("subdomains 0–18"), "{svg}");
    drawn(&braid(&History::default(), ""));
}

#[test]
fn the_landscape_shows_every_method() {
    let samples = |rate: f64, spread| Samples {
        iteration_rate: vec![rate, rate * 1.1],
        spread: vec![spread, spread * 2.0],
    };
    let point = |method: &str, quiet, noisy| LandscapePoint { method: method.into(), quiet, noisy };
    let points = [
        point("sync", samples(10.0, 0.0), samples(5.0, 0.0)),
        point("async", samples(20.0, 400.0), Samples::default()),
    ];
    let (svg, pixels) = drawn(&landscape(&points, "a landscape"));
    for text in ["sync", "async", "filled: quiet", "iteration rate", "spread", "1000"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!((0..2).all(|method| has(&pixels, palette::category(method))));
    drawn(&landscape(&[], ""));
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
    let (svg, pixels) = drawn(&comparison(&rows, "ours and theirs", "%"));
    for text in ["async &amp; more", "nothing", "only printed", "published", "bars: quartiles"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!((0..2).all(|kind| has(&pixels, palette::category(kind))));
    drawn(&comparison(&[], "", ""));
}

#[test]
fn the_heat_table_has_a_number_in_each_cell() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let (columns, rows) = (names(&["1 ms", "10 ms"]), names(&["a & b", "c", "d"]));
    let table = |cells| {
        let figures = Matrix { columns: ("period", &columns), rows: ("thresholds", &rows), cells };
        matrix(&figures, "a table")
    };
    let cells = [1.0, 12.34, f64::NAN, f64::INFINITY, 987.0];
    let (svg, pixels) = drawn(&table(&cells));
    for text in ["1 ms", "a &amp; b", "period", "thresholds", "1.00", "12.3", "987"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(has(&pixels, RGBColor(68, 1, 84)) && has(&pixels, RGBColor(253, 231, 37)));
    drawn(&matrix(&Matrix { columns: ("", &[]), rows: ("", &[]), cells: &cells }, ""));
    drawn(&table(&[]));
}

#[test]
fn loads_have_a_mark_a_processor() {
    let plot = |processors: usize| {
        let loads =
            |scale: f64| (0..processors).map(|place| place as f64 * scale).collect::<Vec<_>>();
        let (before, after) = (loads(2.0), loads(1.0));
        drawn(&processor_loads([&before, &after], "a & b"))
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
    let run = |name: &str, after: &[f64]| (name.to_owned(), after.to_vec());
    let runs = [run("phase 3", &[4.0, 0.5, 0.0]), run("phase 4", &[0.01])];
    let (svg, _) = drawn(&imbalances(&runs, "all"));
    for text in ["phase 3", "phase 4", "iteration", "0.1"] {
        assert!(svg.contains(text), "{text}");
    }
    let (svg, _) = drawn(&imbalances(&runs[..1], "one"));
    assert!(!svg.contains("phase 3"));
    drawn(&imbalances(&[], ""));
    drawn(&imbalances(&[run("", &[0.0, 0.0])], ""));
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
    let trend = |method: &str, points: &[(f64, &[f64])]| {
        Curve::of_samples(method, points.iter().map(|(x, samples)| (*x, samples.to_vec())))
    };
    let curves = [
        trend("swap & more", &[(0.0, &[1.0, 2.0]), (0.5, &[900.0]), (0.7, &[])]),
        trend("none", &[(0.0, &[0.0]), (0.5, &[5.0])]),
    ];
    let titles = Titles { title: "spreads", x: "imbalance", y: "spread" };
    let (svg, pixels) = drawn(&trends(&curves, titles));
    assert_eq!(svg.matches(r#"width="4" points"#).count(), 2 + 4);
    for text in ["swap &amp; more", "none", "imbalance", "spread", "1000"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!((0..2).all(|method| has(&pixels, palette::category(method))));
    drawn(&trends(&[], Titles::default()));
}

#[test]
fn families_have_the_axis_that_they_are_given() {
    let curve = |name: &str, of: f64| {
        let points = [1.0, 10.0, 100.0].map(|x| (x, vec![x * of]));
        Curve::of_samples(name, points)
    };
    let curves = [curve("4 & more", 0.01), curve("8", 0.02)];
    let titles = Titles { title: "times", x: "chunk", y: "time" };
    let draw = |all: &[f64]| drawn(&family(&curves, all, titles));
    let (svg, pixels) = draw(&[40.0]);
    for text in ["4 &amp; more", "chunk", "time", "20", "40"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!draw(&[2.0]).0.contains(">40<"));
    assert!((0..2).all(|line| has(&pixels, palette::scale(line, 2))));
    drawn(&family(&[], &[], Titles::default()));
}

#[test]
fn descents_have_a_band_a_balancer() {
    let points = [280.0, 3.0, 0.0].into_iter().zip([0.0, 1.0, 2.0]);
    let point =
        |(middle, x): (f64, f64)| Point { x, low: middle / 2.0, middle, high: middle * 2.0 };
    let points: Vec<Point> = points.map(point).collect();
    let line = |name: &str, published: &[(f64, f64)]| Curve {
        name: name.into(),
        points: points.clone(),
        published: published.to_vec(),
    };
    let lines = [line("6 & more", &[(1.0, 3.5)]), line("ours", &[])];
    let levels = [("central".to_owned(), 0.01)];
    let titles = Titles { title: "down", x: "iteration", y: "load" };
    let (svg, pixels) = drawn(&bands(&lines, &levels, titles));
    for text in ["6 &amp; more", "ours", "central", "published", "band: all seeds", "100"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!((0..2).all(|line| has(&pixels, palette::category(line))));
    let (svg, _) = drawn(&bands(&lines[1..], &[], titles));
    assert!(!svg.contains("published"));
    drawn(&bands(&[], &[], Titles::default()));
}

#[test]
fn the_time_box_shows_quiet_and_noisy() {
    let long = "a method with a name that is much too long for the place that it has here";
    let times = [Times { name: long.into(), seconds: [vec![1.0, 2.0, 4.0], vec![5.0]] }];
    let (svg, pixels) = drawn(&boxes(&times, Kinds::OF_NOISE, long));
    assert!(svg.contains(long) && svg.contains("quiet") && svg.contains("noisy"));
    assert!((0..2).all(|kind| has(&pixels, palette::category(kind))));
    drawn(&boxes(&[], Kinds::OF_NOISE, ""));
}

#[test]
fn what_lies_beyond_the_whiskers_is_drawn_by_itself() {
    let many: Vec<f64> = (1..=10).map(f64::from).collect();
    let drawing = |outliers: &[f64]| {
        let seconds = [[many.as_slice(), outliers].concat(), Vec::new()];
        let times = [Times { name: "1".into(), seconds }];
        let kinds = Kinds { names: ["unbalanced", "balanced"], whiskers: Whiskers::tukey };
        drawn(&boxes(&times, kinds, "")).0
    };
    let markers = |svg: &str| svg.matches("<polygon").count();
    assert!(drawing(&[]).contains("unbalanced"));
    assert_eq!((markers(&drawing(&[])), markers(&drawing(&[50.0, 60.0]))), (0, 2));
}

#[test]
fn the_timeline_has_a_row_for_everybody_or_some() {
    use tresse_core::base::time::Instant;
    use tresse_core::sim::owned::timeline::{Timeline, Track, TrackRecorder};
    use tresse_core::tasks::sharing::Activity::{Idle, Managing, Searching, Tasks};
    let track = |at, changes: &[(_, u64)]| {
        let mut recorder = TrackRecorder::new(at, 99);
        for &(activity, at) in changes {
            recorder.turn_to(activity, Instant(at));
        }
        recorder.finish(Instant(4_000))
    };
    let plot = |workers: usize, managers: usize| {
        let worker = |_| track(Searching, &[(Tasks, 1_000), (Searching, 3_000)]);
        let manager = |_| track(Idle, &[(Managing, 500), (Idle, 700)]);
        let workers: Vec<Track> = (0..workers).map(worker).collect();
        let managers = (0..managers).map(manager).collect();
        drawn(&timeline(&Timeline { workers, managers }, "a & b"))
    };
    let (svg, pixels) = plot(2, 1);
    for text in
        ["a &amp; b", "worker 1", "manager 0", "time (µs)", "50.0 % own tasks", "25.0 % idle"]
    {
        assert!(svg.contains(text), "{text}");
    }
    // Whatever lasts is one block: three of each worker, one of the manager, and four keys.
    let blocks = svg.matches("<rect").count();
    assert!((11..20).contains(&blocks), "{blocks}");
    assert!([0, 1, 7, 2].into_iter().all(|kind| has(&pixels, palette::category(kind))));
    let (svg, _) = plot(1000, 33);
    for text in ["workers 0–15", "managers 0–2"] {
        assert!(svg.contains(text), "{text}");
    }
    plot(0, 0);
    drawn(&timeline(&Timeline::default(), ""));
}
