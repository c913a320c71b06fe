//! The model of a run, with moments to come back to.

use serde::Serialize;
use tresse_core::base::id::{NodeId, SocketId};
use tresse_core::base::time::Instant;
use tresse_core::run::End;
use tresse_core::run::noise::NoisePlace;
use tresse_core::sim::machine::{Effect, Intervention};
use tresse_files::choices::VirtualRun;

use super::activity_log::ActivityLog;
use super::frame::{self, Act, Answer, Burden, CorePlace, Frame, Look, Scene};
use super::run::{Moment, Notes, Run};
use super::scene::{ended, scene};
use super::settings::{bytes_of, sentence};
use super::snapshots::Snapshots;
use super::tables;
use super::track::{News, Track};
use crate::model::{GARBLED, Model};

/// Nanoseconds between samples at first.
const INTERVAL: u64 = 50_000;
/// Greatest number of bytes of moments to come back to, and greatest number of moments.
const MOST_KEPT: u64 = 256 << 20;
const MOST_MOMENTS: u64 = 32;
/// Nanoseconds between two looks at whether anything has changed, and greatest number of looks.
const STEP: u64 = 1_000;
const MOST_STEPS: u32 = 2_000;

/// A run that goes on on request.
pub struct SolveModel {
    run: Run,
    scene: Scene,
    interventions: Vec<Intervention>,
    notes: Notes,
    /// Moments to come back to, without the beginning, which is made anew.
    snapshots: Snapshots<(Moment, Notes)>,
    look: Look,
    /// Number of samples that the page has, and their interval; `None` where it has none.
    told: Option<(usize, u64)>,
    has_told_scene: bool,
}

/// Returns the log, track and clock of a run at its beginning.
fn notes(run: &Run) -> Notes {
    Notes {
        log: ActivityLog::new(run.config().workers as usize),
        track: Track::new(INTERVAL),
        made: 0,
        now: Instant::ZERO,
        has_ended: false,
    }
}

impl SolveModel {
    /// Returns the run at its beginning, one of `runs` that share the memory; `command` is the
    /// command line that makes the same run.
    pub fn new(virtual_run: VirtualRun, command: String, runs: usize) -> Result<Self, String> {
        let bytes = bytes_of(&virtual_run)?;
        let most = (MOST_KEPT / runs.max(1) as u64 / bytes.max(1)).min(MOST_MOMENTS);
        let VirtualRun { config, machine, interventions, .. } = virtual_run;
        let description = machine.to_string();
        let mut run = Run::new(config, machine.hardware).map_err(|error| sentence(&error))?;
        run.check(&interventions).map_err(|error| sentence(&error))?;
        Ok(Self {
            scene: scene(&run, description, command),
            interventions,
            notes: notes(&run),
            run,
            snapshots: Snapshots::new(INTERVAL * 16, usize::try_from(most).unwrap_or(0)),
            look: Look { pixels: 512, field: true, residuals: false },
            told: None,
            has_told_scene: false,
        })
    }

    /// Keeps the present moment to come back to, where one is due.
    fn keep(&mut self) {
        let now = self.notes.now.0;
        if now >= self.snapshots.due() {
            // Of what is dropped the memory is used again.
            self.snapshots.make_room();
            if let Ok(moment) = self.run.snapshot() {
                self.snapshots.keep(now, (moment, self.notes.clone()));
            }
        }
    }

    /// Makes the beginning of the run anew, for which there is room once no moments are kept.
    fn restart(&mut self) {
        self.snapshots.forget_all();
        let (config, hardware) = (self.run.config().clone(), self.run.hardware().clone());
        if let Ok(run) = Run::new(config, hardware) {
            (self.notes, self.run) = (notes(&run), run);
        }
    }

    /// Adds an intervention at the present time, and returns it as a flag's text. Kept moments
    /// after it are dropped.
    fn intervene(&mut self, place: NoisePlace, effect: Effect) -> Result<String, String> {
        let intervention = Intervention { at: rounded_up(self.notes.now), place, effect };
        self.run.check(&[intervention]).map_err(|error| sentence(&error))?;
        let place = self.interventions.partition_point(|other| other.at <= intervention.at);
        self.interventions.insert(place.max(self.notes.made), intervention);
        self.snapshots.forget_after(intervention.at.0);
        Ok(intervention.to_string())
    }

