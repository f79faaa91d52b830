//! Which room of the library may not use which: one table, read against the paths in the code.

use std::path::Path;

use super::Finding;
use super::source::{Source, is_word};

/// Each room (a file or folder of `crates/partwise/src`) and what it may not use: another room, or one path in it.
/// `ARCHITECTURE.md` explains the rooms; a wall moves there and here together.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "linalg",
        &[
            "backend",
            "data",
            "factors",
            "fit",
            "graphs",
            "guidance",
            "init",
            "losses",
            "metrics",
            "models",
            "observe",
            "problem",
            "quadratic",
            "recipes",
            "settings",
            "solvers",
            "stop",
            "svm",
            "terms",
        ],
    ),
    (
        "data",
        &[
            "backend",
            "factors",
            "fit",
            "graphs",
            "guidance",
            "init",
            "losses",
            "metrics",
            "models",
            "observe",
            "problem",
            "quadratic",
            "recipes",
            "settings",
            "solvers",
            "stop",
            "svm",
            "terms",
        ],
    ),
    (
        "quadratic",
        &[
            "backend", "data", "fit", "graphs", "guidance", "init", "losses", "metrics", "models", "observe",
            "problem", "recipes", "settings", "solvers", "stop", "svm", "terms",
        ],
    ),
    (
        "solvers",
        &[
            "backend", "data", "fit", "graphs", "guidance", "init", "metrics", "models", "observe",
            "problem", "recipes", "settings", "stop", "svm", "terms",
        ],
    ),
    (
        "clustering",
        &[
            "backend",
            "factors",
            "fit",
            "graphs",
            "guidance",
            "losses",
            "metrics",
            "models",
            "observe",
            "problem",
            "quadratic",
            "recipes",
            "settings",
            "solvers",
            "stop",
            "svm",
            "terms",
        ],
    ),
    ("losses", &["backend", "fit", "guidance", "init", "metrics", "models", "problem", "recipes", "solvers"]),
    ("terms", &["backend", "data", "fit", "init", "metrics", "models", "problem", "recipes", "solvers"]),
    ("guidance", &["backend", "data", "fit", "init", "metrics", "models", "recipes", "solvers"]),
    (
        "models",
        &[
            "backend",
            "data::DenseMatrix",
            "data::SparseMatrix",
            "fit",
            "init",
            "metrics",
            "recipes",
            // A model may name its published solver, no more.
            "solvers::NnlsSolver",
            "solvers::Rows",
        ],
    ),
    (
        "init",
        &[
            "backend",
            "data::DenseMatrix",
            "data::SparseMatrix",
            "fit",
            "metrics",
            "models",
            "recipes",
            "solvers",
        ],
    ),
    // It reads the registry of solvers to refuse pairs that can't be served; their insides are none of its business.
    ("problem", &["backend", "fit", "metrics", "recipes", "solvers::NnlsSolver", "solvers::Rows"]),
    ("backend", &["fit", "guidance", "metrics", "models", "recipes"]),
    ("fit", &["data::DenseMatrix", "data::SparseMatrix", "guidance", "metrics", "recipes"]),
    ("stop", &["data", "guidance", "metrics", "models", "recipes", "solvers"]),
    ("observe", &["data", "guidance", "metrics", "models", "recipes", "solvers"]),
    ("svm", &["backend", "fit", "models", "recipes", "solvers"]),
    ("graphs", &["backend", "fit", "models", "recipes", "solvers"]),
    ("recipes", &["backend", "data::DenseMatrix", "data::SparseMatrix", "quadratic"]),
    (
        "metrics",
        &[
            "backend",
            "data",
            "factors",
            "fit",
            "graphs",
            "guidance",
            "init",
            "losses",
            "models",
            "observe",
            "problem",
            "quadratic",
            "recipes",
            "settings",
            "solvers",
            "stop",
            "svm",
            "terms",
        ],
    ),
];

/// What only some rooms may name: the product crate, threads, randomness.
const ONLY_IN: &[(&str, &[&str])] = &[
    // `real` needs the bound that the product crate puts on its numbers.
    ("faer", &["linalg", "real"]),
    ("rayon", &["pool"]),
    ("std::thread", &["pool"]),
    ("rand_chacha", &["init"]),
];

/// The names that `lib.rs` re-exports and where they come from: `Matrix` → `linalg::Matrix`.
pub(super) fn exports(library: &Source) -> Vec<(String, String)> {
    used_paths(library)
        .into_iter()
        .filter_map(|(_, path)| {
            let name = path.rsplit("::").next()?.to_string();
            Some((name, path.strip_prefix("crate::").unwrap_or(&path).to_string()))
        })
        .collect()
}

/// Checks the file at `inside` (relative to the library's `src`) against the tables.
pub(super) fn check(inside: &Path, source: &Source, exports: &[(String, String)]) -> Vec<Finding> {
    let module: Vec<String> = inside
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .filter(|part| part != "mod")
        .collect();
    let room = module[0].as_str();
    if room == "lib" {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut paths = used_paths(source);
    paths.extend(paths_in_code(source));
    for (line, path) in paths {
        let path = absolute(&path, &module);
        let message = match path.strip_prefix("crate::") {
            Some(own) => forbidden(room, own, exports),
            None => foreign(room, &path),
        };
        let finding = message.map(|message| Finding::fault(line + 1, message));
        findings.extend(finding.filter(|finding| !findings.contains(finding)));
    }
    findings
}

fn forbidden(room: &str, path: &str, exports: &[(String, String)]) -> Option<String> {
    let exported =
        exports.iter().find(|(name, _)| begins_with(path, name)).map(|(_, origin)| origin.as_str());
    let (_, walls) = FORBIDDEN.iter().find(|(name, _)| *name == room)?;
    // A type that a room's `mod.rs` re-exports may come by its file: `data::dense::DenseMatrix`.
    let path = exported.unwrap_or(path);
    let parts: Vec<&str> = path.split("::").collect();
    let wall = walls.iter().find(|wall| match wall.split_once("::") {
        None => parts[0] == **wall,
        Some((other, name)) => parts[0] == other && parts[1..].contains(&name),
    })?;
    Some(format!("{room} may not use {wall} (here {path}); see ARCHITECTURE.md"))
}

fn foreign(room: &str, path: &str) -> Option<String> {
    let (name, rooms) = ONLY_IN.iter().find(|(name, _)| begins_with(path, name))?;
    (!rooms.contains(&room)).then(|| format!("only {} may name {name}", rooms.join(" and ")))
}

fn begins_with(path: &str, start: &str) -> bool {
    path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// `self::` and `super::` resolved from the module's place.
fn absolute(path: &str, module: &[String]) -> String {
    let mut here = module.to_vec();
    let mut rest = path;
    if let Some(after) = rest.strip_prefix("self::") {
        rest = after;
    } else if !rest.starts_with("super::") {
        return rest.to_string();
    }
    while let Some(after) = rest.strip_prefix("super::") {
        here.pop();
        rest = after;
    }
    let mut parts = vec!["crate".to_string()];
    parts.extend(here);
    parts.push(rest.to_string());
    parts.join("::")
}

/// Every path of the `use` declarations outside tests, groups taken apart, with the line it begins on.
fn used_paths(source: &Source) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    let mut pending: Option<(usize, String)> = None;
    for (line, code) in source.code.iter().enumerate().filter(|(line, _)| !source.test[*line]) {
        let (start, mut text) = match pending.take() {
            Some((start, text)) => (start, text + " " + code.trim()),
            None => match after_use(code) {
                Some(rest) => (line, rest.to_string()),
                None => continue,
            },
        };
        match text.find(';') {
            None => pending = Some((start, text)),
            Some(end) => {
                text.truncate(end);
                paths.extend(expanded(&text).into_iter().map(|path| (start, path)));
            }
        }
    }
    paths
}

/// What follows `use` on a line that begins with it, visibility aside.
fn after_use(code: &str) -> Option<&str> {
    let mut code = code.trim_start();
    if let Some(after) = code.strip_prefix("pub") {
        let after = after.trim_start();
        code = match after.strip_prefix('(') {
            Some(scope) => scope.split_once(')')?.1.trim_start(),
            None => after,
        };
    }
    code.strip_prefix("use ")
}

/// `a::{b, c::{d, self}}` as `a::b`, `a::c::d`, `a::c`; names given by `as` are left out.
fn expanded(text: &str) -> Vec<String> {
    let text = text.trim();
    let Some(open) = text.find('{') else {
        let path = text.split(" as ").next().unwrap_or_default().trim().trim_start_matches("::");
        return if path.is_empty() { Vec::new() } else { vec![path.to_string()] };
    };
    let prefix = text[..open].trim();
    let inner = &text[open + 1..text.rfind('}').unwrap_or(text.len())];
    let mut paths = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (place, character) in inner.char_indices().chain([(inner.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                for path in expanded(&inner[start..place]) {
                    let whole = if path == "self" { prefix.to_string() } else { format!("{prefix}{path}") };
                    paths.push(whole.trim_end_matches("::").to_string());
                }
                start = place + 1;
            }
            _ => {}
        }
    }
    paths
}

/// Every path outside `use` and tests that begins with `crate`, `super` or a name of [`ONLY_IN`].
fn paths_in_code(source: &Source) -> Vec<(usize, String)> {
    let starts = ["crate::", "super::"].into_iter().map(String::from);
    let starts: Vec<String> = starts.chain(ONLY_IN.iter().map(|(name, _)| format!("{name}::"))).collect();
    let mut paths = Vec::new();
    for (line, code) in source.code.iter().enumerate().filter(|(line, _)| !source.test[*line]) {
        for start in &starts {
            for (place, _) in code.match_indices(start.as_str()) {
                if code[..place].chars().next_back().is_some_and(|before| is_word(before) || before == ':') {
                    continue;
                }
                let path: String = code[place..].chars().take_while(|&c| is_word(c) || c == ':').collect();
                paths.push((line, path.trim_end_matches(':').to_string()));
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(file: &str, text: &str) -> Vec<String> {
        let exports =
            exports(&Source::of("mod data;\npub use data::{DataMatrix, DenseMatrix};\npub use fit::fit;\n"));
        check(Path::new(file), &Source::of(text), &exports)
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn groups_of_use_are_taken_apart() {
        let source =
            Source::of("pub(crate) use crate::{\n    a::{b, c as d},\n    e::{self, f},\n};\nuse g;\n");
        let paths: Vec<String> = used_paths(&source).into_iter().map(|(_, path)| path).collect();
        assert_eq!(paths, ["crate::a::b", "crate::a::c", "crate::e", "crate::e::f", "g"]);
    }

    #[test]
    fn a_forbidden_edge_is_found_in_every_spelling() {
        for text in [
            "use crate::data::DataMatrix;",
            "use crate::{error::Error, data};",
            "use super::super::data::Summary;",
            "use crate::DataMatrix;",
            "fn f(x: &dyn crate::data::DataMatrix) {}",
        ] {
            assert_eq!(messages("solvers/hals.rs", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn allowed_edges_tests_and_words_pass() {
        for text in [
            "use crate::quadratic::Quadratic;\nuse super::Solver;",
            "// use crate::data::DataMatrix;",
            "#[cfg(test)]\nmod tests {\n    use crate::data::DataMatrix;\n}\n",
            "use crate::database::Thing;",
        ] {
            assert!(messages("solvers/hals.rs", text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_wall_against_one_type_lets_the_rest_of_its_room_through() {
        assert!(messages("fit.rs", "use crate::data::DataMatrix;\nuse crate::DataMatrix;").is_empty());
        assert_eq!(messages("fit.rs", "use crate::DenseMatrix;").len(), 1);
        assert_eq!(messages("fit.rs", "use crate::data::dense::DenseMatrix;").len(), 1);
    }

    #[test]
    fn threads_products_and_randomness_stay_in_their_rooms() {
        assert_eq!(messages("solvers/mu.rs", "use rayon::prelude::*;").len(), 1);
        assert_eq!(messages("solvers/mu.rs", "fn f() { std::thread::spawn(g); }").len(), 1);
        assert_eq!(messages("data/dense.rs", "use faer::Mat;").len(), 1);
        assert!(messages("linalg/gemm.rs", "use faer::Mat;").is_empty());
        assert!(messages("pool.rs", "use rayon::prelude::*;").is_empty());
        assert!(messages("init/random.rs", "use rand_chacha::ChaCha8Rng;").is_empty());
    }

    #[test]
    fn every_wall_of_the_table_stands_against_a_known_room() {
        let rooms: Vec<&str> =
            FORBIDDEN.iter().map(|(room, _)| *room).chain(["factors", "settings"]).collect();
        for (room, walls) in FORBIDDEN {
            for wall in *walls {
                let other = wall.split("::").next().unwrap();
                assert!(rooms.contains(&other) && other != *room, "{room} against {wall}");
            }
        }
    }
}
