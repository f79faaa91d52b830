//! `xtask/walls.toml`, the list of who may use whom: reading it, comparing it with the code, writing it anew.
//!
//! | table | one line says |
//! |---|---|
//! | `[crates]` | which crates of the workspace a crate may depend on |
//! | `[modules.<crate>]` | which modules of its crate a top-level module may use; `crate` is the root file itself |
//! | `[outside.<crate>]` | the only modules that may name a path of another crate |
//!
//! The comment above a line gives its reason. [`Walls::to_text`] keeps these comments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result};
use toml_edit::{DocumentMut, Item};

use super::cycles::Graph;
use super::edges::{Edges, Place};
use super::findings::Finding;

/// Where the list stands, from the root of the workspace.
pub(super) const FILE: &str = "xtask/walls.toml";

/// The beginning of the comments that [`Walls::to_text`] writes itself.
const LAYER: &str = "# Layer ";

/// No line of the list is longer.
const COLUMNS: usize = 110;

/// The list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Walls {
    /// The tables by name, in the order of the file.
    tables: Vec<(String, Table)>,
}

/// One table of the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    /// The comment above its name.
    comment: Vec<String>,
    pub(super) lines: BTreeMap<String, Line>,
}

/// What one crate, module or outside path may use, or be used by.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    /// The comment above it.
    reason: Vec<String>,
    pub(super) names: BTreeSet<String>,
    /// Its line in the file, counted from 1.
    place: usize,
}

impl Walls {
    /// Reads the list from its text.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let document: DocumentMut = text.parse().with_context(|| format!("{FILE} is not valid TOML"))?;
        let mut walls = Walls::default();
        for (name, item) in document.iter() {
            let table = item.as_table().with_context(|| format!("{FILE}: {name} is not a table"))?;
            let inner: Vec<_> = table.iter().filter(|(_, item)| item.is_table()).collect();
            if !table.is_implicit() || inner.is_empty() {
                walls.tables.push((name.to_string(), Table::parse(text, name, table)?));
            }
            for (crate_name, item) in inner {
                let whole = format!("{name}.{crate_name}");
                let table = item.as_table().context("filtered above")?;
                walls.tables.push((whole.clone(), Table::parse(text, &whole, table)?));
            }
        }
        // The parser gives nested tables together: the order of the file is that of the headers.
        walls.tables.sort_by_key(|(name, _)| line_of(text, name, None));
        Ok(walls)
    }

    /// A table, empty where the list has none of this name.
    pub(super) fn table(&self, name: &str) -> Table {
        let found = self.tables.iter().find(|(other, _)| other == name);
        found.map(|(_, table)| table.clone()).unwrap_or_default()
    }

    /// Puts a table into the place of the one of this name, or at the end.
    pub(super) fn set(&mut self, name: &str, table: Table) {
        match self.tables.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = table,
            None => self.tables.push((name.to_string(), table)),
        }
    }

    /// Leaves out the modules of crates that aren't in `crates`.
    pub(super) fn keep_modules_of(&mut self, crates: &[String]) {
        self.tables.retain(|(name, _)| match name.strip_prefix("modules.") {
            Some(crate_name) => crates.iter().any(|other| other == crate_name),
            None => true,
        });
    }

    /// The text of the file: modules in layers, comments kept.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for (number, (name, table)) in self.tables.iter().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            for line in &table.comment {
                let _ = writeln!(text, "{line}");
            }
            let _ = writeln!(text, "[{name}]");
            let layered = name.starts_with("modules.");
            let mut before = None;
            for (layer, key) in table.order(layered) {
                if layered && before != Some(layer) {
                    let _ = writeln!(text, "\n{LAYER}{layer}");
                    before = Some(layer);
                }
                let line = &table.lines[key];
                for comment in &line.reason {
                    let _ = writeln!(text, "{comment}");
                }
                text.push_str(&entry(key, &line.names));
            }
        }
        text
    }
}

impl Table {
    fn parse(text: &str, name: &str, table: &toml_edit::Table) -> Result<Self> {
        let mut lines = BTreeMap::new();
        for (key, item) in table.iter().filter(|(_, item)| !item.is_table()) {
            let complaint = || format!("{FILE}: {key} in [{name}] must be a list of names");
            let array = item.as_array().with_context(complaint)?;
            let names: Option<BTreeSet<String>> =
                array.iter().map(|value| value.as_str().map(String::from)).collect();
            let decor = table.key(key).and_then(|key| key.leaf_decor().prefix()?.as_str());
            let reason = comments(decor).filter(|line| !line.starts_with(LAYER)).collect();
            let place = line_of(text, name, Some(key));
            lines.insert(key.to_string(), Line { reason, names: names.with_context(complaint)?, place });
        }
        // The first table carries the heading of the file, whose paragraphs are kept apart.
        let above = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
        let comment = above.trim().lines().map(|line| line.trim().to_string()).collect();
        Ok(Table { comment, lines })
    }

