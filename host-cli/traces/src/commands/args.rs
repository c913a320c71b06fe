//! The flags of the commands of load traces.

mod balance;
mod decide;
mod traces;

pub use balance::{
    BalanceArgs, BalancedFiles, ChoiceError, GrapevineChoices, Keep, KnowledgeChoice, MethodName,
    PhaseChoice, Plots, Preset, flags,
};
pub use decide::{DecideArgs, DecideCommand};
pub use traces::{
    ConvertArgs, FormArgs, GenerateArgs, InfoArgs, TraceInput, TracesArgs, TracesCommand,
    ValidateArgs,
};
