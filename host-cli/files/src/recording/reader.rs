//! Reads recordings and checks everything in them.

use std::io::{BufReader, Read, Seek, SeekFrom};

use tresse_core::run;

use super::chunk::{Coder, START};
use super::error::RecordingError;
use super::event::Event;
use super::format::{self, Frame, Kind, PREFIX};
use super::head::{End, Head};
use super::pool::PoolRecording;
use crate::field::FieldHash;

/// A recording whose checksums are right, from its first byte to its last.
pub struct Recording<R, H = Head> {
    source: BufReader<R>,
    head: H,
    /// Places of the chunks of each track.
    chunks: Vec<Vec<u64>>,
    end: End,
}

/// A recording of either kind.
pub enum AnyRecording<R> {
    /// The recording of a solver.
    Run(Box<Recording<R>>),
    /// The recording of a pool of tasks.
    Pool(PoolRecording),
}

impl<R: Read + Seek> AnyRecording<R> {
    /// Finds out the kind of a recording and opens it, see [`Recording::open`] and
    /// [`PoolRecording::read`].
    pub fn open(mut source: R, available: u64) -> Result<Self, RecordingError> {
        let first = format::first_kind(&mut source)?;
        source.rewind()?;
        if first == Some(Kind::Pool) {
            return PoolRecording::read(BufReader::new(source), available).map(Self::Pool);
        }
        Recording::open(source, available).map(|run| Self::Run(Box::new(run)))
    }
}

impl<R: Read + Seek> Recording<R> {
    /// Reads the head, and checks every checksum. Refuses a recording that needs more than
    /// `available` bytes of memory.
    pub fn open(source: R, available: u64) -> Result<Self, RecordingError> {
        let mut source = BufReader::new(source);
        format::read_prefix(&mut source)?;
        let mut place = PREFIX;
        let head = read_head(&mut source, &mut place, available)?;
        let tracks = head.tracks();
        Self::index(source, place, head, tracks)
    }
}

impl<R: Read + Seek, H> Recording<R, H> {
    /// Finds the chunks of all tracks behind the head, and checks every checksum.
    pub(super) fn index(
        mut source: BufReader<R>,
        mut place: u64,
        head: H,
        tracks: usize,
    ) -> Result<Self, RecordingError> {
        let mut chunks = vec![Vec::new(); tracks];
        loop {
            let frame = format::read_frame(&mut source, place)?;
            place = frame.end;
            match frame.kind {
                Kind::Events => match chunks.get_mut(frame.track as usize) {
                    Some(chunks) => chunks.push(frame.place),
                    None => return Err(RecordingError::nonsense("a track of nobody")),
                },
                Kind::End => {
                    let end = End::from_json(&frame.unpack()?)?;
                    if source.read(&mut [0])? > 0 {
                        return Err(RecordingError::Damaged(place));
                    }
                    return Ok(Self { source, head, chunks, end });
                }
                Kind::Head | Kind::Array | Kind::Parts => {
                    return Err(RecordingError::nonsense("a second head"));
                }
                Kind::Pool | Kind::Spans => {
                    return Err(RecordingError::nonsense("its parts are in disorder"));
                }
            }
        }
    }

    /// Returns the head: configuration, problem and tracks.
    pub const fn head(&self) -> &H {
        &self.head
    }

    /// Returns the number of events of all tracks.
    pub const fn events(&self) -> u64 {
        self.end.events
    }

    /// Returns the number of sweeps of all workers.
    pub const fn sweeps(&self) -> u64 {
        self.end.sweeps
    }

    /// Returns the hash of the field at the end of the run.
    pub const fn field(&self) -> FieldHash {
        self.end.field
    }

    /// Returns the reason for which the run ended, where the recording says so.
    pub const fn why_ended(&self) -> Option<run::End> {
        self.end.why
    }

    /// Reads chunk `number` of a track; `None` after its last one.
    fn chunk(&mut self, track: usize, number: usize) -> Result<Option<Frame>, RecordingError> {
        let Some(&place) = self.chunks.get(track).and_then(|chunks| chunks.get(number)) else {
            return Ok(None);
        };
        self.source.seek(SeekFrom::Start(place))?;
        format::read_frame(&mut self.source, place).map(Some)
    }
}

/// Reads the head and the arrays of its problem, and moves `place` behind them.
fn read_head(
    source: &mut impl Read,
    place: &mut u64,
    available: u64,
) -> Result<Head, RecordingError> {
    let mut next = |wanted: Kind| {
        let frame = format::read_frame(source, *place)?;
        *place = frame.end;
        match frame.kind {
            kind if kind == wanted => {}
            Kind::Pool if frame.place == PREFIX => return Err(RecordingError::OfPool),
            Kind::Parts if frame.place == PREFIX => return Err(RecordingError::OfParts),
            _ => return Err(RecordingError::nonsense("its parts are in disorder")),
        }
        frame.unpack()
    };
    let json = next(Kind::Head)?;
    Head::from_json(&json, available, &mut |length| {
        let mut numbers = Vec::new();
        while numbers.len() < length {
            let bytes = next(Kind::Array)?;
            let (parts, rest) = bytes.as_chunks();
            numbers.extend(parts.iter().map(|&bytes| f64::from_le_bytes(bytes)));
            if parts.is_empty() || !rest.is_empty() || numbers.len() > length {
                return Err(RecordingError::nonsense("an array of another length"));
            }
        }
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(RecordingError::nonsense("a number that is not finite"));
        }
        Ok(numbers)
    })
}

/// A position among the events of one track, which are read in order.
pub struct Cursor {
    track: usize,
    next_chunk: usize,
    bytes: Vec<u8>,
    at: usize,
    coder: Coder,
    events: u64,
}

impl Cursor {
    /// Returns the position before the first event of a track.
    pub const fn new(track: usize) -> Self {
        let coder = Coder::new(0);
        Self { track, next_chunk: 0, bytes: Vec::new(), at: 0, coder, events: 0 }
    }

    /// Reads the next event; returns `None` at the end of the track.
    pub fn next<R: Read + Seek>(
        &mut self,
        of: &mut Recording<R>,
    ) -> Result<Option<Event>, RecordingError> {
        self.next_of_parts(of)
    }

    /// Reads the next event of parts with at most `N` links.
    pub(super) fn next_of_parts<R: Read + Seek, H, const N: usize>(
        &mut self,
        of: &mut Recording<R, H>,
    ) -> Result<Option<Event<N>>, RecordingError> {
        while self.at >= self.bytes.len() {
            let Some(frame) = of.chunk(self.track, self.next_chunk)? else { return Ok(None) };
            self.next_chunk += 1;
            self.bytes = frame.unpack()?;
            let start = self.bytes.first_chunk::<START>();
            let start = start.map(|start| u64::from_le_bytes(*start));
            let start = start.filter(|&start| start >= self.coder.now());
            let start = start.ok_or_else(|| RecordingError::nonsense("time goes backwards"))?;
            self.coder = Coder::new(start);
            self.at = START;
        }
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        let event = self.coder.decode(&mut rest);
        let event = event.ok_or_else(|| RecordingError::nonsense("an event that is none"))?;
        self.at = self.bytes.len() - rest.len();
        self.events += 1;
        Ok(Some(event))
    }

    /// Returns the number of events that were read.
    pub const fn events(&self) -> u64 {
        self.events
    }
}
