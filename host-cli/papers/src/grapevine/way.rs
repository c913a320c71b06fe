//! The ways to balance.

use tresse_core::balance::grapevine::{Cmf, CmfUpdate, Config, Criterion, Pass, SenderLoad, View};

use super::case::Case;
use super::published::{self, Table};
use tresse_traces::balancing::Method;

/// A way to balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Slides' parameters, with the loads that a decision sees.
    Slides(Criterion, View),
    /// Our best parameters.
    Ours,
    /// Longest processing time first, with knowledge of every load.
    Lpt,
    /// Largest differencing method, with knowledge of every load.
    KarmarkarKarp,
}

pub(super) const ORIGINAL: Way = Way::Slides(Criterion::Original, View::Live);
pub(super) const RELAXED: Way = Way::Slides(Criterion::Relaxed, View::Live);
pub(super) const ORIGINAL_GOSSIPED: Way = Way::Slides(Criterion::Original, View::Gossiped);
pub(super) const RELAXED_GOSSIPED: Way = Way::Slides(Criterion::Relaxed, View::Gossiped);

/// The central references.
pub(super) const CENTRAL: [Way; 2] = [Way::Lpt, Way::KarmarkarKarp];

/// All ways that work without knowledge of every load.
pub(super) const DISTRIBUTED: [Way; 5] =
    [ORIGINAL, RELAXED, ORIGINAL_GOSSIPED, RELAXED_GOSSIPED, Way::Ours];

impl Way {
    /// Returns all ways for a case. With 2¹⁵ objects the slides have criterion 6' only.
    pub fn all(case: Case) -> impl Iterator<Item = Self> {
        let is_shown = move |way: &Self| {
            case != Case::MoreObjects || !matches!(way, Self::Slides(Criterion::Original, _))
        };
        DISTRIBUTED.into_iter().chain(CENTRAL).filter(is_shown)
    }

    /// Returns the name of the way in labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slides(Criterion::Original, View::Live) => "criterion 6, live loads",
            Self::Slides(Criterion::Relaxed, View::Live) => "criterion 6', live loads",
            Self::Slides(Criterion::Original, View::Gossiped) => "criterion 6, gossiped loads",
            Self::Slides(Criterion::Relaxed, View::Gossiped) => "criterion 6', gossiped loads",
            Self::Ours => "ours, gossiped loads",
            Self::Lpt => "central, longest first",
            Self::KarmarkarKarp => "central, Karmarkar-Karp",
        }
    }

    /// Returns a label that tells the way from the others for a case.
    pub fn label(self, case: Case) -> String {
        format!("{}, {}", case.name(), self.name())
    }

    /// Returns the method, with the parameters that the slides have for the case.
    pub fn method(self, case: Case) -> Method {
        match self {
            Self::Slides(criterion, view) => Method::Grapevine(slides(case, criterion, view)),
            Self::Ours => Method::Grapevine(Config::DISTRIBUTED),
            Self::Lpt => Method::Lpt,
            Self::KarmarkarKarp => Method::KarmarkarKarp,
        }
    }

    /// Returns the slide's table; it has live loads.
    pub fn published(self, case: Case) -> Option<Table> {
        match (case, self) {
            (Case::TenThousand, ORIGINAL) => Some(published::ORIGINAL),
            (Case::TenThousand, RELAXED) => Some(published::RELAXED),
            (Case::MoreObjects, RELAXED) => Some(published::MORE_OBJECTS),
            _ => None,
        }
    }

    /// Returns the slide's statistics of the loads at the end.
    pub fn published_loads(self, case: Case) -> Option<published::Loads> {
        match (case.is_eight(), self) {
            (true, ORIGINAL) => Some(published::EIGHT_ORIGINAL),
            (true, RELAXED) => Some(published::EIGHT_RELAXED),
            _ => None,
        }
    }
}

/// Returns the slides' parameters. With gossiped loads as vt has them: chances by the largest known
/// load, computed again after each acceptance, each object proposed once, nothing refused.
fn slides(case: Case, criterion: Criterion, view: View) -> Config {
    let (fanout, rounds, iterations) = if case.is_eight() { (4, 4, 5) } else { (6, 10, 10) };
    let live = Config { criterion, fanout, rounds, iterations, ..Config::SLIDES };
    match view {
        View::Live => live,
        View::Gossiped => Config {
            view,
            cmf: Cmf::NormByMax,
            cmf_update: CmfUpdate::AfterAcceptance,
            pass: Pass::Single,
            sender_load: SenderLoad::Current,
            ..live
        },
    }
}
