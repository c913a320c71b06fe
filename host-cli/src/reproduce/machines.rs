//! The papers' machines.

use tresse_core::machine::{Costs, Hardware, Path, Paths};
use tresse_core::noise::Parasite;
use tresse_core::run::GridSize;
use tresse_core::time::Duration;

pub fn cirrus() -> Hardware {
    machine(18)
}
pub fn archer() -> Hardware {
    machine(12)
}

fn machine(cores: u32) -> Hardware {
    let path = |latency, cell| Path { latency: Duration(latency), cell };
    Hardware {
        nodes: 1,
        sockets: 2,
        cores,
        costs: Costs {
            cell: 1_300,
            sweep: Duration(300),
            halo: Paths {
                core: path(20, 200),
                socket: path(150, 800),
                node: path(300, 1500),
                network: path(2000, 1200),
            },
            hand_over: Paths {
                core: path(0, 0),
                socket: path(500, 500),
                node: path(1000, 1000),
                network: path(5000, 1500),
            },
            barrier: Duration(400),
            round: Duration(1500),
            round_subdomain: 10_000,
            parasite_iteration: 4_600,
        },
        pace_range: 30_000,
        background: [Parasite::Bursts { burst: Duration(20_000), gap: Duration(10_000_000) }]
            .into_iter()
            .collect(),
    }
}

pub fn timed_as(costs: Costs, actual: GridSize, as_if: GridSize) -> Costs {
    let area = |c: u64| c * as_if.cells() / actual.cells();
    let side = |c: u64| c * as_if.columns as u64 / actual.columns as u64;
    let paths = |p: Paths, f: &dyn Fn(u64) -> u64| Paths {
        core: Path { cell: f(p.core.cell), ..p.core },
        socket: Path { cell: f(p.socket.cell), ..p.socket },
        node: Path { cell: f(p.node.cell), ..p.node },
        network: Path { cell: f(p.network.cell), ..p.network },
    };
    Costs {
        cell: area(costs.cell),
        halo: paths(costs.halo, &side),
        hand_over: paths(costs.hand_over, &area),
        ..costs
    }
}
