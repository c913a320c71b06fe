//! Errors of evaluations that end a command.

use tresse_console::exit::Failure;

use super::reproduce::UnknownExperiment;
use crate::ExperimentError;

impl Failure for UnknownExperiment {}

impl Failure for ExperimentError {}
