//! Programs on several ranks, for tests that drive them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

use tresse_tests::skip::skip;

/// Returns the `mpirun` of the MPI that is built for: what `MPIRUN` names, or else the neighbour of
/// what `MPICC` names. None, which is said, where it does not run.
pub fn mpirun() -> Option<PathBuf> {
    let compiler = env::var_os("MPICC").map_or_else(|| "mpicc".into(), PathBuf::from);
    let name = compiler.file_name()?.to_string_lossy().replace("mpicc", "mpirun");
    let mpirun = env::var_os("MPIRUN").map_or_else(|| compiler.with_file_name(name), PathBuf::from);
    let mut version = Command::new(&mpirun);
    version.arg("--version").envs(settings()).stdout(Stdio::null()).stderr(Stdio::null());
    if !version.status().is_ok_and(|status| status.success()) {
        let missing = format!("{} does not run", mpirun.display());
        skip(
            &missing,
            "install an MPI (on Debian libopenmpi-dev openmpi-bin), or name one by MPIRUN",
        );
        return None;
    }
    Some(mpirun)
}

/// Lets the versions of Open MPI start ranks for root, and more of them than there are cores.
const ALLOWED: [(&str, &str); 6] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT", "1"),
    ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
];

/// Returns what is set for every `mpirun`: what is allowed, and a folder of this test program for
/// its session, as two that begin or end at once in a common one may disturb each other.
pub fn settings() -> impl Iterator<Item = (&'static str, String)> {
    let folder = env::temp_dir().join(format!("mpi{}", process::id())).display().to_string();
    let names = ["OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"];
    let allowed = ALLOWED.map(|(name, value)| (name, value.to_owned()));
    allowed.into_iter().chain(names.map(|name| (name, folder.clone())))
}

/// A number of ranks of a program, which are ended when they take more than `seconds`.
pub fn ranks(mpirun: &Path, ranks: u32, seconds: u32, program: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", &seconds.to_string()]).arg(mpirun);
    command.args(["-n", &ranks.to_string()]).arg(program).envs(settings());
    command
}
