//! Sweeps in virtual time, written down as those of threads are.
