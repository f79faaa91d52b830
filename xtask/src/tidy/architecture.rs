//! The walls: who uses whom, against `walls.toml`; cycles; files that no module declares.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use super::cycles::Graph;
use super::edges::{self, Edges, Place};
use super::findings::{self, Finding};
use super::syntax::CrateTree;
use super::walls::{self, Walls};
use super::workspace::{self, WorkspaceCrate};

/// Whether a cycle inside a folder of modules is an error. Until then it is a warning.
const ENFORCE_INSIDE_FOLDERS: bool = false;

/// So many lines of an edge that closes a cycle are shown.
const SHOWN_LINES: usize = 8;

/// Checks crates and modules; `files` are all Rust files of the workspace.
pub(super) fn check(root: &Path, files: &[PathBuf]) -> Result<Vec<(String, Finding)>> {
    let crates = workspace::crates(root)?;
    let walls = Walls::parse(&workspace::read(&root.join(walls::FILE))?)?;
    let (mut findings, absent) = walls.table("crates").compare_crates(&workspace::dependencies(&crates)?);
    if !absent.is_empty() {
        println!("tidy: {} lists crates that don't exist (yet): {}", walls::FILE, absent.join(", "));
    }
    let (mut top, mut inside) = (0, 0);
    for (label, tree) in trees(&crates) {
        let edges = edges::top_level(tree);
        let modules: Vec<&str> = modules(tree).into_keys().collect();
        findings.extend(walls.table(&format!("modules.{label}")).compare_modules(label, &modules, &edges));
        let outside = walls.table(&format!("outside.{label}"));
        findings.extend(outside.compare_outside(&outside_users(tree, &outside)));
        let cycles = cycles(label, &modules, &edges);
        top += cycles.len();
        findings.extend(cycles);
        let folders = folder_cycles(tree);
        inside += folders.len();
        findings.extend(folders);
    }
    findings.extend(undeclared(&crates, files));
    println!("tidy: {top} cycles between top-level modules, {inside} inside folders");
    Ok(findings)
}

/// Writes the edges of the code into the list. The table of crates is written by hand.
pub(super) fn write_walls(root: &Path) -> Result<ExitCode> {
    let crates = workspace::crates(root)?;
    let path = root.join(walls::FILE);
    let before = if path.is_file() { workspace::read(&path)? } else { String::new() };
    let mut walls = Walls::parse(&before)?;
    let mut labels = Vec::new();
    for (label, tree) in trees(&crates) {
        labels.push(label.to_string());
        let modules = modules(tree);
        let name = format!("modules.{label}");
        if !modules.is_empty() {
            walls.set(&name, walls.table(&name).with_modules(&modules, &edges::top_level(tree)));
        }
        let name = format!("outside.{label}");
        let outside = walls.table(&name);
        if !outside.lines.is_empty() {
            walls.set(&name, outside.with_outside(&outside_users(tree, &outside)));
        }
    }
    walls.keep_modules_of(&labels);
    let after = walls.to_text();
    let verdict = if after == before { "is up to date" } else { "is written: read the difference" };
    std::fs::write(&path, after)?;
    println!("{} {verdict}", walls::FILE);
    Ok(ExitCode::SUCCESS)
}

/// Prints, for each pair of modules that share a cycle, how many lines use one from the other, and which.
pub(super) fn list_cycles(root: &Path) -> Result<ExitCode> {
    let crates = workspace::crates(root)?;
    let mut text = String::new();
    for (label, tree) in trees(&crates) {
        let edges = edges::top_level(tree);
        text += &listed_edges(label, &graph(&[], &edges, false), &edges);
        for (folder, edges) in edges::inside_folders(tree) {
            text += &listed_edges(&format!("{label}::{folder}"), &graph(&[], &edges, true), &edges);
        }
    }
    findings::print(&text);
    Ok(ExitCode::SUCCESS)
}

fn listed_edges(what: &str, graph: &Graph, edges: &Edges) -> String {
    let mut text = String::new();
    for group in graph.cycles() {
        text += &format!("{what}: {} modules in one cycle: {}\n", group.len(), group.join(", "));
        let closing = graph.closing_edges(&group);
        for ((from, to), places) in edges {
            if group.contains(&from.as_str()) && group.contains(&to.as_str()) {
                let mark = if closing.contains(&(from, to)) { ", CLOSES A CYCLE" } else { "" };
                text += &format!("  {from} -> {to}: {} paths{mark}\n{}", places.len(), by_file(places));
            }
        }
    }
    text
}

/// The files of an edge: what each imports, and how often it says the rest.
fn by_file(places: &[Place]) -> String {
    let mut files: BTreeMap<&str, (Vec<String>, usize)> = BTreeMap::new();
    for place in places {
        let (imports, others) = files.entry(&place.file).or_default();
        if place.names_the_way() {
            imports.push(format!("{} {}", place.line, place.path));
        } else {
            *others += 1;
        }
    }
    let shown = files.iter().map(|(file, (imports, others))| {
        let others = if *others > 0 { format!(" (+ {others} in code)") } else { String::new() };
        format!("    {file}: {}{others}\n", imports.join(", "))
    });
    shown.collect()
}

