//! `partwise reproduce`: runs a protocol of the papers on a folder of data sets and prints its results.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use partwise_eval::protocols::{self, DataSet, Library, Protocol, Request, Row, Summary, summarize};
use partwise_io::{LabelTable, ReadOptions, Values, read_labels, read_labels_column, read_table};
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::args::ReproduceArgs;
use crate::console::{self, Verbosity};
use crate::record;

/// Runs, or lists without a name.
pub(crate) fn run(args: &ReproduceArgs) -> Result<Outcome> {
    let Some(name) = &args.protocol else {
        for protocol in protocols::ALL {
            console::print(&format!("{}\n  {}\n  {}", protocol.name, protocol.title, protocol.paper));
        }
        return Ok(Outcome::Done);
    };
    let protocol = protocols::named(name)?;
    let library = Folder(args.data.clone());
    let missing: Vec<&str> =
        protocol.needs.iter().copied().filter(|set| !library.0.join(set).is_dir()).collect();
    if !missing.is_empty() {
        bail!("{} has no data set {}, which {name} needs", args.data.display(), missing.join(", "));
    }
    let verbosity = Verbosity::of(false, args.json);
    let draws = args.draws.map_or(protocol.draws, |draws| draws as u64);
    let request = Request { library: &library, draws, threads: args.threads };
    let (began, mut rows) = (Instant::now(), Vec::new());
    (protocol.run)(&request, &mut |row| {
        let seconds = began.elapsed().as_secs_f64();
        verbosity.progress(&format!("{seconds:7.1} s  {}", row_line(&row)));
        rows.push(row);
    })?;
    let summaries = summarize(&rows);
    if args.json {
        let out = as_json(protocol, draws, &rows, &summaries, began.elapsed().as_secs_f64());
        console::print_raw(&format!("{out:#}"));
    } else {
        console::print(&as_text(protocol, &summaries));
    }
    Ok(Outcome::Done)
}

fn row_line(row: &Row) -> String {
    let scores: Vec<String> = row.scores.iter().map(|(name, value)| format!("{name} {value:.3}")).collect();
    let (case, method, draw) = (&row.case, &row.method, row.draw);
    format!("draw {draw}, {case}, {method}: {} ({})", scores.join(", "), row.detail)
}

/// A table for each case: mean ± standard error.
fn as_text(protocol: &Protocol, summaries: &[Summary]) -> String {
    let mut out = format!("{}\n{}\n", protocol.title, protocol.paper);
    let mut case = "";
    for summary in summaries {
        if summary.case != case {
            case = &summary.case;
            out.push_str(&format!("\n{case} ({} draws)\n", summary.draws));
        }
        let score = |(name, mean, error): &(&str, f64, Option<f64>)| match error {
            Some(error) => format!("{name} {mean:.2} +- {error:.2}"),
            None => format!("{name} {mean:.2}"),
        };
        let scores: Vec<String> = summary.scores.iter().map(score).collect();
        let published = protocol
            .published
            .iter()
            .filter(|p| p.case == summary.case && p.method == summary.method)
            .map(|p| format!("; published {} {}", p.score, p.value));
        let published: String = published.collect();
        out.push_str(&format!("  {:<44}{}{published}\n", summary.method, scores.join(", ")));
    }
    out.trim_end().to_string()
}

fn as_json(protocol: &Protocol, draws: u64, rows: &[Row], summaries: &[Summary], seconds: f64) -> Value {
    let object = |scores: &mut dyn Iterator<Item = (&'static str, Value)>| -> Map<String, Value> {
        scores.map(|(name, value)| (name.to_string(), value)).collect()
    };
    let row = |row: &Row| {
        let scores = object(&mut row.scores.iter().map(|(name, value)| (*name, json!(value))));
        json!({ "case": row.case, "method": row.method, "draw": row.draw, "detail": row.detail, "scores": scores })
    };
    let summary = |s: &Summary| {
        let value = |mean: &f64, error: &Option<f64>| json!({ "mean": mean, "standard_error": error });
        let scores = object(&mut s.scores.iter().map(|(name, mean, error)| (*name, value(mean, error))));
        json!({ "case": s.case, "method": s.method, "draws": s.draws, "scores": scores })
    };
    let published: Vec<Value> = protocol
        .published
        .iter()
        .map(|p| json!({ "case": p.case, "method": p.method, "score": p.score, "value": p.value }))
        .collect();
    json!({
        "command": "reproduce",
        "versions": record::versions(),
        "protocol": protocol.name,
        "title": protocol.title,
        "paper": protocol.paper,
        "draws": draws,
        "published": published,
        "summary": summaries.iter().map(summary).collect::<Vec<_>>(),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
        "seconds": seconds,
        "peak_memory_bytes": record::peak_memory(),
    })
}

/// Data sets in folders: a table, labels.csv, and split.csv where there is a split.
struct Folder(PathBuf);

/// The names that a table may have, the first that is there.
const TABLES: [&str; 5] = ["counts.mtx.gz", "images.npy", "images.npz", "matrix.csv.gz", "edges.csv"];

impl Library for Folder {
    fn data_set(&self, name: &str) -> Result<DataSet> {
        let folder = self.0.join(name);
        let found = TABLES.iter().map(|table| folder.join(table)).find(|path| path.is_file());
        let Some(path) = found else {
            bail!("{} has no table; one of {} is needed", folder.display(), TABLES.join(", "))
        };
        let labels = folder.join("labels.csv");
        let edges = path.ends_with("edges.csv");
        // A node without a link is a node all the same: the labels count them.
        let nodes = if edges { Some(last_index(&labels)? + 1) } else { None };
        let table = read_table(&path, &ReadOptions { n_nodes: nodes, ..ReadOptions::default() })?;
        let (n, n_features) = table.values.shape();
        let (indptr, indices, values) = compressed(table.values);
        let LabelTable { names, sets, .. } = read_labels(&labels, n)?;
        let split = folder.join("split.csv");
        let parts = if split.is_file() { parts(&split, n)? } else { Vec::new() };
        Ok(DataSet { n_features, indptr, indices, values, labels: sets, label_names: names, parts })
    }
}

/// The largest index of a table index,label.
fn last_index(path: &Path) -> Result<usize> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let indices = text.lines().filter_map(|line| line.split(',').next()?.trim().parse::<usize>().ok());
    indices.max().with_context(|| format!("{}: no line begins with an index", path.display()))
}

fn parts(path: &Path, n: usize) -> Result<Vec<String>> {
    let table = read_labels_column(path, n, "split")?;
    let single = table.single()?;
    let name = |part: &i32| usize::try_from(*part).map_or(String::new(), |part| table.names[part].clone());
    Ok(single.iter().map(name).collect())
}

/// Compressed rows without the zeros.
fn compressed(values: Values) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    match values {
        Values::Sparse { indptr, indices, values, .. } => (indptr, indices, values.into_real()),
        Values::Dense { rows, columns, values } => {
            let values: Vec<f64> = values.into_real();
            let (mut indptr, mut indices, mut stored) = (vec![0], Vec::new(), Vec::new());
            for row in 0..rows {
                for (column, value) in values[row * columns..(row + 1) * columns].iter().enumerate() {
                    if *value != 0.0 {
                        indices.push(column as u32);
                        stored.push(*value);
                    }
                }
                indptr.push(indices.len());
            }
            (indptr, indices, stored)
        }
    }
}
