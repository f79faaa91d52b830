//! The data of a command, and how they are read.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use partwise::ScalingKind;
use partwise_io::{CountSettings, DocumentLimit, DocumentOptions, ReadOptions, STANDARD_INPUT, StopWords};

use super::choices;

/// The data, and how they are read.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Reading the data")]
pub(crate) struct ReadFlags {
    /// The data: a table with one sample per row, a folder of images (PNG, PGM), or with --text a folder or
    /// file of texts. - reads standard input; this works for every input file, but for one at a time. See
    /// `partwise methods` for the formats.
    #[arg(required_unless_present = "text")]
    data: Option<PathBuf>,
    /// The data are texts, whose words are counted: a folder of text files, a table (.csv, .tsv, .jsonl) with
    /// a column of texts, or any other file with a text on each line. The value is the column; without it,
    /// the only column, or one named text, body or the like. The words are runs of two or more letters and
    /// digits, in lower case. Texts are scaled by tfidf, unless --scale says otherwise; in rank they are not.
    #[arg(long, value_name = "COLUMN", num_args = 0..=1)]
    text: Option<Option<String>>,
    /// The file format. Default: from the extension, or from the content for standard input. The content must
    /// match.
    #[arg(long, value_parser = choices::formats(), conflicts_with = "text")]
    format: Option<String>,
    /// The array to read from an .npz archive. Default: the only one.
    #[arg(long, value_name = "NAME", conflicts_with = "text")]
    key: Option<String>,
    /// The matrix to read from an .h5ad file: a layer, or raw. Of a 10x .h5 file: the feature type, or the
    /// genome. Default: X; the genes; the only genome. Of transform: the matrix that the model was fitted
    /// to.
    #[arg(long, value_name = "NAME", conflicts_with = "text")]
    layer: Option<String>,
    /// The first row of a text table contains the column names. Default: detected, with a notice if it
    /// is uncertain.
    #[arg(long, overrides_with = "no_header")]
    header: bool,
    /// The first row of a text table is data, not column names.
    #[arg(long, overrides_with = "header")]
    no_header: bool,
    /// The first column of a text table contains the row names. Default: detected, with a notice if it
    /// is uncertain.
    #[arg(long, overrides_with = "no_row_names")]
    row_names: bool,
    /// The first column of a text table is data, not row names.
    #[arg(long, overrides_with = "row_names")]
    no_row_names: bool,
    /// Each row is an image of this height and width, as in 32x32. Default: known for image files and stacks.
    #[arg(long, value_name = "HxW", value_parser = choices::image_shape, conflicts_with = "text")]
    image_shape: Option<(usize, usize)>,
    // Last: a heading applies to all flags that follow.
    #[command(flatten)]
    words: WordFlags,
}

/// Which words of texts become features.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Words of texts (with --text)")]
struct WordFlags {
    /// Words that are left out: english, none, a file with a word per line, or a language code such as de.
    /// Default: english.
    #[arg(long, value_name = "LIST", requires = "text", value_parser = stop_words)]
    stop_words: Option<StopWords>,
    /// Also count runs of neighbouring words: the shortest and the longest, as in 1,2.
    #[arg(long, value_name = "A,B", requires = "text", value_parser = ngrams)]
    ngrams: Option<(usize, usize)>,
    /// Leave out words in fewer documents: a number of documents, or with a point their fraction (0.01).
    /// Default: 2.
    #[arg(long, value_name = "N", requires = "text", value_parser = limit)]
    min_df: Option<DocumentLimit>,
    /// Leave out words in more documents: a number of documents, or with a point their fraction (0.5).
    /// Default: 1.0, all.
    #[arg(long, value_name = "N", requires = "text", value_parser = limit)]
    max_df: Option<DocumentLimit>,
    /// Keep only so many words: those that occur most often. Default: all.
    #[arg(long, value_name = "N", requires = "text", value_parser = choices::positive)]
    max_features: Option<usize>,
}

/// A file or folder of data, and how it is read.
#[derive(Clone)]
pub(crate) struct DataSource {
    pub(crate) path: PathBuf,
    pub(crate) options: ReadOptions,
    pub(crate) image_shape: Option<(usize, usize)>,
    /// Where the data are texts: how they are read, and which words are counted.
    pub(crate) text: Option<(DocumentOptions, CountSettings)>,
    /// The first of the flags of words, which a model's own words replace.
    words_flag: Option<&'static str>,
}

