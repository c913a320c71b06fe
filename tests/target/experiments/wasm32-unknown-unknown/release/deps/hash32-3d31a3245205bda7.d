/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/hash32-3d31a3245205bda7.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/fnv.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/murmur3.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/libhash32-3d31a3245205bda7.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/fnv.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/murmur3.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/libhash32-3d31a3245205bda7.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/fnv.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/murmur3.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/lib.rs:
/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/fnv.rs:
/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hash32-0.3.1/src/murmur3.rs:
