//! What `-h` shows of each command: its main flags, most used first, with a line each, and examples. `--help`
//! shows all flags in their groups, with the full texts.

use clap::Arg;
use clap::builder::PossibleValue;
use partwise_report::program::EXIT_CODES;

use super::data::is_of_words;
use super::flags::METHOD_FLAGS;
use super::method_flags::with_methods;

/// The short help of a command.
pub(super) struct Page {
    /// The name of the command, for the last line.
    command: &'static str,
    /// Identifiers of flags, in order, each with a line of at most 52 letters.
    flags: &'static [(&'static str, &'static str)],
    examples: &'static [&'static str],
}

const FORCE: (&str, &str) = ("force", "Replace the result that is there");
const TEXT: (&str, &str) = ("text", "The data are texts: a folder, a column, or lines");
const DATA: (&str, &str) = ("data", "Table, or folder of images or texts; - reads a pipe");
const SCALE: (&str, &str) = ("scale", "none, max, unit-rows, or tfidf (counts of words)");
const SEED: (&str, &str) = ("seed", "Random seed [default: 0]");
const LABELS: (&str, &str) = ("labels", "Known classes of some samples");

pub(super) const FIT: Page = Page {
    command: "fit",
    flags: &[
        DATA,
        ("rank", "Number of components (`partwise rank` finds it)"),
        LABELS,
        ("topics", "Topics with seed words"),
        ("guidance", "All that you know in one file: topics, labels, ..."),
        ("method", "Default: {of anything} with labels or topics, else {of nothing}"),
        SCALE,
        TEXT,
        SEED,
        ("out", "Folder for the result [default: DATA-partwise]"),
        FORCE,
    ],
    examples: &[
        "partwise fit data.csv -k 10",
        "partwise fit counts.mtx.gz --feature-names terms.txt --scale tfidf -k 20",
        "partwise fit faces/ --labels known.csv              images, a few labelled",
        "partwise fit news.csv --text body --topics seeds.csv -k 12",
        "partwise fit ratings.csv -k 8 --missing --out ratings",
    ],
};

pub(super) const CLASSIFY: Page = Page {
    command: "classify",
    flags: &[
        DATA,
        LABELS,
        ("label_column", "Or: the column of the data that holds them"),
        SCALE,
        TEXT,
        SEED,
        ("out", "Folder for the result [default: DATA-classes]"),
        FORCE,
    ],
    examples: &[
        "partwise classify faces.npy --labels known.csv",
        "partwise classify counts.mtx.gz --labels known.csv --scale tfidf",
        "partwise classify news.csv --text body --label-column topic",
    ],
};

pub(super) const TRANSFORM: Page = Page {
    command: "transform",
    flags: &[
        ("model", "The result of a fit: a folder, or model.safetensors"),
        ("data", "New data, in any form that the fit takes"),
        TEXT,
        ("out", "Folder for the result [default: DATA-codes]"),
        FORCE,
    ],
    examples: &[
        "partwise transform faces-partwise new-faces.npy",
        "partwise transform news-partwise new-texts/ --text",
        "partwise transform topics new.csv --out new-codes --force",
    ],
};

pub(super) const SWEEP: Page = Page {
    command: "sweep",
    flags: &[
        DATA,
        ("rank", "Number of components [default: that of the topics]"),
        LABELS,
        ("topics", "Topics with seed words"),
        ("guidance", "All that you know in one file: topics, labels, ..."),
        ("scales", "Factors of the strengths, as in 0.1,1,10"),
        SCALE,
        TEXT,
        ("out", "Folder for the result [default: DATA-sweep]"),
        FORCE,
    ],
    examples: &[
        "partwise sweep faces.npy --labels known.csv",
        "partwise sweep counts.mtx.gz --guidance guidance.toml --scale tfidf",
        "partwise sweep data.csv --labels known.csv --scales 0,0.1,1,10",
    ],
};

pub(super) const RANK: Page = Page {
    command: "rank",
    flags: &[
        DATA,
        ("from", "Smallest number of components to try [default: 1]"),
        ("to", "Largest number of components to try"),
        ("guidance", "Compare free components beside the named ones"),
        LABELS,
        SCALE,
        TEXT,
        ("time_limit", "Answer after this time, from what was tried"),
        SEED,
        ("out", "Folder for the result [default: DATA-rank]"),
        FORCE,
    ],
    examples: &[
        "partwise rank data.csv",
        "partwise rank counts.mtx.gz --to 40 --time-limit 600",
        "partwise rank news.csv --text body",
        "partwise rank counts.mtx.gz --labels known.csv --to 12",
    ],
};

