//! Cutting a grid, moving its parts, and reading the words for both.

mod copies;
mod decomposition;
mod grammar;
mod lives;
mod migration;
mod view;
