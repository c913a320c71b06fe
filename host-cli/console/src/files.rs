//! Files of any command: [`output`] writes them, so that nothing half-written ever has a final
//! name; a [`document`] is what a person writes, as are virtual machines ([`machine_files`]).

pub mod document;
pub mod machine_files;
pub mod output;
