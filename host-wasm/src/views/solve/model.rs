//! The run behind the view.

use std::fmt::Write as _;

use ndarray::Array2;
use serde::Serialize;
use tresse_core::id::{NodeId, SocketId, SubdomainId};
use tresse_core::machine::{Effect, Intervention, SimulationError};
use tresse_core::noise::NoisePlace;
use tresse_core::owned::{OfStencil, OwnedRun, Snapshot};
use tresse_core::problem::Problem;
use tresse_core::run::{Balance, End, NodeBalance};
use tresse_core::stencil::{Portable, Real};
use tresse_core::time::Instant;
use tresse_files::choices::VirtualRun;
use tresse_files::field::{self, Field};

use super::books::Books;
use super::frame::{self, Act, Answer, Burden, Frame, Look, Scene};
use super::kept::Kept;
use super::settings::sentence;
use super::track::{News, Sample, Track};
use crate::model::{GARBLED, Model};

/// Nanoseconds between samples at first.
const INTERVAL: u64 = 50_000;
/// The most subdomains that have a line in the braid.
const MOST_LINES: usize = 144;
/// The most bytes of moments to come back to.
const MOST_KEPT: usize = 256 << 20;
/// Sweeps between two looks at the clock, about.
const SWEEPS: u64 = 64;
/// Nanoseconds of a short sweep, about.
const SWEEP: u64 = 10_000;

/// Nanoseconds between two looks at whether anything has changed, and the most looks.
const STEP: u64 = 1_000;
const MOST_STEPS: u32 = 2_000;

/// What is kept of a moment besides the run itself.
#[derive(Clone, Debug)]
struct Notes {
    books: Books,
    track: Track,
    /// Interventions that were made.
    made: usize,
    has_ended: bool,
}

