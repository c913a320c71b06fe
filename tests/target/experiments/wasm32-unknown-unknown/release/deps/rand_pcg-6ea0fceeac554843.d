/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/rand_pcg-6ea0fceeac554843.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg128.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg128cm.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg64.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/librand_pcg-6ea0fceeac554843.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg128.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg128cm.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg64.rs

/work/next/tests/compiled/../target/experiments/wasm32-unknown-unknown/release/deps/librand_pcg-6ea0fceeac554843.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg128.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg128cm.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg64.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/lib.rs:
/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg128.rs:
/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg128cm.rs:
/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_pcg-0.10.2/src/pcg64.rs:
