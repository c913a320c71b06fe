//! `tresse uts`.

use clap::Args;
use tresse_console::wording::nearest;
use tresse_core::base::grammar::count32;
use tresse_core::tasks::uts::{Kind, NAMED, NamedTree, Published, Shape, Tree};

use super::pool::{PoolArgs, PoolOutputArgs, VirtualPoolArgs};

/// The flags of `uts`.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct UtsArgs {
    /// The tree.
    #[command(flatten)]
    pub tree: TreeArgs,

    /// Flags of the search.
    #[command(flatten)]
    pub pool: PoolArgs,

    /// Flags for a virtual machine.
    #[command(flatten)]
    pub place: VirtualPoolArgs,

    /// Flags for the output.
    #[command(flatten)]
    pub output: PoolOutputArgs,
}

/// A tree: its name, or the flags of the reference program.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct TreeArgs {
    /// A tree of the reference distribution, such as T1, T3L or T2XXL
    #[arg(long, value_name = "NAME", value_parser = named, help_heading = "Tree")]
    #[arg(conflicts_with_all = ["kind", "branching", "root", "probability", "children", "shape", "depth", "shift"])]
    pub tree: Option<NamedTree>,

    /// 0 binomial, 1 geometric, 2 hybrid, 3 balanced [default: 1]
    #[arg(short = 't', value_name = "N", value_parser = kind, help_heading = "Tree")]
    #[arg(allow_negative_numbers = true)]
    pub kind: Option<Kind>,

    /// The number of children of the root, or its mean [default: 4]
    #[arg(short = 'b', value_name = "B", help_heading = "Tree", allow_negative_numbers = true)]
    pub branching: Option<f64>,

    /// The seed of the root [default: 0]
    #[arg(short = 'r', value_name = "SEED", value_parser = count32, help_heading = "Tree")]
    #[arg(allow_negative_numbers = true)]
    pub root: Option<u32>,

    /// Binomial: the probability that a node has children [default: 0.234375]
    #[arg(short = 'q', value_name = "Q", help_heading = "Tree", allow_negative_numbers = true)]
    pub probability: Option<f64>,

    /// Binomial: the number of children of a node that has some [default: 4]
    #[arg(short = 'm', value_name = "M", value_parser = count32, help_heading = "Tree")]
    #[arg(allow_negative_numbers = true)]
    pub children: Option<u32>,

    /// Geometric: 0 linear, 1 exponential, 2 cyclic, 3 fixed [default: 0]
    #[arg(short = 'a', value_name = "N", value_parser = shape, help_heading = "Tree")]
    #[arg(allow_negative_numbers = true)]
    pub shape: Option<Shape>,

    /// The depth, but for binomial trees [default: 6]
    #[arg(short = 'd', value_name = "D", value_parser = count32, help_heading = "Tree")]
    #[arg(allow_negative_numbers = true)]
    pub depth: Option<u32>,

    /// Hybrid: the share of the depth that is geometric [default: 0.5]
    #[arg(short = 'f', value_name = "F", help_heading = "Tree", allow_negative_numbers = true)]
    pub shift: Option<f64>,

    /// How often each child is made: the weight of a node [default: 1]
    #[arg(short = 'g', value_name = "N", value_parser = count32, help_heading = "Tree")]
    #[arg(allow_negative_numbers = true)]
    pub granularity: Option<u32>,
}

/// A tree with its name and its published counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Name of the tree, or the flags that make it.
    pub name: String,
    /// The tree.
    pub tree: Tree,
    /// Published counts of the tree.
    pub published: Option<Published>,
}

impl TreeArgs {
    /// Returns the tree that is asked for, or T1.
    pub fn chosen(&self) -> Chosen {
        let is_default = *self == Self { granularity: self.granularity, ..Self::default() };
        let [smallest, ..] = NAMED;
        let named = self.tree.or_else(|| is_default.then_some(smallest));
        let from = named.map_or(Tree::DEFAULT, |named| named.tree);
        let tree = Tree {
            kind: self.kind.unwrap_or(from.kind),
            branching: self.branching.unwrap_or(from.branching),
            seed: self.root.unwrap_or(from.seed),
            probability: self.probability.unwrap_or(from.probability),
            children: self.children.unwrap_or(from.children),
            shape: self.shape.unwrap_or(from.shape),
            depth: self.depth.unwrap_or(from.depth),
            shift: self.shift.unwrap_or(from.shift),
            granularity: self.granularity.unwrap_or(from.granularity),
        };
        let weight =
            if tree.granularity == 1 { String::new() } else { format!(" -g {}", tree.granularity) };
        let name =
            named.map_or_else(|| tree.flags().to_string(), |named| named.name.to_owned()) + &weight;
        Chosen { name, tree, published: named.map(|named| named.published) }
    }

    /// Returns the warnings about what has no effect.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let kind = self.chosen().tree.kind;
        let flags = [
            ("-q", self.probability.is_some() && !kind.is_binomial()),
            ("-m", self.children.is_some() && !kind.is_binomial()),
            ("-a", self.shape.is_some() && !kind.is_geometric()),
            ("-d", self.depth.is_some() && !kind.has_depth()),
            ("-f", self.shift.is_some() && !kind.is_mixed()),
        ];
        let idle = flags.into_iter().filter_map(|(flag, is_idle)| is_idle.then_some(flag));
        idle.map(move |flag| format!("{flag} has no effect with -t {}, a {kind} tree", kind as u32))
    }
}

/// Parses the name of a published tree; the error offers the nearest one.
fn named(text: &str) -> Result<NamedTree, String> {
    NamedTree::parse(text).map_err(|_| {
        let names = NAMED.map(|named| named.name);
        let all = names.join(", ");
        match nearest(text, names) {
            Some(name) => format!("no tree of that name; did you mean {name}? There are {all}"),
            None => format!("no tree of that name; there are {all}"),
        }
    })
}

/// Reads the kind of tree by its number in UTS.
fn kind(text: &str) -> Result<Kind, &'static str> {
    numbered(text, &Kind::ALL)
}

/// Reads the shape of a geometric tree by its number in UTS.
fn shape(text: &str) -> Result<Shape, &'static str> {
    numbered(text, &Shape::ALL)
}

/// Returns the choice of a number, from 0.
fn numbered<T: Copy>(text: &str, all: &[T]) -> Result<T, &'static str> {
    let number: Option<usize> = text.parse().ok();
    number.and_then(|number| all.get(number)).copied().ok_or("expected 0, 1, 2 or 3")
}
