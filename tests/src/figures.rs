//! What virtual time makes for README and the guides: figures in the text, and pictures.
//!
//! Runs in virtual time are the same everywhere, so a page that says something else is wrong.
//! Minutes of them cannot be made again whenever tests run. So what came of each run is committed
//! in `tests/figures`; figures and pictures follow from that. `cargo run --release -p tresse-tests
//! --bin virtual-figures` makes all runs and pictures, and says which figures of the pages are
//! others. Tests compare pages and pictures with the committed runs, and make some runs again.

pub mod blocks;
pub mod evaluations;
pub mod marks;
pub mod pictures;
pub mod simulations;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tresse::experiments::reproduce::Row;

use blocks::BLOCKS;
use simulations::Figures;

/// A failure to make figures or to read them.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Returns the path of a file of the repository.
pub fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Returns the path of committed runs.
fn committed(name: &str) -> PathBuf {
    in_repository("tests/figures").join(format!("{name}.csv"))
}

/// All that the committed runs say.
pub struct Committed {
    evaluations: BTreeMap<&'static str, Vec<Row>>,
    simulations: BTreeMap<String, Figures>,
}

impl Committed {
    /// Reads the committed runs.
    pub fn read() -> Result<Self, Failure> {
        let rows = |name| {
            let runs = evaluations::committed_runs(name)?;
            Ok::<_, Failure>((name, (evaluations::experiment(name).rows)(&runs)))
        };
        Ok(Self {
            evaluations: evaluations::SHOWN.into_iter().map(rows).collect::<Result<_, _>>()?,
            simulations: simulations::committed_figures()?,
        })
    }

    /// Returns a figure that an evaluation prints.
    ///
    /// # Panics
    /// If there is none of this label.
    pub fn row(&self, evaluation: &str, label: &str) -> f64 {
        let row = self.evaluations[evaluation].iter().find(|row| row.label == label);
        let figure = row.and_then(|row| row.ours);
        figure.unwrap_or_else(|| panic!("{evaluation} prints no {label}"))
    }

    /// Returns the figures of a run of `tresse simulate`.
    ///
    /// # Panics
    /// If it is not among the committed ones.
    pub fn simulation(&self, line: &str) -> Figures {
        let figures = self.simulations.get(line).copied();
        figures.unwrap_or_else(|| panic!("tests/figures/simulate.csv has no line {line}"))
    }
}

/// Returns what is wrong with the figures in the pages, a line each.
pub fn faults_of_pages(committed: &Committed) -> io::Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    for block in BLOCKS {
        if !pages.contains_key(block.page) {
            pages.insert(block.page, fs::read_to_string(in_repository(block.page))?);
        }
    }
    let faults = BLOCKS.iter().flat_map(|block| {
        let faults = marks::faults(&pages[block.page], block.mark, &(block.figures)(committed));
        faults.into_iter().map(|fault| format!("{}, {}: {fault}", block.page, block.mark))
    });
    Ok(faults.collect())
}
