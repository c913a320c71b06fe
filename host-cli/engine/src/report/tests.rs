use serde_json::Value;
use tresse_core::run::{
    Balance, End, GridSize, Imbalance, MachineReport, Mode, Nodes, PlbParams, Precision,
    ResidualReport, RunConfig, SpreadReport, StalenessReport, Stop,
};

use super::RunReport;
use super::summary::write_json;
use crate::wording::advice;

#[test]
fn one_object_with_the_keys_of_the_report() {
    let grid = GridSize { rows: 3, columns: 5 };
    let config = RunConfig {
        grid,
        workers: 1,
        split: 4,
        mode: Mode::SemiSync(2),
        balance: Balance::None,
        help: true,
        always_help: false,
        plb: PlbParams::default(),
        nodes: Nodes::ONE,
        imbalance: Imbalance::default(),
        stop: Stop { tolerance: Some(1e-4), ..Stop::NEVER },
        precision: Precision::F32,
        seed: u64::MAX,
        noise: heapless::Vec::new(),
    };
    let report = RunReport {
        mode: Some(config.mode.into()),
        balance: config.balance,
        workers: 1,
        sockets: 1,
        nodes: 1,
        subdomains: 4,
        grid,
        problem: "Gaussian of height 10 on top",
        precision: config.precision,
        seed: config.seed,
        end: End::NotFinite,
        advice: advice(End::NotFinite, &config.stop, config.precision),
        iterations: 0.1,
        updates: 7,
        seconds: f64::NAN,
        is_virtual: false,
        iteration_rate: None,
        cell_updates_per_second: Some(1e9),
        spread: SpreadReport { end: 1, max: 2, p99: None },
        staleness: StalenessReport::default(),
        moves: 0,
        away: None,
        helped: None,
        sweeps_a_claim: None,
        transfers: 0,
        rounds: 0,
        auto: None,
        residual: ResidualReport::default(),
        error_estimate: None,
        converged: Some(false),
        cpu_share: None,
        noise: &[],
        machine: MachineReport { cpu: "a \"cpu\"", cores: 2, cpu_quota: None },
        config,
    };
    let mut bytes = Vec::new();
    write_json(&report, &mut bytes).unwrap();
    assert!(bytes.ends_with(b"}\n"));
    let value: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(value["mode"], "ssync:2");
    assert_eq!(value["grid"], serde_json::json!([3, 5]));
    assert_eq!(value["problem"], "Gaussian of height 10 on top");
    assert_eq!(value["seed"], u64::MAX);
    assert_eq!(value["iterations"], 0.1);
    assert_eq!(value["end"], "not finite");
    assert_eq!(value["advice"], "scale the problem down");
    assert_eq!(value["spread"]["max"], 2);
    assert_eq!(value["machine"]["cpu"], "a \"cpu\"");
    assert_eq!(value["virtual"], false);
    assert_eq!(value["version"], env!("CARGO_PKG_VERSION"));
    assert!(value["seconds"].is_null() && value["iteration_rate"].is_null());
    assert_eq!(value["config"]["plb"]["pairs"], 6);
}
