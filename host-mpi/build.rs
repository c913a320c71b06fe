//! Compiles the constants that only C knows, and has the programs look for the MPI library where
//! they were linked with it.

use std::process::ExitCode;

/// Compiles the constants, and the get of the benchmark where its feature is on.
fn main() -> ExitCode {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/mpi/constants.c");
    let library = match build_probe_mpi::probe() {
        Ok(library) => library,
        Err(reasons) => {
            let reasons: Vec<_> = reasons.iter().map(ToString::to_string).collect();
            println!(
                "cargo:error=no MPI found: install one with its headers (libopenmpi-dev, say), or \
                 name its compiler in MPICC: {}",
                reasons.join("; ").replace('\n', " ")
            );
            return ExitCode::FAILURE;
        }
    };
    let mut build = cc::Build::new();
    build.file("src/mpi/constants.c").includes(&library.include_paths);
    if let Some(mpicc) = &library.mpicc {
        build.compiler(mpicc);
    }
    if cfg!(feature = "c-get") {
        println!("cargo:rerun-if-changed=examples/halo_get.c");
        build.opt_level(3).file("examples/halo_get.c");
    }
    build.compile("tresse_mpi_constants");
    // Two versions of a library may have the same file name, so that the system's would be loaded
    // in place of the one that this was built for.
    for path in &library.lib_paths {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", path.display());
    }
    ExitCode::SUCCESS
}
