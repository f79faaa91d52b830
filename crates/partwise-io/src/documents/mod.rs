//! Texts as data: a folder of files, a column of a table, or lines; and their words as features.
//!
//! [`read_documents`] reads the texts with their names and labels, [`Vocabulary`] counts their words.
//!
//! - **A folder**: each text file is a document (`.txt`, `.text`, `.md`, or without an extension), in natural
//!   order of the names. Subfolders may be labels (`folder`).
//! - **A table** (`.csv`, `.tsv`) or **JSON lines** (`.jsonl`): each row is a document. Cells may have line
//!   breaks. Names come from a column such as `id`, if each row has another.
//! - **Any other text file**: each line is a document.
//!
//! Texts are UTF-8; what is not is read as Latin-1, with a note.

mod rows;
mod stop_words;
mod tokens;
mod vocabulary;

pub use stop_words::StopWords;
pub use vocabulary::{CountSettings, DocumentLimit, Vocabulary};

use crate::error::{IoError, Place, Result};
use crate::folder::{Listing, sha256_of_all};
use crate::formats::DECODED_LIMIT;
use crate::lines::lines_of;
use crate::source::{Look, Source, looks_like};
use crate::table::counted;
use std::path::Path;

/// Letters of a text that stand for it in a report.
const SNIPPET: usize = 200;

/// Extensions of text files in a folder; also those without one.
const EXTENSIONS: [&str; 3] = ["txt", "text", "md"];

/// How to read texts.
#[derive(Clone, Debug)]
pub struct DocumentOptions {
    /// The column with the texts, by name, or by number from 0. Default: the only one, or one that has a
    /// usual name (`text`, `body`, …).
    pub column: Option<String>,
    /// The column with labels; `folder` for the subfolders of a folder. Default: none.
    pub label_column: Option<String>,
    /// Whether a table has a header. Default: yes.
    pub header: Option<bool>,
    /// Whether the first column of a table holds names. Default: a column such as `id` does.
    pub row_names: Option<bool>,
    /// The most bytes that a compressed file may become.
    pub decoded_limit: u64,
}

impl Default for DocumentOptions {
    fn default() -> Self {
        DocumentOptions {
            column: None,
            label_column: None,
            header: None,
            row_names: None,
            decoded_limit: DECODED_LIMIT,
        }
    }
}

/// Texts, one for each sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documents {
    /// The texts (n).
    pub texts: Vec<String>,
    /// A name for each, if there are names.
    pub names: Option<Vec<String>>,
    /// A label for each, `None` where the cell is blank, if a label column was asked for.
    pub labels: Option<Vec<Option<String>>>,
    /// What was decided, as sentences.
    pub notes: Vec<String>,
    /// SHA-256 of the file; of a folder, that of the lines of `sha256sum` for its files.
    pub sha256: String,
}

impl Documents {
    /// The beginning of each text, on one line.
    pub fn snippets(&self) -> Vec<String> {
        self.texts.iter().map(|text| snippet(text)).collect()
    }
}

