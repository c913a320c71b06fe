//! The launcher's statements about the ranks, which are read before MPI is entered.
//!
//! An `mpirun` of another MPI than the library's starts every process as the only one of its own
//! job. What it wrote into their environments gives that away.

/// The environment variables with the number of processes and the number of this one, by launcher.
const NAMES: [(&str, [&str; 2]); 3] = [
    ("Open MPI's mpirun", ["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"]),
    ("srun", ["SLURM_STEP_NUM_TASKS", "SLURM_PROCID"]),
    // MPICH's own, and those of others: after srun, which may set them too.
    ("MPICH's mpiexec", ["PMI_SIZE", "PMI_RANK"]),
];

/// The launcher's statement about a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Name of the launcher.
    pub by: &'static str,
    /// Number of processes that the launcher started.
    pub ranks: u32,
    /// Number of this process among them.
    pub rank: u32,
}

impl Launched {
    /// Finds the statement in environment variables; returns `None` for a process that was started
    /// without a launcher.
    pub fn find(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        NAMES.into_iter().find_map(|(by, names)| {
            let [ranks, rank] = names.map(|name| variable(name)?.parse().ok());
            Some(Self { by, ranks: ranks?, rank: rank? })
        })
    }

    /// Returns the launcher's statement about this process.
    pub fn this() -> Option<Self> {
        Self::find(|name| std::env::var(name).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(set: &[(&str, &str)]) -> Option<Launched> {
        Launched::find(|name| {
            set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        assert_eq!(find(&[]), None);
        assert_eq!(find(&[("PMI_SIZE", "4")]), None);
        assert_eq!(find(&[("PMI_SIZE", "four"), ("PMI_RANK", "0")]), None);
        let mpich = Launched { by: "MPICH's mpiexec", ranks: 4, rank: 3 };
        assert_eq!(find(&[("PMI_SIZE", "4"), ("PMI_RANK", "3")]), Some(mpich));
        let open = [("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_RANK", "1")];
        assert_eq!(find(&open).map(|it| (it.ranks, it.rank)), Some((2, 1)));
    }
}
