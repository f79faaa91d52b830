//! Words that say little about a text: lists of NLTK (crate `stop-words`), or of a file.

use crate::error::{IoError, Place, Result};
use crate::lines::read_lines;
use std::path::Path;

/// Which words are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopWords {
    /// None.
    None,
    /// English ones.
    English,
    /// A list, and what it is called.
    List(String, Vec<String>),
}

impl StopWords {
    /// From `none`, `english`, a language code such as `de`, or a file with a word per line.
    ///
    /// # Errors
    /// What is wrong with the file, or what is valid.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "none" => return Ok(StopWords::None),
            "english" | "en" => return Ok(StopWords::English),
            _ => {}
        }
        if let Some(words) = stop_words::lookup(name) {
            return Ok(StopWords::List(name.into(), words.iter().map(ToString::to_string).collect()));
        }
        let path = Path::new(name);
        if !path.is_file() {
            let codes = stop_words::available_languages().join(", ");
            let message = format!(
                "there is no such file, and no list of stop words of this name; valid: english, none, a file \
                with a word per line, or a language: {codes}"
            );
            return Err(IoError::unsupported(path, Place::Whole, message, &[]));
        }
        Ok(StopWords::List(name.into(), read_lines(path)?))
    }

    pub(super) fn words(&self) -> Vec<String> {
        let of =
            |code| stop_words::lookup(code).unwrap_or_default().iter().map(ToString::to_string).collect();
        match self {
            StopWords::None => Vec::new(),
            StopWords::English => of("en"),
            StopWords::List(_, words) => words.clone(),
        }
    }

    /// For a report.
    pub(super) fn summary(&self) -> String {
        match self {
            StopWords::None => "no stop words".into(),
            StopWords::English => "without English stop words".into(),
            StopWords::List(name, _) => format!("without the stop words of {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_by_name_and_others_refused_with_what_is_valid() {
        assert!(StopWords::English.words().iter().any(|word| word == "the"));
        assert!(StopWords::named("de").unwrap().words().iter().any(|word| word == "und"));
        assert!(StopWords::named("none").unwrap().words().is_empty());
        let error = StopWords::named("klingon").unwrap_err().to_string();
        assert!(error.contains("english, none"), "{error}");
    }
}
