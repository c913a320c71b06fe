//! Measurements of single pieces: the kernel, a balancing round, the engine.
