//! What a search for the number of components is asked, and what it answers.

use crate::engine::losses::Loss;
use crate::foundation::names;

/// What is held out to be predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Holdout {
    /// Thinning for counts; otherwise entries for dense data and the squared loss, else blocks.
    #[default]
    Auto,
    /// Of each count a binomial share of one quarter. Needs counts: multiples of one unit.
    Thinning,
    /// Single entries at random, 2 to 10 % of them. Needs dense data and the squared loss.
    Entries,
    /// The entries of half of the samples in half of the features, from the other three quarters of the data.
    Blocks,
}

names! {
    #[doc(hidden)]
    Holdout, "holdout",
    { Auto = "auto", Thinning = "thinning", Entries = "entries", Blocks = "blocks" }
}

/// Which numbers of components are compared, and how thoroughly.
#[derive(Clone, Debug, PartialEq)]
pub struct RankSettings {
    /// The least k, 1 or more; 1 by default.
    pub from: usize,
    /// The greatest k; 30 by default. It is lowered to what the data allow.
    pub to: usize,
    /// Splits of the data, 2 or more; by default 8, from 100,000 stored values on 6, from a million on 4;
    /// three times as many below 40 samples.
    pub splits: Option<usize>,
    /// Starts of each fit, of which the best is kept, 1 or more; by default 2 (6 below 40 samples), and 1
    /// from 100,000 stored values on; twice as many under guidance.
    pub restarts: Option<usize>,
    /// What is held out.
    pub holdout: Holdout,
}

impl Default for RankSettings {
    fn default() -> Self {
        RankSettings { from: 1, to: 30, splits: None, restarts: None, holdout: Holdout::Auto }
    }
}

/// What was found for one k.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankRow {
    /// k.
    pub rank: usize,
    /// The mean held-out error, relative to that of the mean of all entries (1 = no better than it).
    pub error: f64,
    /// How much larger it is than that of the best k, in the same unit.
    pub excess: f64,
    /// The standard error of the excess over the splits.
    pub excess_error: f64,
    /// ρ(k), where it was needed for the answer.
    pub replication: Option<f64>,
    /// The held-out error of each split.
    pub errors: Vec<f64>,
    /// Under guidance, for k near the answer.
    pub guided: Option<GuidedRow>,
}

/// What was found under guidance for one k.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GuidedRow {
    /// The fraction of hidden labels whose sample is most in a component of its class, the mean over the
    /// splits; `None` where no label can be hidden.
    pub agreement: Option<f64>,
    /// 1 − the smallest cosine of a named component and itself at the least k that was tried.
    pub drift: f64,
}

/// What holds under guidance for all k.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GuidedRank {
    /// The components that the guidance names; the others are free.
    pub named: usize,
    /// Labels of the guidance.
    pub labels: usize,
    /// Those that are hidden in a split; none of a class with a single label.
    pub hidden_labels: usize,
    /// The topic whose second component predicts better than a further free component, if there is one.
    pub topic_in_two: Option<String>,
}

/// The number of components that the data support, and why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankChoice {
    /// The answer.
    pub rank: usize,
    /// By prediction alone.
    pub k_prediction: usize,
    /// By replication, at most `k_prediction`.
    pub k_replication: usize,
    /// Whether the data have structure at all: `false` where the answer is 1 and one component predicts
    /// held-out data no better than the mean of all entries.
    pub structure: bool,
    /// The fraction of 200 resamplings of the splits that give the same answer, 0 to 1; NaN where the search
    /// was stopped before it compared two numbers.
    pub confidence: f64,
    /// Whether the best k was the greatest of the range, so that a larger one may be better.
    pub at_limit: bool,
    /// Whether the components of none of the k that were tried return; the answer is then the least of them.
    pub none_returns: bool,
    /// Whether the search was stopped before its end; the answer is that of what was tried.
    pub stopped: bool,
    /// What was held out.
    pub holdout: Holdout,
    /// Splits of the data.
    pub splits: usize,
    /// Starts of each fit.
    pub restarts: usize,
    /// The loss.
    pub loss: Loss,
    /// One row for each k that was tried, ascending.
    pub table: Vec<RankRow>,
    /// Under guidance.
    pub guided: Option<GuidedRank>,
    /// What becomes of the components from one k to the next, near the answer.
    pub steps: Vec<RankStep>,
}

