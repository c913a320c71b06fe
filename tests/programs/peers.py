#!/usr/bin/env python3
"""Times multigrid beside solvers that others use, and prints a table.

    tests/programs/peers.py [--cells 2047] [--runs 7] [--cores 2]

Poisson's equation on a square with the right-hand side 1, from zero, until the residual is 1e-8 of the right-hand side.
All runs are interleaved on the same cores; each figure is a median, with quartiles. The residual of each solver is
calculated from its cells by code of ours, and no time is printed where it is above that tolerance. The set-up (planning,
for FFTW) is apart. Every other round has a parasite that takes some 40 % of core 0 in bursts of 5 ms on average; the
last column is what the solution takes with it over what it takes without.

Needs `cargo build --release`, and on Debian `apt-get install petsc-dev libhypre-dev libfftw3-dev openmpi-bin`, which it installs where
it may. Grids of 2^k - 1 cells are those on which PETSc's own multigrid is at its best.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
TRESSE = TARGET / "release" / "tresse"
BUILT = TARGET / "peers"
TOLERANCE = 1e-8
NOISE = "burst=5ms,gap=7500us"
CG = ["-ksp_rtol", str(TOLERANCE), "-ksp_norm_type", "unpreconditioned", "-ksp_type"]
MG = ["-pc_type", "mg", "-pc_mg_galerkin", "pmat"]

# Name, and the options of PETSc.
PETSC = {
    "PETSc CG + BoomerAMG (hypre)": [*CG, "cg", "-pc_type", "hypre", "-pc_hypre_type", "boomeramg"],
    "PETSc CG + multigrid": [*CG, "cg", *MG, "-mg_levels_pc_type", "jacobi"],
    "PETSc multigrid": [*CG, "richardson", *MG, "-mg_levels_pc_type", "sor"],
}


def built():
    """Compiles the peers."""
    if not shutil.which("pkg-config") or subprocess.run(["pkg-config", "--exists", "PETSc", "fftw3"]).returncode:
        command = ["apt-get", "install", "--yes", "petsc-dev", "libhypre-dev", "libfftw3-dev", "openmpi-bin", "pkg-config"]
        print("installs:", " ".join(command), file=sys.stderr)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    BUILT.mkdir(parents=True, exist_ok=True)

    def flags(package):
        said = subprocess.run(["pkg-config", "--cflags", "--libs", package], check=True, capture_output=True, text=True)
        return said.stdout.split()

    for compiler, name, libraries in [
        ("mpicc", "peers_petsc", [*flags("PETSc"), "-lm"]),
        ("mpicc", "peers_hypre", ["-I/usr/include/hypre", "-lHYPRE", "-lm"]),
        ("cc", "peers_fftw", [*flags("fftw3"), "-lfftw3_threads", "-lpthread", "-lm"]),
    ]:
        source = str(HERE / f"{name}.c")
        subprocess.run([compiler, "-O3", "-march=native", source, "-o", str(BUILT / name), *libraries], check=True)


def solvers(cells, cores, levels):
    """Returns the command of each solver, by its name."""
    problem = ROOT / "host-cli" / "examples" / "problems" / "poisson.toml"
    pinned = ",".join(str(core) for core in range(cores))
    ranks = ["mpirun", "-n", str(cores), "--bind-to", "core"]
    petsc = [*ranks, str(BUILT / "peers_petsc"), "-n", str(cells), "-pc_mg_levels", str(levels)]
    return {
        "tresse --method multigrid": [
            str(TRESSE), "solve", "--method", "multigrid", "--problem", str(problem), "--grid", f"{cells}x{cells}",
            "--workers", str(cores), "--tolerance", str(TOLERANCE), "--json", "--quiet",
        ],
        **{name: [*petsc, *options] for name, options in PETSC.items()},
        "hypre PFMG": [*ranks, str(BUILT / "peers_hypre"), str(cells), str(TOLERANCE)],
        "FFTW (direct)": ["taskset", "-c", pinned, str(BUILT / "peers_fftw"), str(cells), str(cores)],
    }


def run(command):
    """Returns what a solver says; raises where it is not within the tolerance."""
    ended = subprocess.run(command, capture_output=True, text=True)
    line = ended.stdout.strip()
    if ended.returncode or not line:
        raise RuntimeError(f"{' '.join(command)}: {ended.stderr.strip()[-2000:]}")
    said = json.loads(line)
    if "method" in said:
        residual = said["residual"]["verified"] / said["residual"]["initial"]
        said = {"setup": None, "seconds": said["seconds"], "iterations": said["cycles"], "residual": residual}
    # The last digits of a sum of squares are rounding.
    if said["residual"] > TOLERANCE * 1.001:
        raise RuntimeError(f"{' '.join(command)}: a residual of {said['residual']} is above the tolerance")
    return said


def spread(values):
    """Returns median and quartiles."""
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.3g} [{low:.3g} {high:.3g}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=2047, help="cells along each side")
    parser.add_argument("--runs", type=int, default=7, help="runs of each solver, at least 2")
    parser.add_argument("--cores", type=int, default=2, help="cores: threads, or ranks")
    asked = parser.parse_args()
    built()
    # As many levels as leave a few nodes.
    levels = max(asked.cells.bit_length() - 2, 2)
    commands = solvers(asked.cells, asked.cores, levels)
    told, failed = {name: ([], []) for name in commands}, {}
    for _ in range(asked.runs):
        for is_noisy in random.sample([False, True], 2):
            noise = None
            if is_noisy:
                line = [str(TRESSE), "noise", "--core", "0", NOISE]
                noise = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                for name in random.sample(list(commands), len(commands)):
                    if name not in failed:
                        try:
                            told[name][is_noisy].append(run(commands[name]))
                        except RuntimeError as error:
                            failed[name] = str(error)
            finally:
                if noise:
                    noise.terminate()
                    noise.wait()
    print(f"{asked.cells}x{asked.cells} cells, {asked.cores} cores, {asked.runs} runs: seconds, median [quartiles]\n")
    print("| solver | iterations | set-up | solution | times ours | with noise, times quiet |")
    print("|---|---|---|---|---|---|")
    ours = [one["seconds"] for one in told["tresse --method multigrid"][0]]
    for name, (quiet, noisy) in told.items():
        if name in failed:
            print(f"| {name} | did not solve it: {failed[name]} |")
            continue
        seconds = [one["seconds"] for one in quiet]
        setup = "" if quiet[0]["setup"] is None else spread([one["setup"] for one in quiet])
        times = spread([one / own for one, own in zip(seconds, ours)])
        slowed = spread([one["seconds"] / quick for one, quick in zip(noisy, seconds)])
        print(f"| {name} | {quiet[0]['iterations']} | {setup} | {spread(seconds)} | {times} | {slowed} |")


if __name__ == "__main__":
    main()