/// The first letters of a text, with single spaces for all white space.
fn snippet(text: &str) -> String {
    let mut short = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        count += word.chars().count() + 1;
        if count > SNIPPET + 1 {
            let room = SNIPPET.saturating_sub(short.chars().count() + 1);
            if short.is_empty() {
                short.extend(word.chars().take(room));
            }
            short.push('…');
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    short
}

/// Reads texts.
///
/// # Errors
/// Every fault of a file with its place; a folder or file without texts.
pub fn read_documents(path: &Path, options: &DocumentOptions) -> Result<Documents> {
    let mut documents = match path.is_dir() {
        true => of_folder(path, options)?,
        false => documents_of(&Source::open(path, options.decoded_limit)?, options)?,
    };
    let empty = documents.texts.iter().filter(|text| text.trim().is_empty()).count();
    if empty == documents.texts.len() {
        return Err(IoError::unsupported(path, Place::Whole, "there is no text in it", &[]));
    }
    if empty > 0 {
        let what = if empty == 1 { "text is" } else { "texts are" };
        documents.notes.push(format!("{empty} {what} empty"));
    }
    Ok(documents)
}

/// As [`read_documents`] for the bytes of one file.
///
/// # Errors
/// As [`read_documents`].
pub fn documents_of(source: &Source, options: &DocumentOptions) -> Result<Documents> {
    refuse_what_is_no_text(source)?;
    let extension = source.extension().unwrap_or_default();
    let is_json = source.is_standard_input() && source.text_bytes().trim_ascii_start().starts_with(b"{");
    match extension.as_str() {
        "jsonl" | "ndjson" => rows::of_json_lines(source, options),
        _ if is_json => rows::of_json_lines(source, options),
        "csv" | "tsv" => rows::of_table(source, options),
        _ if options.column.is_some() || options.label_column.is_some() => rows::of_table(source, options),
        _ => {
            Ok(Documents { texts: lines_of(source)?, sha256: source.sha256.clone(), ..Documents::default() })
        }
    }
}

fn of_folder(folder: &Path, options: &DocumentOptions) -> Result<Documents> {
    let refused = [
        (options.column.is_some(), "a column of texts belongs to a table"),
        (options.header.is_some(), "a header belongs to a table"),
        (options.row_names.is_some(), "the names of texts are those of their files"),
    ];
    if let Some((_, message)) = refused.into_iter().find(|(given, _)| *given) {
        let message = format!("{message}, but this is a folder of texts");
        return Err(IoError::unsupported(folder, Place::Whole, message, &[]));
    }
    let is_text = |extension: Option<&str>| extension.is_none_or(|e| EXTENSIONS.contains(&e));
    let listing = Listing::of(folder, is_text)?.at_least_one(folder, "texts (.txt, .md)")?;
    let labels = options.label_column.as_ref().map(|column| listing.groups(folder, column)).transpose()?;
    let mut documents = Documents { labels, ..Documents::default() };
    let mut hashes = Vec::with_capacity(listing.files.len());
    let mut others: Vec<&str> = Vec::new();
    for file in &listing.files {
        let (text, is_utf8, sha256) = match Source::open(&file.path, options.decoded_limit) {
            Ok(source) => {
                refuse_what_is_no_text(&source)?;
                let (text, is_utf8) = decoded(source.text_bytes());
                (text, is_utf8, source.sha256)
            }
            Err(IoError::Empty { .. }) => (String::new(), true, crate::hash::sha256_hex(b"")),
            Err(error) => return Err(error),
        };
        if !is_utf8 {
            others.push(&file.relative);
        }
        documents.texts.push(text);
        hashes.push(sha256);
    }
    documents.notes.extend(latin_note(&others));
    documents.notes.extend(listing.note());
    documents.sha256 = sha256_of_all(hashes.iter().map(String::as_str).zip(&listing.files));
    documents.names = Some(listing.files.into_iter().map(|file| file.name).collect());
    Ok(documents)
}

fn refuse_what_is_no_text(source: &Source) -> Result<()> {
    match looks_like(&source.bytes) {
        Look::Text | Look::MatrixMarket | Look::Pnm | Look::Other("an HTML page") => Ok(()),
        other => Err(source.wrong_format("a text", other)),
    }
}

/// The text, and whether it is UTF-8; else it is read as Latin-1.
fn decoded(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_string(), true),
        Err(_) => (bytes.iter().map(|byte| char::from(*byte)).collect(), false),
    }
}

fn latin_note(places: &[&str]) -> Option<String> {
    let first = places.first()?;
    let texts = counted(places.len(), "text is", "texts are");
    Some(format!("{texts} not UTF-8 and read as Latin-1, the first: {first}"))
}

impl CountSettings {
    /// What was counted, in words for a report: the words and what was left out.
    pub fn summary(&self, vocabulary: &Vocabulary) -> String {
        let least = match self.min_documents {
            DocumentLimit::Count(0 | 1) => String::new(),
            DocumentLimit::Count(count) => format!(", each in {count} documents or more"),
            DocumentLimit::Share(share) => format!(", each in {} % of the documents or more", 100.0 * share),
        };
        format!("{} words{least}, {}", vocabulary.words().len(), self.stop_words.summary())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_one_short_line() {
        assert_eq!(snippet("  One\n two\tthree "), "One two three");
        let long = snippet(&"word ".repeat(100));
        assert!(long.ends_with("word…") && long.chars().count() <= SNIPPET + 1, "{long}");
        assert_eq!(snippet(&"x".repeat(500)).chars().count(), SNIPPET);
    }
}