pub(super) const CONSENSUS: Page = Page {
    command: "consensus",
    flags: &[
        DATA,
        ("rank", "Numbers of components: 7, 5-13, or a rank.json"),
        ("restarts", "Fits for each of them [default: 100]"),
        LABELS,
        ("topics", "Topics with seed words"),
        ("guidance", "All that you know in one file: topics, labels, ..."),
        SCALE,
        TEXT,
        ("time_limit", "End after this time, with the fits that are done"),
        SEED,
        ("out", "Folder for the result [default: DATA-consensus]"),
        FORCE,
    ],
    examples: &[
        "partwise consensus data.csv -k 5-13",
        "partwise consensus counts.mtx.gz -k data-rank/rank.json --restarts 50",
        "partwise consensus news.csv --text body --topics seeds.csv -k 12",
    ],
};

pub(super) const EVALUATE: Page = Page {
    command: "evaluate",
    flags: &[
        ("result", "Folder that fit or classify wrote"),
        ("labels", "True classes, as for `fit --labels`"),
        ("label_column", "The column of that file with the classes"),
        ("clusters", "How samples are put into clusters"),
        ("json", "Print JSON"),
    ],
    examples: &[
        "partwise evaluate faces-partwise --labels all.csv",
        "partwise evaluate faces-partwise --labels all.csv --clusters k-means",
    ],
};

pub(super) const COMPARE: Page = Page {
    command: "compare",
    flags: &[
        DATA,
        ("labels", "Known classes, of as many samples as you have"),
        ("label_column", "Or: the column of the data that holds them"),
        ("methods", "Names of `partwise methods`, or classifier"),
        ("labels_per_class", "Labels per class given to the methods [default: 2]"),
        ("draws", "Draws of these labels [default: 10]"),
        SCALE,
        TEXT,
        SEED,
        ("out", "Folder for the result [default: DATA-compare]"),
        FORCE,
    ],
    examples: &[
        "partwise compare faces.npy --labels all.csv",
        "partwise compare news.csv --text body --label-column topic --draws 5",
    ],
};

pub(super) const SUGGEST: Page = Page {
    command: "suggest",
    flags: &[
        ("result", "Folder that fit wrote"),
        ("count", "How many to list [default: 10]"),
        ("labels", "Labels added since the fit, to be left out"),
        ("links", "Suggest pairs of samples for --links instead"),
        ("json", "Print JSON"),
    ],
    examples: &["partwise suggest faces-partwise", "partwise suggest faces-partwise --links -n 5"],
};

impl Page {
    /// Shows the flags of the page in `-h`, before all others in `--help`; hides the others in `-h`.
    pub(super) fn arrange(&'static self) -> impl Fn(Arg) -> Arg {
        |flag| {
            let at = self.flags.iter().position(|(id, _)| flag.get_id() == id);
            // A model counts its own words.
            let has_no_effect = self.command == "transform" && is_of_words(flag.get_id().as_str());
            let hidden = flag.is_hide_set() || has_no_effect;
            let Some(at) = at else { return flag.hide_short_help(true).hide(hidden) };
            let text = flag.get_help().map(ToString::to_string).unwrap_or_default();
            let values = listed_values(&flag);
            let flag = with_methods(flag.help(self.flags[at].1), METHOD_FLAGS);
            let takes_value = flag.get_action().takes_values();
            flag.long_help(text + &values)
                .hide_possible_values(takes_value)
                .hide_default_value(takes_value)
                .hide_short_help(false)
                .help_heading(None)
                .display_order(at)
        }
    }

    /// The usage of a command with data. (Clap would take them for optional: `--text` can have their place.)
    pub(super) fn usage(&self) -> String {
        let model = if self.flags.iter().any(|(id, _)| *id == "model") { "<MODEL> " } else { "" };
        format!("partwise {} [OPTIONS] {model}<DATA>", self.command)
    }

    /// What follows the flags in `-h`.
    pub(super) fn short_end(&self) -> String {
        format!(
            "{}\nAll flags, their values, and exit codes: partwise {} --help",
            self.examples(),
            self.command
        )
    }

    /// What follows the flags in `--help`.
    pub(super) fn long_end(&self) -> String {
        format!("{}\n\n{EXIT_CODES}", self.examples())
    }

    fn examples(&self) -> String {
        let lines: Vec<String> = self.examples.iter().map(|line| format!("  {line}")).collect();
        format!("Examples:\n{}", lines.join("\n"))
    }
}

/// The values and the default of a flag, for the end of its full text.
fn listed_values(flag: &Arg) -> String {
    let default = flag.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
    let default = default.map_or(String::new(), |value| format!(" [default: {value}]"));
    let values = flag.get_possible_values();
    if values.is_empty() || !flag.get_action().takes_values() {
        return default;
    }
    let line = |value: &PossibleValue| match value.get_help() {
        Some(help) => format!("- {}: {help}", value.get_name()),
        None => format!("- {}", value.get_name()),
    };
    let lines: Vec<String> = values.iter().filter(|value| !value.is_hide_set()).map(line).collect();
    format!("{default}\n\nPossible values:\n{}", lines.join("\n"))
}
