//! Topics with seed words as a text table, for `--topics`.
//!
//! - **One row a word** (a header with `topic` and `word`, perhaps `weight` and `forbidden`): topics in the
//!   order of their first rows; a blank word names a topic only; `forbidden` is yes or no.
//! - **One row a topic** (anything else): its name, then its words; blank cells are left out. A first row
//!   `topic,words` is a header; one that begins with `topic` and names no words is refused, and so is a name
//!   that holds words of the data (`sport: ball,goal`).

use crate::error::{IoError, Place, Result};
use crate::formats::DECODED_LIMIT;
use crate::labels::text::LABEL_COLUMNS;
use crate::names::DataNames;
use crate::records::{Records, Spaces, cell, cell_text, split_rule};
use crate::source::Source;
use crate::table::counted;
use crate::text::{did_you_mean, number, quoted};
use partwise::Strength;
use partwise::guidance::{Axis, Feature, Seed, Topic};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A topic as a file gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicEntry {
    /// The topic.
    pub topic: Topic,
    /// Its strength, where the file states one.
    pub strength: Option<Strength>,
}

/// Seeds of a topic: a feature counts once, with the largest of its weights.
#[derive(Default)]
pub(crate) struct SeedList {
    pub(crate) seeds: Vec<Seed>,
    places: HashMap<Key, usize>,
}

impl SeedList {
    /// Adds a seed, and returns whether it is new.
    pub(crate) fn push(&mut self, seed: Seed) -> bool {
        match self.places.entry(key(&seed.feature)) {
            Entry::Occupied(place) => {
                let known = &mut self.seeds[*place.get()];
                known.weight = known.weight.max(seed.weight);
                false
            }
            Entry::Vacant(place) => {
                place.insert(self.seeds.len());
                self.seeds.push(seed);
                true
            }
        }
    }
}

/// A feature as a key.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Name(String),
    Index(usize),
}

fn key(feature: &Feature) -> Key {
    match feature {
        Feature::Name(name) => Key::Name(name.clone()),
        Feature::Index(column) => Key::Index(*column),
    }
}

/// Topics of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicTable {
    /// The file.
    pub path: PathBuf,
    /// In the order of the file.
    pub topics: Vec<TopicEntry>,
    /// Policies that were applied, as sentences for a report.
    pub notes: Vec<String>,
    /// SHA-256 of the file's bytes as stored.
    pub sha256: String,
}

/// The columns of a table with one row a word.
const COLUMNS: [&str; 4] = ["topic", "word", "weight", "forbidden"];

/// Reads topics.
///
/// # Errors
/// When the file can't be read or isn't text; a row without a topic, a weight that isn't above 0, an unknown
/// column, with line and column.
pub fn read_topics(path: &Path, names: &DataNames<'_>) -> Result<TopicTable> {
    topics_of(&Source::open(path, DECODED_LIMIT)?, names)
}

/// As [`read_topics`] for bytes that are already here.
///
/// # Errors
/// As [`read_topics`].
pub fn topics_of(source: &Source, names: &DataNames<'_>) -> Result<TopicTable> {
    source.expect_text("a table of topics (topic,word)")?;
    let (text, delimiter) = split_rule(source.text_bytes(), Spaces::Numbers);
    let mut records = Records::new(source, &text, delimiter);
    let Some(first) = records.next()?.cloned() else {
        return Err(IoError::Empty { path: source.path.clone() });
    };
    let header: Vec<String> = (0..first.len()).map(|j| cell_text(&first, j).to_lowercase()).collect();
    let mut found = Found::default();
    if header.iter().any(|name| name == "topic") && header.iter().any(|name| name == "word") {
        long(&mut records, &header, names, &mut found)?;
    } else {
        // `topic` may be a word of the first topic, but hardly the name of one.
        if matches!(header[0].as_str(), "topic" | "topics") {
            let words = header[1..].iter().filter(|cell| !cell.is_empty());
            if words.clone().count() == 0 || !words.clone().all(|cell| cell.starts_with("word")) {
                return Err(source.malformed(Place::Line(1), no_words(&header)));
            }
        } else if is_other_header(&header, names) {
            return Err(source.malformed(Place::Line(1), no_words(&header)));
        } else {
            found.row(source, &records, names)?;
        }
        while records.next()?.is_some() {
            found.row(source, &records, names)?;
        }
    }
    if found.topics.is_empty() {
        return Err(source.malformed(Place::Line(1), "the table has a header, but no topics"));
    }
    let mut notes = Vec::new();
    if found.repeated > 0 {
        notes.push(format!(
            "{} counted once",
            counted(found.repeated, "repeated word of a topic was", "repeated words of topics were")
        ));
    }
    Ok(TopicTable {
        path: source.path.clone(),
        topics: found.into_topics(),
        notes,
        sha256: source.sha256.clone(),
    })
}

