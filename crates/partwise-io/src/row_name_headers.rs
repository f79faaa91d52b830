//! Header names of a first column that contains row names.

/// Words for rows, alone or as a part of a name (`sample_id`, `CellBarcode`).
const WORDS: [&str; 20] = [
    "index",
    "indices",
    "id",
    "ids",
    "sample",
    "samples",
    "name",
    "names",
    "barcode",
    "barcodes",
    "cell",
    "cells",
    "gene",
    "genes",
    "row",
    "rows",
    "rowname",
    "rownames",
    "component",
    "components",
];

/// The last word of a name of several words that makes it one for rows (`patient id`, `gene name`).
const LAST_WORDS: [&str; 12] =
    ["id", "ids", "index", "name", "names", "barcode", "barcodes", "key", "code", "number", "no", "nr"];

/// Whether a first column of this name holds names of rows, be they numbers.
pub(crate) fn names_rows(corner: &str) -> bool {
    let words = words(corner);
    let Some(last) = words.last() else { return corner.trim().is_empty() };
    match &words[..] {
        [only] => WORDS.contains(&only.as_str()),
        // What pandas calls a column without a name.
        [first, number] if first == "unnamed" => number.bytes().all(|byte| byte.is_ascii_digit()),
        _ => LAST_WORDS.contains(&last.as_str()) || words.iter().all(|word| WORDS.contains(&word.as_str())),
    }
}

/// The words of a name in lower case: split at spaces, signs, and where a capital letter follows a small one.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for character in name.trim().chars() {
        let fresh = !before.is_alphanumeric() || (before.is_lowercase() && character.is_uppercase());
        if character.is_alphanumeric() {
            if fresh || words.is_empty() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(character.to_lowercase());
            }
        }
        before = character;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_of_first_columns_are_known() {
        for corner in [
            "",
            "index",
            "Index",
            "ID",
            "ids",
            "sample",
            "Samples",
            "name",
            "NAMES",
            "barcode",
            "cell",
            "gene",
            "row",
            "rownames",
            "row.names",
            "row_names",
            "Row Names",
            "Unnamed: 0",
            "unnamed: 0",
            "sample_id",
            "sampleID",
            "SampleId",
            "patient id",
            "user_id",
            "cell_barcode",
            "gene name",
            "#id",
            "component",
            "id.",
        ] {
            assert!(names_rows(corner), "{corner:?}");
        }
        for corner in [
            "time",
            "a",
            "x",
            "age",
            "width",
            "idea",
            "cellulose",
            "b12",
            "unnamed",
            "sample size",
            "identity",
        ] {
            assert!(!names_rows(corner), "{corner:?}");
        }
    }
}
