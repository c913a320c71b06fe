//! The model of a recording. Its time is that of the run.

use std::fmt::Write as _;

use tresse_core::base::grammar::count;
use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::Decomposition;

use super::frame::{Act, Answer, Frame, Scene};
use super::kind::{KINDS, Kind};
use super::pool::MIXED;
use super::recorded::Recorded;
use super::schedule::{Schedule, State, TrackEvent};
use crate::model::{GARBLED, Model};
use crate::parameters::Parameters;

/// Greatest number of the braid's lines, and greatest number of points of each.
const MOST_LINES: u32 = 144;
const MOST_POINTS: usize = 512;
/// Length of the shortest window, in nanoseconds.
const SHORTEST: u64 = 200;
/// Greatest number of columns of a timeline.
const MOST_COLUMNS: u32 = 4_096;

/// A recording.
pub struct ReplayModel {
    recorded: Recorded,
    scene: Scene,
    now: u64,
    window: (u64, u64),
    columns: u32,
    has_told_scene: bool,
    /// Window and columns of the timeline that the page has; the rows are sent again only where
    /// these change.
    told: Option<((u64, u64), u32)>,
}

impl ReplayModel {
    /// Returns the recording at its beginning.
    pub fn new(recorded: Recorded, parameters: &Parameters) -> Result<Self, String> {
        let scene = scene(&recorded);
        let from = parameters.read("from", count)?.unwrap_or(0);
        let to = parameters.read("to", count)?.unwrap_or(scene.end);
        let mut model = Self {
            recorded,
            scene,
            now: 0,
            window: (0, 1),
            columns: 600,
            has_told_scene: false,
            told: None,
        };
        model.set_window(from, to);
        Ok(model)
    }

    /// Sets the window to the part between two times, in nanoseconds, that has events.
    fn set_window(&mut self, from: u64, to: u64) {
        let end = self.scene.end.max(SHORTEST);
        let from = from.min(end - SHORTEST);
        self.window = (from, to.clamp(from + SHORTEST, end));
    }

    /// Returns a sentence on what a track does at a time, in nanoseconds.
    pub(super) fn did(&self, track: u32, time: u64) -> String {
        let name = self.scene.tracks.get(track as usize).cloned().unwrap_or_default();
        let Some(TrackEvent { start, end, kind, subdomain }) =
            self.recorded.schedule.event(track as usize, time)
        else {
            return format!("{name}: nothing that was recorded");
        };
        let of_pool = self.recorded.decomposition.is_none();
        let mixed = if of_pool && subdomain == MIXED {
            ", among things too short to be told apart,"
        } else {
            ""
        };
        let what = match kind {
            Kind::Sweep => format!("sweeps subdomain {subdomain}"),
            Kind::Wait if of_pool => "has nothing to do".to_owned(),
            Kind::Wait => "waits".to_owned(),
            Kind::Balance => "balances, or takes the residual".to_owned(),
            Kind::Noise => "takes time from the core".to_owned(),
            Kind::Execute => "executes tasks of its own".to_owned(),
            Kind::Speculate => "executes tasks before it is certain that it may".to_owned(),
            Kind::Search => "searches for tasks".to_owned(),
            Kind::Message => "sends and reads messages, or manages".to_owned(),
        };
        let at = |nanoseconds: u64| nanoseconds as f64 * 1e-6;
        format!("{name} {what}{mixed} for {:.4} ms, from {:.4} ms on", at(end - start), at(start))
    }

    /// Returns a table of the seconds that each track spent with each kind of event.
    pub(super) fn times(&self) -> String {
        let mut table = String::from("track,what,seconds\n");
        for (number, track) in self.scene.tracks.iter().enumerate() {
            for (kind, time) in Kind::ALL.into_iter().zip(self.recorded.schedule.times(number)) {
                if time > 0 {
                    // Text takes whatever is written.
                    let _ = writeln!(table, "{track:?},{},{}", kind.name(), time as f64 * 1e-9);
                }
            }
        }
        table
    }

    /// Returns the number of sweeps of each subdomain over time, as CSV.
    fn counts(&self) -> String {
        let schedule = &self.recorded.schedule;
        let subdomains = self.recorded.decomposition.map_or(0, |cut| cut.subdomains());
        let names = (0..subdomains).map(|id| format!(",s{id}"));
        let mut table: String = ["seconds".to_owned()].into_iter().chain(names).collect();
        table.push('\n');
        for moment in 0..schedule.moments() as u64 {
            let time = moment * schedule.every;
            // Text takes whatever is written.
            let _ = write!(table, "{}", time as f64 * 1e-9);
            for count in schedule.at(time).sweeps {
                let _ = write!(table, ",{count}");
            }
            table.push('\n');
        }
        table
    }
}

/// Returns the unchanging state. The shares are thousandths of the time of all workers.
fn scene(recorded: &Recorded) -> Scene {
    let Recorded { title, tracks, workers, decomposition, schedule, command } = recorded;
    let of_workers = schedule.end.saturating_mul((*workers).into()).max(1);
    let mut times = [0_u64; KINDS];
    for worker in 0..*workers as usize {
        times.iter_mut().zip(schedule.times(worker)).for_each(|(sum, time)| *sum += time);
    }
    let share = |time: u64| u32::try_from(time.saturating_mul(1_000) / of_workers).unwrap_or(0);
    let scene = Scene {
        title: title.clone(),
        tracks: tracks.clone(),
        workers: *workers,
        end: schedule.end,
        sweeps: schedule.sweeps(),
        shares: times.map(share),
        command: command.clone(),
        ..Scene::default()
    };
    decomposition.map_or(scene.clone(), |cut| with_subdomains(scene, &cut, schedule))
}

