//! Records the events of workers and parasites while they happen.
//!
//! The clock is read once a sweep, at its end: whatever a worker does between two events belongs to
//! the later one.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError};
use std::thread;
use std::time::Duration;

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::parts::ownership::Move;
use tresse_files::recording::chunk::{Coder, event_most};
use tresse_files::recording::{Event, Swept, What};

use super::messages::{Chunk, Message};
use super::since::Since;
use crate::threads::{Activity, Observer, Sweep};
use tresse_platform::noise::Bursts;

/// Time to wait for an empty buffer before looking again; the writer takes about as long for one
/// buffer.
const BACK_SOON: Duration = Duration::from_micros(100);

/// A track, whose events go to the writer.
///
/// There are some buffers; the full ones go to the writer and come back empty. While none is back,
/// the track waits.
pub(super) struct Track {
    /// Number of the track in the recording.
    number: u32,
    /// Place of the track among those of the writer.
    place: usize,
    since: Since,
    coder: Coder,
    bytes: Vec<u8>,
    events: u64,
    sweeps: u64,
    full: SyncSender<Message>,
    empty: Receiver<Vec<u8>>,
    /// Whether the writer has stopped; it has failed, and reports the failure itself.
    lost: bool,
}

impl Track {
    /// Returns the track `number` of the recording, at `place` among those of this process. Full
    /// buffers go to the writer through `full`, and come back through `empty`, which has at least
    /// one.
    pub(super) fn new(
        (number, place): (u32, usize),
        since: Since,
        full: SyncSender<Message>,
        empty: Receiver<Vec<u8>>,
    ) -> Self {
        let mut track = Self {
            number,
            place,
            since,
            coder: Coder::new(0),
            bytes: Vec::new(),
            events: 0,
            sweeps: 0,
            full,
            empty,
            lost: false,
        };
        track.start_chunk();
        track
    }

    /// Starts a chunk in an empty buffer, for which it may wait. The track is lost where the writer
    /// is gone.
    fn start_chunk(&mut self) {
        self.bytes = loop {
            match self.empty.try_recv() {
                Ok(bytes) => break bytes,
                // Not `recv`, which allocates where it has to wait.
                Err(TryRecvError::Empty) => thread::sleep(BACK_SOON),
                Err(TryRecvError::Disconnected) => {
                    self.lost = true;
                    return;
                }
            }
        };
        self.bytes.clear();
        self.coder = Coder::new(self.coder.now());
        self.bytes.extend(self.coder.now().to_le_bytes());
    }

    #[inline]
    fn clock(&self) -> Instant {
        self.since.now()
    }

    /// Returns the end of the previous event.
    #[inline]
    fn last(&self) -> Instant {
        Instant(self.coder.now())
    }

    /// Encodes an event; a full chunk goes to the writer before.
    #[inline]
    fn push<const N: usize>(&mut self, event: Event<N>) {
        if self.bytes.capacity() - self.bytes.len() < event_most(N) {
            self.hand_over();
            if self.lost {
                return;
            }
        }
        self.events += 1;
        self.coder.encode(&event, &mut self.bytes);
    }

    /// Adds a sweep; out of line, so that the loop over the sweeps is compiled as it is without a
    /// recording.
    #[inline(never)]
    fn push_sweep<const N: usize>(
        &mut self,
        subdomain: SubdomainId,
        version: u64,
        halos: &[Option<u64>; N],
    ) {
        self.sweeps += 1;
        let swept = Swept { subdomain, version, halos: *halos };
        self.push_until_now(self.last(), What::Sweep(swept));
    }

    /// Adds an event that has lasted since `start` and ends now.
    #[inline]
    fn push_until_now<const N: usize>(&mut self, start: Instant, what: What<N>) {
        let end = self.clock();
        self.push(Event { start, end, what });
    }

    /// Sends the chunk to the writer and starts the next one.
    #[cold]
    fn hand_over(&mut self) {
        self.send();
        if !self.lost {
            self.start_chunk();
        }
    }

    /// Sends the chunk to the writer, if there is any event in it.
    fn send(&mut self) {
        if self.lost || self.events == 0 {
            return;
        }
        let chunk = Chunk {
            track: self.number,
            place: self.place,
            bytes: std::mem::take(&mut self.bytes),
            events: std::mem::take(&mut self.events),
            sweeps: std::mem::take(&mut self.sweeps),
        };
        // There is room for every buffer that exists.
        self.lost = self.full.send(Message::Chunk(chunk)).is_err();
    }
}

/// Sends the last chunk, whatever its length.
impl Drop for Track {
    fn drop(&mut self) {
        self.send();
    }
}

/// Records one worker.
pub struct WorkerTrack {
    track: Track,
    /// Number in the recording of the process' first worker.
    first: u32,
    /// Time at which the worker turned from its sweeps.
    turned: Instant,
    /// Start and activity of the idle time since the last event.
    idle: Option<(Instant, Activity)>,
}

impl WorkerTrack {
    /// Returns the track of a worker; worker 0 of its process is number `first` in the recording.
    pub(super) fn new(track: Track, first: u32) -> Self {
        Self { track, first, turned: Instant::ZERO, idle: None }
    }

    /// Records the time of idling up to now, if the worker was idle.
    #[cold]
    fn end_idling(&mut self) {
        if let Some((start, why)) = self.idle.take() {
            self.track.push_until_now::<4>(start, What::Did(why));
        }
    }
}

impl<T, const N: usize> Observer<T, N> for WorkerTrack {
    #[inline]
    fn starts(&mut self, _: Sweep<'_, T, N>) {
        if self.idle.is_some() {
            self.end_idling();
        }
    }

    #[inline]
    fn ends(&mut self, sweep: Sweep<'_, T, N>) {
        let Sweep { subdomain, version, halos, .. } = sweep;
        self.track.push_sweep(subdomain, version, halos);
    }

    fn turns(&mut self) {
        self.end_idling();
        self.turned = self.track.clock();
    }

    fn returns(&mut self, activity: Activity) {
        let start = self.turned.max(self.track.last());
        self.track.push_until_now::<4>(start, What::Did(activity));
    }

    fn idles(&mut self, why: Activity) {
        if self.idle.is_none_or(|(_, before)| before != why) {
            self.end_idling();
            self.idle = Some((self.track.clock(), why));
        }
    }

    fn moves(&mut self, made: Move) {
        let at = self.turned.max(self.track.last());
        let worker = |own: WorkerId| WorkerId(self.first.saturating_add(own.0));
        let made = Move { from: worker(made.from), to: worker(made.to), ..made };
        self.track.push::<4>(Event { start: at, end: at, what: What::Moved(made) });
    }

    fn takes(&mut self, subdomain: SubdomainId) {
        self.end_idling();
        let at = self.track.clock();
        self.track.push::<4>(Event { start: at, end: at, what: What::Took(subdomain) });
    }
}

/// Records one parasite.
pub struct NoiseTrack {
    track: Track,
    began: Instant,
}

impl NoiseTrack {
    pub(super) fn new(track: Track) -> Self {
        Self { track, began: Instant::ZERO }
    }
}

impl Bursts for NoiseTrack {
    fn begins(&mut self) {
        self.began = self.track.clock();
    }

    fn ends(&mut self) {
        self.track.push_until_now::<4>(self.began, What::Burst);
    }
}
