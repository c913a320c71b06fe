//! The cases to balance: the slides' drawn objects, their eight processors, and a twin of those.

use std::path::PathBuf;
use std::sync::Arc;

use tresse_core::base::id::ProcessorId;

use super::twin;
use crate::Objects;
use tresse_traces::load_traces::generate::{Drawn, Interval, Loads, Setup, phase};
use tresse_traces::load_traces::{Limits, LoadTraceError, PhaseObjects, read};

/// One of the slides' cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// 10⁴ objects on 16 of 2¹² processors.
    TenThousand,
    /// 2¹⁵ objects on 16 of 2¹² processors.
    MoreObjects,
    /// Eight processors with 100 objects that we draw.
    Twin,
    /// Loads that were recorded.
    Recorded,
}

/// Variable that names the folder with the load traces.
const TRACES: &str = "TRESSE_TRACES";
/// Subfolder with the traces behind the slide.
const FOLDER: &str = "vt_example_lb_data";
/// Limits far above the size of the traces.
const LIMITS: Limits = Limits { file: 1 << 24, memory: 1 << 28 };

/// Returns the first phase of the load trace, where the environment says where it is.
pub(super) fn recorded() -> Result<Option<Arc<PhaseObjects>>, LoadTraceError> {
    let folder = std::env::var_os(TRACES).map(|traces| PathBuf::from(traces).join(FOLDER));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else { return Ok(None) };
    let trace = read(&[folder], Some("data"), LIMITS, &|| {})?;
    Ok(trace.phases().first().map(|phase| Arc::new(phase.objects())))
}

/// Returns a remark on getting the recorded case.
pub(super) fn remark() -> String {
    format!(
        "the load trace of eight processors is left out: {TRACES} does not name a folder with \
         {FOLDER}"
    )
}

impl Case {
    pub const ALL: [Self; 4] = [Self::TenThousand, Self::MoreObjects, Self::Twin, Self::Recorded];

    /// Returns the name of the case in labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TenThousand => "10^4 objects",
            Self::MoreObjects => "2^15 objects",
            Self::Twin => "8 processors, twin",
            Self::Recorded => "8 processors, recorded",
        }
    }

    /// Returns the case's name with its processors.
    pub const fn full_name(self) -> &'static str {
        match self {
            Self::TenThousand => "10^4 objects on 16 of 4096 processors",
            Self::MoreObjects => "2^15 objects on 16 of 4096 processors",
            Self::Twin => "100 objects on 8 processors, a twin of the recorded ones",
            Self::Recorded => "100 recorded objects on 8 processors",
        }
    }

    /// Reports whether it is the slides' application.
    pub const fn is_eight(self) -> bool {
        matches!(self, Self::Twin | Self::Recorded)
    }

    /// Returns the objects of the case, where they are available: drawn anew for each replicate, or
    /// recorded.
    pub fn objects(self, recorded: Option<&Arc<PhaseObjects>>) -> Option<Objects> {
        Some(match self {
            Self::TenThousand => {
                Objects::Drawn(|seed| drawn(phase(&set_up(10_000), seed), PROCESSORS))
            }
            Self::MoreObjects => {
                Objects::Drawn(|seed| drawn(phase(&set_up(1 << 15), seed), PROCESSORS))
            }
            Self::Twin => Objects::Drawn(|seed| drawn(twin::draw(seed), twin::PROCESSORS)),
            Self::Recorded => Objects::Recorded(Arc::clone(recorded?)),
        })
    }
}

/// Number of processors: 16 × 16 × 16.
const PROCESSORS: u32 = 1 << 12;

/// Returns a set-up with uniform loads from 10 µs to 100 ms; each object is on one of 16
/// processors.
const fn set_up(objects: u32) -> Setup {
    let loads = Loads::Uniform(Interval { low: 1e-5, high: 1e-1 });
    Setup { processors: PROCESSORS, objects, on: 16, loads }
}

/// Turns drawn objects into those of a phase, whose ranks need no memory.
fn drawn(drawn: Drawn, processors: u32) -> PhaseObjects {
    let Drawn { seconds, owners } = drawn;
    let rank_bytes = vec![0.0; ProcessorId(processors).index()];
    PhaseObjects { seconds, owners, rank_bytes, ..PhaseObjects::default() }
}
