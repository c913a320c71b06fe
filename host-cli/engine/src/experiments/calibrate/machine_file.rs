//! Writes a calibration as a machine file, for `simulate --machine` and for people.

use std::fmt::{self, Write as _};

use tresse_core::run::noise::Parasite;

use super::Calibration;
use super::figures::{CalibrationFigures, Figure};

/// The machine and the time of a calibration.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// Name of the machine.
    pub name: &'a str,
    /// Name of the processor.
    pub cpu: &'a str,
    /// Number of sockets with workers.
    pub sockets: u32,
    /// Greatest number of workers on a socket.
    pub cores: u32,
    /// Date, as a person reads it.
    pub date: &'a str,
    /// Number of times that everything was measured.
    pub rounds: u32,
}

impl Calibration {
    /// Returns the text of the machine file.
    pub fn machine_file(&self, about: &Description<'_>) -> String {
        let mut text = String::new();
        // Nothing that is written into a text fails.
        let _ = self.write(about, &mut text);
        text
    }

    /// Writes the whole file, with the quartiles as comments.
    fn write(&self, about: &Description<'_>, out: &mut String) -> fmt::Result {
        let Description { name, cpu, sockets, cores, date, rounds } = *about;
        let line = |text: &str| text.chars().filter(|c| !c.is_control()).collect::<String>();
        writeln!(
            out,
            "# {} ({date}), measured by tresse {}",
            line(cpu),
            env!("CARGO_PKG_VERSION")
        )?;
        writeln!(
            out,
            "# in runs of its solver in f64: medians of {rounds}, their quartiles beside them."
        )?;
        if let Some(warning) = self.warning() {
            writeln!(out, "# Warning: {warning}.")?;
        }
        writeln!(out, "name = {}", toml::Value::from(name))?;
        writeln!(out, "nodes = 1\nsockets = {sockets}\ncores = {cores}\n")?;
        self.write_rest(out)?;
        self.write_sweeps(out)?;
        self.write_between_sweeps(out)?;
        self.write_halos(out)?;
        self.write_hand_overs(out)
    }

    /// Writes how much the cores differ, and what others take of them at rest.
    fn write_rest(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "# How far the workers' paces are from their mean, each run anew.")?;
        let range = self.figures.pace_range().min(0.5);
        writeln!(out, "pace-range = {}", Number(range, 6))?;
        let share = self.rest.share() * 100.0;
        writeln!(
            out,
            "# What others took of each core at rest, {share:.2} %, in bursts of such lengths."
        )?;
        let sources: Vec<_> = self.rest.background().iter().map(shown).collect();
        writeln!(out, "background = [{}]\n", sources.join(", "))
    }

    /// Writes the costs of sweeps: of each cell by the worker's cells, and of all besides.
    fn write_sweeps(&self, out: &mut String) -> fmt::Result {
        let figures = &self.figures;
        writeln!(
            out,
            "[costs]\n# [cells of a worker, nanoseconds for one of them in a sweep]\ncell = ["
        )?;
        for (cells, cost) in figures.cells() {
            let range = range(figures, Figure::Cell(cells), 3);
            writeln!(out, "    [{cells}, {}],{range}", Number(cost, 3))?;
        }
        writeln!(out, "]\n# What a cell costs besides where its residual is taken.")?;
        value(out, "residual", figures, Figure::Residual)?;
        writeln!(out, "# Every sweep, besides its cells.")?;
        time(out, "sweep", figures, Figure::Sweep)
    }

    /// Writes the costs of barriers, balancing rounds and parasites.
    fn write_between_sweeps(&self, out: &mut String) -> fmt::Result {
        let figures = &self.figures;
        writeln!(out, "# A barrier, for each doubling of the workers.")?;
        time(out, "barrier", figures, Figure::Barrier)?;
        writeln!(out, "# A balancing round, and what each subdomain adds to it.")?;
        time(out, "round", figures, Figure::Round)?;
        value(out, "round-subdomain", figures, Figure::RoundSubdomain)?;
        writeln!(
            out,
            "# Parasites: an iteration of their loop, by how much they oversleep, and what a \
                       burst takes besides its work."
        )?;
        value(out, "parasite-iteration", figures, Figure::ParasiteIteration)?;
        time(out, "wake-up", figures, Figure::WakeUp)?;
        time(out, "switch", figures, Figure::Switch)
    }

    /// Writes the costs of halos; socket and node stand for each other where one is not measured.
    fn write_halos(&self, out: &mut String) -> fmt::Result {
        writeln!(
            out,
            "\n# Reading the halo on one side, and publishing the edge there.\n[costs.halo]"
        )?;
        let core = (Figure::CoreHalo, Figure::CoreHaloCell);
        let socket = (Figure::SocketHalo, Figure::SocketHaloCell);
        let node = (Figure::NodeHalo, Figure::NodeHaloCell);
        self.write_path(out, "core", core)?;
        self.write_path(out, "socket", self.measured_or(socket, node))?;
        self.write_path(out, "node", self.measured_or(node, socket))
    }

    /// Writes the costs of hand-overs, which are none on the same core.
    fn write_hand_overs(&self, out: &mut String) -> fmt::Result {
        let note =
            "# The first sweep after a subdomain has changed hands, besides what any sweep costs.";
        writeln!(out, "\n{note}\n[costs.hand-over]")?;
        writeln!(out, "core = {{ latency = \"0ns\", cell = 0 }}")?;
        let both = (Figure::HandOver, Figure::HandOverCell);
        self.write_path(out, "socket", both)?;
        self.write_path(out, "node", both)
    }

    /// Returns the figures of a path, or those of another where this machine does not have the
    /// distance.
    fn measured_or(&self, path: (Figure, Figure), other: (Figure, Figure)) -> (Figure, Figure) {
        if self.figures.of(path.0).is_some() { path } else { other }
    }

    /// Writes the costs of one way between workers: nanoseconds of each time, and of each cell.
    fn write_path(&self, out: &mut String, key: &str, path: (Figure, Figure)) -> fmt::Result {
        let [latency, cell] = [path.0, path.1].map(|figure| self.figures.median(figure));
        let ranges = range(&self.figures, path.0, 0) + &range(&self.figures, path.1, 3);
        writeln!(
            out,
            "{key} = {{ latency = \"{}ns\", cell = {} }}{ranges}",
            Number(latency, 0),
            Number(cell, 3)
        )
    }
}

