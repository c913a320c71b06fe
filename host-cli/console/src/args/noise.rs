//! Noise beside what a command runs.

use clap::Args;
use tresse_core::run::noise::{NoiseChoice, Parasite};

/// Choices of noise.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct NoiseChoices {
    /// Noise, and the cores that it slows down.
    #[arg(id = "noise", long, value_name = "WHERE,WHAT", help_heading = "Machine")]
    #[arg(help = format!(
        "A parasite beside the workers: core=C, socket=S or node=N, or by the seed any-core=K, any-socket=K or \
         any-node=K (K of them, or a range such as 0..15); then, after a comma, {}; the share may be a range after \
         any-, drawn for each place; may be repeated [default: none]",
        Parasite::FORMS
    ))]
    #[arg(value_parser = NoiseChoice::parse)]
    pub sources: Vec<NoiseChoice>,
}
