//! The recording of a pool of tasks: how work was shared, and the activity of each worker and
//! manager over time.
//!
//! It is framed as that of a solver's run ([`format`](mod@super::format)), but begins with one
//! [`Kind::Pool`], has the spans of each track in [`Kind::Spans`], workers before managers, and
//! ends with one [`Kind::End`]. There is nothing to replay: what the tasks were is not in it.

mod head;
mod perfetto;
pub mod spans;

use std::io::{self, Read, Write};

use tresse_core::base::time::{Duration, Instant};
use tresse_core::sim::owned::timeline::{Spent, Timeline, Track};

pub use self::head::PoolHead;

use self::head::PoolEnd;
use super::error::RecordingError;
use super::format::{self, FrameWriter, Kind, PREFIX};

/// A recording of a pool, from its first byte to its last.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolRecording {
    /// The head: subject, configuration and tracks of the pool.
    pub head: PoolHead,
    /// Activities of all workers and managers over time.
    pub timeline: Timeline,
    /// Number of messages that were sent to managers and by them.
    pub messages: u64,
}

/// Writes a recording.
pub fn write(
    head: &PoolHead,
    timeline: &Timeline,
    messages: u64,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut frames = FrameWriter::begin(to)?;
    frames.write(Kind::Pool, 0, &head.to_json()?)?;
    let mut spans = 0;
    for (number, track) in (0..).zip(timeline.tracks()) {
        spans += track.spans().len() as u64;
        spans::encode_parts(track, |bytes| frames.write(Kind::Spans, number, bytes))?;
    }
    let end = PoolEnd { end: timeline.end().0, spans, messages };
    frames.write(Kind::End, 0, &serde_json::to_vec(&end)?)
}

impl PoolRecording {
    /// Reads a whole recording and checks everything in it. Refuses a recording that needs more
    /// than `available` bytes of memory.
    pub fn read(mut source: impl Read, available: u64) -> Result<Self, RecordingError> {
        format::read_prefix(&mut source)?;
        let frame = format::read_frame(&mut source, PREFIX)?;
        let mut place = frame.end;
        match frame.kind {
            Kind::Pool => {}
            Kind::Head => return Err(RecordingError::OfRun),
            _ => return Err(RecordingError::nonsense("its parts are in disorder")),
        }
        let head = PoolHead::from_json(&frame.unpack()?)?;
        let mut tracks = Tracks::new(&head, available)?;
        loop {
            let frame = format::read_frame(&mut source, place)?;
            place = frame.end;
            match frame.kind {
                Kind::Spans => tracks.add(frame.track, &frame.unpack()?)?,
                Kind::End => {
                    let end = PoolEnd::from_json(&frame.unpack()?)?;
                    if source.read(&mut [0])? > 0 {
                        return Err(RecordingError::Damaged(place));
                    }
                    let timeline = tracks.finish(&head, end)?;
                    return Ok(Self { head, timeline, messages: end.messages });
                }
                _ => return Err(RecordingError::nonsense("its parts are in disorder")),
            }
        }
    }
}

/// The tracks read so far.
struct Tracks {
    /// Spans and resolution of each track.
    read: Vec<(Vec<Spent>, Duration)>,
    spans: u64,
    available: u64,
}

impl Tracks {
    /// Returns empty tracks for all workers and managers, if the memory suffices.
    fn new(head: &PoolHead, available: u64) -> Result<Self, RecordingError> {
        let number = u64::from(head.workers) + u64::from(head.managers);
        enough(number, size_of::<Track>() + size_of::<Vec<Spent>>(), available)?;
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        Ok(Self { read: vec![<_>::default(); number], spans: 0, available })
    }

    /// Adds the spans of a frame to their track, if the memory suffices.
    fn add(&mut self, track: u32, bytes: &[u8]) -> Result<(), RecordingError> {
        let own = self.read.get_mut(track as usize);
        let (own, resolution) = own.ok_or_else(|| RecordingError::nonsense("a track of nobody"))?;
        let before = own.len();
        let (spans, available) = (self.spans, self.available);
        *resolution = spans::decode_part(bytes, &mut |spent| {
            // Twice: a list that grows keeps its old places until it is copied.
            let all = spans + (own.len() - before) as u64 + 1;
            enough(all, 2 * size_of::<Spent>(), available)?;
            own.push(spent);
            Ok(())
        })?;
        self.spans += (own.len() - before) as u64;
        Ok(())
    }

    /// Returns the timeline, if the spans are complete and all tracks end with the run.
    fn finish(self, head: &PoolHead, end: PoolEnd) -> Result<Timeline, RecordingError> {
        if self.spans != end.spans {
            return Err(RecordingError::nonsense("its spans are not as many as its end says"));
        }
        let track = |(spans, resolution): (Vec<Spent>, _)| Track::new(spans, resolution);
        let mut workers: Vec<_> = self.read.into_iter().map(track).collect();
        let ends = |track: &Track| Instant::ZERO.after(track.spent().total()) == Instant(end.end);
        if !workers.iter().all(ends) {
            return Err(RecordingError::nonsense("a track that ends at another time than the run"));
        }
        let managers = workers.split_off(head.workers as usize);
        Ok(Timeline { workers, managers })
    }
}

/// Checks that `available` bytes suffice for a number of things of `size` bytes each.
fn enough(number: u64, size: usize, available: u64) -> Result<(), RecordingError> {
    let needed = number.saturating_mul(size as u64);
    if needed > available {
        return Err(RecordingError::Memory { needed, available });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
