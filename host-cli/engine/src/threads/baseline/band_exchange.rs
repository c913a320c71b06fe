//! The exchange of rows between the bands of neighbouring processes.

use tresse_core::node::executor::Alone;

/// The rows at both ends of a process' bands; none on a side where the grid ends, or where the
/// process has no bands.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, F> {
    /// Row next to the process with the band above.
    pub above: Option<&'a [F]>,
    /// Row next to the process with the band below.
    pub below: Option<&'a [F]>,
}

impl<F> Rows<'_, F> {
    /// No rows, for a process without bands above or below.
    pub const NONE: Self = Self { above: None, below: None };
}

/// The exchange of rows between the bands of neighbouring processes; of one process, see [`Alone`].
///
/// All processes make the same calls in the same order, one at a time, on any thread.
pub trait BandExchange<F>: Send {
    /// Gives the outermost rows of this process' bands to the processes above and below, and
    /// returns theirs, for the same sides.
    fn exchange(&mut self, own: Rows<'_, F>) -> Rows<'_, F>;

    /// Returns the sum over the bands of all processes, each of which hands in that of each of its
    /// own, from the first row on: summed in this order, to the bit what one process with all bands
    /// would come to. Tells all others whether this process was interrupted.
    fn sum(&mut self, bands: &[f64], is_interrupted: bool) -> f64;

    /// Reports whether the run is to end, which every process sees at the same iteration: as the
    /// last sum has told, or, with nobody else, as soon as this process is interrupted.
    fn is_interrupted(&self, is_here: bool) -> bool;
}

impl<F> BandExchange<F> for Alone {
    fn exchange(&mut self, _: Rows<'_, F>) -> Rows<'_, F> {
        Rows::NONE
    }

    fn sum(&mut self, bands: &[f64], _: bool) -> f64 {
        bands.iter().sum()
    }

    fn is_interrupted(&self, is_here: bool) -> bool {
        is_here
    }
}
