//! The runs of a comparison, and the table of their means.

use partwise::Notice;

/// One method in one draw.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareRun {
    /// A place in the methods of the settings.
    pub method: usize,
    /// Labels per class.
    pub labels_per_class: usize,
    /// From 0.
    pub draw: usize,
    /// Of the samples whose label was not drawn, 0 to 1.
    pub accuracy: f64,
    /// The same samples' normalized mutual information of classes and clusters, 0 to 1.
    pub nmi: f64,
    /// ‖X − WH‖/‖X‖, or the divergence per unit of data; none for the classifier.
    pub relative_error: Option<f64>,
    /// Wall time.
    pub seconds: f64,
}

/// A mean and its standard error; none with a single draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard error.
    pub standard_error: Option<f64>,
}

impl Mean {
    /// `83.1 ± 0.4`, with so many digits after the point, multiplied by `unit`.
    pub fn in_words(&self, unit: f64, digits: usize) -> String {
        match self.standard_error {
            Some(error) => format!("{:.digits$} ± {:.digits$}", unit * self.mean, unit * error),
            None => format!("{:.digits$}", unit * self.mean),
        }
    }

    /// A difference of accuracies in percent: `+1.2 ± 0.4`.
    pub fn difference_in_words(&self) -> String {
        let sign = if self.mean >= 0.0 { "+" } else { "" };
        format!("{sign}{}", self.in_words(100.0, 1))
    }

    fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
        let standard_error = (values.len() > 1).then(|| (variance / n).sqrt());
        (!values.is_empty()).then_some(Mean { mean, standard_error })
    }
}

/// One method over all draws.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareLine {
    /// A place in the methods of the settings.
    pub method: usize,
    /// Labels per class.
    pub labels_per_class: usize,
    /// Draws.
    pub draws: usize,
    /// Accuracy.
    pub accuracy: Mean,
    /// Accuracy less that of the first method in the same draw; none for the first.
    pub difference: Option<Mean>,
    /// Normalized mutual information.
    pub nmi: Mean,
    /// Relative error.
    pub relative_error: Option<Mean>,
    /// Wall time.
    pub seconds: Mean,
}

/// The classes that samples judge with a number of labels per class.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Labels per class.
    pub labels_per_class: usize,
    /// How many classes have samples whose label is not drawn.
    pub classes: usize,
    /// The names of the others: a draw gives all of their labels to the methods.
    pub without: Vec<String>,
}

/// A comparison.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// The names of the methods.
    pub methods: Vec<String>,
    /// Whether the accuracy of each method is that of its class names; otherwise of the best map.
    pub named: Vec<bool>,
    /// Every run of the draws that all methods completed.
    pub runs: Vec<CompareRun>,
    /// The classes that are judged, for each number of labels.
    pub judged: Vec<Judged>,
    /// Whether it was stopped before the last draw.
    pub stopped: bool,
}

impl Compared {
    /// What the user should know: classes that no sample judges.
    pub fn notices(&self) -> Vec<Notice> {
        /// Names that are listed.
        const MOST: usize = 10;
        let of = |judged: &Judged| {
            let Judged { labels_per_class, classes, without } = judged;
            let names: Vec<String> = without.iter().take(MOST).map(|name| format!("\"{name}\"")).collect();
            let more = without.len().saturating_sub(MOST);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let (labels, count) = (if *labels_per_class == 1 { "label" } else { "labels" }, without.len());
            let (have, they) = if count == 1 { ("has", "it counts") } else { ("have", "they count") };
            (count > 0).then(|| Notice {
                code: "classes-without-held-out",
                message: format!(
                    "with {labels_per_class} {labels} per class, {count} of {} classes {have} no sample left to judge \
                    by, so {they} neither for nor against a method: {}{more}; give fewer labels per class, or \
                    more samples of the class",
                    count + classes,
                    names.join(", ")
                ),
            })
        };
        self.judged.iter().filter_map(of).collect()
    }

    /// How many classes are judged with this number of labels, and how many there are.
    pub fn classes_judged(&self, labels_per_class: usize) -> (usize, usize) {
        let of = self.judged.iter().find(|judged| judged.labels_per_class == labels_per_class);
        of.map_or((0, 0), |judged| (judged.classes, judged.classes + judged.without.len()))
    }

    /// One line for each number of labels and each method, in their order.
    pub fn lines(&self) -> Vec<CompareLine> {
        let mut numbers: Vec<usize> = self.runs.iter().map(|run| run.labels_per_class).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let of_number = |number: usize| (0..self.methods.len()).filter_map(move |m| self.line(number, m));
        numbers.into_iter().flat_map(of_number).collect()
    }

    fn line(&self, labels_per_class: usize, method: usize) -> Option<CompareLine> {
        let of = |m: usize| {
            self.runs.iter().filter(move |r| r.method == m && r.labels_per_class == labels_per_class)
        };
        let mean = |value: &dyn Fn(&CompareRun) -> f64| Mean::of(&of(method).map(value).collect::<Vec<_>>());
        let pairs = of(method).zip(of(0));
        let differences: Vec<f64> = pairs.map(|(own, first)| own.accuracy - first.accuracy).collect();
        let errors: Option<Vec<f64>> = of(method).map(|run| run.relative_error).collect();
        Some(CompareLine {
            method,
            labels_per_class,
            draws: of(method).count(),
            accuracy: mean(&|run| run.accuracy)?,
            difference: if method == 0 { None } else { Mean::of(&differences) },
            nmi: mean(&|run| run.nmi)?,
            relative_error: errors.and_then(|errors| Mean::of(&errors)),
            seconds: mean(&|run| run.seconds)?,
        })
    }
}
