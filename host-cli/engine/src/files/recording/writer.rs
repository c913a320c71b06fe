//! The thread that compresses and stores the events of the tracks.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use tresse_core::run;
use tresse_files::field::{FieldHash, FieldHasher};
use tresse_files::recording::chunk::START;
use tresse_files::recording::format::{FrameWriter, Kind, NUMBERS};
use tresse_files::recording::{End, Head, PartsHead};
use tresse_files::stored_cell::StoredCell;

use super::messages::Message;
use super::parts::Part;
use super::recorder::{NoiseTrack, Track, WorkerTrack};
use super::since::Since;
use crate::files::output::{OutputError, OutputFile};
use crate::threads::Observers;
use tresse_platform::noise::Bursts;

/// Number of bytes in a buffer: some ten thousand sweeps, a few hundredths of a second.
const BUFFER: usize = 64 << 10;
/// Number of buffers of a track: one that is being filled, and two on their way.
const BUFFERS: usize = 3;

/// A recording that is about to be written.
pub struct Recorder {
    observers: Observers<WorkerTrack>,
    unfinished: Unfinished,
}

/// The first frame of a recording; a part of one has none.
enum RecordedHead {
    Run(Box<Head>),
    Parts(Box<PartsHead>),
    None,
}

/// A recording without its end; where [`Unfinished::finish`] is not called, no file is left.
pub struct Unfinished {
    to_writer: SyncSender<Message>,
    writer: JoinHandle<Result<(), OutputError>>,
}

impl Recorder {
    /// Starts the writer.
    pub fn start(head: Head, file: OutputFile) -> Result<Self, OutputError> {
        let number = |tracks: usize| u32::try_from(tracks).unwrap_or(u32::MAX);
        let (workers, all) = (number(head.cores.len()), number(head.tracks()));
        Self::start_on(0..workers, workers..all, RecordedHead::Run(Box::new(head)), file)
    }

    /// Starts the writer of parts of one's own, on workers without noise of ours.
    pub fn start_parts(head: PartsHead, file: OutputFile) -> Result<Self, OutputError> {
        let workers = u32::try_from(head.cores.len()).unwrap_or(u32::MAX);
        Self::start_on(0..workers, 0..0, RecordedHead::Parts(Box::new(head)), file)
    }

    /// Starts the writer of a part. The times of all parts are since their starts, which should be
    /// at the same moment.
    pub fn start_part(part: Part, file: OutputFile) -> Result<Self, OutputError> {
        Self::start_on(part.workers, part.noise, RecordedHead::None, file)
    }

    /// Starts the writer and a track for each worker and source of noise, by their numbers in the
    /// whole run. A part of a recording has no head.
    fn start_on(
        workers: Range<u32>,
        noise: Range<u32>,
        head: RecordedHead,
        file: OutputFile,
    ) -> Result<Self, OutputError> {
        let (first, number) = (workers.start, workers.len());
        let numbers: Vec<_> = workers.chain(noise).collect();
        let (to_writer, messages) = sync_channel(numbers.len() * BUFFERS + 1);
        let (mut empty, mut buffers) = (Vec::new(), Vec::new());
        for _ in &numbers {
            let (back, from_writer) = sync_channel(BUFFERS);
            for _ in 0..BUFFERS {
                // There is room for all of them.
                let _ = back.try_send(Vec::with_capacity(BUFFER));
            }
            empty.push(back);
            buffers.push(from_writer);
        }
        let failed = file.clone();
        let writer = Builder::new()
            .name("recording".into())
            .spawn(move || file.write(|to| write(&head, &messages, &empty, to)))
            .map_err(|source| failed.failed(source))?;
        let since = Since::start();
        let mut all = numbers.into_iter().zip(0..).zip(buffers).map(|(numbers, buffers)| {
            Track::new(numbers, since.clone(), to_writer.clone(), buffers)
        });
        let workers = all.by_ref().take(number).map(|track| WorkerTrack::new(track, first));
        let workers = workers.collect();
        let noise = all.map(|track| Box::new(NoiseTrack::new(track)) as Box<dyn Bursts>).collect();
        let unfinished = Unfinished { to_writer, writer };
        Ok(Self { observers: Observers { workers, noise }, unfinished })
    }

    /// Returns the observers of the run, and the unfinished recording.
    pub fn into_parts(self) -> (Observers<WorkerTrack>, Unfinished) {
        (self.observers, self.unfinished)
    }
}

impl Unfinished {
    /// Writes the end of a run, and the reason for it, once all observers are dropped; the file is
    /// then whole.
    pub fn finish(self, field: FieldHash, why: run::End) -> Result<(), OutputError> {
        self.end(field, Some(why))
    }

    /// Ends the recording, and waits for the writer to store it.
    fn end(self, field: FieldHash, why: Option<run::End>) -> Result<(), OutputError> {
        // A writer that is gone has an error to tell.
        let _ = self.to_writer.send(Message::End(field, why));
        match self.writer.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Writes the end of a part, with the cells of its band, in rows of `columns` cells.
    pub fn finish_part<F: StoredCell>(
        self,
        cells: &[F],
        columns: usize,
    ) -> Result<(), OutputError> {
        let mut hash = FieldHasher::new(cells.len() / columns.max(1), columns);
        for cells in cells.chunks(NUMBERS) {
            let mut bytes = Vec::new();
            F::to_bytes(cells, &mut bytes);
            hash.add(&bytes);
            if self.to_writer.send(Message::Cells(bytes)).is_err() {
                break;
            }
        }
        self.end(hash.finish(), None)
    }

    /// Stops the recording without leaving a file.
    pub fn abandon(self) {
        drop(self.to_writer);
        // Nothing was to be stored: that it was not is no news.
        let _ = self.writer.join();
    }
}

/// Writes frames until the run ends, and gives each track its buffers back. It is an error where
/// the tracks are gone before.
fn write(
    head: &RecordedHead,
    messages: &Receiver<Message>,
    empty: &[SyncSender<Vec<u8>>],
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut frames = FrameWriter::begin(to)?;
    match head {
        RecordedHead::Run(head) => head.write(&mut frames)?,
        RecordedHead::Parts(head) => head.write(&mut frames)?,
        RecordedHead::None => {}
    }
    let (mut events, mut sweeps) = (0, 0);
    for message in messages {
        match message {
            Message::Chunk(chunk) => {
                debug_assert!(chunk.bytes.len() > START, "an empty chunk");
                frames.write(Kind::Events, chunk.track, &chunk.bytes)?;
                events += chunk.events;
                sweeps += chunk.sweeps;
                if let Some(back) = empty.get(chunk.place) {
                    // A track that has ended wants no more buffers.
                    let _ = back.try_send(chunk.bytes);
                }
            }
            Message::Cells(bytes) => frames.write(Kind::Array, 0, &bytes)?,
            Message::End(field, why) => {
                let end = End { events, sweeps, field, why };
                return frames.write(Kind::End, 0, &end.to_json()?);
            }
        }
    }
    Err(io::Error::other("the run has not come to its end"))
}
