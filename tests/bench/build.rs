//! Compiles the C competitor of the kernel's benches, where these are asked for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "c-kernel")]
    {
        println!("cargo:rerun-if-changed=benches/jacobi.c");
        cc::Build::new()
            .file("benches/jacobi.c")
            .opt_level(3)
            .flag("-march=native")
            .flag("-fopenmp-simd")
            .compile("jacobi");
    }
}
