//! Which crate of the workspace may not depend on which.

use super::Finding;

/// Each crate and the crates it may not depend on: the library knows none of the others, formats know the
/// library alone, and nothing that users compile knows the laboratory.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("partwise", &["partwise-io", "partwise-report", "partwise-lab", "partwise-cli", "partwise-py"]),
    ("partwise-io", &["partwise-report", "partwise-lab", "partwise-cli", "partwise-py"]),
    ("partwise-report", &["partwise-lab", "partwise-cli", "partwise-py"]),
    ("partwise-lab", &["partwise-cli", "partwise-py"]),
    ("partwise-cli", &["partwise-lab", "partwise-py"]),
    ("partwise-py", &["partwise-report", "partwise-lab", "partwise-cli"]),
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
        let manifest = "[package]\nname = \"partwise-cli\"\n[dependencies]\npartwise.workspace = true\n";
        assert!(check("partwise-cli", manifest).is_empty());
        for line in ["partwise-lab.workspace = true", "partwise-lab = { path = \"../partwise-lab\" }"] {
            let findings = check("partwise-cli", &format!("{manifest}{line}\n"));
            assert_eq!((findings.len(), findings[0].line), (1, 5), "{line}");
        }
    }
}
