//! Compiles the C competitor of the kernel's benches, where these are asked for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "c-kernel")]
    {
        println!("cargo:rerun-if-changed=benches/jacobi.c");
        compile("jacobi_native", &["-march=native"]);
        let is_x86 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
        // The same processor as if it had no vectors of 512 bits.
        let narrower: &[_] = if is_x86 { &["-march=native", "-mno-avx512f"] } else { &[] };
        compile("jacobi_avx2", narrower);
    }
}

/// Compiles the competitor with these flags, and names for its functions that begin with `name`.
#[cfg(feature = "c-kernel")]
fn compile(name: &str, flags: &[&str]) {
    cc::Build::new()
        .file("benches/jacobi.c")
        .define("F64", &*format!("{name}_f64"))
        .define("F32", &*format!("{name}_f32"))
        .opt_level(3)
        .flags(flags)
        .flag("-fopenmp-simd")
        .compile(name);
}
