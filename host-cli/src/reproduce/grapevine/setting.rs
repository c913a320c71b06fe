//! How it is balanced.

use tresse_core::balance::grapevine::{Cmf, CmfUpdate, Config, Criterion, Pass, SenderLoad, View};

use super::case::Case;
use crate::balancing::Method;
use crate::reproduce::published::grapevine::{self as published, Table};

/// A way to balance a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The slides' parameters, and which loads a decision sees.
    Slides(Criterion, View),
    /// Our best.
    Ours,
    /// The longest processing time first, by somebody who knows every load.
    Lpt,
    /// The largest differencing method, by somebody who knows every load.
    KarmarkarKarp,
}

pub(super) const ORIGINAL: Way = Way::Slides(Criterion::Original, View::Live);
pub(super) const RELAXED: Way = Way::Slides(Criterion::Relaxed, View::Live);
pub(super) const ORIGINAL_GOSSIPED: Way = Way::Slides(Criterion::Original, View::Gossiped);
pub(super) const RELAXED_GOSSIPED: Way = Way::Slides(Criterion::Relaxed, View::Gossiped);

/// The central references.
pub(super) const CENTRAL: [Way; 2] = [Way::Lpt, Way::KarmarkarKarp];

/// All ways that do not know every load.
pub(super) const DISTRIBUTED: [Way; 5] =
    [ORIGINAL, RELAXED, ORIGINAL_GOSSIPED, RELAXED_GOSSIPED, Way::Ours];

/// A case and a way to balance it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub case: Case,
    pub way: Way,
}

impl Way {
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

    /// Whether it makes iterations.
    pub const fn is_distributed(self) -> bool {
        matches!(self, Self::Slides(..) | Self::Ours)
    }
}

impl Setting {
    /// All of a case. With 2¹⁵ objects the slides have criterion 6' only.
    pub fn all(case: Case) -> impl Iterator<Item = Self> {
        let is_shown = move |way: &Way| {
            case != Case::MoreObjects || !matches!(way, Way::Slides(Criterion::Original, _))
        };
        let ways = DISTRIBUTED.into_iter().chain(CENTRAL).filter(is_shown);
        ways.map(move |way| Self { case, way })
    }

    /// What distinguishes it from the others.
    pub fn label(self) -> String {
        format!("{}, {}", self.case.name(), self.way.name())
    }

    pub fn method(self, seed: u64) -> Method {
        match self.way {
            Way::Slides(criterion, view) => Method::Grapevine(self.slides(criterion, view, seed)),
            Way::Ours => Method::Grapevine(Config { seed, ..Config::DISTRIBUTED }),
            Way::Lpt => Method::Lpt,
            Way::KarmarkarKarp => Method::KarmarkarKarp,
        }
    }

    /// The slides' parameters. With gossiped loads as vt has them: chances by the largest known
    /// load, computed again after each acceptance, each object proposed once, nothing refused.
    fn slides(self, criterion: Criterion, view: View, seed: u64) -> Config {
        let (fanout, rounds, iterations) =
            if self.case.is_eight() { (4, 4, 5) } else { (6, 10, 10) };
        let live = Config { criterion, fanout, rounds, iterations, seed, ..Config::SLIDES };
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

    /// The slide's table; it has live loads.
    pub fn published(self) -> Option<Table> {
        match (self.case, self.way) {
            (Case::TenThousand, ORIGINAL) => Some(published::ORIGINAL),
            (Case::TenThousand, RELAXED) => Some(published::RELAXED),
            (Case::MoreObjects, RELAXED) => Some(published::MORE_OBJECTS),
            _ => None,
        }
    }

    /// The slide's statistics of the loads at the end.
    pub fn published_loads(self) -> Option<published::Loads> {
        match (self.case.is_eight(), self.way) {
            (true, ORIGINAL) => Some(published::EIGHT_ORIGINAL),
            (true, RELAXED) => Some(published::EIGHT_RELAXED),
            _ => None,
        }
    }
}
