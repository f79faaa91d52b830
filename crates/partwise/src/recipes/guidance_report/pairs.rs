//! The report on pairs of samples: links, and a graph.

use super::{Finding, Plausibility, Reporter, Verdict, followed, percent};
use crate::graphs::Graph;
use crate::recipes::memberships::largest;

impl Reporter<'_> {
    /// Two samples that are to be `together`, or apart.
    pub(super) fn link(&mut self, (i, l): (usize, usize), together: bool) {
        let (a, b) = (self.guided.row(i), self.guided.row(l));
        let overlap: f64 = a.iter().zip(b).map(|(a, b)| a.min(*b)).sum();
        let done = (largest(a) == largest(b)) == together;
        let free = (largest(self.free.row(i)) == largest(self.free.row(l))) == together;
        let label = |i: usize| self.labelled[i].first().copied();
        let labels = label(i).zip(label(l)).filter(|(a, b)| (a == b) != together);
        let (kind, state, opposite) = if together {
            ("must-link", "together", "apart")
        } else {
            ("cannot-link", "kept apart", "together")
        };
        let pair = format!("Samples {i} and {l}");
        let message = match (labels, done, free) {
            (Some((a, b)), ..) => {
                let (a, b) = (self.place(a), self.place(b));
                format!("{pair} are to be {state}, but their labels are {a} and {b}: keep one of them")
            }
            (None, true, true) => format!("{pair} are {state}, as you asked"),
            (None, true, false) => {
                format!("{pair} are {state}, as you asked; without the link they would be {opposite}")
            }
            (None, false, true) => {
                format!("{pair} are {opposite}, although you asked for the opposite, and so do their data")
            }
            (None, false, false) => {
                format!("{pair} are {opposite}, although you asked for the opposite; so are their data")
            }
        };
        let surprising = labels.is_some() || !free;
        self.push(Finding {
            kind,
            samples: vec![i, l],
            topic: None,
            verdict: followed(done),
            plausibility: if surprising { Plausibility::Surprising } else { Plausibility::Fits },
            message,
            numbers: vec![("overlap", overlap)],
        });
    }

    /// All edges of a graph together.
    pub(super) fn graph(&mut self, graph: &Graph) {
        let (mut guided, mut free, mut all) = (0.0, 0.0, 0.0);
        for (i, l, weight) in graph.entries().into_iter().filter(|(i, l, _)| i != l) {
            all += weight;
            if largest(self.guided.row(i)) == largest(self.guided.row(l)) {
                guided += weight;
            }
            if largest(self.free.row(i)) == largest(self.free.row(l)) {
                free += weight;
            }
        }
        let of = |part: f64| if all > 0.0 { part / all } else { 0.0 };
        let (share, free_share) = (of(guided), of(free));
        let (verdict, plausibility) = match (all > 0.0, free_share >= 0.5) {
            (false, _) => (Verdict::NoSupport, Plausibility::Unknown),
            (true, true) => (followed(share >= 0.5), Plausibility::Fits),
            (true, false) => (followed(share >= 0.5), Plausibility::Surprising),
        };
        let message = format!(
            "{} of the weight of the graph is between samples of the same component ({} by the data alone)",
            percent(share),
            percent(free_share)
        );
        self.push(Finding {
            kind: "graph",
            samples: Vec::new(),
            topic: None,
            verdict,
            plausibility,
            message,
            numbers: vec![("share", share), ("free share", free_share)],
        });
    }
}
