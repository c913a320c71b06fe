//! The program itself, for tests that drive it.

use std::env;
use std::path::PathBuf;
use std::sync::LazyLock;

use escargot::CargoBuild;

/// The path of `tresse`: what `TRESSE_PROGRAM` names (see `tests/run.sh`), or else built from what
/// is there now, in the profile of the tests.
pub static TRESSE: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Some(named) = env::var_os("TRESSE_PROGRAM") {
        return named.into();
    }
    let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let build = CargoBuild::new().manifest_path(workspace).package("tresse").bin("tresse");
    let built = build.current_release().run();
    built.unwrap_or_else(|error| panic!("{error}")).path().to_owned()
});
