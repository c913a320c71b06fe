//! The schedule of a pool of tasks, from its recording.

use tresse_core::tasks::sharing::Activity;
use tresse_files::recording::{PoolHead, PoolRecording};

use super::kind::Kind;
use super::recorded::Recorded;
use super::schedule::Schedule;

/// Value in place of a subdomain for an event that stands for several, which were too short to be
/// told apart, and whose order is not known.
pub const MIXED: u32 = 1;

/// Returns the kind of event that an activity is drawn as.
const fn kind(activity: Activity) -> Kind {
    match activity {
        Activity::Tasks => Kind::Execute,
        Activity::Copies => Kind::Speculate,
        Activity::Searching => Kind::Search,
        Activity::Idle => Kind::Wait,
        Activity::Managing | Activity::Messages => Kind::Message,
    }
}

/// Returns the schedule of the activities of all workers and managers.
fn schedule(recording: &PoolRecording) -> Schedule {
    let tracks = recording.head.workers as usize + recording.head.managers as usize;
    let mut schedule = Schedule::new(tracks, &[]);
    for (number, track) in recording.timeline.tracks().enumerate() {
        for span in track.spans() {
            let parts = Activity::ALL.map(|activity| (activity, span.spent.with(activity).0));
            let parts = parts.iter().filter(|(_, time)| *time > 0);
            let mixed = if parts.clone().count() > 1 { MIXED } else { 0 };
            let mut at = span.start.0;
            for (activity, time) in parts {
                schedule.add(number, (at, at + time), kind(*activity), mixed);
                at += time;
            }
        }
    }
    schedule.finish();
    schedule
}

/// Returns a pool's recording as the view shows it, under this name.
pub fn recorded(name: &str, recording: &PoolRecording) -> Recorded {
    let PoolHead { program, subject, config, workers, managers, cores, is_virtual, .. } =
        &recording.head;
    let time = if *is_virtual { " in virtual time" } else { "" };
    let shared = config.map_or_else(
        || time.to_owned(),
        |config| format!(" by {}{time}, {} messages", config.method, recording.messages),
    );
    let title = format!("{name}, recorded by tresse {program}: {subject}{shared}");
    let track = |worker: u32| match cores.get(worker as usize) {
        Some(core) => format!("worker {worker}, core {core}"),
        None => format!("worker {worker}"),
    };
    let of_managers = (0..*managers).map(|manager| format!("manager {manager}"));
    Recorded {
        title,
        tracks: (0..*workers).map(track).chain(of_managers).collect(),
        workers: *workers,
        decomposition: None,
        schedule: schedule(recording),
        command: format!("tresse export-trace {name} --perfetto {name}.json"),
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::base::time::Duration;
    use tresse_core::sim::owned::timeline::{Spent, Timeline, Track};
    use tresse_core::tasks::sharing::{Method, SharingConfig};

    use super::*;
    use crate::files::GivenFile;
    use crate::model::Model as _;
    use crate::parameters::Parameters;
    use crate::views::replay::frame::Frame;
    use crate::views::replay::model::ReplayModel;
    use crate::views::replay::source;

    fn spent(times: [u64; 6]) -> Spent {
        Spent::new(times.map(Duration))
    }

    /// Returns the file of a recording with two workers, the second of which has a span of two
    /// activities, and a manager.
    fn file() -> GivenFile {
        let track = |spans: &[[u64; 6]]| Track::new(spans.iter().copied().map(spent), Duration(40));
        let worker = track(&[[300, 0, 0, 0, 0, 0], [0, 200, 0, 0, 0, 0], [0, 0, 0, 500, 0, 0]]);
        let other = track(&[[0, 0, 400, 0, 0, 0], [20, 0, 0, 0, 0, 30], [550, 0, 0, 0, 0, 0]]);
        let manager = track(&[[0, 0, 0, 900, 100, 0]]);
        let head = PoolHead {
            program: "1".into(),
            subject: "tree T1".into(),
            config: Some(SharingConfig::new(Method::Speculative)),
            workers: 2,
            managers: 1,
            has_own_cores: true,
            cores: vec![4, 6],
            machine: "a machine".into(),
            is_virtual: false,
        };
        let timeline = Timeline { workers: vec![worker, other], managers: vec![manager] };
        let mut bytes = Vec::new();
        tresse_files::recording::pool::write(&head, &timeline, 12, &mut bytes).unwrap();
        GivenFile { name: "pool.tresse".into(), bytes }
    }

    #[test]
    fn a_pool_is_shown_by_what_everybody_was_at() {
        let recorded = source::recording(file()).unwrap();
        assert!(
            recorded.title.contains("tree T1 by speculative, 12 messages"),
            "{}",
            recorded.title
        );
        assert_eq!(recorded.tracks, ["worker 0, core 4", "worker 1, core 6", "manager 0"]);
        assert_eq!(recorded.schedule.times(0), [0, 500, 0, 0, 300, 200, 0, 0]);
        assert_eq!(recorded.schedule.times(1), [0, 0, 0, 0, 570, 0, 400, 30]);
        let mut model = ReplayModel::new(recorded, &Parameters::default()).unwrap();
        let said = |model: &ReplayModel, track, time| model.did(track, time);
        assert!(
            said(&model, 0, 350)
                .starts_with("worker 0, core 4 executes tasks before it is certain")
        );
        assert!(said(&model, 1, 410).contains("too short to be told apart"));
        assert!(said(&model, 1, 600).starts_with("worker 1, core 6 executes tasks of its own for"));
        let table = model.times();
        assert!(table.contains("\n\"worker 1, core 6\",executes,0.00000057\n"), "{table}");
        let frame: Frame = postcard::from_bytes(&model.frame()).unwrap();
        let scene = frame.scene.unwrap();
        assert!(scene.rows.is_empty() && scene.lines.is_empty());
        // Of the two workers' time.
        assert_eq!(scene.shares, [0, 250, 0, 0, 435, 100, 200, 15]);
        model.advance(u64::MAX, &mut || false);
        assert!(model.has_ended());
    }
}
