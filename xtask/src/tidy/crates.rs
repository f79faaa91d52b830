//! Which crate of the workspace may not depend on which.

use super::Finding;

/// Each crate and the crates it may not depend on: the library knows none of the others, and formats and evaluation
/// don't know each other or the command line.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("partwise", &["partwise-classify", "partwise-io", "partwise-eval", "partwise-cli", "partwise-py"]),
    ("partwise-classify", &["partwise-io", "partwise-cli", "partwise-py"]),
    ("partwise-io", &["partwise-classify", "partwise-eval", "partwise-cli", "partwise-py"]),
    ("partwise-eval", &["partwise-io", "partwise-cli", "partwise-py"]),
    ("partwise-cli", &["partwise-py"]),
    ("partwise-py", &["partwise-cli"]),
];

/// Checks the `Cargo.toml` of the crate `name`.
pub(super) fn check(name: &str, manifest: &str) -> Vec<Finding> {
    let Some((_, walls)) = FORBIDDEN.iter().find(|(other, _)| *other == name) else {
        return Vec::new();
    };
    let key = |line: &str| line.trim().split(['.', ' ', '=']).next().unwrap_or_default().to_string();
    manifest
        .lines()
        .enumerate()
        .filter(|(_, line)| walls.contains(&key(line).as_str()))
        .map(|(line, text)| Finding::fault(line + 1, format!("{name} may not depend on {}", key(text))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_dependency_is_found_and_an_allowed_one_passes() {
        let manifest = "[package]\nname = \"partwise-eval\"\n[dependencies]\npartwise.workspace = true\n";
        assert!(check("partwise-eval", manifest).is_empty());
        for line in ["partwise-io.workspace = true", "partwise-io = { path = \"../partwise-io\" }"] {
            let findings = check("partwise-eval", &format!("{manifest}{line}\n"));
            assert_eq!((findings.len(), findings[0].line), (1, 5), "{line}");
        }
    }
}
