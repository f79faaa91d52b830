//! Size, forbidden calls, ignored tests and leftovers.

use super::findings::Finding;
use super::source::{Source, is_word};

/// A file or function over the first number of lines of code is worth a look, over the second it is a fault.
const FILE_LINES: (usize, usize) = (400, 450);
const FUNCTION_LINES: (usize, usize) = (60, 80);

/// What the header of a long file, or the comment above a long function, says.
const REASON: &str = "Long because";

/// Notes of work to do.
const NOTES: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"];

/// Macros that stand for work to do.
const MACROS: [&str; 2] = ["todo!", "unimplemented!"];

/// What the library doesn't do outside tests.
const CALLS: [(&str, &str); 6] = [
    (".unwrap()", "unwrap: return an Error, or state the invariant with expect"),
    ("println!", "the library doesn't print"),
    ("print!", "the library doesn't print"),
    ("eprintln!", "the library doesn't print"),
    ("eprint!", "the library doesn't print"),
    ("dbg!", "the library doesn't print"),
];

/// The rules for every Rust file.
pub(super) fn everywhere(source: &Source) -> Vec<Finding> {
    let mut findings = sizes(source);
    for line in 0..source.code.len() {
        for note in NOTES.iter().filter(|note| has_word(&source.comments[line], note)) {
            findings.push(Finding::fault(line + 1, format!("\"{note}\": finish it, or file an issue")));
        }
        for name in MACROS.iter().filter(|name| has_word(&source.code[line], name)) {
            findings.push(Finding::fault(line + 1, format!("{name}: finish it, or file an issue")));
        }
        if source.code[line].contains("#[ignore") {
            findings.push(Finding::fault(line + 1, "an ignored test: make it run, or delete it"));
        }
    }
    findings
}

/// The rules for the library, outside its tests.
pub(super) fn in_library(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for line in (0..source.code.len()).filter(|&line| !source.test[line]) {
        for (call, message) in CALLS {
            if has_word(&source.code[line], call) {
                findings.push(Finding::fault(line + 1, message));
            }
        }
    }
    findings
}

fn sizes(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = (0..source.code.len()).filter(|&line| !source.test[line] && source.has_code(line)).count();
    let first_code = (0..source.code.len()).find(|&line| source.has_code(line)).unwrap_or(0);
    let file_reason = source.comments[..first_code].iter().any(|comment| comment.contains(REASON));
    if !file_reason {
        findings.extend(size(1, "the file", lines, FILE_LINES));
    }
    for function in source.functions().into_iter().filter(|function| !source.test[function.line]) {
        let reason = source.comments[..function.line]
            .iter()
            .enumerate()
            .rev()
            // Attributes may stand between the comment and the function.
            .take_while(|(line, comment)| {
                !comment.is_empty() || source.code[*line].trim_start().starts_with('#')
            })
            .any(|(_, comment)| comment.contains(REASON));
        if !reason {
            let lines = source.code_lines(function.line, function.end);
            let what = format!("the function {}", function.name);
            findings.extend(size(function.line + 1, &what, lines, FUNCTION_LINES));
        }
    }
    findings
}

fn size(line: usize, what: &str, lines: usize, (look, fault): (usize, usize)) -> Option<Finding> {
    if lines > fault {
        let message = format!(
            "{what} has {lines} lines of code (more than {fault}): split it, or say \"{REASON} ...\" above"
        );
        Some(Finding::fault(line, message))
    } else if lines > look {
        Some(Finding::warning(line, format!("{what} has {lines} lines of code (more than {look})")))
    } else {
        None
    }
}

/// Whether `text` has `word` and no letter continues it on either side.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(place, _)| {
        let before = text[..place].chars().next_back();
        let after = text[place + word.len()..].chars().next();
        let begins = !word.starts_with(is_word) || !before.is_some_and(is_word);
        let ends = !word.ends_with(is_word) || !after.is_some_and(is_word);
        begins && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(findings: &[Finding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn unwrap_and_printing_are_found_outside_tests_only() {
        let source = Source::of(concat!(
            "fn a() { b().unwrap(); c.unwrap_or(1); }\n",
            "//! x.unwrap() in words\n",
            "fn d() { println!(\"{}\", \"x.unwrap()\"); }\n",
            "#[cfg(test)]\nmod tests { fn e() { f().unwrap(); println!(); } }\n",
        ));
        assert_eq!(lines(&in_library(&source)), [1, 3]);
    }

    #[test]
    fn notes_and_ignored_tests_are_found() {
        let note = NOTES[0];
        let source = Source::of(&format!(
            "// {note}: later\nlet a = \"{note}\"; // {note}S\n#[ignore]\nfn b() {{}}\n"
        ));
        assert_eq!(lines(&everywhere(&source)), [1, 3]);
    }

    #[test]
    fn long_functions_fail_unless_they_say_why() {
        let body = "    a();\n".repeat(79);
        let long = format!("fn long() {{\n{body}}}\n");
        let findings = everywhere(&Source::of(&long));
        assert_eq!((findings.len(), findings[0].warning), (1, false));
        let excused = format!("/// Does it.\n/// Long because it does.\n#[inline]\n{long}");
        assert!(everywhere(&Source::of(&excused)).is_empty());
        let shorter = format!("fn shorter() {{\n{}}}\n", "    a();\n".repeat(59));
        let findings = everywhere(&Source::of(&shorter));
        assert_eq!((findings.len(), findings[0].warning), (1, true));
        let commented = format!("fn fine() {{\n{}}}\n", "    // words\n\n".repeat(90));
        assert!(everywhere(&Source::of(&commented)).is_empty());
    }

    #[test]
    fn long_files_fail_unless_they_say_why() {
        let long = "const A: u8 = 1;\n".repeat(451);
        assert_eq!(lines(&everywhere(&Source::of(&long))), [1]);
        assert!(everywhere(&Source::of(&format!("//! Long because of tables.\n\n{long}"))).is_empty());
        let tests = format!("#[cfg(test)]\nmod tests {{\n{long}}}\n");
        assert!(everywhere(&Source::of(&tests)).is_empty());
    }
}
