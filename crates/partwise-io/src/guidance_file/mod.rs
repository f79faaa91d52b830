//! `guidance.toml`: everything that is known, in one file. Files that it names are relative to its folder.
//!
//! ```toml
//! strength = 0.9                  # of everything that states none: 0 (ignored) to 1 (held exactly), or "auto"
//! labels = "labels.csv"           # or { file, column, rule = "components" | "same-codes" | "view", per_class, strength }
//! memberships = "shares.csv"      # one column a topic, one row a sample (by name where both have names); nan = not known
//! references = "last_month.csv"   # one row a component; or { file, names, strength }
//! links = "links.csv"             # or { file, must = [[0, 1]], cannot = [["ann", "bob"]], strength }
//! graph = "edges.csv"             # or { file, strength }, or { neighbours = 5, weights = "binary", strength }
//! sample_weights = [1, 1, 0.5]    # or a file with one number a line
//! feature_weights = { the = 0 }   # by name, all others 1; or one number a feature; or a file with one number a line
//!
//! [[topics]]                      # component j is the topic j
//! name = "sport"
//! components = 1
//! seeds = ["ball", { word = "goal", weight = 2 }]
//! forbidden = ["senate"]
//! strength = 0.9
//! ```
//!
//! Topics also come as `topics = { sport = ["ball"], law = ["court"] }`, as lists without names
//! `[["ball", "goal"], ["court"]]`, and as a flat list `["ball", "court"]`, in which each word seeds a topic
//! of its own. A strength may be `{ raw = m }`, a paper's own weight.

mod items;
mod topics;

use std::path::{Path, PathBuf};

use partwise::guidance::{Feature, LabelRule, Strength};

use crate::error::Result;
use crate::formats::DECODED_LIMIT;
use crate::names::DataNames;
use crate::source::Source;
use crate::toml_text::{Item, Text};
use crate::topics::TopicEntry;
use items::{Allowed, strength};

/// Labels of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelsEntry {
    /// The file.
    pub file: PathBuf,
    /// The column that holds them.
    pub column: Option<String>,
    /// What they say.
    pub rule: LabelRule,
    /// How many of each class guide; all when absent.
    pub per_class: Option<usize>,
    /// How strongly.
    pub strength: Option<Strength>,
}

/// Memberships, or reference components, of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TableEntry {
    /// The file.
    pub file: PathBuf,
    /// The topic of each reference, where the file is not to say it.
    pub names: Option<Vec<String>>,
    /// How strongly.
    pub strength: Option<Strength>,
}

/// Pairs of samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinksEntry {
    /// A file of pairs.
    pub file: Option<PathBuf>,
    /// Pairs that belong together, of the guidance file itself.
    pub must: Vec<(usize, usize)>,
    /// Pairs that belong apart.
    pub cannot: Vec<(usize, usize)>,
    /// How strongly.
    pub strength: Option<Strength>,
}

/// A graph over the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphEntry {
    /// Where it is from.
    pub origin: GraphOrigin,
    /// How strongly.
    pub strength: Option<Strength>,
}

/// Where a graph is from.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphOrigin {
    /// An edge list or a symmetric matrix.
    File(PathBuf),
    /// Nearest neighbours in the data, with weights of this kind ([`GRAPH_WEIGHTS`]).
    Neighbours(usize, &'static str),
}

/// The kinds of weights of neighbours.
pub const GRAPH_WEIGHTS: [&str; 4] = ["binary", "self-tuning", "cosine", "dot"];

/// The weights of samples, or of features.
#[derive(Clone, Debug, PartialEq)]
pub enum WeightsEntry {
    /// A file with one number a line.
    File(PathBuf),
    /// The weights (n, or d).
    Values(Vec<f64>),
    /// The weights of some features; 1 for all others. Samples have none such.
    Named(Vec<(Feature, f64)>),
}

