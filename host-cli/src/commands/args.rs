//! The command line: the flags of all commands, their help, and the values that shells offer.

mod completions;
mod help;
mod man;
mod offered;

pub use completions::CompletionsArgs;
pub use help::{read_command_line, with_short_help};
pub use man::ManArgs;
pub(crate) use offered::offering;
pub use tresse_console::args::NoiseChoices;
pub use tresse_console::args::values::time_with_unit;
pub use tresse_engine::commands::args::{
    BenchArgs, BenchCommand, BenchEngineArgs, BenchKernelArgs, BenchPredictionArgs, BenchRoundArgs,
    BenchVmArgs, CalibrateArgs, CheckpointArgs, CompareArgs, ExportTraceArgs, FrontError, Home,
    MatrixArgs, MethodChoice, NodeChoices, NoiseArgs, RelativeToChoice, ReplayArgs, Resolved,
    ResolvedSimulation, RunFlags, SimulateArgs, SolveArgs, SolveHereArgs, TopologyArgs, describe,
    describe_simulation, read_run_table, resolve, resolve_on_ranks, resolve_simulation,
};
pub use tresse_papers::commands::args::ReproduceArgs;
pub use tresse_tasks::commands::args::{
    Chosen, GraphArgs, GraphChoice, PoolArgs, PoolOutputArgs, TraverseArgs, TreeArgs, UtsArgs,
    VirtualPool, VirtualPoolArgs,
};
pub use tresse_traces::commands::args::{
    BalanceArgs, BalancedFiles, ChoiceError, ConvertArgs, DecideArgs, DecideCommand, FormArgs,
    GenerateArgs, GrapevineChoices, InfoArgs, Keep, KnowledgeChoice, MethodName, PhaseChoice,
    Plots, Preset, TraceInput, TracesArgs, TracesCommand, ValidateArgs, flags,
};

use clap::{Parser, Subcommand};

