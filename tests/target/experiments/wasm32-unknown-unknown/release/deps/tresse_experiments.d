/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/tresse_experiments.d: tests/compiled/experiments/src/lib.rs tests/compiled/experiments/src/configuration.rs tests/compiled/experiments/src/run.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/libtresse_experiments.rlib: tests/compiled/experiments/src/lib.rs tests/compiled/experiments/src/configuration.rs tests/compiled/experiments/src/run.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/tresse_experiments.wasm: tests/compiled/experiments/src/lib.rs tests/compiled/experiments/src/configuration.rs tests/compiled/experiments/src/run.rs

tests/compiled/experiments/src/lib.rs:
tests/compiled/experiments/src/configuration.rs:
tests/compiled/experiments/src/run.rs:
