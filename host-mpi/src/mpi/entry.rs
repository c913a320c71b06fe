//! The one way into MPI.

use std::ops::Deref;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fmt, io, thread};

use mpi::environment::{self, Threading, Universe};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root, Source};
use tresse::terminal;
use tresse_core::base::id::RankId;

use crate::mpi::constants::compiled_for;
use crate::mpi::launcher::Launched;
use crate::mpi::library::{self, Family, Library};
use crate::mpi::nodes::Nodes;
use crate::mpi::window::Handle;

/// Variable that names the parts of Open MPI that do one-sided communication.
const OSC: &str = "OMPI_MCA_osc";
/// One-sided components of Open MPI 4 that support all operations needed here.
const OSC_COMPLETE: &str = "sm,pt2pt";

/// Greatest number of bytes of messages that are on their way from a rank at a time. Memory is
/// taken as it is used.
pub(crate) const MOST_ON_THE_WAY: usize = 1 << 26;

/// Time within which a launcher forwards what a rank has printed.
const SAID: Duration = Duration::from_millis(300);

/// An error that keeps the program from using MPI.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The library does not allow calls from more than one thread.
    #[error(
        "{library} lets only one thread call it ({provided:?}); use an MPI library that provides \
         MPI_THREAD_SERIALIZED"
    )]
    Threads {
        /// Name and version of the library.
        library: String,
        /// Level of threading that the library provides instead.
        provided: Threading,
    },
    /// The ranks do not find each other.
    #[error(
        "{} started {} processes, but {library} sees this one alone; use the mpirun of that \
         library, or build tresse-mpi again with MPICC naming the compiler of this mpirun",
        launched.by, launched.ranks
    )]
    Launcher {
        /// Name and version of the library.
        library: String,
        /// The launcher's statement about the processes.
        launched: Launched,
    },
    /// The library is not the one that this program was compiled for.
    #[error(
        "built for {built}, but {loaded} was loaded; set LD_LIBRARY_PATH to the library of the MPI \
         that it was built for, or build it again with MPICC=mpicc of {loaded} and a --target-dir \
         of its own"
    )]
    Library {
        /// Library that the program was compiled for.
        built: Library,
        /// Library that was found when the program was started.
        loaded: Library,
    },
    /// The environment could not be set.
    #[error(
        "{library} needs {OSC}={OSC_COMPLETE}, and this program could not be started again with \
         it ({source}); call mpirun with --mca osc {OSC_COMPLETE}"
    )]
    Restart {
        /// Name and version of the library.
        library: String,
        /// Error of starting the program again.
        source: io::Error,
    },
    /// MPI was entered before.
    #[error("MPI is entered already")]
    Entered,
    /// MPI was entered without what Open MPI 4 needs.
    #[error(
        "{library} needs {OSC}={OSC_COMPLETE} before MPI is entered: enter it by \
             tresse_mpi::initialize, or call mpirun with --mca osc {OSC_COMPLETE}"
    )]
    OneSided {
        /// Name and version of the library.
        library: String,
    },
}

/// The ranks' way to each other, as long as anybody needs it.
pub(crate) struct Session {
    communicator: Handle<SimpleCommunicator>,
    // MPI is left when this is dropped, where this process entered it here.
    _universe: Option<Universe>,
}

/// The communicator of all ranks.
pub(crate) struct World(Arc<Session>);

impl Deref for World {
    type Target = SimpleCommunicator;

    fn deref(&self) -> &SimpleCommunicator {
        &self.0.communicator.0
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// The right to call MPI: one for each process, so that calls never overlap.
///
/// MPI is left when this and all [windows](crate::mpi::Window) are dropped, which waits for the
/// other ranks. A thread that panics with it ends all ranks instead: the others would wait for
/// ever.
#[derive(Debug)]
pub struct Entry {
    session: Arc<Session>,
    library: String,
    rank: RankId,
    ranks: u32,
    nodes: Nodes,
}

impl Entry {
    /// Enters MPI as [`initialize`] does, for all ranks. Collective.
    pub fn start() -> Result<Self, LaunchError> {
        let universe = initialize()?;
        let world = universe.world();
        if let Some(launched) = Launched::this()
            && world.size() == 1
            && launched.ranks > 1
        {
            return Err(LaunchError::Launcher { library: library_name(), launched });
        }
        Ok(Self::new(Session { communicator: Handle(world), _universe: Some(universe) }))
    }

    /// Takes the right to call MPI on a communicator, which is duplicated. Nobody else in this
    /// process calls MPI until it is dropped. Collective over the communicator.
    pub fn over(communicator: &impl Communicator) -> Result<Self, LaunchError> {
        let provided = environment::threading_support();
        if provided < Threading::Serialized {
            return Err(LaunchError::Threads { library: library_name(), provided });
        }
        if lacks_one_sided(checked_library()?) {
            return Err(LaunchError::OneSided { library: library_name() });
        }
        let communicator = Handle(communicator.duplicate());
        Ok(Self::new(Session { communicator, _universe: None }))
    }

    /// Finds this rank's place. Collective.
    fn new(session: Session) -> Self {
        let Handle(world) = &session.communicator;
        let [rank, ranks] = [world.rank(), world.size()].map(i32::unsigned_abs);
        let nodes = find_nodes(world, rank);
        let session = Arc::new(session);
        Self { session, library: library_name(), rank: RankId(rank), ranks, nodes }
    }

    /// Returns the rank of this process.
    pub const fn rank(&self) -> RankId {
        self.rank
    }

    /// Returns the number of ranks.
    pub const fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Returns the sets of ranks that share memory.
    pub const fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Reports whether another rank shares memory with this one.
    pub fn same_node(&self, rank: RankId) -> bool {
        self.nodes.together(self.rank, rank)
    }

    /// Returns the index of this rank among those that share its memory.
    pub fn node_rank(&self) -> u32 {
        (0..)
            .zip(self.nodes.with(self.rank))
            .find(|(_, rank)| *rank == self.rank)
            .map_or(0, |it| it.0)
    }

    /// Returns the number of ranks that share this one's memory, including this rank.
    pub fn node_ranks(&self) -> u32 {
        (0..).zip(self.nodes.with(self.rank)).last().map_or(1, |(last, _): (u32, _)| last + 1)
    }

    /// Returns the library's name and version.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// Lets MPI do the work that other ranks wait for, by looking for a message.
    pub fn enter(&mut self) {
        self.world().any_process().immediate_probe();
    }

    /// Ends all ranks at once.
    pub fn abort(&mut self, code: i32) -> ! {
        // A launcher forwards nothing any more once it knows: first what was just said goes out.
        thread::sleep(SAID);
        self.world().abort(code)
    }

    /// Prints the error and ends all ranks at once, as the others would wait for this one for ever.
    pub(crate) fn give_up(&mut self, error: &impl fmt::Display) -> ! {
        terminal::tell(&format!("error: rank {}: {error}", self.rank));
        self.abort(1)
    }

    pub(crate) fn session(&self) -> Arc<Session> {
        Arc::clone(&self.session)
    }

    pub(crate) fn world(&self) -> World {
        World(self.session())
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if thread::panicking() {
            // The others would wait for this rank at the end.
            self.world().abort(101);
        }
    }
}

/// Enters MPI as this crate needs it. Collective over all processes.
///
/// To be called first of all: where Open MPI 4 must be told what to do one-sided communication with
/// (unless `OMPI_MCA_osc` says it), the process starts its program again, from the beginning, with
/// that variable set. Its default crashes on a compare-and-swap and fails between nodes.
pub fn initialize() -> Result<Universe, LaunchError> {
    let library = library_name();
    if lacks_one_sided(checked_library()?) {
        return Err(LaunchError::Restart { library, source: start_again() });
    }
    let (mut universe, provided) = environment::initialize_with_threading(Threading::Serialized)
        .ok_or(LaunchError::Entered)?;
    if provided < Threading::Serialized {
        return Err(LaunchError::Threads { library, provided });
    }
    universe.set_buffer_size(MOST_ON_THE_WAY);
    Ok(universe)
}

/// Returns the library that was loaded, as far as it is known; an error where it is not the one
/// that this program was compiled for.
fn checked_library() -> Result<Option<Library>, LaunchError> {
    let loaded = Library::from_description(&environment::library_version().unwrap_or_default());
    match (compiled_for(), loaded) {
        (Some(built), Some(loaded)) if built != loaded => {
            Err(LaunchError::Library { built, loaded })
        }
        (_, loaded) => Ok(loaded),
    }
}

/// Whether the library lacks a complete one-sided component, and is not told to take one.
fn lacks_one_sided(library: Option<Library>) -> bool {
    library == Some(Library { family: Family::OpenMpi, major: 4 }) && env::var_os(OSC).is_none()
}

/// Returns the library's name and version.
fn library_name() -> String {
    library::short(&environment::library_version().unwrap_or_default())
}

/// Replaces this process by its program with [`OSC`] set; returns only if that fails.
fn start_again() -> io::Error {
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(error) => return error,
    };
    let mut arguments = env::args_os();
    let name = arguments.next().unwrap_or_else(|| program.clone().into_os_string());
    Command::new(program).arg0(name).args(arguments).env(OSC, OSC_COMPLETE).exec()
}

/// Finds the ranks that share memory. Collective.
fn find_nodes(world: &SimpleCommunicator, rank: u32) -> Nodes {
    // Ranks keep their order in it.
    let node = world.split_shared(world.rank());
    let mut lowest = rank;
    node.process_at_rank(0).broadcast_into(&mut lowest);
    let mut all = vec![0; world.size().unsigned_abs() as usize];
    world.all_gather_into(&lowest, &mut all);
    Nodes::new(all)
}
