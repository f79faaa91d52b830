//! The report on what places a sample: its labels, and sets of topics.

use super::{Finding, Plausibility, Reporter, Verdict, followed, percent};
use crate::guidance::LabelRule;
use crate::recipes::memberships::largest;

/// What the two sides say of a placed sample.
struct Placed {
    /// "is labelled "sport"".
    subject: String,
    /// Its membership in its own topics, with the guidance and from its data alone.
    share: f64,
    free_share: f64,
    margin: f64,
    /// Where the fit and where the data alone put it.
    guided: String,
    free: String,
    followed: bool,
}

impl Reporter<'_> {
    /// A labelled sample.
    pub(super) fn label(&mut self, sample: usize, name: &str, rule: LabelRule) {
        let topic = self.topic(name);
        self.placement("label", sample, &[topic], rule == LabelRule::SameCodes);
    }

    /// Each sample with a set of topics.
    pub(super) fn sets(&mut self, names: &[String], sets: &[Option<Vec<u32>>]) {
        for (i, set) in sets.iter().enumerate() {
            if let Some(set) = set {
                let topics: Vec<usize> = set.iter().map(|at| self.topic(&names[*at as usize])).collect();
                self.placement("set", i, &topics, false);
            }
        }
    }

    /// A sample that belongs to some topics. A `loose` label asks for no membership, only
    /// for the codes of others with the same label.
    fn placement(&mut self, kind: &'static str, i: usize, topics: &[usize], loose: bool) {
        let (guided, free) = (self.guided.row(i), self.free.row(i));
        let inside = |row: &[f64]| topics.iter().map(|t| row[*t]).sum::<f64>();
        let other = |row: &[f64]| {
            (0..row.len()).filter(|t| !topics.contains(t)).map(|t| row[t]).fold(0.0f64, f64::max)
        };
        let best = topics.iter().map(|t| free[*t]).fold(0.0f64, f64::max);
        let names: Vec<String> = topics.iter().map(|t| self.place(*t)).collect();
        let verb = if kind == "label" { "is labelled" } else { "is to be in" };
        let placed = Placed {
            subject: format!("{verb} {}", names.join(" or ")),
            share: inside(guided),
            free_share: inside(free),
            margin: best - other(free),
            guided: self.place(largest(guided)),
            free: self.place(largest(free)),
            followed: loose || topics.contains(&largest(guided)),
        };
        let empty = guided.iter().all(|s| *s == 0.0);
        let against = self.labelled[i].iter().find(|t| kind == "label" && !topics.contains(t)).copied();
        let other_label = against.map(|topic| self.place(topic));
        let plausibility = match (empty, &other_label, placed.margin < 0.0) {
            (_, Some(_), _) | (false, _, true) => Plausibility::Surprising,
            (true, ..) => Plausibility::Unknown,
            _ => Plausibility::Fits,
        };
        let message = placed.message(i, plausibility, empty, other_label);
        let verdict = if empty { Verdict::NoSupport } else { followed(placed.followed) };
        if kind == "label" {
            self.labelled[i].push(topics[0]);
        }
        let topic = (topics.len() == 1).then(|| self.topics[topics[0]].clone());
        let numbers =
            vec![("share", placed.share), ("free share", placed.free_share), ("margin", placed.margin)];
        self.push(Finding { kind, samples: vec![i], topic, verdict, plausibility, message, numbers });
    }
}

impl Placed {
    /// In words.
    fn message(
        &self,
        sample: usize,
        plausibility: Plausibility,
        empty: bool,
        other_label: Option<String>,
    ) -> String {
        let Placed { subject, share, free_share, guided, free, .. } = self;
        let sample = format!("Sample {sample}");
        if let Some(other) = other_label {
            return format!("{sample} {subject}, and by another item {other}: keep one of them");
        }
        if empty {
            return format!("{sample} {subject}, but its data are empty or zero, and so are its codes");
        }
        match (plausibility, self.followed) {
            (Plausibility::Surprising, true) => format!(
                "{sample} {subject} but looks like {free} (without it, its membership there is only {}); this \
                was followed: check it",
                percent(*free_share)
            ),
            (Plausibility::Surprising, false) => format!(
                "{sample} {subject} but looks like {free} (without it, its membership there is only {}); this \
                was not followed",
                percent(*free_share)
            ),
            (_, false) => format!(
                "{sample} {subject}, but the fit put it into {guided} (its membership there is {}); a larger \
                strength would follow it",
                percent(*share)
            ),
            (_, true) => format!("{sample} {subject}, and its membership there is {}", percent(*share)),
        }
    }
}
