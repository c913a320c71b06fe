//! The machines that come with the program.

/// Names of the shipped machines.
pub const NAMES: [&str; 6] = ["cirrus", "cirrus-15", "cirrus-100", "archer", "icc", "laptop"];

/// Returns the text of a shipped machine's file.
pub fn shipped_text(name: &str) -> Option<&'static str> {
    match name {
        "cirrus" => Some(include_str!("../../../machines/cirrus.toml")),
        "cirrus-15" => Some(include_str!("../../../machines/cirrus-15.toml")),
        "cirrus-100" => Some(include_str!("../../../machines/cirrus-100.toml")),
        "archer" => Some(include_str!("../../../machines/archer.toml")),
        "icc" => Some(include_str!("../../../machines/icc.toml")),
        "laptop" => Some(include_str!("../../../machines/laptop.toml")),
        _ => None,
    }
}
