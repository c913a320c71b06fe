/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/stable_deref_trait-4e9a1da781f6ee5c.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/stable_deref_trait-1.2.1/src/lib.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/libstable_deref_trait-4e9a1da781f6ee5c.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/stable_deref_trait-1.2.1/src/lib.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/libstable_deref_trait-4e9a1da781f6ee5c.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/stable_deref_trait-1.2.1/src/lib.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/stable_deref_trait-1.2.1/src/lib.rs:
