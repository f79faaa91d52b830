//! The report of a fit: what was found first, then what became of the guidance, how to make the page again,
//! and what stands behind the numbers. All text from outside goes through `escaped`.

mod advice;
mod cards;
mod closing;
mod headline;
mod heat;
mod judged;
mod map;
mod rebuilt;

use std::collections::HashMap;

use partwise::Matrix;
use partwise::guidance::{Feature, Topic};
use partwise::recipes::{ShareOf, SharesOf};

use crate::html::{end_with_script, escaped, head_with_script, percent, section, table, tiles};
use crate::picture::Polarity;
pub use judged::{Judged, JudgedItem, JudgedLikeness, JudgedTopic};

/// Samples that the search box finds, at most; the page stays small.
const MOST_LISTED: usize = 5000;

/// Everything that the report shows.
pub struct FitPage<'a> {
    /// What the data are called.
    pub title: String,
    /// W (n × k).
    pub codes: Matrix<f64>,
    /// H (k × d).
    pub components: Matrix<f64>,
    /// A name for each component (k).
    pub component_names: &'a [String],
    /// The component of each sample (n).
    pub clusters: &'a [Option<usize>],
    /// How memberships measure a component.
    pub shares_of: ShareOf,
    /// Names of the samples (n).
    pub sample_names: Option<&'a [String]>,
    /// A line of text about each sample (n).
    pub snippets: Option<&'a [String]>,
    /// Names of the features (d).
    pub feature_names: Option<&'a [String]>,
    /// (height, width), where each sample is an image.
    pub image_shape: Option<(usize, usize)>,
    /// A row of the data as the fit had it, for pictures.
    pub row: &'a dyn Fn(usize) -> Vec<f64>,
    /// Which end of the scale of images is dark.
    pub polarity: Polarity,
    /// The topics that were named, in the order of the components, where the method uses them.
    pub topics: &'a [Topic],
    /// What became of the guidance.
    pub report: Option<Judged>,
    /// Classes to compare with.
    pub classes: Option<Classes<'a>>,
    /// The fraction of the loss of one component that the fit removes, if it is known.
    pub explained: Option<f64>,
    /// A table of several fits: header and rows.
    pub comparison: Option<(&'a [String], &'a [Vec<String>])>,
    /// What the user should know about the result, as sentences.
    pub notes: Vec<String>,
    /// How the fit ran.
    pub progress: Progress,
    /// Names and texts about the method.
    pub method: Vec<(String, String)>,
    /// Names and texts about the data.
    pub data: Vec<(String, String)>,
    /// Names and texts about the run: errors, time, memory.
    pub run: Vec<(String, String)>,
    /// The settings by name.
    pub settings: Vec<(String, String)>,
    /// What it takes to make it again.
    pub again: Again,
    /// Entries for the user's bibliography.
    pub bibtex: String,
}

/// Known classes.
pub struct Classes<'a> {
    /// Their names.
    pub names: &'a [String],
    /// The class of each sample (n), −1 where there is none.
    pub truth: &'a [i32],
    /// Whether the fit used the label of each sample (n).
    pub used: &'a [bool],
    /// Accuracy over labels that the fit did not use, and how many these are.
    pub held_out: Option<(f64, usize)>,
    /// All measures: header and rows.
    pub measures: (Vec<String>, Vec<Vec<String>>),
}

/// How the fit ran.
pub struct Progress {
    /// (iteration, objective, projected gradient).
    pub history: Vec<(f64, f64, Option<f64>)>,
    /// Of the settings.
    pub tolerance: f64,
    /// How it ended, in a sentence.
    pub ended: String,
}

/// What it takes to make the page again.
pub struct Again {
    /// The command line or the code.
    pub command: String,
    /// Names and texts: data, hash, version, date.
    pub facts: Vec<(String, String)>,
}

/// The features of a component that guidance names.
#[derive(Clone, Default)]
struct Named {
    /// Columns of seeds.
    seeds: Vec<usize>,
    /// Names of forbidden features.
    forbidden: Vec<String>,
}

/// What every section reads.
struct Shown<'a> {
    page: &'a FitPage<'a>,
    /// Memberships (n × k).
    shares: SharesOf<'a, f64>,
    /// Samples of each component (k).
    sizes: Vec<usize>,
    /// The components, the largest first.
    order: Vec<usize>,
    named: Vec<Named>,
    /// The verdict on the topic of each component (k).
    verdicts: Vec<Option<&'a JudgedTopic>>,
}

