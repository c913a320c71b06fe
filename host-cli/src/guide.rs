//! The guide: one page for each subject.
//!
//! The pages are Markdown files in `host-cli/guide`. Their links to each other are for readers of
//! the source; here the definitions in front of each page, which come first, lead to modules.

#[doc = "[Load traces]: crate::guide::load_traces"]
#[doc = "[clusters]: ../../../tresse_mpi/guide/clusters/index.html"]
#[doc = "[recordings]: crate::guide::recordings"]
#[doc = "[virtual machines]: crate::guide::virtual_machines\n"]
#[doc = include_str!("../guide/solving.md")]
pub mod solving {}

#[doc = "[Load traces]: crate::guide::load_traces"]
#[doc = "[multigrid]: crate::guide::solving"]
#[doc = "[pool of tasks]: crate::guide::unbalanced_trees\n"]
#[doc = include_str!("../guide/recordings.md")]
pub mod recordings {}

#[doc = "[clusters]: ../../../tresse_mpi/guide/clusters/index.html"]
#[doc = "[files]: crate::guide::machine_files"]
#[doc = "[solving]: crate::guide::solving\n"]
#[doc = include_str!("../guide/virtual-machines.md")]
pub mod virtual_machines {}

#[doc = include_str!("../guide/machine-files.md")]
pub mod machine_files {}

#[doc = include_str!("../guide/when-balancing-pays.md")]
pub mod when_balancing_pays {}

#[doc = "[machine]: crate::guide::virtual_machines"]
#[doc = "[recordings]: crate::guide::recordings\n"]
#[doc = include_str!("../guide/unbalanced-trees.md")]
pub mod unbalanced_trees {}

#[doc = "[clusters]: ../../../tresse_mpi/guide/clusters/index.html\n"]
#[doc = include_str!("../guide/your-own-iteration.md")]
pub mod your_own_iteration {}

#[doc = include_str!("../guide/json.md")]
pub mod json {}

#[doc = "[solving]: crate::guide::solving\n"]
#[doc = include_str!("../guide/load-traces.md")]
pub mod load_traces {}