/// Solves 2D heat and Poisson problems asynchronously on pinned threads, with progressive load
/// balancing.
#[derive(Clone, Debug, Parser)]
#[command(name = "tresse", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Solve one problem: the paper's, or that of a file.
    Solve(Box<SolveHereArgs>),
    /// Make a recorded run again, on one thread, to the same field.
    Replay(ReplayArgs),
    /// Export a recording as a trace that Perfetto opens.
    ExportTrace(ExportTraceArgs),
    /// Solve one problem on another machine, in virtual time: the same decisions, every cell real.
    Simulate(Box<SimulateArgs>),
    /// Compare the paper's methods, quiet and with one noisy core.
    Compare(CompareArgs),
    /// Repeat an evaluation of the papers in virtual time: ours beside the published figures.
    Reproduce(ReproduceArgs),
    /// Load traces of applications: make, show, check or convert one.
    Traces(TracesArgs),
    /// Balance the objects of a load trace: Grapevine beside central references.
    Balance(Box<BalanceArgs>),
    /// Count an unbalanced tree by a pool of tasks that the workers share.
    Uts(Box<UtsArgs>),
    /// Traverse a graph, depth first, by the same pool of tasks.
    Traverse(Box<TraverseArgs>),
    /// Answer a single decision: JSON on standard input, JSON on standard output.
    Decide(DecideArgs),
    /// Slow one core down on purpose.
    Noise(NoiseArgs),
    /// Measure a single piece.
    Bench(BenchArgs),
    /// Measure what the pieces of a run cost here, for `simulate --machine`.
    Calibrate(CalibrateArgs),
    /// Show workers, cores and sockets as they are seen and as they will be pinned.
    Topology(TopologyArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page (roff), or write a page for each subcommand.
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Cli;

    #[test]
    fn the_definitions_are_consistent_and_every_flag_has_help() {
        fn check(command: &clap::Command) {
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument);
            }
            command.get_subcommands().for_each(check);
        }
        let mut command = Cli::command();
        command.build();
        check(&command);
        command.debug_assert();
    }

    #[test]
    fn bad_values_name_their_flag() {
        for (line, flag) in [
            ("solve --mode fast", "--mode"),
            ("solve --balance split", "--balance"),
            ("solve --balance hybrid:1ms", "--balance"),
            ("solve --grid 0x4", "--grid"),
            ("solve --grid 10", "--grid"),
            ("solve --workers -1", "--workers"),
            ("solve --workers 5000000000", "--workers"),
            ("solve --split 1.5", "--split"),
            ("solve --iterations many", "--iterations"),
            ("solve --tolerance little", "--tolerance"),
            ("solve --precision f16", "--precision"),
            ("solve --noise core=1", "--noise"),
            ("solve --noise core=1,duty=2", "--noise"),
            ("solve --topology 2x0", "--topology"),
            ("solve --grid 5x5 --cells-per-worker 5x5", "--cells-per-worker"),
            ("replay", "<FILE>"),
            ("export-trace run.tresse", "--perfetto"),
            ("simulate --nodes 0", "--nodes"),
            ("simulate --node-balance dplb:0,1", "--node-balance"),
            ("simulate --node-rule mine", "--node-rule"),
            ("simulate --node-cooldown soon", "--node-cooldown"),
            ("simulate --timed-as 300", "--timed-as"),
            ("noise --core 0 --duty 1", "--duty"),
            ("noise --core 0 --duty 0.5 --work 5", "--work"),
            ("noise --sleep 1ms", "--core"),
            ("compare --repetitions 0", "--repetitions"),
            ("bench kernel --threads 0", "--threads"),
            ("bench kernel --seconds 0", "--seconds"),
            ("bench round --subdomains -3", "--subdomains"),
            ("bench prediction --machine a.toml --repetitions 0", "--repetitions"),
            ("bench prediction --workers none", "--workers"),
            ("calibrate --out here", "--out"),
            ("calibrate --workers 0", "--workers"),
            ("traces generate --objects 5 --out a", "--processors"),
            ("traces generate --processors 0 --objects 5 --out a", "--processors"),
            ("traces generate --processors 2 --objects 5 --out a --loads normal:1,2", "--loads"),
            ("traces generate --processors 2 --objects 5 --out a --stem a/b", "--stem"),
            ("traces info", "<INPUT>"),
            ("traces convert a --out b --csv --compress", "--csv"),
            ("balance", "<INPUT>"),
            ("balance a --method best", "--method"),
            ("balance a --method lpt --compare", "--compare"),
            ("balance a --tune criterion=6", "--tune"),
            ("balance a --tune knowledge=all", "--tune"),
            ("balance a --tune knowledge=gossiped:few", "--tune"),
            ("balance a --tune fanout=-1", "--tune"),
            ("balance a --tune rounds=many", "--tune"),
            ("balance a --iterations 0", "--iterations"),
            ("balance a --tune threshold=falling:0", "--tune"),
            ("balance a --tune threshold=high", "--tune"),
            ("balance a --tune order=largest", "--tune"),
            ("balance a --tune cmf=norm", "--tune"),
            ("balance a --tune cmf-update=never", "--tune"),
            ("balance a --tune pass=twice", "--tune"),
            ("balance a --tune attempts=x", "--tune"),
            ("balance a --tune exchange=maybe", "--tune"),
            ("balance a --tune refuse=1", "--tune"),
            ("balance a --tune sender-load=old", "--tune"),
            ("balance a --tune keep=first", "--tune"),
            ("balance a --trials -2", "--trials"),
            ("balance a --target 1e-3", "--target"),
            ("balance a --tune idle=soon", "--tune"),
            ("balance a --seed -1", "--seed"),
            ("balance a --phase first", "--phase"),
            ("balance a --memory-limit much", "--memory-limit"),
            ("balance a --threads 0", "--threads"),
            ("balance a --preset best", "--preset"),
            ("balance a --plots some", "--plots"),
            ("balance a --compress", "--out"),
            ("balance a --out b --out-stem c/d", "--out-stem"),
            ("traverse --graph random:vertices=0", "--graph"),
            ("traverse --root -1", "--root"),
            ("completions cobol", "cobol"),
        ] {
            let words = std::iter::once("tresse").chain(line.split(' '));
            let error = Cli::try_parse_from(words).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
            assert!(error.to_string().contains(flag), "{line}: {error}");
        }
    }
}
