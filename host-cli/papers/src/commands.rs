//! The command of the evaluations: its flags ([`args`]), and what it does.

pub mod args;
pub mod reproduce;

mod error;
