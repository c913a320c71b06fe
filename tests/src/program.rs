//! The programs themselves, for tests that drive them.

use std::env;
use std::path::PathBuf;
use std::sync::LazyLock;

use escargot::CargoBuild;

/// The path of `tresse`: what `TRESSE_PROGRAM` names (see `tests/run.sh`), or else built from what
/// is there now, in the profile of the tests.
pub static TRESSE: LazyLock<PathBuf> = LazyLock::new(|| program("TRESSE_PROGRAM", "tresse"));

/// The path of `tresse-mpi`, by `TRESSE_MPI_PROGRAM`.
pub static TRESSE_MPI: LazyLock<PathBuf> =
    LazyLock::new(|| program("TRESSE_MPI_PROGRAM", "tresse-mpi"));

/// Of a package with a program of its name.
fn program(variable: &str, name: &str) -> PathBuf {
    if let Some(named) = env::var_os(variable) {
        return named.into();
    }
    let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let build = CargoBuild::new().manifest_path(workspace).package(name).bin(name);
    let program = build.current_release().run();
    program.unwrap_or_else(|error| panic!("{error}")).path().to_owned()
}
