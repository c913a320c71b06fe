//! The programs themselves, for tests that drive them.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use escargot::CargoBuild;

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");

/// The path of `tresse`: what `TRESSE_PROGRAM` names (see `tests/run.sh`), or else built from what
/// is there now, in the profile of the tests.
pub static TRESSE: LazyLock<PathBuf> = LazyLock::new(|| program("TRESSE_PROGRAM", "tresse"));

/// The path of `tresse-mpi`, by `TRESSE_MPI_PROGRAM`.
pub static TRESSE_MPI: LazyLock<PathBuf> =
    LazyLock::new(|| program("TRESSE_MPI_PROGRAM", "tresse-mpi"));

/// Returns the path of a program, which has the name of its package.
fn program(variable: &str, name: &str) -> PathBuf {
    if let Some(named) = env::var_os(variable) {
        return named.into();
    }
    let build = CargoBuild::new().manifest_path(WORKSPACE).package(name).bin(name);
    let program = build.current_release().run();
    program.unwrap_or_else(|error| panic!("{error}")).path().to_owned()
}

/// Returns an example of a package: in the folder that `TRESSE_EXAMPLES` names (see
/// `tests/run.sh`), or else built from what is there now, in the profile of the tests.
///
/// # Panics
/// If it cannot be built.
pub fn example(package: &str, name: &str) -> PathBuf {
    if let Some(folder) = env::var_os("TRESSE_EXAMPLES") {
        return Path::new(&folder).join(name);
    }
    let build = CargoBuild::new().manifest_path(WORKSPACE).package(package).example(name);
    let program = build.current_release().run();
    program.unwrap_or_else(|error| panic!("{error}")).path().to_owned()
}