    /// The keys by layer, or in alphabetical order.
    fn order(&self, layered: bool) -> Vec<(usize, &str)> {
        if !layered {
            return self.lines.keys().map(|key| (0, key.as_str())).collect();
        }
        let edges = self
            .lines
            .iter()
            .flat_map(|(user, line)| line.names.iter().map(move |used| (user.as_str(), used.as_str(), 1)));
        let graph = Graph::new(self.lines.keys().map(String::as_str), edges);
        let known = graph.layers().into_iter();
        let keys =
            known.filter_map(|(layer, name)| Some((layer, self.lines.get_key_value(name)?.0.as_str())));
        keys.collect()
    }

    /// Where the code differs from this list of modules, as findings in the files named with them.
    pub(super) fn compare_modules(
        &self,
        crate_name: &str,
        modules: &[&str],
        edges: &Edges,
    ) -> Vec<(String, Finding)> {
        let mut findings = Vec::new();
        for module in modules.iter().filter(|module| !self.lines.contains_key(**module)) {
            let message = format!(
                "{crate_name}: the module {module} is not listed; `cargo xtask tidy --write-walls` adds it"
            );
            findings.push((FILE.to_string(), Finding::fault(1, message)));
        }
        for (name, line) in &self.lines {
            let mut stale = |message: String| {
                findings.push((FILE.to_string(), Finding::fault(line.place, message)));
            };
            if !modules.contains(&name.as_str()) {
                stale(format!("{crate_name} has no module {name}: take the line out"));
                continue;
            }
            if line.reason.is_empty() {
                stale(format!("{name} has no reason: say in a comment above what the module is for"));
            }
            for used in &line.names {
                if !edges.contains_key(&(name.clone(), used.clone())) {
                    stale(format!("{name} no longer uses {used}: take it out of the list"));
                }
            }
        }
        for ((user, used), places) in edges {
            let Some(line) = self.lines.get(user).filter(|line| !line.names.contains(used)) else { continue };
            let message = format!(
                "{user} may not use {used} ({}){}; {FILE}:{} lists what it may use",
                places[0].path,
                and_more(places),
                line.place
            );
            findings.push((places[0].file.clone(), Finding::fault(places[0].line, message)));
        }
        findings
    }

    /// Where the code differs from this list of outside paths.
    pub(super) fn compare_outside(
        &self,
        users: &BTreeMap<String, BTreeMap<String, Vec<Place>>>,
    ) -> Vec<(String, Finding)> {
        let mut findings = Vec::new();
        for (path, line) in &self.lines {
            let empty = BTreeMap::new();
            let users = users.get(path).unwrap_or(&empty);
            for (module, places) in users.iter().filter(|(module, _)| !line.names.contains(*module)) {
                let only: Vec<&str> = line.names.iter().map(String::as_str).collect();
                let message = format!("{module} may not name {path}, only {} may", only.join(", "));
                findings.push((places[0].file.clone(), Finding::fault(places[0].line, message)));
            }
            for module in line.names.iter().filter(|module| !users.contains_key(*module)) {
                let message = format!("{module} no longer names {path}: take it out of the list");
                findings.push((FILE.to_string(), Finding::fault(line.place, message)));
            }
        }
        findings
    }

    /// Where the crates' dependencies differ from this list. The second list names crates that don't exist.
    pub(super) fn compare_crates(
        &self,
        crates: &BTreeMap<String, BTreeSet<String>>,
    ) -> (Vec<(String, Finding)>, Vec<String>) {
        let mut findings = Vec::new();
        let mut fault = |line: usize, message: String| {
            findings.push((FILE.to_string(), Finding::fault(line, message)));
        };
        for (name, used) in crates {
            let Some(line) = self.lines.get(name) else {
                fault(1, format!("the crate {name} is not listed under [crates]"));
                continue;
            };
            if line.reason.is_empty() {
                fault(line.place, format!("{name} has no reason: say in a comment above what it is for"));
            }
            for other in used.difference(&line.names) {
                fault(line.place, format!("the crate {name} may not depend on {other}"));
            }
            for other in line.names.difference(used).filter(|other| crates.contains_key(*other)) {
                fault(line.place, format!("{name} does not depend on {other}: take it out of the list"));
            }
        }
        let absent = self.lines.keys().filter(|name| !crates.contains_key(*name)).cloned().collect();
        (findings, absent)
    }

