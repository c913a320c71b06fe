//! The widths of vectors that kernels are compiled for.

use std::iter;

/// A width of vectors. A kernel may only be made for one of [`Width::supported`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// That of every build.
    Baseline,
}

impl Width {
    /// Returns the widths that this processor supports, the fastest first.
    pub fn supported() -> impl Iterator<Item = Self> {
        Self::wide().chain(iter::once(Self::Baseline))
    }

    /// Returns the fastest width that this processor supports.
    pub fn best() -> Self {
        Self::wide().next().unwrap_or(Self::Baseline)
    }

    /// Returns the name of the width in reports.
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            Self::Baseline => "baseline",
        }
    }

    /// Returns the widths beyond the baseline that this processor has, the widest first.
    #[cfg(target_arch = "x86_64")]
    fn wide() -> impl Iterator<Item = Self> {
        let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl");
        let avx2 = is_x86_feature_detected!("avx2");
        [avx512.then_some(Self::Avx512), avx2.then_some(Self::Avx2)].into_iter().flatten()
    }

    /// Returns no widths beyond the baseline, as on other processors none are known.
    #[cfg(not(target_arch = "x86_64"))]
    fn wide() -> impl Iterator<Item = Self> {
        iter::empty()
    }
}
