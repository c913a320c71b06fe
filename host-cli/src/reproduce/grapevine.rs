//! The slides' tables of Grapevine (Pébaÿ & Lifflander 2019), the same with gossiped loads, and
//! with our best parameters.

mod case;
mod parameters;
mod pictures;
mod rows;
mod runs;
mod setting;
mod statements;
mod twin;

use super::experiment::{Evaluation, EvaluationError, Experiment, Planned};
use super::published;

pub(super) use parameters::PARAMETERS;

pub(super) const TABLES: Experiment = Experiment {
    name: "grapevine-tables",
    title: "Grapevine with criteria 6 and 6': live loads, gossiped ones, and our best",
    source: published::grapevine::SOURCE,
    replicates: 20,
    evaluation: &Tables,
};

/// The experiment.
#[derive(Clone, Copy, Debug)]
struct Tables;

impl Evaluation for Tables {
    fn plan(&self) -> Result<Box<dyn Planned>, EvaluationError> {
        Ok(Box::new(runs::Plan::new(case::Recorded::find()?)))
    }
}
