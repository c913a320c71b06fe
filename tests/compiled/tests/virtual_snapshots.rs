//! Small virtual experiments against committed tables, natively and as compiled for a browser.
//!
//! With `TRESSE_WRITE_SNAPSHOTS=1` the tables are written anew instead of compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tresse_experiments::{Row, experiments, row};
use wasmi::{Engine, Linker, Module, Store};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Returns every table's text, by its name.
fn tables() -> Result<BTreeMap<&'static str, String>, Failure> {
    let header = || iter_line("experiment", Row::HEADER.split(' ').map(str::to_owned).collect());
    let mut tables = BTreeMap::new();
    for experiment in experiments() {
        let row = row(&experiment).ok_or_else(|| format!("{experiment:?} makes no sense"))?;
        let lines: &mut Vec<_> = tables.entry(experiment.table).or_insert_with(|| vec![header()]);
        lines.push(iter_line(&experiment.name, row.numbers()));
    }
    Ok(tables.into_iter().map(|(table, lines)| (table, aligned(&lines))).collect())
}

fn iter_line(name: &str, numbers: Vec<String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(numbers).collect()
}

fn aligned(lines: &[Vec<String>]) -> String {
    let width = |column| {
        lines.iter().filter_map(|line| line.get(column)).map(String::len).max().unwrap_or(0)
    };
    let mut text = String::new();
    for line in lines {
        let cells: Vec<_> = (0..)
            .zip(line)
            .map(|(column, cell)| match column {
                0 => format!("{cell:<width$}", width = width(0)),
                _ => format!("{cell:>width$}", width = width(column)),
            })
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn snapshot(table: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots").join(format!("{table}.txt"))
}

#[test]
fn experiments_are_as_committed() -> Result<(), Failure> {
    for (table, text) in tables()? {
        let path = snapshot(table);
        if env::var_os("TRESSE_WRITE_SNAPSHOTS").is_some() {
            fs::write(&path, &text)?;
        }
        let committed = fs::read_to_string(&path)?;
        assert_eq!(text, committed, "{} differs", path.display());
    }
    Ok(())
}

/// Returns the experiments compiled for a browser.
fn build() -> Result<Vec<u8>, Failure> {
    let (target, directory) = (
        "wasm32-unknown-unknown",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/experiments"),
    );
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "tresse-experiments", "--lib"])
        .args(["--target", target, "--target-dir", directory])
        .env_remove("RUSTFLAGS")
        .output()?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(
            format!("if the target is missing: rustup target add {target}\n{errors}").into()
        );
    }
    Ok(fs::read(Path::new(directory).join(target).join("release/tresse_experiments.wasm"))?)
}

#[test]
fn a_browser_gets_the_same_to_the_bit() -> Result<(), Failure> {
    let engine = Engine::default();
    let module = Module::new(&engine, build()?)?;
    let mut store = Store::new(&engine, ());
    let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module)?;
    let hash = instance.get_typed_func::<u32, u64>(&store, "hash_of_experiment")?;
    for (number, experiment) in (0..).zip(experiments()) {
        let here = row(&experiment).ok_or("makes no sense")?.hash();
        let there = hash.call(&mut store, number)?;
        assert_eq!(here, there, "{} {}", experiment.table, experiment.name);
    }
    assert_eq!(hash.call(&mut store, u32::MAX)?, 0);
    Ok(())
}