/// Everything that the file says; see the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuidanceFile {
    /// The file.
    pub path: PathBuf,
    /// The strength of everything that states none.
    pub strength: Option<Strength>,
    /// Topics, in the order of the file.
    pub topics: Vec<TopicEntry>,
    /// Labels.
    pub labels: Option<LabelsEntry>,
    /// Soft memberships.
    pub memberships: Vec<TableEntry>,
    /// Reference components.
    pub references: Vec<TableEntry>,
    /// Pairs.
    pub links: Vec<LinksEntry>,
    /// Graphs.
    pub graphs: Vec<GraphEntry>,
    /// Weights of the samples.
    pub sample_weights: Option<WeightsEntry>,
    /// Weights of the features.
    pub feature_weights: Option<WeightsEntry>,
    /// Policies that were applied, as sentences for a report.
    pub notes: Vec<String>,
    /// SHA-256 of the file's bytes as stored.
    pub sha256: String,
}

const TOP: [&str; 9] = [
    "strength",
    "topics",
    "labels",
    "memberships",
    "references",
    "links",
    "graph",
    "sample_weights",
    "feature_weights",
];

/// Reads a guidance file for data with these names. The files that it names are not read.
///
/// # Errors
/// When the file can't be read or isn't TOML; an unknown key (with the nearest one and all that are valid), a
/// wrong type, a number out of its range, a sample or feature that isn't there: each with line and column.
pub fn read_guidance(path: &Path, names: &DataNames<'_>) -> Result<GuidanceFile> {
    guidance_of(&Source::open(path, DECODED_LIMIT)?, names)
}

/// As [`read_guidance`] for bytes that are already here.
///
/// # Errors
/// As [`read_guidance`].
pub fn guidance_of(source: &Source, names: &DataNames<'_>) -> Result<GuidanceFile> {
    let text = Text::new(source)?;
    let document = text.parse()?;
    let mut reader =
        Reader { folder: source.path.parent().unwrap_or(Path::new("")), names, notes: Vec::new() };
    let mut out =
        GuidanceFile { path: source.path.clone(), sha256: source.sha256.clone(), ..GuidanceFile::default() };
    for (key, item) in text.top(document.get_ref(), &TOP)? {
        match key {
            "strength" => out.strength = Some(strength(&item, Allowed { raw: false, held: true })?),
            "topics" => out.topics = reader.topics(&item)?,
            "labels" => out.labels = Some(reader.labels(&item)?),
            "memberships" => out.memberships = each(&item, |item| reader.table(item, &["file", "strength"]))?,
            "references" => {
                out.references = each(&item, |item| reader.table(item, &["file", "names", "strength"]))?;
            }
            "links" => out.links = each(&item, |item| reader.links(item))?,
            "graph" => out.graphs = each(&item, |item| reader.graph(item))?,
            "sample_weights" => {
                out.sample_weights = Some(reader.weights(&item, names.n_samples(), "samples")?)
            }
            _ => out.feature_weights = Some(reader.feature_weights(&item)?),
        }
    }
    out.notes = reader.notes;
    Ok(out)
}

/// One value, or each of a list.
fn each<'a, T>(item: &Item<'a>, mut read: impl FnMut(&Item<'a>) -> Result<T>) -> Result<Vec<T>> {
    match item.as_list() {
        Some(list) => list.iter().map(read).collect(),
        None => Ok(vec![read(item)?]),
    }
}