/// From k components to k + 1: which of them divides.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankStep {
    /// k.
    pub from: usize,
    /// The leading features of the component that is most like the additional one.
    pub parent: Vec<usize>,
    /// Those of what it becomes, and of the additional one.
    pub into: [Vec<usize>; 2],
    /// The cosine of the parent and the additional component: near 1 the parent divides, near 0 the
    /// additional one is new.
    pub cosine: f64,
    /// The smallest cosine of the other components and what they become.
    pub unchanged: f64,
}

impl RankChoice {
    /// The answer with its reasons, in a sentence or two.
    pub fn explanation(&self) -> String {
        if self.stopped && self.table.len() < 2 {
            return format!(
                "No answer: the search was stopped when only {} had been tried, so there is nothing to compare.",
                counted(self.rank)
            );
        }
        let split = match self.holdout {
            Holdout::Thinning => "a quarter of the counts",
            Holdout::Blocks => "held-out blocks",
            _ => "held-out entries",
        };
        if !self.structure {
            return format!(
                "No structure: the numbers that were tried do not predict {split} better than the mean of all \
                entries does."
            );
        }
        let is_one = self.holdout == Holdout::Thinning;
        let (count, verb) = (self.counted(), if is_one { "is" } else { "are" });
        let predicted = self.k_prediction;
        let mut out = match (self.rank, self.none_returns) {
            (_, true) => format!(
                "None of the numbers that were tried returns in random halves of the samples; {split} {verb} \
                predicted best with {}",
                counted(predicted)
            ),
            (rank, _) if self.named() > 0 && rank == self.named() && rank == predicted => {
                format!("{count}: free ones do not predict {split} better")
            }
            (1, _) if predicted == 1 => format!("{count}: more do not predict {split} better"),
            (rank, _) if rank == predicted => format!(
                "{count}: {split} {verb} predicted best with them, and {} return in random halves of the \
                samples",
                if self.named() > 0 { "the free ones" } else { "they" }
            ),
            // One component always returns.
            (1, _) => format!(
                "{count}: {split} {verb} predicted best with {predicted}, but no 2 or more return in random \
                halves of the samples; half of these data may be too little to find them"
            ),
            (rank, _) => format!(
                "{count}: {split} {verb} predicted best with {predicted}, but only {rank} return in random \
                halves of the samples"
            ),
        };
        if self.stopped {
            out.push_str(". The search was stopped: this is the answer by what was tried.");
        } else {
            out.push_str(&format!(" (confidence {} %).", (100.0 * self.confidence).round()));
        }
        if let Some(guided) = &self.guided {
            out.push_str(&self.of_guidance(guided));
        }
        // Numbers that are not drawn at random leave less of themselves in a part than counts do.
        if is_one && self.rank == 1 && predicted > 1 {
            out.push_str(" If these numbers are no counts, try the loss \"frobenius\".");
        }
        if self.at_limit {
            out.push_str(&format!(" {predicted} is the greatest number that was tried: try larger ones."));
        }
        out
    }
}

impl RankChoice {
    /// The components that guidance names.
    fn named(&self) -> usize {
        self.guided.as_ref().map_or(0, |guided| guided.named)
    }

    /// The answer as words: "5 components (3 named, 2 free)".
    fn counted(&self) -> String {
        match (self.named(), self.rank) {
            (0, rank) => counted(rank),
            (named, rank) if named == rank => format!("{} (all named)", counted(rank)),
            (named, rank) => format!("{} ({named} named, {} free)", counted(rank), rank - named),
        }
    }

    /// What hidden labels and topics say, under guidance.
    fn of_guidance(&self, guided: &GuidedRank) -> String {
        let row = |k: usize| self.table.iter().find(|row| row.rank == k).and_then(|row| row.guided);
        let mut out = String::new();
        if let Some(agreement) = row(self.rank).and_then(|row| row.agreement) {
            out.push_str(&format!(" {:.0} % of hidden labels are found again.", 100.0 * agreement));
        }
        if guided.labels > 0 && guided.hidden_labels == 0 {
            out.push_str(" Each class has one label, so no label could be hidden.");
        }
        if let Some(topic) = &guided.topic_in_two {
            out.push_str(&format!(
                " Topic \"{topic}\" wants to be two: a second component for it predicts better than a free one."
            ));
        }
        out
    }
}

fn counted(rank: usize) -> String {
    if rank == 1 { "1 component".into() } else { format!("{rank} components") }
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankProgress {
    /// Fits done.
    pub fits: usize,
    /// k of the fits to come.
    pub rank: usize,
    /// Whether they are for replication.
    pub replication: bool,
    /// About which fraction of the work of this run is done, 0 to 1: a fit counts by its k. What is left
    /// depends on what is found: the error may rise before the greatest k.
    pub work: f64,
}
