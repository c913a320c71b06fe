//! Cutting a grid, moving its parts, and reading the words for both.

mod decomposition;
mod grammar;
mod migration;
mod view;
