//! The virtual machine, its noise, and what it measures.

mod events;
mod measured;
mod memory;
mod noise;
