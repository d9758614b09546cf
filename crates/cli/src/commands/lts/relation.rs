//! What it means for graphs to behave the same, as options.

use clap::{Args, ValueEnum};
use narrows_lts::{Relation, Settings};

#[derive(Args)]
pub(super) struct Chosen {
    /// Choose what it means to behave the same
    #[arg(long, value_name = "RELATION")]
    relation: Name,

    /// Let labels with rates mean time: `rate 2.5`, `a; rate 2.5`
    ///
    /// Sums of rates are compared, exactly as decimal numbers. In a state with an internal step no time
    /// passes: its rates are left out.
    #[arg(long)]
    stochastic: bool,

    /// Let labels with probabilities mean chance: `prob 0.5`, `a; prob 0.5`
    ///
    /// Sums of probabilities are compared, exactly as decimal numbers.
    #[arg(long)]
    probabilistic: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Strong bisimulation: every step counts
    Strong,
    /// Branching bisimulation: internal steps count only if they decide something
    Branching,
    /// Branching bisimulation that tells whether internal steps can go on for ever
    Divbranching,
    /// Weak bisimulation: internal steps before and after others do not count
    Weak,
    /// The same sequences of visible steps (weak traces)
    Trace,
}

impl Name {
    fn relation(self) -> Relation {
        match self {
            Name::Strong => Relation::Strong,
            Name::Branching => Relation::Branching,
            Name::Divbranching => Relation::DivergenceBranching,
            Name::Weak => Relation::Weak,
            Name::Trace => Relation::Trace,
        }
    }
}

impl Chosen {
    pub(super) fn settings(&self) -> Settings {
        let relation = self.relation.relation();
        Settings { relation, stochastic: self.stochastic, probabilistic: self.probabilistic }
    }

    /// Returns the name of the relation as it is given.
    pub(super) fn name(&self) -> &'static str {
        match self.relation {
            Name::Strong => "strong",
            Name::Branching => "branching",
            Name::Divbranching => "divbranching",
            Name::Weak => "weak",
            Name::Trace => "trace",
        }
    }
}
