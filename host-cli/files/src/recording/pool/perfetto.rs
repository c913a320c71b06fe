//! A pool's recording as a trace for Perfetto: a track for each worker and each manager.

use std::io::{self, Write};

use tresse_core::sim::owned::timeline::Span;
use tresse_core::tasks::sharing::Activity;

use super::super::perfetto::{self, ExportedTrace, Micros};
use super::{PoolHead, PoolRecording};

impl PoolRecording {
    /// Writes all spans, track by track; activities that a manager never has are left out.
    pub fn export_trace(&self, to: &mut dyn Write) -> io::Result<ExportedTrace> {
        let tracks = self.head.tracks();
        perfetto::begin(&self.head.title(), (0..tracks).map(|track| self.head.track(track)), to)?;
        let mut exported = ExportedTrace { tracks, events: 0 };
        for (number, track) in self.timeline.tracks().enumerate() {
            let is_manager = number >= self.head.workers as usize;
            for span in track.spans() {
                if !(is_manager && span.spent.is_only(Activity::Idle)) {
                    write_span(number, &span, to)?;
                    exported.events += 1;
                }
            }
        }
        perfetto::end(to)?;
        Ok(exported)
    }
}

impl PoolHead {
    fn tracks(&self) -> usize {
        self.workers as usize + self.managers as usize
    }

    /// Returns what was run, by which method, as the title of the trace.
    fn title(&self) -> String {
        let Self { program, subject, config, .. } = self;
        let time = if self.is_virtual { ", virtual time" } else { "" };
        let method = config.map_or_else(String::new, |config| format!(", {}", config.method));
        format!("tresse {program}: {subject}{method}{time}")
    }

    /// Returns the name of a track: workers come before managers.
    fn track(&self, track: usize) -> String {
        match (track.checked_sub(self.workers as usize), self.cores.get(track)) {
            (Some(manager), _) => format!("manager {manager}"),
            (None, Some(core)) => format!("worker {track} (core {core})"),
            (None, None) => format!("worker {track}"),
        }
    }
}

/// Writes a span as a slice with its main activity. The times of several activities are its
/// arguments, in microseconds.
fn write_span(track: usize, span: &Span, to: &mut dyn Write) -> io::Result<()> {
    let most = span.spent.most();
    let is_one = span.spent.is_only(most);
    let mostly = if is_one { "" } else { "mostly " };
    let name = format_args!("{mostly}{}", most.name());
    perfetto::slice(track, (span.start, span.end), name, category(most), to)?;
    if !is_one {
        let parts = Activity::ALL.into_iter().map(|activity| (activity, span.spent.with(activity)));
        let parts = parts.filter(|(_, time)| time.0 > 0);
        for (place, (activity, time)) in parts.enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(to, "{comma}\"{} (us)\":{}", activity.name(), Micros(time.0))?;
        }
    }
    perfetto::close(to)
}

/// Returns the category by which Perfetto colours and filters an activity.
const fn category(activity: Activity) -> &'static str {
    match activity {
        Activity::Tasks => "tasks",
        Activity::Copies => "copies",
        Activity::Searching | Activity::Idle => "wait",
        Activity::Managing => "managing",
        Activity::Messages => "messages",
    }
}