fn trees(crates: &[WorkspaceCrate]) -> impl Iterator<Item = (&str, &CrateTree)> {
    let trees = crates.iter().flat_map(|one| &one.trees);
    trees.map(|(label, tree)| (label.as_str(), tree))
}

/// The top-level modules outside tests with the first sentence of their documentation.
fn modules(tree: &CrateTree) -> BTreeMap<&str, &str> {
    let top = tree.modules.iter().filter(|module| !module.test && module.path.len() == 1);
    top.map(|module| (module.path[0].as_str(), module.summary.as_str())).collect()
}

fn outside_users(tree: &CrateTree, table: &walls::Table) -> BTreeMap<String, BTreeMap<String, Vec<Place>>> {
    table.lines.keys().map(|path| (path.clone(), edges::outside(tree, path))).collect()
}

/// The edges as a graph. A module that uses an item of the root file is no cycle, though the root uses all
/// modules: without `with_root` these edges are left out.
fn graph(nodes: &[&str], edges: &Edges, with_root: bool) -> Graph {
    let lines = edges.iter().map(|((from, to), places)| (from.as_str(), to.as_str(), places.len()));
    Graph::new(nodes.iter().copied(), lines.filter(|(_, to, _)| with_root || *to != edges::ROOT))
}

/// One error for each cycle between top-level modules.
fn cycles(label: &str, modules: &[&str], edges: &Edges) -> Vec<(String, Finding)> {
    let graph = graph(modules, edges, false);
    let mut findings = Vec::new();
    for group in graph.cycles() {
        let closing = graph.closing_edges(&group);
        let message = format!(
            "{label}: {} modules form one cycle: {}\n{}\n    `cargo xtask tidy --list-cycles` shows every line",
            group.len(),
            group.join(", "),
            closing_lines(&graph, &closing, edges)
        );
        let first = closing.first().and_then(|(from, to)| first_place(edges, from, to));
        let (file, line) =
            first.map_or((walls::FILE.to_string(), 1), |place| (place.file.clone(), place.line));
        findings.push((file, Finding::fault(line, message)));
    }
    findings
}

/// The edges that close cycles, each with the shortest cycle that it closes and the lines that make it.
fn closing_lines(graph: &Graph, closing: &[(&str, &str)], edges: &Edges) -> String {
    let line = |(from, to): &(&str, &str)| {
        let key = (from.to_string(), to.to_string());
        let places = edges.get(&key).map(Vec::as_slice).unwrap_or_default();
        let imports: Vec<&Place> = places.iter().filter(|place| place.names_the_way()).collect();
        let (shown, rest) = (imports.iter().take(SHOWN_LINES), places.len() - imports.len().min(SHOWN_LINES));
        let mut places: Vec<String> = shown.map(|place| format!("        {place}")).collect();
        if rest > 0 {
            places.push(format!("        and {rest} more paths"));
        }
        let way = graph.way(to, from).join(" -> ");
        format!("    {from} -> {way} is closed by\n{}", places.join("\n"))
    };
    closing.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn first_place<'a>(edges: &'a Edges, from: &str, to: &str) -> Option<&'a Place> {
    edges.get(&(from.to_string(), to.to_string()))?.first()
}

/// One finding for each cycle between the files of a folder.
fn folder_cycles(tree: &CrateTree) -> Vec<(String, Finding)> {
    let mut findings = Vec::new();
    for (folder, edges) in edges::inside_folders(tree) {
        let graph = graph(&[], &edges, true);
        for group in graph.cycles() {
            let closing = graph.closing_edges(&group);
            let shown: Vec<String> = closing
                .iter()
                .filter_map(|(from, to)| {
                    Some(format!("{from} -> {to} at {}", first_place(&edges, from, to)?))
                })
                .collect();
            let more = match shown.len() {
                ..=3 => String::new(),
                count => format!(" and {} more edges", count - 3),
            };
            let message = format!(
                "inside {folder}: {} form one cycle, closed by {}{more}",
                group.join(", "),
                shown[..shown.len().min(3)].join(", ")
            );
            let first = closing.first().and_then(|(from, to)| first_place(&edges, from, to));
            if let Some(place) = first {
                let finding = Finding::when(ENFORCE_INSIDE_FOLDERS, place.line, message);
                findings.push((place.file.clone(), finding));
            }
        }
    }
    findings
}

/// Rust files in the sources of a crate that no module declares: the compiler never sees them.
fn undeclared(crates: &[WorkspaceCrate], files: &[PathBuf]) -> Vec<(String, Finding)> {
    let mut findings = Vec::new();
    for one in crates {
        let known: BTreeSet<&Path> = one.trees.iter().flat_map(|(_, tree)| tree.files()).collect();
        let source = one.folder.join("src");
        for file in files.iter().filter(|file| file.starts_with(&source) && !known.contains(file.as_path())) {
            let message = "no module declares this file: the compiler never sees it";
            findings.push((file.display().to_string(), Finding::fault(1, message)));
        }
    }
    findings
}