impl FitPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let shown = Shown::new(self);
        let mut page = head_with_script(&self.title, &headline::sentence(&shown));
        page.push_str(&tiles(&shown.tiles()));
        if let Some((header, rows)) = self.comparison {
            let lead = "Accuracy and NMI (agreement with the labels, 0 to 1) over the samples whose label the fit did not use.";
            page.push_str(&section("Comparison", lead, &table(header, rows)));
        }
        page.push_str(&cards::section_of(&shown));
        page.push_str(&rebuilt::section_of(&shown));
        page.push_str(&map::section_of(&shown));
        page.push_str(&heat::section_of(&shown));
        if let Some(report) = &self.report {
            page.push_str(&advice::section_of(report, self.sample_names));
        }
        page.push_str(&closing::sections(self));
        page.push_str(&shown.list());
        page.push_str(&end_with_script());
        page
    }

    /// Its components alone, for a page about more: as cards, with examples and a map of the samples. The
    /// page must have the script ([`html::head_with_script`](crate::html::head_with_script)).
    pub fn components(&self) -> String {
        let shown = Shown::new(self);
        [cards::section_of(&shown), rebuilt::section_of(&shown), map::section_of(&shown), shown.list()]
            .concat()
    }

    fn sample_name(&self, sample: usize) -> String {
        let named = self.sample_names.and_then(|names| names.get(sample)).cloned();
        named.unwrap_or_else(|| format!("{} {sample}", self.sample_words().0))
    }

    fn snippet(&self, sample: usize) -> Option<&str> {
        self.snippets.and_then(|all| all.get(sample)).map(String::as_str).filter(|text| !text.is_empty())
    }

    fn feature_name(&self, feature: usize) -> String {
        let named = self.feature_names.and_then(|names| names.get(feature)).cloned();
        named.unwrap_or_else(|| format!("feature {feature}"))
    }

    /// What a sample and samples are called.
    fn sample_words(&self) -> (&'static str, &'static str) {
        match (self.image_shape, self.snippets) {
            (Some(_), _) => ("image", "images"),
            (None, Some(_)) => ("document", "documents"),
            (None, None) => ("sample", "samples"),
        }
    }

    /// What a component and components are called: topics where the user named some, or for texts.
    fn component_words(&self) -> (&'static str, &'static str) {
        let topics = !self.topics.is_empty() || self.snippets.is_some();
        if topics { ("topic", "topics") } else { ("component", "components") }
    }
}

impl<'a> Shown<'a> {
    fn new(page: &'a FitPage<'a>) -> Self {
        let k = page.components.rows();
        let mut sizes = vec![0; k];
        page.clusters.iter().flatten().for_each(|j| sizes[*j] += 1);
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by(|a, b| sizes[*b].cmp(&sizes[*a]).then(a.cmp(b)));
        Shown {
            shares: SharesOf::new(&page.codes, &page.components, page.shares_of),
            named: named(page),
            verdicts: verdicts(page),
            page,
            sizes,
            order,
        }
    }

    /// Key numbers.
    fn tiles(&self) -> Vec<(&'static str, String)> {
        let page = self.page;
        let (n, k) = (page.codes.rows(), page.components.rows());
        let mut out = vec![
            (page.sample_words().1, crate::html::thousands(n)),
            (page.component_words().1, crate::html::thousands(k)),
        ];
        if let Some(report) = page.report.as_ref().filter(|report| !report.items.is_empty()) {
            out.push(("of the guidance is followed", percent(report.agreement)));
        }
        if let Some((accuracy, count)) = page.classes.as_ref().and_then(|classes| classes.held_out) {
            out.push(("accuracy", format!("{accuracy:.3} (over {count} held-out labels)")));
        }
        if let Some(explained) = page.explained {
            out.push(("explained of what one component leaves", percent(explained)));
        }
        out
    }

    /// The samples for the search box, where a script reads them: name, component, membership.
    fn list(&self) -> String {
        let n = self.page.codes.rows();
        let step = n.div_ceil(MOST_LISTED).max(1);
        let line = |i: usize| {
            let Some(j) = self.page.clusters[i] else { return String::new() };
            let name = self.page.sample_name(i).replace(['\t', '\n', '\r'], " ");
            format!("{}\t{j}\t{:.0}\n", escaped(&name), 100.0 * self.shares.get(i, j))
        };
        let lines: String = (0..n).step_by(step).map(line).collect();
        format!("<pre hidden id=\"samples\" data-every=\"{step}\">{lines}</pre>")
    }
}

/// What guidance names of each component (k).
fn named(page: &FitPage<'_>) -> Vec<Named> {
    let mut columns: HashMap<&str, usize> = HashMap::new();
    for (column, name) in page.feature_names.unwrap_or_default().iter().enumerate() {
        columns.entry(name).or_insert(column);
    }
    let column = |feature: &Feature| match feature {
        Feature::Index(column) => Some(*column),
        Feature::Name(name) => columns.get(name.as_str()).copied(),
    };
    let mut out = Vec::new();
    for topic in page.topics {
        let seeds = topic.seeds.iter().filter_map(|seed| column(&seed.feature)).collect();
        let forbidden = topic.forbidden.iter().filter_map(column).map(|f| page.feature_name(f)).collect();
        out.extend(std::iter::repeat_n(Named { seeds, forbidden }, topic.components));
    }
    out.resize(page.components.rows(), Named::default());
    out
}

/// The verdict on the topic of each component (k).
fn verdicts<'a>(page: &'a FitPage<'_>) -> Vec<Option<&'a JudgedTopic>> {
    let topics = page.report.as_ref().map_or(&[][..], |report| &report.topics);
    let mut owners: Vec<&str> = Vec::new();
    page.topics
        .iter()
        .for_each(|topic| owners.extend(std::iter::repeat_n(&topic.name[..], topic.components)));
    let owner = |(j, name): (usize, &'a String)| owners.get(j).copied().unwrap_or(name);
    let of = |owner: &str| topics.iter().find(|topic| topic.topic == owner);
    page.component_names.iter().enumerate().map(owner).map(of).collect()
}

/// An HTML attribute for the colour of a component: hues by the golden angle differ for any number of them.
fn colour(place: usize) -> String {
    format!("--h:{:.0}", (200.0 + 137.508 * place as f64) % 360.0)
}