/// Whether a first line is a header with other names than ours, such as `cell type,gene`, and no topic: what
/// stands for the word is no feature of the data.
fn is_other_header(header: &[String], names: &DataNames<'_>) -> bool {
    const WORDS: [&str; 12] = [
        "word", "words", "gene", "genes", "marker", "markers", "feature", "features", "term", "terms",
        "seed", "seeds",
    ];
    let [topic, word] = header else { return false };
    LABEL_COLUMNS.contains(&topic.as_str())
        && WORDS.contains(&word.as_str())
        && !matches!(names.place(Axis::Features, word), Ok(Some(_)))
}

/// What is wrong with a header without a column of words.
fn no_words(header: &[String]) -> String {
    let columns: Vec<String> = header.iter().map(|cell| quoted(cell.as_bytes())).collect();
    format!(
        "the header has no column of words ({}); valid: topic,word (one row per word; optional columns \
        weight, forbidden), topic,words (one row per topic), or no header",
        columns.join(", ")
    )
}

/// What is wrong with a name that holds words, as in `sport: ball` or, `alone` in its row, `sport ball goal`:
/// it would be a topic without them.
fn words_in_name(name: &str, alone: bool, names: &DataNames<'_>) -> Option<String> {
    let is_feature = |word: &str| matches!(names.place(Axis::Features, word), Ok(Some(_)));
    let advice = "put a comma after the name of the topic and between words, as in sport,ball,goal (a name may \
        hold anything in a table with the header topic,word and one row per word)";
    let name_of = |name: &str| quoted(name.as_bytes());
    if let Some((topic, rest)) = name.split_once(':') {
        let mut words = rest.split_whitespace().chain([rest.trim()]);
        if rest.trim().is_empty() {
            return Some(format!("the name of the topic, {}, ends with a colon; {advice}", name_of(name)));
        }
        return words.find(|word| is_feature(word)).map(|word| {
            format!(
                "the topic would be named {}, but {} after the colon is a feature of the data, so the topic is \
                probably {}; {advice}",
                name_of(name),
                name_of(word),
                name_of(topic.trim())
            )
        });
    }
    let mut words = name.split_whitespace().skip(1).peekable();
    (alone && words.peek().is_some() && words.all(is_feature) && !is_feature(name))
        .then(|| format!("the topic would be named {} and have no words; {advice}", name_of(name)))
}

#[derive(Default)]
struct Found {
    topics: Vec<(Topic, SeedList)>,
    /// The place of each topic.
    places: HashMap<String, usize>,
    forbidden: HashSet<(usize, Key)>,
    repeated: usize,
}

impl Found {
    fn topic(&mut self, name: &str) -> usize {
        if let Some(at) = self.places.get(name) {
            return *at;
        }
        self.topics.push((Topic::new(name), SeedList::default()));
        self.places.insert(name.into(), self.topics.len() - 1);
        self.topics.len() - 1
    }

    fn add(&mut self, topic: &str, feature: Feature, weight: f64, forbidden: bool) {
        let at = self.topic(topic);
        let (topic, seeds) = &mut self.topics[at];
        let fresh = match forbidden {
            true => {
                let fresh = self.forbidden.insert((at, key(&feature)));
                topic.forbidden.extend(fresh.then_some(feature));
                fresh
            }
            false => seeds.push(Seed { feature, weight }),
        };
        self.repeated += usize::from(!fresh);
    }

    fn into_topics(self) -> Vec<TopicEntry> {
        let topics = self.topics.into_iter().map(|(topic, list)| Topic { seeds: list.seeds, ..topic });
        topics.map(|topic| TopicEntry { topic, strength: None }).collect()
    }