/// Writes a key with a number of nanoseconds.
fn value(out: &mut String, key: &str, figures: &CalibrationFigures, figure: Figure) -> fmt::Result {
    writeln!(out, "{key} = {}{}", Number(figures.median(figure), 3), range(figures, figure, 3))
}

/// Writes a key with a time and its unit.
fn time(out: &mut String, key: &str, figures: &CalibrationFigures, figure: Figure) -> fmt::Result {
    let nanoseconds = Number(figures.median(figure), 0);
    writeln!(out, "{key} = \"{nanoseconds}ns\"{}", range(figures, figure, 0))
}

/// Returns the quartiles as a comment.
fn range(figures: &CalibrationFigures, figure: Figure, digits: usize) -> String {
    figures.of(figure).map_or(String::new(), |found| {
        format!(" # {} to {}", Number(found.low, digits), Number(found.high, digits))
    })
}

/// Returns a parasite as a text of TOML.
fn shown(parasite: &Parasite) -> String {
    format!("\"{parasite}\"")
}

/// A number that is not below zero, written with at most this number of digits.
struct Number(f64, usize);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.*}", self.1, self.0.max(0.0));
        let text =
            if self.1 > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tresse_core::base::time::Duration;
    use tresse_core::sim::machine::{CellCost, Path as Way};

    use super::super::rest::Rest;
    use super::*;
    use crate::files::machine_files::{self, VirtualMachine};

    fn calibration(figures: &[(Figure, f64)]) -> Calibration {
        let mut all = CalibrationFigures::default();
        for &(figure, value) in figures {
            all.add(figure, Some(value));
        }
        Calibration { figures: all, rest: Rest::default() }
    }

    fn read(calibration: &Calibration) -> VirtualMachine {
        let about = Description {
            name: "he\"re",
            cpu: "A processor\nnodes = 7",
            sockets: 1,
            cores: 2,
            date: "today",
            rounds: 3,
        };
        machine_files::parse(&calibration.machine_file(&about), Path::new("")).unwrap()
    }

    #[test]
    fn a_file_says_what_was_measured() {
        let machine = read(&calibration(&[
            (Figure::Sweep, 119.6),
            (Figure::Cell(1_000), 0.25),
            (Figure::Cell(90_000), 0.123_456),
            (Figure::Residual, 0.1),
            (Figure::SocketHalo, 150.2),
            (Figure::SocketHaloCell, 0.75),
            (Figure::HandOverCell, 1.5),
            (Figure::WakeUp, 5_000.4),
            (Figure::Pace(0), 0.98),
            (Figure::Pace(1), 1.02),
        ]));
        assert_eq!(machine.to_string(), "he\"re: 1 node x 1 socket x 2 cores");
        let costs = machine.hardware.costs;
        let point = |cells, cost| CellCost { cells, cost };
        assert_eq!(costs.cells.points(), [point(1_000, 250), point(90_000, 123)]);
        assert_eq!((costs.cell, costs.residual, costs.sweep), (250, 100, Duration(120)));
        let halo = Way { latency: Duration(150), cell: 750 };
        assert_eq!((costs.halo.socket, costs.halo.node), (halo, halo), "there is one socket");
        assert_eq!(costs.halo.core, Way::default(), "was not measured");
        assert_eq!(costs.hand_over.socket, Way { latency: Duration::ZERO, cell: 1_500 });
        assert_eq!(costs.wake_up, Duration(5_000));
        // Two draws of ± 57 thousandths are 20 thousandths from their mean, usually.
        assert_eq!(machine.hardware.paces.core, 56_569);
    }
}