    /// Returns what burdens each worker's core now. The last intervention on a core decides.
    fn burdens(&self) -> Vec<Burden> {
        let config = self.run.config();
        let is_at = |&CorePlace { node, socket, core }: &CorePlace, place| match place {
            NoisePlace::Core(number) => number == core,
            NoisePlace::Socket(SocketId(number)) => number == socket,
            NoisePlace::Node(NodeId(number)) => number == node,
        };
        // One of now is among them, though the run makes it only when it goes on.
        let now = rounded_up(self.notes.now);
        let until = self.interventions.partition_point(|made| made.at <= now);
        let made = self.interventions.get(..until).unwrap_or_default();
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

    /// Returns the samples that the page does not have, or all where their interval has changed.
    fn news(&mut self) -> News {
        let Track { samples, interval } = &self.notes.track;
        let known = self.told.filter(|(_, known)| known == interval).map(|(number, _)| number);
        self.told = Some((samples.len(), *interval));
        match known.and_then(|number| samples.get(number..)) {
            Some(more) => News::More(more.to_vec()),
            None => News::All(self.notes.track.clone()),
        }
    }

    /// Returns the value of a cell of the grid and its subdomain, or `None` outside the grid.
    fn probe(&mut self, row: u32, column: u32) -> Option<Answer> {
        let find = |cuts: &[u32], at| {
            let part = cuts.partition_point(|&first| first <= at).checked_sub(1)?;
            Some((part, (at - cuts.get(part)?) as usize))
        };
        let (down, row) = find(&self.scene.rows, row)?;
        let (across, column) = find(&self.scene.columns, column)?;
        let number = down * (self.scene.columns.len() - 1) + across;
        let value = self.run.cell(number, (row, column))?;
        Some(Answer::Probed { value, subdomain: u32::try_from(number).ok()? })
    }
}

impl Model for SolveModel {
    fn now(&self) -> u64 {
        self.notes.now.0
    }

    fn has_ended(&self) -> bool {
        self.notes.has_ended
    }

    fn advance(&mut self, until: u64, pause: &mut dyn FnMut() -> bool) {
        while self.notes.now.0 < until && !self.notes.has_ended {
            // A moment is kept only where a later one has the same number of samples.
            let stop = Instant(until.min(self.snapshots.due()));
            let Self { run, notes, interventions, scene, .. } = self;
            let arrived = run.advance(stop, (notes, interventions, &scene.lines), pause);
            self.keep();
            if !matches!(arrived, Ok(true)) {
                return;
            }
        }
    }

    fn step(&mut self) {
        let updates = self.run.updates();
        // Where everybody is stopped, nothing changes for ever.
        for _ in 0..MOST_STEPS {
            if self.run.updates() != updates || self.notes.has_ended {
                break;
            }
            self.advance(self.notes.now.0.saturating_add(STEP), &mut || false);
        }
    }

    fn rewind(&mut self, to: u64) {
        self.told = None;
        let Some((moment, notes)) = self.snapshots.before(to) else { return self.restart() };
        self.run.restore(moment);
        self.notes = notes.clone();
    }

    fn frame(&mut self) -> Vec<u8> {
        let seen = self.run.see(&self.scene, self.look);
        let now = self.notes.now;
        let share = |waited: u64| waited.saturating_mul(1_000).checked_div(now.0).unwrap_or(0);
        let waited = self.notes.log.waited(now).map(share);
        let least = seen.counts.iter().min().copied().unwrap_or(0);
        let above = |count: &u64| u32::try_from(count - least).unwrap_or(u32::MAX);
        let (size, range, field) = seen.picture;
        let frame = Frame {
            scene: (!self.has_told_scene).then(|| self.scene.clone()),
            now: now.0,
            end: seen.outcome.as_ref().map(ended),
            has_converged: seen.outcome.is_some_and(|outcome| outcome.end == End::Converged),
            updates: seen.updates,
            residual: seen.residual,
            moves: seen.moves,
            staleness: (seen.staleness.mean(), seen.staleness.max),
            least,
            above: seen.counts.iter().map(above).collect(),
            owners: seen.owners,
            residuals: seen.residuals,
            activities: self.notes.log.activities(),
            burdens: self.burdens(),
            waited: waited.map(|share| u16::try_from(share).unwrap_or(1_000)).collect(),
            moved: self.notes.log.take_moves(),
            size,
            range,
            field,
            news: self.news(),
        };
        self.has_told_scene = true;
        encode(&frame)
    }

    fn act(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        let subdomains = self.scene.first_owners.len();
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
            Act::History => Answer::Text(tables::history(&self.notes.track, subdomains)),
            Act::Braid => {
                Answer::Text(tables::braid(&self.notes.track, &self.scene.lines, subdomains))
            }
            Act::Hash => Answer::Text(self.run.hash().unwrap_or_default()),
        };
        Ok(encode(&answer))
    }
}

/// Returns the next time in whole microseconds, which is short to write: that of an intervention
/// now.
const fn rounded_up(now: Instant) -> Instant {
    Instant(now.0.div_ceil(1_000) * 1_000)
}

/// Encodes a message for the page.
fn encode(message: &impl Serialize) -> Vec<u8> {
    // There is memory, or there is no page.
    postcard::to_allocvec(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Parameters;
    use crate::views::solve;

    #[test]
    fn whoever_slows_a_core_down_sees_it_at_once() {
        let page = include_str!("../../../web/views/solve.html");
        let mut model = solve::open(&Parameters::of_form(page), &[]).unwrap();
        model.advance(1_234_567, &mut || false);
        for (effect, burden) in
            [("duty=0.5", Burden::Slowed), ("stop", Burden::Stopped), ("free", Burden::None)]
        {
            model.act(&encode(&Act::Intervene("core=3".into(), effect.into()))).unwrap();
            let frame: Frame = postcard::from_bytes(&model.frame()).unwrap();
            assert_eq!((frame.now, frame.burdens[3]), (1_234_567, burden), "{effect}");
        }
    }
}