impl ReadFlags {
    pub(super) fn source(self, label_column: Option<&str>) -> Result<DataSource> {
        let either = |yes: bool, no: bool| (yes || no).then_some(yes);
        let options = ReadOptions {
            header: either(self.header, self.no_header),
            row_names: either(self.row_names, self.no_row_names),
            format: self.format,
            key: self.key,
            layer: self.layer,
            label_column: label_column.map(str::to_string),
            ..ReadOptions::default()
        };
        let (path, text) = match (self.data, self.text) {
            (Some(data), text) => (data, text),
            // `--text folder/`: the value was meant as the data.
            (None, Some(Some(value))) if value == STANDARD_INPUT || Path::new(&value).exists() => {
                (value.into(), Some(None))
            }
            (None, Some(Some(value))) => bail!(
                "{value}: there is no such file or folder of texts (and a column of this name needs the data \
                before it: partwise fit DATA --text {value})"
            ),
            (None, _) => bail!("the data are missing: a file or folder"),
        };
        let words_flag = self.words.first();
        let settings = self.words.settings();
        let text = text.map(|column| {
            let ReadOptions { header, row_names, label_column, decoded_limit, .. } = options.clone();
            (DocumentOptions { column, label_column, header, row_names, decoded_limit }, settings)
        });
        Ok(DataSource { path, options, image_shape: self.image_shape, text, words_flag })
    }
}

impl DataSource {
    /// The scaling that is asked for, else tf-idf for texts, else none.
    pub(super) fn scaling(&self, asked: Option<ScalingKind>) -> ScalingKind {
        asked.unwrap_or(if self.text.is_some() { ScalingKind::TfIdf } else { ScalingKind::None })
    }

    /// Refuses flags on words where those of a model are counted.
    pub(super) fn check_no_words(&self) -> Result<()> {
        match self.words_flag {
            Some(flag) => bail!("{flag} has no effect: the words are those of the model"),
            None => Ok(()),
        }
    }
}

/// Whether this is one of the flags that choose words.
pub(super) fn is_of_words(flag: &str) -> bool {
    WordFlags::IDS.contains(&flag)
}

impl WordFlags {
    const IDS: [&str; 5] = ["stop_words", "ngrams", "min_df", "max_df", "max_features"];

    /// The first flag that is given.
    fn first(&self) -> Option<&'static str> {
        let flags = [
            (self.stop_words.is_some(), "--stop-words"),
            (self.ngrams.is_some(), "--ngrams"),
            (self.min_df.is_some(), "--min-df"),
            (self.max_df.is_some(), "--max-df"),
            (self.max_features.is_some(), "--max-features"),
        ];
        flags.into_iter().find_map(|(given, flag)| given.then_some(flag))
    }

    fn settings(self) -> CountSettings {
        let default = CountSettings::default();
        CountSettings {
            stop_words: self.stop_words.unwrap_or(default.stop_words),
            ngrams: self.ngrams.unwrap_or(default.ngrams),
            min_documents: self.min_df.unwrap_or(default.min_documents),
            max_documents: self.max_df.unwrap_or(default.max_documents),
            max_features: self.max_features,
        }
    }
}

fn stop_words(name: &str) -> Result<StopWords, String> {
    StopWords::named(name).map_err(|error| error.to_string())
}

/// `a,b`: the shortest and the longest run of words.
fn ngrams(text: &str) -> Result<(usize, usize), String> {
    let fault = || "it must be two whole numbers, 1 or more, the second not smaller, as in 1,2".to_string();
    let number = |t: &str| t.trim().parse::<usize>().ok().filter(|n| (1..=9).contains(n));
    let (a, b) = text.split_once(',').unwrap_or((text, text));
    let (a, b) = (number(a).ok_or_else(fault)?, number(b).ok_or_else(fault)?);
    if a <= b { Ok((a, b)) } else { Err(fault()) }
}

/// A count of documents, or with a point a fraction of them.
fn limit(text: &str) -> Result<DocumentLimit, String> {
    let text = text.trim();
    if let Ok(count) = text.parse() {
        return Ok(DocumentLimit::Count(count));
    }
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(DocumentLimit::Share(share)),
        _ => Err("it must be a whole number of documents, or their fraction with a point, 0.0 to 1.0".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_documents_are_counts_or_fractions() {
        assert_eq!(limit("2"), Ok(DocumentLimit::Count(2)));
        assert_eq!(limit("1.0"), Ok(DocumentLimit::Share(1.0)));
        assert!(limit("1.5").is_err() && limit("-1").is_err() && limit("few").is_err());
        assert_eq!((ngrams("1,2"), ngrams("2")), (Ok((1, 2)), Ok((2, 2))));
        assert!(ngrams("2,1").is_err() && ngrams("0,1").is_err());
    }
}
