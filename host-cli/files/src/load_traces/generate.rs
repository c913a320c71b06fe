//! Load traces that no application has written: objects with drawn loads on a few of many
//! processors.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use statrs::distribution::{ContinuousCDF as _, Normal};
use tresse_core::base::id::ProcessorId;
use tresse_core::base::rng::Rng;

use super::load_trace::{LoadTrace, Part, Phase};
use super::metadata::MAX_PHASES;
use super::task::Task;

/// Streams of the seed, each for one kind of draw: another kind draws the same either way.
const PROCESSORS: u64 = 4 << 32;
const OWNERS: u64 = 5 << 32;
const LOADS: u64 = 6 << 32;
const DRIFT: u64 = 7 << 32;

/// A set-up: how many objects there are, the processors that they start on, and their loads.
///
/// Each object is on one of `on` processors with equal chances, which are drawn from all before
/// (the set-up of Pébaÿ & Lifflander 2019, section 2).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setup {
    /// Processors in all.
    pub processors: u32,
    /// Objects in all.
    pub objects: u32,
    /// Processors that have objects.
    pub on: u32,
    /// Distribution of the objects' loads.
    pub loads: Loads,
}

/// A distribution of seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loads {
    /// A uniform distribution over the interval.
    Uniform(Interval),
    /// A distribution whose natural logarithm is normal with this mean and deviation.
    LogNormal {
        /// Mean of the logarithm of the seconds.
        mu: f64,
        /// Standard deviation of the logarithm of the seconds.
        sigma: f64,
    },
    /// Two uniform distributions.
    Bimodal {
        /// The interval of most objects' loads.
        first: Interval,
        /// The interval of the other objects' loads.
        second: Interval,
        /// Probability of the second distribution.
        share: f64,
    },
}

/// Seconds from the lower to the higher, or exactly this number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// A drawn phase in the form that balancers take, with an element for each object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Load of each object in seconds.
    pub seconds: Vec<f64>,
    /// Processor that each object is on.
    pub owners: Vec<ProcessorId>,
}

/// A set-up that is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// More processors have objects than there are processors.
    #[error("objects cannot be on {on} of {processors} processors")]
    On {
        /// Processors with objects.
        on: u32,
        /// Processors in all.
        processors: u32,
    },
    /// The set-up has more phases than a load trace is read with.
    #[error("{phases} phases are more than {most}, the most of a load trace")]
    Phases {
        /// Number of phases asked for.
        phases: u32,
        /// Greatest possible number of phases.
        most: usize,
    },
    /// The drift is not a share from 0 to below 1.
    #[error("the drift must be a share from 0 to below 1, such as 0.1")]
    Drift,
}

impl Loads {
    /// Reads `uniform:LOW,HIGH`, `lognormal:MU,SIGMA` or `bimodal:SECONDS,SECONDS,SHARE`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "expected uniform:LOW,HIGH (seconds), lognormal:MU,SIGMA (of the \
            natural logarithm of the seconds) or bimodal:FIRST,SECOND,SHARE (each a number of seconds \
            or LOW..HIGH; the share of the second), such as uniform:1e-5,1e-1, lognormal:-4,1 or \
            bimodal:0.01,0.05..0.1,0.2";
        Self::read(text).ok_or(EXPECTED)
    }

    /// Parses a distribution of loads, such as `uniform:1,2`; `None` where it is none.
    fn read(text: &str) -> Option<Self> {
        let (kind, parameters) = text.split_once(':')?;
        let parameters: Vec<&str> = parameters.split(',').collect();
        let number =
            |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        match (kind, parameters.as_slice()) {
            ("uniform", [low, high]) => {
                Interval::new(number(low)?, number(high)?).map(Self::Uniform)
            }
            ("lognormal", [mu, sigma]) => {
                let (mu, sigma) = (number(mu)?, number(sigma)?);
                // Nine deviations are the most that is ever drawn.
                let is_finite = sigma >= 0.0 && (mu + 9.0 * sigma).exp().is_finite();
                is_finite.then_some(Self::LogNormal { mu, sigma })
            }
            ("bimodal", [first, second, share]) => {
                let interval = |text: &str| match text.split_once("..") {
                    Some((low, high)) => Interval::new(number(low)?, number(high)?),
                    None => Interval::new(number(text)?, number(text)?),
                };
                let share = number(share).filter(|share| (0.0..=1.0).contains(share))?;
                Some(Self::Bimodal { first: interval(first)?, second: interval(second)?, share })
            }
            _ => None,
        }
    }

    /// Draws the load of one object, in seconds.
    fn draw(self, rng: &mut Rng) -> f64 {
        match self {
            Self::Uniform(interval) => interval.draw(rng),
            Self::LogNormal { mu, sigma } => (mu + sigma * normal(rng)).exp(),
            Self::Bimodal { first, second, share } => {
                let interval = if unit(rng) < share { second } else { first };
                interval.draw(rng)
            }
        }
    }
}

