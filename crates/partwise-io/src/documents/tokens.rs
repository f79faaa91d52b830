//! Tokens of a text: runs of two or more letters, digits and underscores, in lower case, as the pattern
//! `(?u)\b\w\w+\b` of scikit-learn's `CountVectorizer` finds them.

use std::collections::HashSet;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// What Python's `\w` matches: letters and numbers of Unicode, and the underscore.
fn is_word(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || c == '_',
        false => {
            matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
        }
    }
}

/// Calls `each` with the tokens of a text in lower case.
fn for_each_word<'t>(lower: &'t str, mut each: impl FnMut(&'t str)) {
    for word in lower.split(|c| !is_word(c)) {
        // Two characters at least, not two bytes.
        if word.chars().nth(1).is_some() {
            each(word);
        }
    }
}

/// The tokens of a word list, so that "don't" leaves out "don".
pub(super) fn words_of(list: impl IntoIterator<Item = impl AsRef<str>>) -> HashSet<String> {
    let mut words = HashSet::new();
    for text in list {
        let lower = text.as_ref().to_lowercase();
        for_each_word(&lower, |word| {
            words.insert(word.to_string());
        });
    }
    words
}

/// Calls `each` with the n-grams of a text: so many neighbouring words, joined by a space, without those that
/// are left out.
pub(super) fn for_each_term(
    text: &str,
    left_out: &HashSet<String>,
    ngrams: (usize, usize),
    mut each: impl FnMut(&str),
) {
    let lower = text.to_lowercase();
    if ngrams == (1, 1) {
        for_each_word(&lower, |word| {
            if !left_out.contains(word) {
                each(word);
            }
        });
        return;
    }
    let mut words = Vec::new();
    for_each_word(&lower, |word| {
        if !left_out.contains(word) {
            words.push(word);
        }
    });
    for length in ngrams.0..=ngrams.1 {
        words.windows(length).for_each(|window| each(&window.join(" ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str, left_out: &[&str], ngrams: (usize, usize)) -> Vec<String> {
        let mut terms = Vec::new();
        for_each_term(text, &words_of(left_out), ngrams, |term| terms.push(term.to_string()));
        terms
    }

    /// The expected tokens are those of scikit-learn's CountVectorizer.
    #[test]
    fn tokens_are_those_of_the_pattern_of_scikit_learn() {
        let text = "Don't e-mail A_b x1 2 22, ÉTÉ naïve ΣΟΦΟΣ 数据 数 नमस्ते İx half½ a\u{301}b";
        assert_eq!(
            terms(text, &[], (1, 1)),
            ["don", "mail", "a_b", "x1", "22", "été", "naïve", "σοφος", "数据", "नमस", "half½"]
        );
        assert_eq!(terms("the cat and the dog", &["the", "and"], (1, 2)), ["cat", "dog", "cat dog"]);
        assert_eq!(terms("don't stop", &["Don't"], (1, 1)), ["stop"]);
    }
}
