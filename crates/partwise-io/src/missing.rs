//! Values that mean "missing" in tables and label files, and values that only look like it.

/// Texts for a missing value that R, pandas, spreadsheets and databases write; blank too.
pub fn is_missing(text: &str) -> bool {
    let text = text.trim();
    matches!(text, "" | "NA" | "None" | "#N/A" | "#NA" | "N.A.")
        || ["nan", "-nan", "<na>", "n/a", "null"].iter().any(|known| text.eq_ignore_ascii_case(known))
}

/// Whether a label means "unlabelled": a missing value, or −1 however it is written.
pub fn is_missing_label(text: &str) -> bool {
    is_missing(text) || is_minus_one(text)
}

fn is_minus_one(text: &str) -> bool {
    let minus_one =
        |rest: &str| rest.strip_prefix('.').map_or(rest.is_empty(), |rest| rest.bytes().all(|b| b == b'0'));
    text.trim().strip_prefix("-1").is_some_and(minus_one)
}

/// Whether a label that was read as a class looks like a word for "unlabelled".
pub fn looks_unknown(text: &str) -> bool {
    const WORDS: [&str; 30] = [
        "?",
        "??",
        "???",
        "-",
        "--",
        "---",
        ".",
        "*",
        "na",
        "na.",
        "n.a.",
        "n.a",
        "nd",
        "n.d.",
        "nil",
        "none",
        "unk",
        "unlabelled",
        "unlabeled",
        "unassigned",
        "undefined",
        "undetermined",
        "unclassified",
        "unspecified",
        "missing",
        "empty",
        "(blank)",
        "blank",
        "tbd",
        "#value!",
    ];
    const BEGINNINGS: [&str; 7] =
        ["unknown", "none of", "none-of", "none_of", "not known", "not available", "not assigned"];
    let text = text.trim().to_lowercase();
    WORDS.contains(&text.as_str())
        || ["no label", "nolabel", "no_label", "-99", "-999", "-9999"].contains(&text.as_str())
        || BEGINNINGS.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_labels_and_words_that_look_so_are_told_apart() {
        for text in [
            "", "  ", "NA", "N/A", "n/a", "NaN", "nan", "None", "<NA>", "<na>", "null", "NULL", "-1", "-1.0",
            "-1.",
        ] {
            assert!(is_missing_label(text), "{text:?}");
        }
        for text in
            ["?", "Unknown", "none", "unknown type", "none-of-these", "Unlabelled", "na.", "na", "UNK", "Na"]
        {
            assert!(!is_missing_label(text) && looks_unknown(text), "{text:?}");
        }
        for text in ["1", "-2", "-10", "-1.5", "cat", "North America", "0", "nano"] {
            assert!(!is_missing_label(text) && !looks_unknown(text), "{text:?}");
        }
        assert!(!is_missing("-1"));
    }
}