struct Reader<'r> {
    folder: &'r Path,
    names: &'r DataNames<'r>,
    notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<GuidanceFile> {
        let samples: Vec<String> = ["ann", "bob", "cid"].map(String::from).to_vec();
        let features: Vec<String> = ["ball", "goal", "court", "senate"].map(String::from).to_vec();
        let source = Source::from_bytes(Path::new("home/guidance.toml"), text.as_bytes().to_vec(), 1 << 20)?;
        guidance_of(&source, &DataNames::new(3, Some(&samples), 4, Some(&features)))
    }

    fn words(topic: &TopicEntry) -> Vec<(String, f64)> {
        let text = |feature: &Feature| match feature {
            Feature::Name(name) => name.clone(),
            Feature::Index(column) => column.to_string(),
        };
        topic.seeds.iter().map(|seed| (text(&seed.feature), seed.weight)).collect()
    }

    #[test]
    fn everything_is_read_in_the_order_of_the_file() {
        let file = read(
            r#"strength = "auto"
labels = { file = "labels.csv", column = "who", rule = "view", per_class = 2, strength = { raw = 3 } }
memberships = ["a.csv", { file = "b.csv", strength = 0.5 }]
references = { file = "/old.csv", names = ["law"], strength = 0 }
links = { must = [[0, "bob"]], cannot = [["ann", 2]], strength = 1 }
graph = [{ neighbours = 2 }, "edges.csv"]
sample_weights = [1, 0.5, 0]
feature_weights = [1, 2, 0, 0.5]

[[topics]]
name = "sport"
components = 2
seeds = ["ball", { word = "goal", weight = 2 }, "ball"]
forbidden = ["senate", 2]

[[topics]]
name = "law"
strength = 0.25
"#,
        )
        .unwrap();
        assert_eq!(file.strength, Some(Strength::Auto));
        let labels = file.labels.unwrap();
        assert_eq!((labels.file, labels.column), (PathBuf::from("home/labels.csv"), Some("who".into())));
        assert_eq!((labels.rule, labels.per_class), (LabelRule::View, Some(2)));
        assert_eq!(labels.strength, Some(Strength::Raw(3.0)));
        assert_eq!(file.memberships[0].file, Path::new("home/a.csv"));
        assert_eq!(file.memberships[1].strength, Some(Strength::Relative(0.5)));
        assert_eq!(file.references[0].file, Path::new("/old.csv"));
        assert_eq!(file.references[0].names, Some(vec!["law".to_string()]));
        assert_eq!((&file.links[0].must, &file.links[0].cannot), (&vec![(0, 1)], &vec![(0, 2)]));
        assert_eq!(file.links[0].strength, Some(Strength::HELD));
        assert_eq!(file.graphs[0].origin, GraphOrigin::Neighbours(2, "binary"));
        assert_eq!(file.graphs[1].origin, GraphOrigin::File("home/edges.csv".into()));
        assert_eq!(file.sample_weights, Some(WeightsEntry::Values(vec![1.0, 0.5, 0.0])));
        assert_eq!(file.feature_weights, Some(WeightsEntry::Values(vec![1.0, 2.0, 0.0, 0.5])));
        let [sport, law] = &file.topics[..] else { panic!("{:?}", file.topics) };
        assert_eq!((sport.name.as_str(), sport.components), ("sport", Some(2)));
        assert_eq!(words(sport), [("ball".to_string(), 1.0), ("goal".into(), 2.0)]);
        assert_eq!(sport.forbidden, [Feature::from("senate"), Feature::from(2)]);
        assert_eq!((law.name.as_str(), law.seeds.len()), ("law", 0));
    }

    #[test]
    fn weights_of_features_come_by_name_and_of_a_file_too() {
        let named = read("feature_weights = { ball = 0, unheard = 2 }").unwrap();
        let weights = vec![(Feature::from("ball"), 0.0), (Feature::from("unheard"), 2.0)];
        assert_eq!(named.feature_weights, Some(WeightsEntry::Named(weights)));
        let file = read("feature_weights = \"weights.txt\"").unwrap();
        assert_eq!(file.feature_weights, Some(WeightsEntry::File("home/weights.txt".into())));
    }

    #[test]
    fn topics_come_in_any_shape_that_people_write() {
        let names = |file: &GuidanceFile| file.topics.iter().map(|t| t.name.clone()).collect::<Vec<_>>();
        let dict =
            read("[topics]\nsport = [\"ball\", \"goal\"]\nlaw = { seeds = \"court\", strength = 1 }\n")
                .unwrap();
        // Not sorted by name: the order is the file's.
        assert_eq!(names(&dict), ["sport", "law"]);
        assert_eq!(words(&dict.topics[1]), [("court".to_string(), 1.0)]);
        let nested = read("topics = [[\"ball\", \"goal\"], [\"court\"]]").unwrap();
        assert_eq!(names(&nested), ["topic 1", "topic 2"]);
        assert_eq!(words(&nested.topics[0]), words(&dict.topics[0]));
        let flat = read("topics = [\"ball\", \"court\"]").unwrap();
        assert_eq!(names(&flat), ["ball", "court"]);
        assert!(flat.notes[0].contains("flat list"), "{:?}", flat.notes);
        let weights = read("[[topics]]\nname = \"a\"\nseeds = { goal = 2, ball = 1 }").unwrap();
        assert_eq!(words(&weights.topics[0]), [("goal".to_string(), 2.0), ("ball".into(), 1.0)]);
        let joined = read("[[topics]]\nname = \"a\"\nseeds = [[\"goal\"], [\"ball\"]]").unwrap();
        assert_eq!((words(&joined.topics[0]).len(), joined.notes.len()), (2, 2));
        assert!(read("[[topics]]\nname = \"a\"\nseeds = []").unwrap().topics[0].seeds.is_empty());
    }

    #[test]
    fn faults_say_line_column_and_what_is_valid() {
        for (text, parts) in [
            (
                "\n  lables = \"x\"",
                &[
                    "home/guidance.toml",
                    "line 2, column 3",
                    "did you mean \"labels\"?",
                    "valid: strength, topics",
                ][..],
            ),
            ("colour = 1", &["line 1, column 1", "no key \"colour\"; valid: strength"]),
            (
                "[[topics]]\nname = \"a\"\nseed = [\"b\"]",
                &["line 3, column 1", "did you mean \"seeds\"?", "valid: name, components"],
            ),
            ("[[topics]]\nseeds = [\"b\"]", &["line 1", "lacks name"]),
            ("[[topics]]\nname = \"a\"\n[[topics]]\nname = \"a\"", &["line 3", "two topics are named \"a\""]),
            ("[[topics]]\nname = \"a\"\ncomponents = 0", &["line 3, column 14", "is 0", "1 or more"]),
            (
                "[[topics]]\nname = \"a\"\nseeds = 3.5",
                &["line 3, column 9", "a list of words", "it is a float"],
            ),
            ("[[topics]]\nname = \"a\"\nseeds = [true]", &["line 3, column 10", "it is a boolean"]),
            ("[[topics]]\nname = \"a\"\nseeds = [7]", &["line 3, column 10", "no feature 7", "0..4"]),
            (
                "[[topics]]\nname = \"a\"\nseeds = [{word = \"b\", weight = -1}]",
                &["line 3, column 32", "is -1", "above 0"],
            ),
            (
                "[[topics]]\nname = \"a\"\nstrength = {raw = 1}",
                &["line 3, column 12", "0 (ignored) to 1", "\"auto\""],
            ),
            ("topics = [\"a\", [\"b\"]]", &["line 1, column 16", "mixes"]),
            ("topics = 3", &["line 1, column 10", "it is an integer"]),
            ("strength = 1.5", &["line 1, column 12", "strength is 1.5", "0 (ignored) to 1 (held exactly)"]),
            ("strength = \"strong\"", &["line 1", "\"auto\""]),
            ("strength = nan", &["line 1", "NaN"]),
            ("labels = { file = \"a\", rule = \"vew\" }", &["line 1, column 31", "did you mean \"view\"?"]),
            (
                "labels = { file = \"a\", rule = \"same-codes\", strength = 0.5 }",
                &["held (strength 1) or ignored"],
            ),
            ("labels = { column = \"a\" }", &["lacks file"]),
            ("labels = 3", &["line 1, column 10", "the name of a file"]),
            ("links = { must = [[0, 3]] }", &["line 1, column 23", "no sample 3", "0..3"]),
            ("links = { must = [[\"ann\", \"bop\"]] }", &["did you mean \"bob\"?"]),
            ("links = { must = [[1, 1]] }", &["linked with itself"]),
            ("links = { must = [0, 1] }", &["a pair of two samples"]),
            ("links = {}", &["needs file, must or cannot"]),
            ("graph = { neighbours = 3 }", &["from 1 to 2"]),
            ("graph = { file = \"a\", strength = 1 }", &["line 1, column 34", "below 1"]),
            ("graph = { strength = 0.1 }", &["needs one of file, neighbours"]),
            ("sample_weights = [1, 2]", &["2 numbers for 3 samples"]),
            ("sample_weights = [1, 2, -1]", &["line 1, column 25", "0 or more"]),
            ("feature_weights = [1, 2]", &["2 numbers for 4 features"]),
            ("feature_weights = { ball = -1 }", &["line 1, column 28", "0 or more"]),
            ("feature_weights = 2", &["line 1, column 19", "a list of numbers", "by the name"]),
            ("labels = \"a\"\nlabels = \"b\"", &["line 2", "not valid TOML"]),
            ("labels = \"a", &["line 1", "not valid TOML"]),
        ] {
            let message = read(text).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{text:?}: \"{part}\" is not in: {message}");
            }
        }
    }
}
