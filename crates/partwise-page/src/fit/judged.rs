//! What became of the guidance, as a page shows it: the report of the library, or the same from a document.

use partwise::recipes::{Finding, GuidanceReport, Level, Likeness, Plausibility, TopicVerdict, Verdict};

/// The verdicts on the guidance.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// The fraction of the items with support in the data that the result follows.
    pub agreement: f64,
    /// A verdict on each item, or on one entry of it.
    pub items: Vec<JudgedItem>,
    /// A verdict on each topic.
    pub topics: Vec<JudgedTopic>,
    /// How much each component looks like the samples of its class.
    pub likeness: Vec<JudgedLikeness>,
    /// How these samples are known, in words.
    pub likeness_of: String,
    /// What the guidance costs in error, in a sentence.
    pub cost: Option<String>,
}

/// How much a component looks like the samples of its class.
#[derive(Clone, Debug)]
pub struct JudgedLikeness {
    /// Its name.
    pub component: String,
    /// The samples that it was compared with.
    pub samples: usize,
    /// Its cosine with their mean.
    pub mean_cosine: f64,
    /// Its cosine with what they share.
    pub shared_cosine: f64,
}

/// The verdict on an item.
#[derive(Clone, Debug)]
pub struct JudgedItem {
    /// Of the guidance: "label", "seed".
    pub kind: String,
    /// The samples concerned.
    pub samples: Vec<usize>,
    /// The topic concerned.
    pub topic: Option<String>,
    /// Whether the fit follows it.
    pub verdict: Verdict,
    /// Whether the data agree.
    pub plausibility: Plausibility,
    /// A sentence.
    pub message: String,
    /// Numbers by name.
    pub numbers: Vec<(String, f64)>,
}

/// The verdict on a topic.
#[derive(Clone, Debug)]
pub struct JudgedTopic {
    /// Its name.
    pub topic: String,
    /// How well it is what its guidance describes.
    pub level: Level,
    /// Whether the fit follows it.
    pub verdict: Verdict,
    /// Whether the data agree.
    pub plausibility: Plausibility,
    /// A sentence.
    pub message: String,
}

impl Judged {
    /// How many items have this verdict.
    pub(super) fn count(&self, verdict: Verdict) -> usize {
        self.items.iter().filter(|item| item.verdict == verdict).count()
    }

    /// The names of the topics of this level.
    pub(super) fn of_level(&self, level: Level) -> Vec<&str> {
        self.topics.iter().filter(|topic| topic.level == level).map(|topic| topic.topic.as_str()).collect()
    }
}

impl From<&GuidanceReport> for Judged {
    fn from(report: &GuidanceReport) -> Self {
        let item = |f: &Finding| JudgedItem {
            kind: f.kind.into(),
            samples: f.samples.clone(),
            topic: f.topic.clone(),
            verdict: f.verdict,
            plausibility: f.plausibility,
            message: f.message.clone(),
            numbers: f.numbers.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        };
        let topic = |t: &TopicVerdict| JudgedTopic {
            topic: t.topic.clone(),
            level: t.level,
            verdict: t.verdict,
            plausibility: t.plausibility,
            message: t.message.clone(),
        };
        let likeness = |line: &Likeness| JudgedLikeness {
            component: line.component.clone(),
            samples: line.samples,
            mean_cosine: line.mean_cosine,
            shared_cosine: line.shared_cosine,
        };
        Judged {
            agreement: report.agreement(),
            items: report.findings.iter().map(item).collect(),
            topics: report.topics.iter().map(topic).collect(),
            likeness: report.likeness.iter().map(likeness).collect(),
            likeness_of: report.likeness_of.to_string(),
            cost: report.cost.map(|cost| cost.sentence()),
        }
    }
}