    /// The table with exactly these modules and edges. A new module gets the first sentence of its
    /// documentation as its reason.
    pub(super) fn with_modules(&self, modules: &BTreeMap<&str, &str>, edges: &Edges) -> Table {
        let mut lines = BTreeMap::new();
        for (&module, &summary) in modules {
            let mut line = self.lines.get(module).cloned().unwrap_or_default();
            if line.reason.is_empty() && !summary.is_empty() {
                line.reason = wrapped(summary);
            }
            let own = edges.keys().filter(|(user, _)| user == module);
            line.names = own.map(|(_, used)| used.clone()).collect();
            lines.insert(module.to_string(), line);
        }
        Table { comment: self.comment.clone(), lines }
    }

    /// The table with the modules that name each outside path now.
    pub(super) fn with_outside(&self, users: &BTreeMap<String, BTreeMap<String, Vec<Place>>>) -> Table {
        let mut table = self.clone();
        for (path, line) in &mut table.lines {
            line.names = users.get(path).map(|users| users.keys().cloned().collect()).unwrap_or_default();
        }
        table
    }
}

fn and_more(places: &[Place]) -> String {
    match places.len() {
        1 => String::new(),
        2 => " and 1 more line".to_string(),
        count => format!(" and {} more lines", count - 1),
    }
}

/// The comments of what stands before a key or a table.
fn comments(decor: Option<&str>) -> impl Iterator<Item = String> {
    let lines = decor.unwrap_or_default().lines().map(str::trim);
    lines.filter(|line| line.starts_with('#')).map(String::from)
}

/// The line of a table's header, or of a key in it; 1 where there is none.
fn line_of(text: &str, table: &str, key: Option<&str>) -> usize {
    let header = format!("[{table}]");
    let Some(start) = text.lines().position(|line| line.trim() == header) else { return 1 };
    let Some(key) = key else { return start + 1 };
    let names_key =
        |line: &str| line.split('=').next().is_some_and(|name| name.trim().trim_matches('"') == key);
    let after = text.lines().skip(start + 1);
    after
        .take_while(|line| !line.starts_with('['))
        .position(names_key)
        .map_or(start + 1, |place| start + place + 2)
}

/// A sentence as a comment.
fn wrapped(sentence: &str) -> Vec<String> {
    let mut lines = vec!["#".to_string()];
    for word in sentence.split_whitespace() {
        let last = lines.len() - 1;
        if lines[last].chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push(format!("# {word}"));
        } else {
            lines[last] += &format!(" {word}");
        }
    }
    lines
}

/// `key = ["a", "b"]`, over several lines where one is too short.
fn entry(key: &str, names: &BTreeSet<String>) -> String {
    let bare = key.chars().all(|character| character.is_ascii_alphanumeric() || "_-".contains(character));
    let key = if bare { key.to_string() } else { format!("\"{key}\"") };
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let one_line = format!("{key} = [{}]\n", quoted.join(", "));
    if one_line.chars().count() <= COLUMNS + 1 {
        return one_line;
    }
    let mut text = format!("{key} = [\n");
    let mut line = String::from("   ");
    for name in quoted {
        if line.chars().count() + name.chars().count() + 2 > COLUMNS {
            let _ = writeln!(text, "{line}");
            line = String::from("   ");
        }
        let _ = write!(line, " {name},");
    }
    let _ = writeln!(text, "{line}\n]");
    text
}

/// The tables of dependencies in a crate's `Cargo.toml`, and which of `crates` they name.
pub(super) fn dependencies(manifest: &str, crates: &BTreeSet<String>) -> Result<BTreeSet<String>> {
    let document: DocumentMut = manifest.parse()?;
    let mut tables: Vec<&Item> = Vec::new();
    let targets = document.get("target").and_then(Item::as_table_like);
    let targets =
        targets.into_iter().flat_map(|table| table.iter().filter_map(|(_, item)| item.as_table_like()));
    for table in targets.chain([document.as_table() as &dyn toml_edit::TableLike]) {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            tables.extend(table.get(kind));
        }
    }
    let mut used = BTreeSet::new();
    for (key, item) in tables.iter().filter_map(|item| item.as_table_like()).flat_map(|table| table.iter()) {
        // `name = { package = "partwise-io", … }` depends on the package.
        let package = item.as_table_like().and_then(|table| table.get("package")?.as_str()).unwrap_or(key);
        used.extend(crates.get(package).cloned());
    }
    Ok(used)
}

#[cfg(test)]
mod tests;
