//! [`Vocabulary`]: which words are features, and how often each document has them.

use super::stop_words::StopWords;
use super::tokens::{for_each_term, words_of};
use crate::table::{DenseValues, Values};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// A number of documents: a count, or a fraction of all documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DocumentLimit {
    /// So many documents.
    Count(usize),
    /// This fraction of the documents, 0 to 1.
    Share(f64),
}

impl DocumentLimit {
    fn of(self, documents: usize) -> f64 {
        match self {
            DocumentLimit::Count(count) => count as f64,
            DocumentLimit::Share(share) => share * documents as f64,
        }
    }
}

/// Which words become features, as for scikit-learn's `CountVectorizer`.
#[derive(Clone, Debug, PartialEq)]
pub struct CountSettings {
    /// Words that are left out.
    pub stop_words: StopWords,
    /// The shortest and the longest runs of neighbouring words that are features, 1 or more.
    pub ngrams: (usize, usize),
    /// Words in fewer documents are left out.
    pub min_documents: DocumentLimit,
    /// Words in more documents are left out.
    pub max_documents: DocumentLimit,
    /// Only so many words: those that occur most often. Default: all.
    pub max_features: Option<usize>,
}

impl Default for CountSettings {
    fn default() -> Self {
        CountSettings {
            stop_words: StopWords::English,
            ngrams: (1, 1),
            min_documents: DocumentLimit::Count(2),
            max_documents: DocumentLimit::Share(1.0),
            max_features: None,
        }
    }
}

/// The words that are features, in alphabetical order, and what is needed to count them in new documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    words: Vec<String>,
    ngrams: (usize, usize),
    stop_words: HashSet<String>,
}

/// Counts of a document: (word, count), in the order in which the words came first.
type Counts = Vec<(u32, u32)>;

impl Vocabulary {
    /// The words of these documents, and their counts (documents × words).
    ///
    /// # Errors
    /// A sentence, when no word is left.
    pub fn learn(texts: &[String], settings: &CountSettings) -> Result<(Self, Values), String> {
        let stop_words = words_of(settings.stop_words.words());
        let ngrams = settings.ngrams;
        let mut ids: HashMap<String, u32> = HashMap::new();
        let rows: Vec<Counts> = texts
            .iter()
            .map(|text| {
                counted(text, &stop_words, ngrams, |term| {
                    if let Some(id) = ids.get(term) {
                        return Some(*id);
                    }
                    let id = u32::try_from(ids.len()).ok()?;
                    ids.insert(term.to_string(), id);
                    Some(id)
                })
            })
            .collect();
        let mut words: Vec<(String, u32)> = ids.into_iter().collect();
        words.sort_unstable();
        let (documents, totals) = frequencies(&rows, words.len());
        let found = words.len();
        let (least, most) = (settings.min_documents.of(texts.len()), settings.max_documents.of(texts.len()));
        words.retain(|(_, id)| {
            let count = f64::from(documents[*id as usize]);
            count >= least && count <= most
        });
        if let Some(count) = settings.max_features.filter(|count| *count < words.len()) {
            // The sort is stable: of words that occur equally often, the first by alphabet stay.
            words.sort_by_key(|(_, id)| std::cmp::Reverse(totals[*id as usize]));
            words.truncate(count);
            words.sort_unstable();
        }
        if words.is_empty() {
            return Err(match found {
                0 => "the texts have no words (two or more letters or digits) beside stop words".to_string(),
                _ => format!(
                    "none of the {found} words is in enough and not too many of the {} documents; lower \
                    --min-df, or raise --max-df",
                    texts.len()
                ),
            });
        }
        let mut column = vec![None; found];
        for (at, (_, id)) in words.iter().enumerate() {
            column[*id as usize] = Some(at as u32);
        }
        let values =
            compressed(rows.into_iter().map(|row| in_columns(row, |id| column[id as usize])), words.len());
        let words = words.into_iter().map(|(word, _)| word).collect();
        Ok((Vocabulary { words, ngrams, stop_words }, values))
    }

    /// How often each of these documents has the words.
    pub fn count(&self, texts: &[String]) -> Values {
        let ids: HashMap<&str, u32> =
            self.words.iter().enumerate().map(|(at, word)| (word.as_str(), at as u32)).collect();
        let rows = texts.iter().map(|text| {
            let row = counted(text, &self.stop_words, self.ngrams, |term| ids.get(term).copied());
            in_columns(row, Some)
        });
        compressed(rows, self.words.len())
    }

    /// The words, in alphabetical order.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// For a model's document, whose feature names are the words.
    pub fn to_json(&self) -> Value {
        let mut stop_words: Vec<&String> = self.stop_words.iter().collect();
        stop_words.sort_unstable();
        json!({ "ngrams": [self.ngrams.0, self.ngrams.1], "stop_words": stop_words })
    }

