//! The guide for those who use the program; the other pages are with `tresse`.
//!
//! The page is a Markdown file in `host-mpi/guide`, see [`tresse::guide`].

#[doc = "[solving]: tresse::guide::solving\n"]
#[doc = "[trees]: tresse::guide::unbalanced_trees\n"]
#[doc = include_str!("../guide/clusters.md")]
pub mod clusters {}
