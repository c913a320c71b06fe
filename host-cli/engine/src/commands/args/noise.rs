//! `tresse noise`.

use clap::Args;
use tresse_console::args::values::{some_time, time_with_unit};
use tresse_core::base::grammar::{count, count32};
use tresse_core::base::time::Duration;
use tresse_core::run::noise::{Noise, NoisePlace, Parasite};

/// The flags of `noise`; without any other it is the parasite of Zarins & Weiland 2017, section
/// 4.3.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct NoiseArgs {
    /// The core to slow down, by the operating system's number
    #[arg(long, value_name = "C", value_parser = count32, allow_negative_numbers = true)]
    pub core: u32,

    /// What it does.
    #[arg(value_name = "WHAT", value_parser = Parasite::parse)]
    #[arg(conflicts_with_all = ["sleep", "work", "burst", "gap", "duty"])]
    #[arg(help = format!(
        "What the noise does: {} [default: what the flags say]",
        Parasite::FORMS
    ))]
    pub what: Option<Parasite>,

    /// Sleep between two bursts of work, such as 200us [default: 200us]
    #[arg(long, value_name = "TIME", value_parser = Duration::parse_with_unit)]
    pub sleep: Option<Duration>,

    /// Iterations of `sum = sum * a + b` in a burst [default: 10000]
    #[arg(long, value_name = "COUNT", value_parser = work, allow_negative_numbers = true)]
    pub work: Option<u64>,

    /// Work in bursts of random lengths instead, this long on average, such as 46us
    #[arg(long, value_name = "TIME", value_parser = time_with_unit, allow_negative_numbers = true)]
    #[arg(requires = "gap", conflicts_with_all = ["sleep", "work", "duty"])]
    pub burst: Option<Duration>,

    /// The random time between two such bursts, on average, such as 200us
    #[arg(long, value_name = "TIME", value_parser = time_with_unit, allow_negative_numbers = true)]
    #[arg(requires = "burst")]
    pub gap: Option<Duration>,

    /// Take this share of the core's time instead, above 0 and below 1
    #[arg(long, value_name = "SHARE", value_parser = Parasite::duty)]
    #[arg(allow_negative_numbers = true, conflicts_with_all = ["sleep", "work"])]
    pub duty: Option<Parasite>,

    /// End after this time, such as 10 (seconds) [default: until interrupted]
    #[arg(long, value_name = "TIME", value_parser = some_time, allow_negative_numbers = true)]
    pub seconds: Option<Duration>,

    /// Print one JSON object at the end
    #[arg(long)]
    pub json: bool,
}

impl NoiseArgs {
    /// Returns the parasite with the place of its core.
    pub fn noise(&self) -> Noise {
        let bursts = self.burst.zip(self.gap).map(|(burst, gap)| Parasite::Bursts { burst, gap });
        let parasite = self.what.or(self.duty).or(bursts).unwrap_or(Parasite::Loop {
            sleep: self.sleep.unwrap_or(Duration::from_micros(200)),
            work: self.work.unwrap_or(10_000),
        });
        Noise { place: NoisePlace::Core(self.core), parasite }
    }
}

/// Parses a number of iterations of a parasite's loop, which is positive.
fn work(text: &str) -> Result<u64, &'static str> {
    count(text).ok().filter(|&work| work > 0).ok_or("expected a whole number above 0")
}
