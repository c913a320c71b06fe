/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/byteorder-2709c46bdb783471.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/byteorder-1.5.0/src/lib.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/libbyteorder-2709c46bdb783471.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/byteorder-1.5.0/src/lib.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/libbyteorder-2709c46bdb783471.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/byteorder-1.5.0/src/lib.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/byteorder-1.5.0/src/lib.rs:
