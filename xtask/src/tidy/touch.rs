//! `cargo xtask tidy --touch NAME`: the files that spell a name, and so the files that something like it
//! takes to add.
//!
//! A name is found in each of its spellings: `graph-weight`, `graph_weight`, `GRAPH_WEIGHT`, `GraphWeight`.
//! In sources only code and strings count, not comments; in pages every word does.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use super::python_source::PythonSource;
use super::source::Source;
use super::{names, workspace};

/// How many files something of a kind may take to add.
struct Kind {
    name: &'static str,
    allowed: usize,
    /// Whether tests and docs count: the others have theirs from the registry.
    everywhere: bool,
}

const METHOD: Kind = Kind { name: "a method", allowed: 3, everywhere: false };

/// What the name may be if it is no method.
const OTHERS: [Kind; 3] = [
    Kind { name: "a parameter of a method", allowed: 3, everywhere: false },
    Kind { name: "a mechanism (term)", allowed: 2, everywhere: false },
    Kind { name: "a kind of guidance", allowed: 8, everywhere: true },
];

/// Records of the past, which no change touches, and these commands.
const LEFT_OUT: [&str; 3] = ["bench/runs", "CHANGELOG.md", "xtask"];

/// The parts of a crate or of the rest of the project.
const SOURCES: &str = "sources";
const TESTS: &str = "tests";
const PAGES: &str = "docs";
const EXPERIMENTS: &str = "experiments";

/// Prints where `name` is spelled.
pub(super) fn touch(root: &Path, name: &str) -> Result<ExitCode> {
    let spellings = spellings(name);
    ensure!(
        !spellings.is_empty(),
        "--touch takes a name of letters, digits, \"-\" and \"_\", not \"{name}\""
    );
    let mut groups: BTreeMap<(String, &str), Vec<(String, usize)>> = BTreeMap::new();
    for file in workspace::files(root, &["rs", "py", "pyi", "toml", "md", "yml"])? {
        if LEFT_OUT.iter().any(|path| file.starts_with(path)) {
            continue;
        }
        let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        let count = count(&extension, &workspace::read(&root.join(&file))?, &spellings);
        if count > 0 {
            groups.entry(group(&file)).or_default().push((file.display().to_string(), count));
        }
    }
    println!("\"{name}\" ({}) is spelled in:", spellings.join(", "));
    for ((part, kind), files) in &groups {
        println!("  {part}, {kind}: {} files", files.len());
        for (file, count) in files {
            println!("    {file} ({count})");
        }
    }
    let total = |kind: &str| {
        groups.iter().filter(|((_, other), _)| *other == kind).map(|(_, files)| files.len()).sum::<usize>()
    };
    let (sources, tests, pages) = (total(SOURCES), total(TESTS), total(PAGES));
    let experiments = total(EXPERIMENTS);
    println!("{sources} files of sources, {tests} of tests, {pages} of docs, {experiments} of experiments");
    let is_method = names::registry(root)?.contains(name);
    let kinds = if is_method { &[METHOD][..] } else { &OTHERS[..] };
    for kind in kinds {
        let counted = if kind.everywhere { sources + tests + pages } else { sources };
        let what = if kind.everywhere { "files" } else { "files of sources" };
        let verdict = if counted <= kind.allowed { "within" } else { "OVER" };
        println!("as {}: {counted} {what}, {} allowed: {verdict}", kind.name, kind.allowed);
    }
    Ok(ExitCode::SUCCESS)
}

/// The crate (or folder) of a file, and whether it is a source, a test or a page.
fn group(file: &Path) -> (String, &'static str) {
    let parts: Vec<String> = file.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let part = match parts[0].as_str() {
        "crates" => parts.get(1).cloned().unwrap_or_default(),
        _ if parts.len() == 1 => "project".to_string(),
        other => other.to_string(),
    };
    let is_test =
        parts.iter().any(|part| ["tests", "tests.rs", "benches", "examples"].contains(&part.as_str()));
    let is_page = ["docs", "bench", "mkdocs.yml"].contains(&parts[0].as_str());
    let kind = match file.extension().and_then(|extension| extension.to_str()) {
        _ if is_test => TESTS,
        _ if names::is_laboratory(file) => EXPERIMENTS,
        _ if is_page => PAGES,
        Some("md" | "yml") => PAGES,
        _ => SOURCES,
    };
    (part, kind)
}

/// How often the spellings stand in a file.
fn count(extension: &str, text: &str, spellings: &[String]) -> usize {
    let lines: Vec<&str> = text.split('\n').collect();
    let words: Vec<String> = match extension {
        "rs" => {
            // The code alone loses the strings: the comments are cut off the lines instead.
            let source = Source::of(text);
            let cut = |(line, comment): (&&str, &String)| match comment.is_empty() {
                true => line.to_string(),
                false => line.replacen(comment.as_str(), "", 1),
            };
            lines.iter().zip(&source.comments).map(cut).collect()
        }
        "py" | "pyi" => {
            let prose = PythonSource::of(text).prose;
            let code = lines.iter().zip(prose).map(|(line, prose)| match (prose, line.find('#')) {
                (true, Some(hash)) if !line[..hash].trim().is_empty() => line[..hash].to_string(),
                (true, _) => String::new(),
                (false, _) => line.to_string(),
            });
            code.collect()
        }
        _ => lines.iter().map(|line| line.to_string()).collect(),
    };
    words.iter().map(|line| spellings.iter().map(|spelling| occurrences(line, spelling)).sum::<usize>()).sum()
}

/// The ways to spell a name.
fn spellings(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut new_word = true;
    for character in name.chars() {
        let ends = character == '-' || character == '_' || character == ' ';
        let begins = new_word || (character.is_uppercase() && name.chars().any(char::is_lowercase));
        match words.last_mut() {
            _ if ends => {}
            Some(word) if !begins => word.extend(character.to_lowercase()),
            _ => words.push(character.to_lowercase().collect()),
        }
        new_word = ends;
    }
    if !words.iter().all(|word| word.chars().all(|letter| letter.is_ascii_alphanumeric())) || words.is_empty()
    {
        return Vec::new();
    }
    let capital = |word: &String| word[..1].to_uppercase() + &word[1..];
    let snake = words.join("_");
    let mut all = vec![words.join("-"), snake.to_uppercase(), snake];
    all.push(words.iter().map(capital).collect());
    all.sort();
    all.dedup();
    all
}

/// How often `word` stands in `line` with no letter, digit, `_` (or `-` between letters) continuing it.
fn occurrences(line: &str, word: &str) -> usize {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let continues = |mut characters: Box<dyn Iterator<Item = char> + '_>| match characters.next() {
        Some('-') => characters.next().is_some_and(is_word),
        Some(next) => is_word(next),
        None => false,
    };
    let places = line.match_indices(word);
    let free = places.filter(|(place, _)| {
        let (before, after) = (&line[..*place], &line[place + word.len()..]);
        !continues(Box::new(before.chars().rev())) && !continues(Box::new(after.chars()))
    });
    free.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_spellings_of_every_language() {
        let expected = ["GRAPH_WEIGHT", "GraphWeight", "graph-weight", "graph_weight"];
        for name in ["graph-weight", "graph_weight", "GraphWeight"] {
            assert_eq!(spellings(name), expected, "{name}");
        }
        assert!(spellings("no.name").is_empty());
    }

    #[test]
    fn longer_names_are_other_names() {
        for (line, expected) in
            [("--nmf nmf, \"nmf\"", 3), ("ws-nmf nmf-alpha nmf_x", 0), ("use nmf::SPEC", 1), ("- nmf - x", 1)]
        {
            assert_eq!(occurrences(line, "nmf"), expected, "{line}");
        }
    }

    #[test]
    fn comments_of_sources_do_not_count() {
        let name = ["nmf".to_string()];
        assert_eq!(count("rs", "// nmf\nlet a = \"nmf\"; // nmf\n", &name), 1);
        assert_eq!(count("py", "'''nmf'''\na = 'nmf'  # nmf\n", &name), 1);
        assert_eq!(count("md", "nmf and nmf\n", &name), 2);
    }

    #[test]
    fn files_are_grouped_by_crate_and_kind() {
        let shown = |file: &str| {
            let (part, kind) = group(Path::new(file));
            format!("{part} {kind}")
        };
        assert_eq!(shown("crates/partwise/src/fit.rs"), "partwise sources");
        assert_eq!(shown("crates/partwise/tests/bits.rs"), "partwise tests");
        assert_eq!(shown("python/partwise/_base.py"), "python sources");
        assert_eq!(shown("README.md"), "project docs");
        assert_eq!(shown("crates/partwise-lab/src/main.rs"), "partwise-lab experiments");
    }
}
