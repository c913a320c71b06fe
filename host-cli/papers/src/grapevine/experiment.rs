//! The experiment: every way of balancing every case.

use super::case::{self, Case};
use super::published::SOURCE;
use super::statements;
use super::tables::{picture, rows, shown};
use super::way::Way;
use crate::{Balancing, Experiment, ExperimentError, Plan};

pub(crate) const TABLES: Experiment = Experiment {
    name: "grapevine-tables",
    title: "Grapevine with criteria 6 and 6': live loads, gossiped ones, and our best",
    source: SOURCE,
    replicates: 20,
    plan,
    rows: |runs| shown(runs).into_iter().flat_map(|(case, way)| rows(runs, case, way)).collect(),
    statements: statements::all,
    pictures: |runs| Case::ALL.into_iter().filter_map(|case| picture(runs, case)).collect(),
};

/// Plans every way for every case; a case whose trace is not given is left out, with a remark.
fn plan() -> Result<Plan, ExperimentError> {
    let recorded = case::recorded()?;
    let settings = Case::ALL.into_iter().filter_map(|case| {
        let objects = case.objects(recorded.as_ref())?;
        Some(Way::all(case).map(move |way| {
            let (objects, method) = (objects.clone(), way.method(case));
            Balancing { objects, method, is_told_whole: true }.labelled(way.label(case))
        }))
    });
    let remark = recorded.is_none().then(case::remark);
    Ok(Plan { remarks: remark.into_iter().collect(), ..Plan::of(settings.flatten(), &[]) })
}