/// Returns the scene with the map and the braid.
fn with_subdomains(scene: Scene, decomposition: &Decomposition, schedule: &Schedule) -> Scene {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let (grid, across, all) =
        (decomposition.grid(), decomposition.columns(), decomposition.subdomains());
    let rectangle = |id| decomposition.rectangle(SubdomainId(id));
    let rows = (0..all).step_by(across as usize).map(|id| rectangle(id).first_row);
    let columns = (0..across).map(|id| rectangle(id).first_column);
    let ids = (0..all).step_by((all.div_ceil(MOST_LINES) as usize).max(1));
    let step = schedule.moments().div_ceil(MOST_POINTS).max(1);
    let moments: Vec<_> = (0..schedule.moments() as u64)
        .step_by(step)
        .map(|moment| moment * schedule.every)
        .collect();
    let ahead = |id: u32| {
        let point = |time: &u64| {
            let counts = schedule.at(*time).sweeps;
            let mean = counts.iter().map(|&count| f64::from(count)).sum::<f64>()
                / counts.len().max(1) as f64;
            let own = f64::from(counts.get(id as usize).copied().unwrap_or(0));
            #[expect(clippy::cast_possible_truncation, reason = "a line in a plot")]
            let ahead = (own - mean) as f32;
            ahead
        };
        moments.iter().map(point).collect()
    };
    Scene {
        grid: (number(grid.rows), number(grid.columns)),
        rows: rows.chain([grid.rows]).map(number).collect(),
        columns: columns.chain([grid.columns]).map(number).collect(),
        every: schedule.every * step as u64,
        lines: ids.clone().map(|id| (id, decomposition.first_owner(SubdomainId(id)).0)).collect(),
        braid: ids.map(ahead).collect(),
        ..scene
    }
}

impl Model for ReplayModel {
    fn now(&self) -> u64 {
        self.now
    }

    fn has_ended(&self) -> bool {
        self.now >= self.scene.end
    }

    fn advance(&mut self, until: u64, _: &mut dyn FnMut() -> bool) {
        self.now = self.now.max(until.min(self.scene.end));
    }

    fn step(&mut self) {
        self.now = (self.now + self.recorded.schedule.every).min(self.scene.end);
    }

    fn rewind(&mut self, to: u64) {
        self.now = to.min(self.scene.end);
    }

    fn frame(&mut self) -> Vec<u8> {
        let schedule = &self.recorded.schedule;
        let mut rows = Vec::new();
        let wanted = Some((self.window, self.columns));
        if self.told != wanted {
            for track in 0..self.scene.tracks.len() {
                schedule.row(track, self.window, self.columns, &mut rows);
            }
            self.told = wanted;
        }
        let State { sweeps: counts, owners } = schedule.at(self.now);
        let least = counts.iter().min().copied().unwrap_or(0);
        let frame = Frame {
            scene: (!self.has_told_scene).then(|| self.scene.clone()),
            now: self.now,
            window: self.window,
            columns: self.columns,
            rows,
            owners: owners.to_vec(),
            above: counts.iter().map(|count| count - least).collect(),
            updates: counts.iter().map(|&count| u64::from(count)).sum(),
        };
        self.has_told_scene = true;
        // There is memory, or there is no page.
        postcard::to_allocvec(&frame).unwrap_or_default()
    }

    fn act(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        let answer = match postcard::from_bytes(request).map_err(|_| GARBLED)? {
            Act::Window(from, to, columns) => {
                self.set_window(from, to);
                self.columns = columns.clamp(1, MOST_COLUMNS);
                Answer::Done
            }
            Act::Event(track, time) => Answer::Did(self.did(track, time)),
            Act::Table if self.recorded.decomposition.is_none() => Answer::Text(self.times()),
            Act::Table => Answer::Text(self.counts()),
        };
        Ok(postcard::to_allocvec(&answer).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::GivenFile;
    use crate::views::replay::source;

    #[test]
    fn a_run_in_virtual_time_is_shown_while_there_is_no_recording() {
        let parameters = Parameters::of_form(include_str!("../../../web/views/replay.html"));
        let recorded = source::simulated(&parameters).unwrap();
        let mut model = ReplayModel::new(recorded, &parameters).unwrap();
        model.advance(u64::MAX, &mut || false);
        let frame: Frame = postcard::from_bytes(&model.frame()).unwrap();
        let scene = frame.scene.unwrap();
        assert_eq!(frame.updates, scene.sweeps);
        assert_eq!(frame.rows.len(), scene.tracks.len() * 600 * 2);
        assert!(
            model.did(0, scene.end / 2).contains("worker 0"),
            "{}",
            model.did(0, scene.end / 2)
        );
        // Windows of any kind are made possible ones.
        for (from, to) in [(0, 0), (u64::MAX, 0), (5, u64::MAX), (u64::MAX, u64::MAX)] {
            model.set_window(from, to);
            let (from, to) = model.window;
            assert!(from < to && to <= model.scene.end, "{from} {to}");
            let frame: Frame = postcard::from_bytes(&model.frame()).unwrap();
            assert_eq!(frame.window, (from, to));
        }
    }

    #[test]
    fn what_is_no_recording_is_said_with_its_name() {
        for bytes in [&b""[..], b"tresse", &[0; 4_096], b"{\"phases\": []}"] {
            let file = GivenFile { name: "run.tresse".into(), bytes: bytes.to_vec() };
            let problem = source::recording(file).err().unwrap_or_default();
            assert!(problem.starts_with("run.tresse "), "{problem}");
        }
    }
}
