//! A recording as a trace in the JSON form that Perfetto (<https://ui.perfetto.dev>) opens.
//!
//! The form is Chrome's "Trace Event Format": complete events (`X`) are slices, instants (`i`) are
//! arrows on a track, metadata (`M`) names the tracks. Times are in microseconds.

use std::io::{self, Read, Seek, Write};

use serde_json::{Value, json};
use tresse_core::base::time::Instant;
use tresse_core::parts::ownership::Move;

use super::error::RecordingError;
use super::event::{Activity, Event, Swept, What};
use super::head::Head;
use super::reader::{Cursor, Recording};

/// Numbers of tracks and events in a trace that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportedTrace {
    /// Number of tracks.
    pub tracks: usize,
    /// Number of events; each is an event of the recording.
    pub events: u64,
}

/// Errors of exporting a recording.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum ExportError {
    /// The recording cannot be used.
    Recording(#[from] RecordingError),
    /// The trace cannot be written.
    Write(#[from] io::Error),
}

/// Writes all events, track by track.
pub fn export_trace<R: Read + Seek>(
    recording: &mut Recording<R>,
    to: &mut dyn Write,
) -> Result<ExportedTrace, ExportError> {
    let tracks = recording.head().tracks();
    let mut exported = ExportedTrace { tracks, events: 0 };
    let head = recording.head();
    begin(&title(head), (0..tracks).map(|track| track_name(head, track)), to)?;
    for track in 0..tracks {
        let mut cursor = Cursor::new(track);
        while let Some(event) = cursor.next(recording)? {
            write_event(track, &event, to)?;
        }
        exported.events += cursor.events();
    }
    end(to)?;
    if exported.events != recording.events() {
        let what = "its events are not as many as its end says";
        return Err(RecordingError::nonsense(what).into());
    }
    Ok(exported)
}

/// Begins a trace: its title, and the names of its tracks.
pub(super) fn begin(
    title: &str,
    tracks: impl Iterator<Item = String>,
    to: &mut dyn Write,
) -> io::Result<()> {
    write!(to, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    write!(to, "\n{}", name_of("process_name", 0, title))?;
    for (track, name) in tracks.enumerate() {
        write!(to, ",\n{}", name_of("thread_name", track, &name))?;
        let order = json!({"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": track,
                           "args": {"sort_index": track}});
        write!(to, ",\n{order}")?;
    }
    Ok(())
}

/// Ends a trace.
pub(super) fn end(to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "\n]}}")
}

/// Ends an event, after its arguments.
pub(super) fn close(to: &mut dyn Write) -> io::Result<()> {
    to.write_all(b"}}")
}

/// Returns what was run, as the title of the trace.
fn title(head: &Head) -> String {
    let Head { program, config, .. } = head;
    format!("tresse {program}: {} + {}, {} cells", config.mode, config.balance, config.grid)
}

/// Returns the name of a track: a worker with its core, or a source of noise.
fn track_name(head: &Head, track: usize) -> String {
    match head.cores.get(track) {
        Some(core) if head.config.nodes.number > 1 => {
            let rank = track / (head.config.workers_per_node() as usize).max(1);
            format!("worker {track} (rank {rank}, core {core})")
        }
        Some(core) => format!("worker {track} (core {core})"),
        None => match head.noise.get(track - head.cores.len()) {
            Some(source) => format!("noise {} (core {})", source.noise, source.core),
            None => String::new(),
        },
    }
}

/// Returns the event that names a track, or the process (`what`).
fn name_of(what: &str, track: usize, name: &str) -> Value {
    json!({"ph": "M", "name": what, "pid": 1, "tid": track, "args": {"name": name}})
}

/// Nanoseconds that are written as microseconds without rounding.
pub(super) struct Micros(pub(super) u64);

impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}

/// Writes an event without a JSON library: there are millions of events, and none needs escaping.
fn write_event(track: usize, event: &Event, to: &mut dyn Write) -> io::Result<()> {
    let Event { start, end, what } = *event;
    match what {
        What::Sweep(Swept { subdomain, version, halos }) => {
            slice(track, (start, end), format_args!("subdomain {subdomain}"), "sweep", to)?;
            write!(to, "\"version\":{version}")?;
            for (side, halo) in ["top", "bottom", "left", "right"].into_iter().zip(halos) {
                if let Some(halo) = halo {
                    write!(to, ",\"{side}\":{halo}")?;
                }
            }
        }
        What::Moved(Move { subdomain, from, to: new }) => {
            instant(track, start, format_args!("move subdomain {subdomain}"), to)?;
            write!(to, "\"subdomain\":{subdomain},\"from\":{from},\"to\":{new}")?;
        }
        What::Took(subdomain) => {
            instant(track, start, format_args!("take subdomain {subdomain}"), to)?;
            write!(to, "\"subdomain\":{subdomain}")?;
        }
        What::Burst => slice(track, (start, end), format_args!("burst"), "noise", to)?,
        What::Did(activity) => {
            let (name, category) = match activity {
                Activity::Round { .. } => ("balancing round", "round"),
                Activity::Detection => ("detection", "residual"),
                Activity::Verification => ("verification", "residual"),
                Activity::Barrier => ("wait for all", "wait"),
                Activity::Gate => ("wait for neighbours", "wait"),
                Activity::HandOver => ("wait for a subdomain", "wait"),
            };
            slice(track, (start, end), format_args!("{name}"), category, to)?;
            if let Activity::Round { moves } = activity {
                write!(to, "\"moves\":{moves}")?;
            }
        }
    }
    close(to)
}

/// Writes a slice up to its arguments.
pub(super) fn slice(
    track: usize,
    (start, end): (Instant, Instant),
    name: std::fmt::Arguments<'_>,
    category: &str,
    to: &mut dyn Write,
) -> io::Result<()> {
    let (at, duration) = (Micros(start.0), Micros(end.since(start).0));
    write!(
        to,
        ",\n{{\"ph\":\"X\",\"name\":\"{name}\",\"cat\":\"{category}\",\"pid\":1,\"tid\":{track},\
         \"ts\":{at},\"dur\":{duration},\"args\":{{"
    )
}

/// Writes an instant up to its arguments.
fn instant(
    track: usize,
    at: Instant,
    name: std::fmt::Arguments<'_>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let at = Micros(at.0);
    write!(
        to,
        ",\n{{\"ph\":\"i\",\"s\":\"t\",\"name\":\"{name}\",\"cat\":\"move\",\"pid\":1,\
         \"tid\":{track},\"ts\":{at},\"args\":{{"
    )
}
