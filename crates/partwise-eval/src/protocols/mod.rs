//! The experiments of the papers, to be run again: one paper's protocol a file, and the registry [`ALL`]. Each file opens with
//! what the paper says, what it leaves open, and what was chosen.
//!
//! A protocol asks a [`Library`] for the data sets that it needs, by name, so it knows no file formats. It gives one [`Row`] for
//! each case, method and draw as soon as it is known; [`summarize`] makes means and standard errors of them.

pub mod active;
mod classifiers;
mod data_set;
pub mod few_labels;
pub mod nmf_alpha;
pub mod nmf_dc;
pub mod ws_symnmf;

pub use data_set::{DataSet, Library};

use anyhow::{Result, bail};

/// One experiment.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// The name to ask for it by.
    pub name: &'static str,
    /// What it measures, in one line.
    pub title: &'static str,
    /// The paper and the table or figure.
    pub paper: &'static str,
    /// The data sets that it needs.
    pub needs: &'static [&'static str],
    /// How many draws are made unless something else is asked for.
    pub draws: u64,
    /// What the paper reports for it.
    pub published: &'static [Published],
    /// Runs it.
    ///
    /// # Errors
    /// Data that can't be had, or that are not what the protocol needs, and faults of the methods.
    pub run: fn(&Request<'_>, &mut dyn FnMut(Row)) -> Result<()>,
}

/// A figure that a paper reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// As in [`Row::case`].
    pub case: &'static str,
    /// As in [`Row::method`].
    pub method: &'static str,
    /// As in [`Row::scores`].
    pub score: &'static str,
    /// The figure.
    pub value: f64,
}

/// What a protocol is given.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Where the data come from.
    pub library: &'a dyn Library,
    /// Draws 0 to this less 1 are made.
    pub draws: u64,
    /// Threads of each fit; no result depends on them.
    pub threads: usize,
}

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The case: a data set, a share of labels.
    pub case: String,
    /// The method, with the settings that the protocol varies.
    pub method: String,
    /// The draw, from 0.
    pub draw: u64,
    /// What was chosen on the way: costs, ranks. May be empty.
    pub detail: String,
    /// (name, value).
    pub scores: Vec<(&'static str, f64)>,
}

/// All draws of a case and method in one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// As in [`Row::case`].
    pub case: String,
    /// As in [`Row::method`].
    pub method: String,
    /// How many draws it stands for.
    pub draws: usize,
    /// (name, mean, standard error of the mean); the error is `None` for a single draw.
    pub scores: Vec<(&'static str, f64, Option<f64>)>,
}

/// The registry.
pub const ALL: &[Protocol] =
    &[nmf_alpha::MNIST, nmf_alpha::AVIATION, nmf_dc::STEP, ws_symnmf::GRAPHS, active::LABELS];

/// The protocol with this name.
///
/// # Errors
/// An unknown name, with those of the registry.
pub fn named(name: &str) -> Result<&'static Protocol> {
    match ALL.iter().find(|protocol| protocol.name == name) {
        Some(protocol) => Ok(protocol),
        None => {
            let valid: Vec<&str> = ALL.iter().map(|protocol| protocol.name).collect();
            bail!("there is no protocol \"{name}\"; valid: {}", valid.join(", "))
        }
    }
}

/// Means over draws, in the order in which cases and methods first come.
pub fn summarize(rows: &[Row]) -> Vec<Summary> {
    let mut groups: Vec<(&Row, Vec<&Row>)> = Vec::new();
    for row in rows {
        let same = |other: &Row| (&other.case, &other.method) == (&row.case, &row.method);
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, members)) => members.push(row),
            None => groups.push((row, vec![row])),
        }
    }
    let summary = |(first, members): (&Row, Vec<&Row>)| {
        let of = |(at, (name, _)): (usize, &(&'static str, f64))| {
            let values: Vec<f64> = members.iter().map(|row| row.scores[at].1).collect();
            let (mean, error) = mean_and_error(&values);
            (*name, mean, error)
        };
        Summary {
            case: first.case.clone(),
            method: first.method.clone(),
            draws: members.len(),
            scores: first.scores.iter().enumerate().map(of).collect(),
        }
    };
    groups.into_iter().map(summary).collect()
}

/// The mean, and its standard error where there are two or more values.
fn mean_and_error(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (values.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_the_mean_and_its_standard_error() {
        let row = |method: &str, draw, value| Row {
            case: "all".into(),
            method: method.into(),
            draw,
            detail: String::new(),
            scores: vec![("accuracy", value)],
        };
        let rows = [row("a", 0, 1.0), row("b", 0, 5.0), row("a", 1, 3.0), row("a", 2, 5.0)];
        let found = summarize(&rows);
        let names: Vec<(&str, usize)> = found.iter().map(|s| (s.method.as_str(), s.draws)).collect();
        assert_eq!(names, [("a", 3), ("b", 1)]);
        assert_eq!(found[0].scores, [("accuracy", 3.0, Some((4.0_f64 / 3.0).sqrt()))]);
        assert_eq!(found[1].scores, [("accuracy", 5.0, None)]);
    }

    #[test]
    fn names_are_unique_and_an_unknown_one_is_refused_with_them() {
        for protocol in ALL {
            assert_eq!(named(protocol.name).unwrap().title, protocol.title);
        }
        let message = named("alpha").unwrap_err().to_string();
        assert!(message.contains("\"alpha\"") && message.contains(ALL[0].name), "{message}");
    }
}