impl fmt::Display for Loads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform(Interval { low, high }) => write!(f, "uniform:{low:e},{high:e}"),
            Self::LogNormal { mu, sigma } => write!(f, "lognormal:{mu},{sigma}"),
            Self::Bimodal { first, second, share } => write!(f, "bimodal:{first},{second},{share}"),
        }
    }
}

impl Serialize for Loads {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl Interval {
    /// Returns the interval of seconds, if it is not empty and not negative.
    fn new(low: f64, high: f64) -> Option<Self> {
        (low >= 0.0 && low <= high).then_some(Self { low, high })
    }

    /// Draws a load in seconds from the interval, each as likely as any other.
    fn draw(self, rng: &mut Rng) -> f64 {
        self.low + (self.high - self.low) * unit(rng)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { low, high } = self;
        if low < high { write!(f, "{low:e}..{high:e}") } else { write!(f, "{low:e}") }
    }
}

/// Steps of a drawn number between 0 and 1: as many as floats have there.
const STEPS: u64 = 1 << 53;

/// Draws a number uniformly from 0..=1.
fn unit(rng: &mut Rng) -> f64 {
    rng.up_to(STEPS) as f64 / STEPS as f64
}

/// Draws a number from the normal distribution of mean 0 and deviation 1.
fn normal(rng: &mut Rng) -> f64 {
    // Half a step off, so that neither end is drawn, which would be infinite.
    let share = (rng.up_to(STEPS - 1) as f64 + 0.5) / STEPS as f64;
    Normal::standard().inverse_cdf(share)
}

impl Setup {
    /// Checks that there are enough processors for those that have objects.
    pub fn check(&self) -> Result<(), SetupError> {
        let Self { on, processors, .. } = *self;
        if on == 0 || on > processors { Err(SetupError::On { on, processors }) } else { Ok(()) }
    }
}

/// Draws the loads and owners of the first phase; a seed gives the same phase each time.
pub fn phase(setup: &Setup, seed: u64) -> Drawn {
    let mut processors: Vec<u32> = (0..setup.processors).collect();
    let mut rng = Rng::new(seed, PROCESSORS);
    for place in 0..setup.on.min(setup.processors) {
        let other = place + rng.below(setup.processors - place);
        processors.swap(place as usize, other as usize);
    }
    processors.truncate(setup.on as usize);
    let mut rng = Rng::new(seed, OWNERS);
    let owner = |_| {
        let place = rng.below(setup.on.min(setup.processors));
        ProcessorId(processors.get(place as usize).copied().unwrap_or(0))
    };
    let owners = (0..setup.objects).map(owner).collect();
    let mut rng = Rng::new(seed, LOADS);
    let seconds = (0..setup.objects).map(|_| setup.loads.draw(&mut rng)).collect();
    Drawn { seconds, owners }
}

/// Draws a load trace of `phases` phases in which no object moves; from one phase to the next, each
/// load is multiplied by a number drawn uniformly from 1 − `drift` to 1 + `drift`.
pub fn trace(
    setup: &Setup,
    phases: u32,
    drift: f64,
    seed: u64,
    stem: &str,
) -> Result<LoadTrace, SetupError> {
    setup.check()?;
    if phases as usize > MAX_PHASES {
        return Err(SetupError::Phases { phases, most: MAX_PHASES });
    }
    if !(0.0..1.0).contains(&drift) {
        return Err(SetupError::Drift);
    }
    let mut drawn = phase(setup, seed);
    let mut rng = Rng::new(seed, DRIFT);
    let mut all = Vec::new();
    for id in 0..phases {
        if id > 0 {
            let factor = Interval { low: 1.0 - drift, high: 1.0 + drift };
            drawn.seconds.iter_mut().for_each(|load| *load *= factor.draw(&mut rng));
        }
        all.push(drawn.phase(id, setup.processors));
    }
    let heads = (0..setup.processors).map(|rank| Arc::new(LoadTrace::head(rank))).collect();
    Ok(LoadTrace { stem: stem.to_owned(), heads, phases: all })
}

impl Drawn {
    /// Returns the objects as a phase of a load trace, each on the rank of its owner.
    fn phase(&self, id: u32, processors: u32) -> Phase {
        let mut parts: Vec<Vec<Task>> = (0..processors).map(|_| Vec::new()).collect();
        for (number, (&seconds, owner)) in self.seconds.iter().zip(&self.owners).enumerate() {
            if let Some(part) = parts.get_mut(owner.index()) {
                part.push(Task::new(packed(number as u64, owner.0), owner.0, seconds));
            }
        }
        let part = |tasks| Arc::new(Part { tasks, ..Part::default() });
        Phase { id: u64::from(id), parts: parts.into_iter().map(part).collect() }
    }
}

/// Returns the name of a migratable object as vt packs it: its kind in two bits, its home in
/// sixteen, and its number.
const fn packed(number: u64, home: u32) -> u64 {
    3 | ((home & 0xffff) as u64) << 2 | number << 18
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(loads: &str) -> Setup {
        Setup { processors: 64, objects: 20_000, on: 4, loads: Loads::parse(loads).unwrap() }
    }

    #[test]
    fn objects_are_on_the_drawn_processors_with_equal_chances() {
        let drawn = phase(&setup("uniform:1,1"), 7);
        let mut counts = [0; 64];
        drawn.owners.iter().for_each(|owner| counts[owner.index()] += 1);
        let used: Vec<i32> = counts.into_iter().filter(|&count| count > 0).collect();
        assert!(
            used.len() == 4 && used.iter().all(|count| (4_600..5_400).contains(count)),
            "{used:?}"
        );
        assert_eq!(drawn, phase(&setup("uniform:1,1"), 7));
        assert_ne!(drawn.owners, phase(&setup("uniform:1,1"), 8).owners);
        assert_eq!(phase(&setup("bimodal:1,2,1"), 3).seconds, vec![2.0; 20_000]);
        // Other loads are drawn for the same owners.
        assert_eq!(drawn.owners, phase(&setup("lognormal:0,1"), 7).owners);
    }

    #[test]
    fn loads_drift_and_stay_where_they_are() {
        let setup = Setup { objects: 50, ..setup("uniform:1,2") };
        let trace = trace(&setup, 3, 0.1, 5, "t").unwrap();
        let [first, second, third] = [0, 1, 2].map(|index| trace.phases()[index].objects());
        assert_eq!(first.seconds, phase(&setup, 5).seconds);
        for (before, after) in [(&first, &second), (&second, &third)] {
            assert_eq!((&before.owners, &before.names), (&after.owners, &after.names));
            let ratios = before.seconds.iter().zip(&after.seconds).map(|(one, other)| other / one);
            assert!(ratios.clone().all(|ratio| (0.9..=1.1).contains(&ratio)));
            assert!(ratios.clone().any(|ratio| (ratio - 1.0).abs() > 0.05));
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        for text in [
            "uniform:1",
            "uniform:2,1",
            "uniform:-1,1",
            "uniform:nan,1",
            "uniform:0,inf",
            "normal:1,1",
            "lognormal:0,-1",
            "lognormal:1000,1",
            "bimodal:1,2",
            "bimodal:1,2,1.5",
            "bimodal:3..2,1,0",
            "uniform",
            "",
        ] {
            assert!(Loads::parse(text).is_err(), "{text}");
        }
        for text in ["uniform:1e-5,1e-1", "lognormal:-4,1", "bimodal:1e-2,5e-2..1e-1,0.2"] {
            assert_eq!(Loads::parse(text).unwrap().to_string(), text);
        }
        let few = Setup { on: 65, ..setup("uniform:0,1") };
        assert_eq!(few.check(), Err(SetupError::On { on: 65, processors: 64 }));
        assert_eq!(trace(&setup("uniform:0,1"), 1, 1.0, 1, "t"), Err(SetupError::Drift));
    }
}