    /// A row with a topic and its words.
    fn row(&mut self, source: &Source, records: &Records<'_>, names: &DataNames<'_>) -> Result<()> {
        let record = records.current();
        let name = cell_text(record, 0);
        if name.is_empty() {
            return Err(source.malformed(Place::Line(records.line()), "the row has no topic name"));
        }
        if let Some(message) = words_in_name(&name, record.len() == 1, names) {
            return Err(source.malformed(Place::Line(records.line()), message));
        }
        self.topic(&name);
        for column in 1..record.len() {
            let word = cell_text(record, column);
            if !word.is_empty() {
                let word = names.feature(&word);
                let word = word.map_err(|message| records.fault(column, None, message))?;
                self.add(&name, word, 1.0, false);
            }
        }
        Ok(())
    }
}

/// The rows after a header with `topic` and `word`.
fn long(
    records: &mut Records<'_>,
    header: &[String],
    names: &DataNames<'_>,
    found: &mut Found,
) -> Result<()> {
    let fault = |records: &Records<'_>, column: usize, message: String| {
        records.fault(column, Some(&header[column]), message)
    };
    if let Some(at) = header.iter().position(|name| !COLUMNS.contains(&name.as_str())) {
        let near = did_you_mean(&header[at], &COLUMNS);
        return Err(fault(records, at, format!("unknown column{near} valid: {}", COLUMNS.join(", "))));
    }
    if let Some(at) = (0..header.len()).find(|j| header[..*j].contains(&header[*j])) {
        return Err(fault(records, at, "two columns have this name".into()));
    }
    let column = |name: &str| header.iter().position(|known| known == name);
    let (topic, word) = (column("topic").unwrap_or(0), column("word").unwrap_or(1));
    while records.next()?.is_some() {
        records.expect_width(header.len(), "")?;
        let record = records.current();
        let name = cell_text(record, topic);
        if name.is_empty() {
            return Err(fault(records, topic, "the topic has no name".into()));
        }
        let weight = match column("weight").map(|at| (at, cell(record, at))) {
            None | Some((_, b"")) => 1.0,
            Some((at, text)) => match number(text).filter(|w| *w > 0.0 && w.is_finite()) {
                Some(weight) => weight,
                None => {
                    let message = format!("{} is not a weight; it must be a number above 0", quoted(text));
                    return Err(fault(records, at, message));
                }
            },
        };
        let forbidden = match column("forbidden").map(|at| (at, cell_text(record, at).to_lowercase())) {
            None => false,
            Some((at, text)) => match text.as_str() {
                "" | "0" | "no" | "false" => false,
                "1" | "yes" | "true" | "x" => true,
                other => {
                    let message = format!(
                        "{} is neither yes nor no; valid: yes, no, true, false, 1, 0, blank",
                        quoted(other.as_bytes())
                    );
                    return Err(fault(records, at, message));
                }
            },
        };
        let text = cell_text(record, word);
        if text.is_empty() {
            found.topic(&name);
        } else {
            let feature = names.feature(&text).map_err(|message| fault(records, word, message))?;
            found.add(&name, feature, weight, forbidden);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<TopicTable> {
        let features: Vec<String> = ["ball", "goal", "vote", "court"].map(String::from).to_vec();
        let source = Source::from_bytes(Path::new("topics.csv"), text.as_bytes().to_vec(), 1 << 20)?;
        topics_of(&source, &DataNames::new(4, None, 4, Some(&features)))
    }

    fn seeds(topic: &TopicEntry) -> Vec<(String, f64)> {
        let text = |feature: &'_ Feature| match feature {
            Feature::Name(name) => name.clone(),
            Feature::Index(column) => column.to_string(),
        };
        topic.topic.seeds.iter().map(|seed| (text(&seed.feature), seed.weight)).collect()
    }

    #[test]
    fn one_row_a_word_and_one_row_a_topic_give_the_same() {
        let long = read("topic,word,weight,forbidden\nsport,ball,2,\nlaw,court,,no\nsport,goal,,\nsport,vote,,yes\nmusic,,,\n").unwrap();
        assert_eq!(
            long.topics.iter().map(|t| t.topic.name.as_str()).collect::<Vec<_>>(),
            ["sport", "law", "music"]
        );
        assert_eq!(seeds(&long.topics[0]), [("ball".to_string(), 2.0), ("goal".into(), 1.0)]);
        assert_eq!(long.topics[0].topic.forbidden, [Feature::from("vote")]);
        for header in ["", "topic,words,,\n"] {
            let wide = read(&format!("{header}sport,ball,goal,ball\nlaw,court,,\nmusic,,,\n")).unwrap();
            assert_eq!(wide.topics.len(), 3);
            assert_eq!(seeds(&wide.topics[0]), [("ball".to_string(), 1.0), ("goal".into(), 1.0)]);
            assert_eq!(
                (seeds(&wide.topics[1]), seeds(&wide.topics[2])),
                (vec![("court".to_string(), 1.0)], vec![])
            );
            assert_eq!(wide.notes, ["1 repeated word of a topic was counted once"]);
        }
    }

    #[test]
    fn a_header_of_other_names_is_no_topic() {
        let said = read("cell type,gene\nB,MS4A1\nT,CD3D\n").unwrap_err().to_string();
        assert!(
            said.contains("line 1")
                && said.contains("\"cell type\", \"gene\"")
                && said.contains("topic,word"),
            "{said}"
        );
        assert_eq!(read("class,court\nsport,goal\n").unwrap().topics.len(), 2);
    }

    #[test]
    fn a_word_that_comes_again_counts_once_with_its_largest_weight() {
        let table = read("topic,word,weight\nsport,ball,2\nsport,ball,3\nsport,ball,\n").unwrap();
        assert_eq!(seeds(&table.topics[0]), [("ball".to_string(), 3.0)]);
        assert_eq!(table.notes, ["2 repeated words of topics were counted once"]);
    }

    #[test]
    fn a_first_row_that_holds_the_word_topic_among_others_is_a_topic() {
        let table = read("writing,topic,pen\n").unwrap();
        assert_eq!(table.topics[0].topic.name, "writing");
        assert_eq!(seeds(&table.topics[0]).len(), 2);
    }

    #[test]
    fn names_with_a_colon_and_names_of_several_words_are_names() {
        let table = read("GO:0001,ball\nlaw: civil,court\ncourt of law\nvote count,vote\n").unwrap();
        let names: Vec<&str> = table.topics.iter().map(|topic| topic.topic.name.as_str()).collect();
        assert_eq!(names, ["GO:0001", "law: civil", "court of law", "vote count"]);
        assert_eq!(read("topic,word\nsport: ball,goal\n").unwrap().topics[0].topic.name, "sport: ball");
    }

    #[test]
    fn faults_say_where_they_are_and_what_is_valid() {
        for (text, parts) in [
            (
                "topic,word,wieght\na,b,1\n",
                &["line 1, column 3", "did you mean \"weight\"?", "valid: topic, word"][..],
            ),
            ("topic,word,weight\na,b,0\n", &["line 2, column 3 (\"weight\")", "\"0\"", "above 0"]),
            ("topic,word,weight\na,b,nan\n", &["line 2", "above 0"]),
            ("topic,word,forbidden\n\na,b,maybe\n", &["line 3, column 3", "\"maybe\"", "yes, no"]),
            ("topic,word\na,b,c\n", &["line 2", "3 cells", "2 are expected"]),
            ("topic,word\n,b\n", &["line 2", "no name"]),
            ("topic,word,word\na,b,c\n", &["two columns"]),
            ("topic,word\n", &["no topics"]),
            (
                "topic,seed\nsport,ball\n",
                &["line 1", "no column of words", "\"seed\"", "valid: topic,word", "topic,words"],
            ),
            ("topic\nsport\n", &["line 1", "no column of words", "valid: topic,word"]),
            ("topics,terms\nsport,ball\n", &["line 1", "valid: topic,word"]),
            ("topic,words,weight\nsport,ball,2\n", &["line 1", "\"weight\""]),
            ("a,b\n,c\n", &["line 2", "no topic name"]),
            (
                "sport: ball, goal\n",
                &["line 1", "\"sport: ball\"", "\"ball\" after the colon", "sport,ball,goal"],
            ),
            ("law,court\nsport:ball,goal\n", &["line 2", "probably \"sport\""]),
            ("sport: gaol ball\n", &["line 1", "\"ball\" after the colon"]),
            ("sport:,ball,goal\n", &["line 1", "ends with a colon"]),
            ("law,court\nsport ball goal\n", &["line 2", "no words"]),
        ] {
            let message = read(text).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{text:?}: \"{part}\" is not in: {message}");
            }
        }
    }
}
