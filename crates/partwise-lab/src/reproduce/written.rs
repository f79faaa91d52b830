//! What is made of the rows of an experiment: tables, figures, the page, JSON, and a summary for the
//! terminal.

use std::path::Path;

use crate::protocols::{Extent, Protocol, Row};
use crate::results::tables::{self, FLAG, Grid, number};
use crate::results::{Line, Summary};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::store::Store;
use super::{chart, page, ranking};

const FIGURES: &str = "figures";

/// An experiment as far as it has come.
pub(super) struct Run<'a> {
    pub(super) protocol: &'static Protocol,
    pub(super) extent: Extent,
    pub(super) rows: &'a [Row],
    pub(super) summary: &'a Summary,
    /// Of all units.
    pub(super) seconds: f64,
    /// Units that were asked for and not run.
    pub(super) unfinished: usize,
    /// Units that failed, with the reason.
    pub(super) failed: &'a [String],
}

impl Run<'_> {
    /// Writes everything but the raw results.
    pub(super) fn write(&self, store: &mut Store) -> Result<()> {
        let grids = tables::grids(self.protocol, self.rows, self.summary);
        let mut head =
            format!("# {}: {}\n\n{}\n\n", self.protocol.name, self.protocol.title, self.protocol.paper);
        self.remarks().iter().for_each(|remark| head.push_str(&format!("{remark}\n\n")));
        store.put("table.md", &(head + &tables::markdown(&grids)))?;
        store.put("table.tex", &tables::latex(&grids))?;
        store.put("table.csv", &tables::csv(self.summary)?)?;
        let mut charts = chart::all(self.protocol, self.summary);
        charts.extend(ranking::ranking(self.protocol, self.summary));
        for (name, svg) in &charts {
            store.put(&format!("{FIGURES}/{name}.svg"), svg)?;
        }
        let pictures = pictures_in(store.folder())?;
        store.put(page::FILE, &page::set(self, &grids, &charts, &pictures))
    }

    /// What must be known beside the tables.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<String> =
            self.protocol.remarks.iter().map(|remark| remark.to_string()).collect();
        if self.extent == Extent::Reduced {
            remarks.push(
                "The reduced variant: smaller grids and fewer draws than the experiment states.".into(),
            );
        }
        if self.unfinished > 0 {
            remarks
                .push(format!("Unfinished: {} units are left; the same command goes on.", self.unfinished));
        }
        remarks.extend(self.failed.iter().map(|failure| format!("Failed: {failure}.")));
        remarks
    }

    /// The main scores of each method.
    pub(super) fn text(&self) -> String {
        let mut out = format!("{}\n{}\n", self.protocol.title, self.protocol.paper);
        let mut case = "";
        let lines: Vec<&Line> = self.summary.overall.iter().collect();
        let main = tables::main_scores(self.protocol, &lines);
        for line in &lines {
            if line.case != case {
                case = &line.case;
                let at = line.x.zip(self.protocol.axis);
                let at = at.map_or(String::new(), |(x, axis)| format!(", {} = {x}", axis.name));
                out.push_str(&format!("\n{case}{at}\n"));
            }
            let shown = |name: &String| main.contains(name) || self.protocol.main_scores.is_empty();
            let scores: Vec<String> =
                line.scores.iter().filter(|(name, ..)| shown(name)).map(score).collect();
            let draws = if line.draws == 1 { "1 draw".into() } else { format!("{} draws", line.draws) };
            out.push_str(&format!("  {:<28}   {draws:>9}   {}\n", line.method, scores.join(";  ")));
        }
        let remarks: String = self.remarks().iter().map(|remark| format!("\n{remark}")).collect();
        (out.trim_end().to_string() + "\n" + &remarks).trim_end().to_string()
    }

    /// Averages and every row.
    pub(super) fn json(&self, draws: u64, seconds: f64) -> Value {
        let protocol = self.protocol;
        let lines = |lines: &[Line]| -> Vec<Value> { lines.iter().map(line_json).collect() };
        json!({
            "command": "reproduce",
            "versions": partwise_io::versions(),
            "experiment": protocol.name,
            "title": protocol.title,
            "paper": protocol.paper,
            "extent": self.extent.name(),
            "draws": draws,
            "unfinished_units": self.unfinished,
            "failed_units": self.failed,
            "remarks": self.remarks(),
            "overall": lines(&self.summary.overall),
            "by_x": lines(&self.summary.by_x),
            "rows": self.rows.iter().map(row_json).collect::<Vec<_>>(),
            "unit_seconds": self.seconds,
            "seconds": seconds,
            "peak_memory_bytes": partwise_io::machine::peak_memory(),
        })
    }
}

/// The grids of pictures that units have left.
fn pictures_in(folder: &Path) -> Result<Vec<String>> {
    let folder = folder.join(super::store::PICTURES);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<_> = entries.map(|entry| entry.map(|e| e.path())).collect::<std::io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "svg"));
    paths.sort();
    let read =
        |path: &std::path::PathBuf| std::fs::read_to_string(path).with_context(|| path.display().to_string());
    paths.iter().map(read).collect()
}

fn score((name, average, against): &(String, crate::results::Average, crate::results::Against)) -> String {
    let error = average.error.map_or(String::new(), |error| format!(" ({})", number(error)));
    let published = against.published.map_or(String::new(), |value| format!(", published {}", number(value)));
    let reference =
        against.reference.map_or(String::new(), |(mean, _)| format!(", reference {}", number(mean)));
    let flag = if against.outside == Some(true) { FLAG } else { "" };
    format!("{flag}{name} {}{error}{published}{reference}", number(average.mean))
}

fn line_json(line: &Line) -> Value {
    let scores: Map<String, Value> = line
        .scores
        .iter()
        .map(|(name, average, against)| {
            let value = json!({
                "mean": average.mean,
                "deviation": average.deviation,
                "standard_error": average.error,
                "published": against.published,
                "reference": against.reference.map(|r| r.0),
                "reference_standard_error": against.reference.map(|r| r.1),
                "outside": against.outside,
            });
            (name.clone(), value)
        })
        .collect();
    json!({
        "case": line.case, "x": line.x, "method": line.method, "draws": line.draws, "solver": line.solver, "scores": scores,
    })
}

fn row_json(row: &Row) -> Value {
    let scores: Map<String, Value> =
        row.scores.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "case": row.case.name, "x": row.case.x, "method": row.method, "draw": row.draw, "solver": row.solver,
        "detail": row.detail, "scores": scores,
    })
}

/// A table for the page.
pub(super) fn html_table(grid: &Grid) -> String {
    partwise_report::html::table(&grid.header, &grid.rows)
}
