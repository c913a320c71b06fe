//! The shares of the residual that sweeps take, and in the exact mode the residuals of versions.

use crate::base::id::SubdomainId;
use crate::base::sync::AtomicU64;
use crate::base::table::At;
use crate::base::unit::Unit;
use crate::node::worker::{self, Detection, GlobalProgress, Shares, Sum, Taking, Versions};
use crate::parts::Graph;
use crate::parts::halo::Publication;
use crate::run::convergence::takes_residual;
use crate::run::progress::Progress;
use crate::run::{Mode, RunConfig};

/// The residual shares of a run that go beyond what each part publishes.
#[derive(Debug)]
pub struct Residuals<'m> {
    /// The residuals of versions, and the shares of each part in them; none where they are not
    /// collected.
    versions: Option<(worker::Residuals<AtomicU64>, &'m [Shares<AtomicU64>])>,
}

impl<'m> Residuals<'m> {
    /// Returns the residuals of a run. Those of versions are collected in the exact mode only;
    /// `is_alone` says that there is no other process.
    pub(super) fn new<G: Graph<N>, const N: usize>(
        config: &RunConfig,
        graph: &G,
        is_alone: bool,
        shares: &'m [Shares<AtomicU64>],
    ) -> Self {
        let versions = (config.mode == Mode::Exact).then(|| {
            let residuals = if is_alone {
                worker::Residuals::new(graph.diameter())
            } else {
                worker::Residuals::among_nodes()
            };
            (residuals, shares)
        });
        Self { versions }
    }

    /// Returns how the sweep of a part from `version` takes its share of the residual; none where
    /// it takes none.
    #[inline]
    pub(super) fn taking_at(&self, version: u64) -> Option<Taking> {
        match &self.versions {
            Some((versions, _)) => versions.taking_at(version),
            None => takes_residual(version).then_some(Taking::Fused),
        }
    }

    /// Publishes a part's share of the residual of `version`, as a sum of squares, before the
    /// update of that version. Does nothing without a share.
    #[inline]
    pub(super) fn publish<F: Unit, const N: usize>(
        &self,
        (id, publication): (SubdomainId, &Publication<'_, F, N>),
        (version, taken): (u64, Option<Taking>),
        share: Option<f64>,
    ) {
        let Some(squares) = share else { return };
        publication.publish_residual(squares);
        if let Some((versions, shares)) = &self.versions
            && let Some(taken) = taken
        {
            versions.publish_share(shares.at(id), Sum { version, taken, squares });
        }
    }

    /// Returns the residuals of versions, where they are collected.
    pub(super) fn versions(&self) -> Option<Versions<'_, AtomicU64>> {
        let (residuals, shares) = self.versions.as_ref()?;
        Some(Versions { residuals, shares })
    }

    /// Looks at the progress and the residual of all for the end of the run; returns whether all
    /// are to halt.
    pub(super) fn look(&self, detection: &mut Detection, all: &GlobalProgress) -> bool {
        let versions = self.versions.as_ref().map(|(versions, _)| (versions, all.known));
        detection.look(|| all.sum, versions, &all.progress)
    }

    /// Records the residual, as a sum of squares, of the version at which everybody is halted.
    pub(super) fn halted(&self, progress: &Progress, squares: f64) {
        if let Some((versions, _)) = &self.versions {
            versions.halted(progress.least, squares);
        }
    }

    /// Returns the last known residual and its version. None where another becomes known at this
    /// moment. Without residuals of versions, returns that of `published`, and no version.
    pub fn seen(&self, published: impl FnOnce() -> f64) -> Option<(f64, Option<u64>)> {
        match &self.versions {
            Some((versions, _)) => {
                versions.known().map(|known| (known.squares, Some(known.version)))
            }
            None => Some((published(), None)),
        }
    }
}
