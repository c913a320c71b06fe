//! The head and the end of a pool's recording, as JSON.

use serde::{Deserialize, Serialize};
use tresse_core::tasks::sharing::{Arbitration, Method, Release, SharingConfig};

use super::super::error::RecordingError;
use super::spans::LONGEST;

/// The head: subject, configuration and tracks of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolHead {
    /// The version of the program that wrote the recording.
    pub program: String,
    /// Subject of the pool's work, as in `tree T1L`.
    pub subject: String,
    /// Configuration of the sharing; valid. None where each task went to whoever was free, without
    /// managers.
    pub config: Option<SharingConfig>,
    /// Number of workers, whose tracks come first.
    pub workers: u32,
    /// Number of managers.
    pub managers: u32,
    /// Whether each manager had a core of its own; otherwise workers took turns.
    pub has_own_cores: bool,
    /// Cores of the workers, by their numbers; empty where the cores are unknown or virtual.
    pub cores: Vec<u32>,
    /// Description of the machine, for people.
    pub machine: String,
    /// Whether time was virtual.
    pub is_virtual: bool,
}

impl PoolHead {
    pub(super) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&HeadForm::of(self))
    }

    /// Parses and checks the head.
    pub(super) fn from_json(json: &[u8]) -> Result<Self, RecordingError> {
        let form: HeadForm = serde_json::from_slice(json)
            .map_err(|error| RecordingError::nonsense(format!("its head: {error}")))?;
        let read = |form: &SharingForm| {
            let config = form.read().filter(|config| config.validate().is_ok());
            config.ok_or_else(|| RecordingError::nonsense("its method"))
        };
        let config = form.sharing.as_ref().map(read).transpose()?;
        if form.workers == 0 || (form.managers == 0) != config.is_none() {
            return Err(RecordingError::nonsense("a pool of nobody"));
        }
        if !form.cores.is_empty() && form.cores.len() != form.workers as usize {
            return Err(RecordingError::nonsense("workers without a core"));
        }
        Ok(Self {
            program: form.program,
            subject: form.subject,
            config,
            workers: form.workers,
            managers: form.managers,
            has_own_cores: form.has_own_cores,
            cores: form.cores,
            machine: form.machine,
            is_virtual: form.is_virtual,
        })
    }
}

/// The end of a pool's recording.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PoolEnd {
    /// Time at which the run ended, in nanoseconds.
    pub(super) end: u64,
    /// Number of spans of all tracks.
    pub(super) spans: u64,
    /// See [`PoolRecording::messages`](super::PoolRecording::messages).
    pub(super) messages: u64,
}

impl PoolEnd {
    /// Parses and checks the end.
    pub(super) fn from_json(json: &[u8]) -> Result<Self, RecordingError> {
        let end: Self = serde_json::from_slice(json)
            .map_err(|error| RecordingError::nonsense(format!("its end: {error}")))?;
        if end.end > LONGEST {
            return Err(RecordingError::nonsense("its end: too late"));
        }
        Ok(end)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadForm {
    program: String,
    subject: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sharing: Option<SharingForm>,
    workers: u32,
    managers: u32,
    has_own_cores: bool,
    cores: Vec<u32>,
    machine: String,
    #[serde(rename = "virtual")]
    is_virtual: bool,
}

/// The written form of the configuration, with choices in their grammar.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SharingForm {
    method: String,
    chunk: u32,
    interval: u32,
    copies: u32,
    window: u32,
    arbitration: String,
    release: String,
    seed: u64,
}

impl HeadForm {
    /// Writes the head in its form.
    fn of(head: &PoolHead) -> Self {
        Self {
            program: head.program.clone(),
            subject: head.subject.clone(),
            sharing: head.config.as_ref().map(SharingForm::of),
            workers: head.workers,
            managers: head.managers,
            has_own_cores: head.has_own_cores,
            cores: head.cores.clone(),
            machine: head.machine.clone(),
            is_virtual: head.is_virtual,
        }
    }
}

impl SharingForm {
    /// Writes the choices about sharing in their grammar.
    fn of(config: &SharingConfig) -> Self {
        let SharingConfig { method, chunk, interval, copies, window, arbitration, release, seed } =
            *config;
        let (method, arbitration) = (method.to_string(), arbitration.to_string());
        let release = release.to_string();
        Self { method, chunk, interval, copies, window, arbitration, release, seed }
    }

    /// Parses the choices about sharing; `None` where one of them is no valid text.
    fn read(&self) -> Option<SharingConfig> {
        Some(SharingConfig {
            method: Method::parse(&self.method).ok()?,
            chunk: self.chunk,
            interval: self.interval,
            copies: self.copies,
            window: self.window,
            arbitration: Arbitration::parse(&self.arbitration).ok()?,
            release: Release::parse(&self.release).ok()?,
            seed: self.seed,
        })
    }
}
