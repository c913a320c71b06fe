//! Encodes the spans of a track as bytes.
//!
//! ```text
//! bytes   resolution of the track (u64), span …
//! span    tag: a bit for each activity that there is time with, by its number; then each time
//! ```
//!
//! Times are in nanoseconds, of variable length and never zero. A span begins where the one before
//! ends, that of the bytes before included, and the first one at the beginning of the run.

use std::io;

use integer_encoding::VarInt;
use tresse_core::base::time::Duration;
use tresse_core::sim::owned::timeline::{Span, Spent, Track};
use tresse_core::tasks::sharing::Activity;

use super::super::error::RecordingError;

/// Greatest number of spans that are written into a frame, far below the number that would fill it.
const AT_A_TIME: usize = 1 << 15;
/// Upper limit of a time (292 years), longer than any run.
pub(super) const LONGEST: u64 = i64::MAX.unsigned_abs();

/// Returns the bytes of a whole track.
pub fn encode(track: &Track) -> Vec<u8> {
    some(track, &mut track.spans(), usize::MAX)
}

/// Encodes a track in parts, each of which fits a frame, and passes them to `write`; there is at
/// least one part.
pub(super) fn encode_parts(
    track: &Track,
    mut write: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut spans = track.spans();
    loop {
        write(&some(track, &mut spans, AT_A_TIME))?;
        if spans.len() == 0 {
            return Ok(());
        }
    }
}

/// Encodes the track's resolution and at most `most` of its next spans.
fn some(track: &Track, spans: &mut impl Iterator<Item = Span>, most: usize) -> Vec<u8> {
    let mut bytes = track.resolution().0.to_le_bytes().to_vec();
    spans.take(most).for_each(|span| put(&span.spent, &mut bytes));
    bytes
}

/// Appends a span: a tag with a bit for each activity, and then their times.
fn put(spent: &Spent, out: &mut Vec<u8>) {
    let place = out.len();
    let mut tag = 0;
    out.push(tag);
    for activity in Activity::ALL {
        let time = spent.with(activity).0;
        if time > 0 {
            tag |= 1 << activity.index();
            let mut bytes = [0; 10];
            let length = time.encode_var(&mut bytes);
            out.extend_from_slice(&bytes[..length]);
        }
    }
    out[place] = tag;
}

/// Reads the bytes that [`encode`] returned.
pub fn decode(bytes: &[u8]) -> Result<Track, RecordingError> {
    let mut spans = Vec::new();
    let resolution = decode_part(bytes, &mut |spent| {
        spans.push(spent);
        Ok(())
    })?;
    Ok(Track::new(spans, resolution))
}

/// Reads a part of a track, and returns the track's resolution.
pub(super) fn decode_part(
    bytes: &[u8],
    add: &mut dyn FnMut(Spent) -> Result<(), RecordingError>,
) -> Result<Duration, RecordingError> {
    let no_span = || RecordingError::nonsense("a span that is none");
    let (resolution, mut rest) = bytes.split_first_chunk().ok_or_else(no_span)?;
    while !rest.is_empty() {
        add(take(&mut rest).ok_or_else(no_span)?)?;
    }
    Ok(Duration(u64::from_le_bytes(*resolution)))
}

/// Takes a span; `None` where the bytes are none.
fn take(bytes: &mut &[u8]) -> Option<Spent> {
    let (&tag, rest) = bytes.split_first()?;
    *bytes = rest;
    if tag == 0 || tag >> Activity::ALL.len() != 0 {
        return None;
    }
    let mut spent = [Duration::ZERO; Activity::ALL.len()];
    let mut total = 0_u64;
    let present = |(place, _): &(usize, &mut Duration)| tag >> place & 1 == 1;
    for (_, spent) in spent.iter_mut().enumerate().filter(present) {
        let (time, length) = u64::decode_var(bytes).filter(|&(time, _)| time > 0)?;
        *bytes = bytes.get(length..)?;
        total = total.checked_add(time).filter(|&total| total <= LONGEST)?;
        *spent = Duration(time);
    }
    Some(Spent::new(spent))
}