/// A run that goes on when it is asked to.
pub struct SolveModel<F: Real> {
    run: OwnedRun<'static, F, Portable>,
    scene: Scene,
    interventions: Vec<Intervention>,
    notes: Notes,
    kept: Kept<(Snapshot<'static, F>, Notes)>,
    look: Look,
    now: Instant,
    /// Samples that the page has, and of which interval; none where it has nothing.
    told: Option<(usize, u64)>,
    has_told_scene: bool,
}

type Machine<'a, 'c, F> = OfStencil<'a, 'c, 'static, F, Portable>;

impl<F: Real> SolveModel<F>
where
    Field: From<Array2<F>>,
{
    /// The run at its beginning, one of some `runs` that share the memory; `command` is what makes the same
    /// one.
    pub fn new(virtual_run: VirtualRun, command: String, runs: usize) -> Result<Self, String> {
        let VirtualRun { config, machine, interventions, .. } = virtual_run;
        let problem = Problem::paper(config.grid);
        let description = machine.to_string();
        let run = OwnedRun::new(config, machine.hardware, &[], &problem, Portable);
        let mut run = run.map_err(|error| sentence(&error))?;
        let checked = run.with(|machine| {
            interventions
                .iter()
                .try_for_each(|intervention| machine.check_intervention(intervention))
        });
        checked.flatten().map_err(|error| sentence(&error))?;
        let scene = scene(&run, description, command);
        let books = Books::new(run.config().workers as usize);
        let notes = Notes { books, track: Track::new(INTERVAL), made: 0, has_ended: false };
        let start = run.snapshot().map_err(|error| sentence(&error))?;
        let most = (MOST_KEPT / runs.max(1) / start.bytes().max(1)).clamp(2, 32);
        let mut model = Self {
            run,
            scene,
            interventions,
            notes,
            kept: Kept::new(INTERVAL * 16, most),
            look: Look { pixels: 512, field: true, residuals: false },
            now: Instant::ZERO,
            told: None,
            has_told_scene: false,
        };
        model.keep();
        Ok(model)
    }

    /// Keeps this moment to come back to, where it is time to.
    fn keep(&mut self) {
        if self.now.0 >= self.kept.due()
            && let Ok(snapshot) = self.run.snapshot()
        {
            self.kept.keep(self.now.0, (snapshot, self.notes.clone()));
        }
    }

    /// Goes on to a time, sampling and intervening on the way; whether it got there.
    fn go_on(
        &mut self,
        until: Instant,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<bool, SimulationError> {
        let Self { run, notes, interventions, now, scene, .. } = self;
        let slice = (SWEEPS * SWEEP / u64::from(run.config().workers)).max(1_000);
        run.with(|machine| {
            loop {
                if now.0 >= notes.track.due() {
                    notes.track.add(sample(machine, &scene.lines));
                }
                while let Some(next) = interventions.get(notes.made).filter(|next| next.at <= *now)
                {
                    machine.intervene(next, &mut notes.books)?;
                    notes.made += 1;
                }
                if *now >= until || notes.has_ended {
                    return Ok(true);
                }
                let next = interventions.get(notes.made).map_or(Instant::NEVER, |next| next.at);
                let due = Instant(notes.track.due().min(now.0.saturating_add(slice)));
                notes.has_ended = !machine.advance(until.min(next).min(due), &mut notes.books);
                *now = machine.now();
                if pause() {
                    return Ok(false);
                }
            }
        })?
    }

    fn updates(&mut self) -> u64 {
        self.run.with(|machine| machine.updates()).unwrap_or(0)
    }

    fn intervene(&mut self, place: NoisePlace, effect: Effect) -> Result<String, String> {
        let intervention = frame::at(self.now.0, place, effect);
        let checked = self.run.with(|machine| machine.check_intervention(&intervention));
        checked.flatten().map_err(|error| sentence(&error))?;
        let place = self.interventions.partition_point(|other| other.at <= intervention.at);
        self.interventions.insert(place.max(self.notes.made), intervention);
        self.kept.forget_after(intervention.at.0);
        Ok(intervention.to_string())
    }

    fn burdens(&self) -> Vec<Burden> {
        let config = self.run.config();
        let is_at = |&(node, socket, core): &(u32, u32, u32), place| match place {
            NoisePlace::Core(number) => number == core,
            NoisePlace::Socket(SocketId(number)) => number == socket,
            NoisePlace::Node(NodeId(number)) => number == node,
        };
        let made = self.interventions.get(..self.notes.made).unwrap_or_default();
        let burden = |worker| {
            let last = made.iter().rev().find(|made| is_at(worker, made.place));
            match last.map(|made| made.effect) {
                Some(Effect::Stopped) => Burden::Stopped,
                Some(Effect::Slowed(_)) => Burden::Slowed,
                _ if config.noise.iter().any(|noise| is_at(worker, noise.place)) => Burden::Noise,
                _ => Burden::None,
            }
        };
        self.scene.places.iter().map(burden).collect()
    }

    fn news(&mut self) -> News {
        let Track { samples, interval } = &self.notes.track;
        let known = self.told.filter(|(_, known)| known == interval).map(|(number, _)| number);
        self.told = Some((samples.len(), *interval));
        match known.and_then(|number| samples.get(number..)) {
            Some(more) => News::More(more.to_vec()),
            None => News::All(self.notes.track.clone()),
        }
    }

    fn history(&self) -> String {
        let subdomains = self.scene.first_owners.len() as f64;
        let mut table = String::from("seconds,residual,iteration_rate,spread,mean,moves\n");
        for Sample { at, residual, updates, spread, moves, .. } in &self.notes.track.samples {
            let (seconds, mean) = (Instant(*at).seconds(), *updates as f64 / subdomains);
            let rate = if seconds > 0.0 { mean / seconds } else { 0.0 };
            // Text takes whatever is written.
            let _ = writeln!(table, "{seconds},{residual},{rate},{spread},{mean},{moves}");
        }
        table
    }

    fn braid(&self) -> String {
        let names = self.scene.lines.iter().map(|id| format!(",s{id}"));
        let mut table: String = ["seconds".to_owned()].into_iter().chain(names).collect();
        table.push('\n');
        let subdomains = self.scene.first_owners.len() as f64;
        for sample in &self.notes.track.samples {
            let mean = sample.updates as f64 / subdomains;
            let counts = sample.ahead.iter().map(|&ahead| f64::from(ahead) + mean);
            let counts = counts.map(|count| format!(",{count:.0}"));
            table.extend([Instant(sample.at).seconds().to_string()].into_iter().chain(counts));
            table.push('\n');
        }
        table
    }

    fn probe(&mut self, row: u32, column: u32) -> Option<Answer> {
        let find = |cuts: &[u32], at| {
            let part = cuts.partition_point(|&first| first <= at).checked_sub(1)?;
            Some((part, (at - cuts.get(part)?) as usize))
        };
        let (down, row) = find(&self.scene.rows, row)?;
        let (across, column) = find(&self.scene.columns, column)?;
        let number = down * (self.scene.columns.len() - 1) + across;
        let value = self.run.with(|machine| {
            let part = machine.parts().get(number)?;
            part.layout().row(part.cells(), row)?.get(column).map(|cell| cell.to_f64())
        });
        let value = value.ok()??;
        Some(Answer::Probed { value, subdomain: u32::try_from(number).ok()? })
    }

    /// Everything that a run decides, as a text that is the same wherever it runs.
    fn hash(&mut self) -> Option<String> {
        let decomposition = *self.run.decomposition();
        let text = self.run.with(|machine| {
            let cells = field::assembled(&decomposition, |id, show| {
                machine.parts().get(id.index()).into_iter().for_each(|part| show(part));
            });
            let field = Field::from(cells).hash();
            let (staleness, at) = (machine.staleness(), machine.now().0);
            let end = machine.outcome().map_or("-".into(), |outcome| outcome.end.to_string());
            format!(
                "field {field}, updates {}, moves {}, rounds {}, transfers {}, staleness {} of {}, spread \
                 {}, at {at}, end {end}",
                machine.updates(),
                machine.moves(),
                machine.rounds(),
                machine.transfers(),
                staleness.sum,
                staleness.halos,
                machine.spread_max(),
            )
        });
        text.ok()
    }
}

impl<F: Real> Model for SolveModel<F>
where
    Field: From<Array2<F>>,
{
    fn now(&self) -> u64 {
        self.now.0
    }

    fn has_ended(&self) -> bool {
        self.notes.has_ended
    }

    fn advance(&mut self, until: u64, pause: &mut dyn FnMut() -> bool) {
        while self.now.0 < until && !self.notes.has_ended {
            // A moment is kept only where a later one has the same number of samples.
            let stop = until.min(self.kept.due());
            let arrived = self.go_on(Instant(stop), pause);
            self.keep();
            if !matches!(arrived, Ok(true)) {
                return;
            }
        }
    }

    fn step(&mut self) {
        let updates = self.updates();
        // Where everybody is stopped, nothing changes for ever.
        for _ in 0..MOST_STEPS {
            if self.updates() != updates || self.notes.has_ended {
                break;
            }
            self.advance(self.now.0.saturating_add(STEP), &mut || false);
        }
    }

    fn rewind(&mut self, to: u64) {
        if let Some((snapshot, notes)) = self.kept.before(to) {
            self.run.restore(snapshot);
            self.notes = notes.clone();
            self.told = None;
            self.now = self.run.with(|machine| machine.now()).unwrap_or_default();
        }
    }

    fn frame(&mut self) -> Vec<u8> {
        let news = self.news();
        let burdens = self.burdens();
        let scene = (!self.has_told_scene).then(|| self.scene.clone());
        self.has_told_scene = true;
        let Self { run, scene: of_run, notes, look, .. } = self;
        let picture = run.with(|machine| picture(machine, of_run, *look));
        let (size, range, field) = picture.unwrap_or_default();
        let frame = run.with(|machine| {
            let now = machine.now();
            let progress = machine.progress();
            let above = |count| u32::try_from(count - progress.least).unwrap_or(u32::MAX);
            let waited = notes.books.waited(now);
            let share = |waited: u64| waited.saturating_mul(1_000).checked_div(now.0).unwrap_or(0);
            let residuals = if look.residuals { machine.residuals() } else { &[] };
            #[expect(clippy::cast_possible_truncation, reason = "a colour needs no more digits")]
            let residuals = residuals.iter().map(|&sum| sum as f32).collect();
            Frame {
                scene,
                now: now.0,
                end: machine
                    .outcome()
                    .map(|outcome| ended(outcome.end, now, outcome.verified, outcome.initial)),
                has_converged: machine
                    .outcome()
                    .is_some_and(|outcome| outcome.end == End::Converged),
                updates: machine.updates(),
                residual: relative(machine),
                moves: (machine.moves(), machine.transfers()),
                staleness: (machine.staleness().mean(), machine.staleness().max),
                least: progress.least,
                above: machine.counts().map(above).collect(),
                owners: owners(machine, of_run),
                residuals,
                activities: notes.books.activities(),
                burdens,
                waited: waited.map(|time| u16::try_from(share(time)).unwrap_or(1_000)).collect(),
                moved: notes.books.take_moves(),
                size,
                range,
                field,
                news,
            }
        });
        frame.map(|frame| encode(&frame)).unwrap_or_default()
    }

    fn act(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        let answer = match postcard::from_bytes(request).map_err(|_| GARBLED)? {
            Act::Intervene(place, effect) => {
                let (place, effect) = frame::read(&place, &effect)?;
                Answer::Intervened(self.intervene(place, effect)?)
            }
            Act::Look(look) => {
                self.look = look;
                Answer::Done
            }
            Act::Probe(row, column) => self.probe(row, column).unwrap_or(Answer::Done),
            Act::History => Answer::Text(self.history()),
            Act::Braid => Answer::Text(self.braid()),
            Act::Hash => Answer::Text(self.hash().unwrap_or_default()),
        };
        Ok(encode(&answer))
    }
}

fn encode(message: &impl Serialize) -> Vec<u8> {
    // There is memory, or there is no page.
    postcard::to_allocvec(message).unwrap_or_default()
}

/// How a run has ended, as a sentence.
fn ended(end: End, at: Instant, verified: f64, initial: f64) -> String {
    let residual = (verified / initial).sqrt();
    let how = match end {
        End::Converged => "Converged",
        End::Iterations => "All iterations were made",
        End::Interrupted => "Interrupted",
        End::Stagnated => "The residual stopped falling",
        End::Stalled => "Every worker waits for ever",
        End::NotFinite => "The residual is not a finite number",
    };
    format!(
        "{how} after {:.6} s; the residual is {residual:.3e} of the initial one, verified.",
        at.seconds()
    )
}

fn relative<F: Real>(machine: &Machine<'_, '_, F>) -> f64 {
    (machine.published_residual() / machine.initial_residual()).sqrt()
}

fn owners<F: Real>(machine: &Machine<'_, '_, F>, scene: &Scene) -> Vec<u32> {
    let ids = (0..).map(SubdomainId).take(scene.first_owners.len());
    ids.map(|id| machine.owner(id).map_or(u32::MAX, |owner| owner.0)).collect()
}

fn sample<F: Real>(machine: &Machine<'_, '_, F>, lines: &[u32]) -> Sample {
    let progress = machine.progress();
    let mean = progress.mean();
    let mut counts = machine.counts().enumerate();
    #[expect(clippy::cast_possible_truncation, reason = "a line in a plot")]
    let mut ahead = |line: u32| {
        let count = counts.find(|(id, _)| *id == line as usize).map_or(0, |(_, count)| count);
        (count as f64 - mean) as f32
    };
    Sample {
        at: machine.now().0,
        residual: relative(machine),
        updates: machine.updates(),
        spread: progress.spread(),
        moves: machine.moves(),
        ahead: lines.iter().map(|&line| ahead(line)).collect(),
    }
}

fn scene<F: Real>(run: &OwnedRun<'_, F, Portable>, machine: String, command: String) -> Scene {
    let (config, hardware, decomposition) = (run.config(), run.hardware(), run.decomposition());
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let grid = decomposition.grid();
    let across = decomposition.columns();
    let rectangle = |id| decomposition.rectangle(SubdomainId(id));
    let all = decomposition.subdomains();
    let rows = (0..all).step_by(across as usize).map(|id| rectangle(id).first_row);
    let columns = (0..across).map(|id| rectangle(id).first_column);
    let node_workers = config.workers_per_node().max(1);
    let place = |worker: u32| {
        let (node, local) = (worker / node_workers, worker % node_workers);
        let socket = node * hardware.sockets + local / hardware.cores;
        (node, socket, node * hardware.node_cores() + local)
    };
    let is_balanced = config.balance != Balance::None || config.nodes.balance != NodeBalance::None;
    let mode = format!("{}({})", config.mode, config.split);
    let workers = (config.balance != Balance::None).then(|| config.balance.to_string());
    let nodes = config.nodes.balance;
    let nodes = (nodes != NodeBalance::None).then(|| nodes.to_string());
    let method: Vec<_> = [Some(mode), workers, nodes].into_iter().flatten().collect();
    let method = method.join(" + ");
    Scene {
        grid: (number(grid.rows), number(grid.columns)),
        rows: rows.chain([grid.rows]).map(number).collect(),
        columns: columns.chain([grid.columns]).map(number).collect(),
        places: (0..config.workers).map(place).collect(),
        first_owners: decomposition.ids().map(|id| decomposition.first_owner(id).0).collect(),
        lines: (0..all).step_by((all as usize).div_ceil(MOST_LINES).max(1)).collect(),
        split: config.split,
        low: config.plb.low,
        high: config.plb.high,
        method,
        is_balanced,
        machine,
        tolerance: config.stop.tolerance,
        command,
    }
}

/// The field's picture: its size, its range, and its colours' numbers.
type Picture = ((u32, u32), (f64, f64), Vec<u8>);

/// A picture of the field that has no more rows and columns than are asked for: of each group of cells
/// the first is shown.
fn picture<F: Real>(machine: &Machine<'_, '_, F>, scene: &Scene, look: Look) -> Picture {
    if !look.field {
        return Picture::default();
    }
    let (rows, columns) = scene.grid;
    let most = look.pixels.max(1);
    let (height, width) = (rows.min(most), columns.min(most));
    let sources = |pixels: u32, cells: u32| -> Vec<u32> {
        let source = |pixel| u64::from(pixel) * u64::from(cells) / u64::from(pixels.max(1));
        (0..pixels).map(|pixel| u32::try_from(source(pixel)).unwrap_or(0)).collect()
    };
    let columns = sources(width, columns);
    let mut values = vec![f32::NAN; height as usize * width as usize];
    let across = scene.columns.len().saturating_sub(1);
    for (line, row) in values.chunks_exact_mut(width as usize).zip(sources(height, rows)) {
        let down = scene.rows.partition_point(|&first| first <= row).saturating_sub(1);
        let row = row.saturating_sub(scene.rows.get(down).copied().unwrap_or(0)) as usize;
        let mut pixels = line.iter_mut().zip(&columns).peekable();
        for (part, cut) in
            machine.parts().iter().skip(down * across).zip(scene.columns.array_windows())
        {
            let [first, end] = *cut;
            let cells = part.layout().row(part.cells(), row).unwrap_or_default();
            while let Some((pixel, column)) = pixels.next_if(|(_, column)| **column < end) {
                let cell =
                    cells.get((*column - first) as usize).map_or(f64::NAN, |cell| cell.to_f64());
                #[expect(clippy::cast_possible_truncation, reason = "a colour")]
                let shown = cell as f32;
                *pixel = shown;
            }
        }
    }
    let range = values
        .iter()
        .filter(|value| value.is_finite())
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), &value| {
            (least.min(value), most.max(value))
        });
    let scale = 254.0 / (range.1 - range.0).max(f32::MIN_POSITIVE);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 254")]
    let colour = |value: &f32| {
        if value.is_finite() { ((value - range.0) * scale) as u8 } else { u8::MAX }
    };
    let field = values.iter().map(colour).collect();
    ((height, width), (range.0.into(), range.1.into()), field)
}