    /// From a model's document, and its feature names.
    pub fn from_json(record: &Value, words: Vec<String>) -> Option<Self> {
        let [Value::Number(shortest), Value::Number(longest)] = record.get("ngrams")?.as_array()?.as_slice()
        else {
            return None;
        };
        let whole = |number: &serde_json::Number| usize::try_from(number.as_u64()?).ok();
        let ngrams = (whole(shortest)?, whole(longest)?);
        let listed = record.get("stop_words")?.as_array()?;
        let stop_words =
            listed.iter().map(|word| word.as_str().map(str::to_string)).collect::<Option<_>>()?;
        (ngrams.0 >= 1 && ngrams.0 <= ngrams.1).then_some(Vocabulary { words, ngrams, stop_words })
    }
}

/// The counts of the terms of a text that have a number.
fn counted(
    text: &str,
    stop_words: &HashSet<String>,
    ngrams: (usize, usize),
    mut number: impl FnMut(&str) -> Option<u32>,
) -> Counts {
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut counts = Counts::new();
    for_each_term(text, stop_words, ngrams, |term| {
        let Some(id) = number(term) else { return };
        let at = *places.entry(id).or_insert_with(|| {
            counts.push((id, 0));
            counts.len() - 1
        });
        counts[at].1 += 1;
    });
    counts
}

/// For each word the documents that have it, and its occurrences in all.
fn frequencies(rows: &[Counts], words: usize) -> (Vec<u32>, Vec<u64>) {
    let (mut documents, mut totals) = (vec![0; words], vec![0; words]);
    for (id, count) in rows.iter().flatten() {
        documents[*id as usize] += 1;
        totals[*id as usize] += u64::from(*count);
    }
    (documents, totals)
}

/// The counts of the words that have a column, by column.
fn in_columns(row: Counts, column: impl Fn(u32) -> Option<u32>) -> Counts {
    let mut row: Counts = row.into_iter().filter_map(|(id, count)| Some((column(id)?, count))).collect();
    row.sort_unstable();
    row
}

/// Compressed rows.
fn compressed(rows: impl Iterator<Item = Counts>, columns: usize) -> Values {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in rows {
        indices.extend(row.iter().map(|(column, _)| *column));
        values.extend(row.iter().map(|(_, count)| f64::from(*count)));
        indptr.push(indices.len());
    }
    Values::Sparse { rows: indptr.len() - 1, columns, indptr, indices, values: DenseValues::F64(values) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<String> {
        ["The goal, the goal!", "A vote for the court", "goal court vote vote", ""].map(String::from).to_vec()
    }

    fn settings() -> CountSettings {
        CountSettings { min_documents: DocumentLimit::Count(1), ..CountSettings::default() }
    }

    fn dense(values: &Values) -> Vec<Vec<f64>> {
        let matrix = values.clone().into_matrix::<f64>(std::path::Path::new("x")).unwrap();
        (0..matrix.rows()).map(|i| matrix.row(i).to_vec()).collect()
    }

    #[test]
    fn words_are_counted_and_sorted_and_new_documents_use_them() {
        let (vocabulary, counts) = Vocabulary::learn(&texts(), &settings()).unwrap();
        assert_eq!(vocabulary.words(), ["court", "goal", "vote"]);
        let expected = [[0.0, 2.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 2.0], [0.0; 3]];
        assert_eq!(dense(&counts), expected);
        let again = Vocabulary::from_json(&vocabulary.to_json(), vocabulary.words().to_vec()).unwrap();
        assert_eq!(again, vocabulary);
        assert_eq!(dense(&again.count(&["court of the unknown COURT".into()])), [[2.0, 0.0, 0.0]]);
    }

    #[test]
    fn rare_common_and_surplus_words_are_left_out() {
        let learn = |settings: &CountSettings| {
            Vocabulary::learn(&texts(), settings).map(|(vocabulary, _)| vocabulary.words().to_vec())
        };
        let plain = CountSettings { stop_words: StopWords::None, ..settings() };
        assert_eq!(learn(&plain).unwrap(), ["court", "for", "goal", "the", "vote"]);
        let two = CountSettings { min_documents: DocumentLimit::Count(2), ..plain.clone() };
        assert_eq!(learn(&two).unwrap(), ["court", "goal", "the", "vote"]);
        let few = CountSettings { max_documents: DocumentLimit::Share(0.25), ..plain.clone() };
        assert_eq!(learn(&few).unwrap(), ["for"]);
        let most = CountSettings { max_features: Some(2), ..plain.clone() };
        assert_eq!(learn(&most).unwrap(), ["goal", "the"]);
        let error = learn(&CountSettings { min_documents: DocumentLimit::Count(9), ..plain }).unwrap_err();
        assert!(error.contains("--min-df"), "{error}");
    }
}
