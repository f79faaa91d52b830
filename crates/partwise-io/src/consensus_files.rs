//! The tables of a consensus of restarts, and the text that explains the folder.

use std::io::Write;

use partwise::Loss;
use partwise::recipes::{ComponentStability, ConsensusSummary};
use serde_json::{Value, json};

use crate::csv_write::{number_text, write_rows_csv};

/// The columns of the table of components.
const COMPONENT_COLUMNS: [&str; 16] = [
    "k",
    "component",
    "named",
    "share",
    "distance_5",
    "distance_25",
    "distance_50",
    "distance_75",
    "distance_95",
    "outlier_limit",
    "outliers",
    "confused_with",
    "confused_share",
    "confused_cosine",
    "size",
    "fits",
];

/// Writes a row for each k: how well its components return, and how well they fit.
///
/// # Errors
/// What `writer` reports.
pub fn write_consensus_csv(writer: &mut dyn Write, found: &[ConsensusSummary]) -> std::io::Result<()> {
    let columns = ["k", "fits", "stability", "least_share", "best_error", "relative_error", "loss_value"];
    let header = columns.into_iter().chain(["unconverged", "best_seed"]).map(String::from).collect();
    let row = |found: &ConsensusSummary| {
        vec![
            found.rank.to_string(),
            found.restarts.to_string(),
            number_text(found.stability),
            number_text(found.least_share()),
            number_text(found.best_error),
            number_text(found.relative_error),
            number_text(found.loss_value),
            found.unconverged.to_string(),
            found.best_seed.to_string(),
        ]
    };
    write_rows_csv(writer, std::iter::once(header).chain(found.iter().map(row)))
}

/// Writes a row for each component of each k.
///
/// # Errors
/// What `writer` reports.
pub fn write_stability_csv(writer: &mut dyn Write, found: &[ConsensusSummary]) -> std::io::Result<()> {
    let header = COMPONENT_COLUMNS.map(String::from).to_vec();
    let rows = found.iter().flat_map(|of_k| of_k.parts.iter().map(|part| component_row(of_k, part)));
    write_rows_csv(writer, std::iter::once(header).chain(rows))
}

fn component_row(found: &ConsensusSummary, part: &ComponentStability) -> Vec<String> {
    let confused = |text: &dyn Fn(&partwise::recipes::Confusion) -> String| {
        part.confusion.as_ref().map_or(String::new(), text)
    };
    let mut row = vec![
        found.rank.to_string(),
        part.name.clone(),
        u8::from(part.named).to_string(),
        number_text(part.share),
    ];
    row.extend(part.distances.iter().map(|distance| number_text(*distance)));
    row.extend([
        number_text(part.limit),
        part.outliers.to_string(),
        confused(&|c| found.parts[c.with].name.clone()),
        confused(&|c| number_text(c.share)),
        confused(&|c| number_text(c.cosine)),
        number_text(part.size),
        found.restarts.to_string(),
    ]);
    row
}

/// The whole result, for consensus.json.
pub fn consensus_json(found: &[ConsensusSummary]) -> Value {
    let component = |of_k: &ConsensusSummary, part: &ComponentStability| {
        json!({
            "name": part.name,
            "named": part.named,
            "share": part.share,
            "distance_quantiles": { "5": part.distances[0], "25": part.distances[1], "50": part.distances[2],
                "75": part.distances[3], "95": part.distances[4] },
            "outlier_limit": part.limit,
            "outliers": part.outliers,
            "confused_with": part.confusion.map(|c| json!({ "component": of_k.parts[c.with].name,
                "share": c.share, "cosine": c.cosine })),
            "size": part.size,
        })
    };
    let of_k = |found: &ConsensusSummary| {
        json!({
            "k": found.rank,
            "fits": found.restarts,
            "stability": found.stability,
            "least_share": found.least_share(),
            "best_error": found.best_error,
            "relative_error": found.relative_error,
            "loss_value": found.loss_value,
            "unconverged": found.unconverged,
            "best_seed": found.best_seed,
            "same_starts": found.same_starts,
            "explanation": found.explanation(),
            "components": found.parts.iter().map(|part| component(found, part)).collect::<Vec<_>>(),
        })
    };
    Value::Array(found.iter().map(of_k).collect())
}

/// README.txt: what each file of the folder is, and in which unit.
pub fn consensus_readme(ranks: &[usize], loss: Loss) -> String {
    let k = ranks.first().map_or("K".into(), usize::to_string);
    let (error, value) = match loss {
        Loss::Frobenius => ("||X - WH|| / ||X||", "||X - WH||^2, in the squared unit of the data"),
        _ => ("D(X || WH) / sum of X", "D(X || WH), in the unit of the data"),
    };
    let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
    format!(
        "A consensus of many fits from different random starts, by Partwise. k = {ranks}.\n\
        \n\
        X is the data after --scale (samples x features), W the codes, H the components: X is about W times H.\n\
        Of each matrix there is one per k; the names below are those of k = {k}.\n\
        \n\
        {components}H (k x features): the median of the components of the fits with it,\n\
        {space}after ten more iterations from there.\n\
        {space}Unit: fractions; each component sums to 1.\n\
        {codes}W (samples x k), refitted with these components fixed.\n\
        {space}Unit: that of X; what a component adds to the sum of a sample.\n\
        {space}A sample that is 0 everywhere keeps its row, with codes of 0.\n\
        consensus.csv            One row per k. Unit: none, except loss_value.\n\
        {space}stability: mean of `share` over the components, 0 to 1.\n\
        {space}least_share: that of the component that returns least.\n\
        {space}best_error, relative_error: {error}, of the best fit and of the consensus.\n\
        {space}loss_value: {value}.\n\
        {space}unconverged: fits that ended at the iteration limit.\n\
        {space}best_seed: the random seed of the best fit.\n\
        stability.csv            One row per component. Unit: none.\n\
        {space}named: 1 if your guidance names it; it is then matched by its name.\n\
        {space}share: fraction of the other fits in which it appears (cosine 0.9 or more).\n\
        {space}distance_5 to distance_95: quantiles of 1 - cosine in the other fits.\n\
        {space}outlier_limit: median + 3 MAD of these; fits beyond it are left out.\n\
        {space}confused_with: what it appears as in fits that lack it; confused_share: in\n\
        {space}which fraction of them; confused_cosine: how similar on average.\n\
        {space}size: its fraction of the sum of all codes.\n\
        consensus.json           The same tables.\n\
        report.html              The same as a page.\n\
        run.json                 The data, the settings, and a hash of each file.\n",
        ranks = ranks.join(", "),
        components = format_args!("{:<25}", format!("components_k{k}.csv, .npy ")),
        codes = format_args!("{:<25}", format!("codes_k{k}.csv, .npy")),
        space = " ".repeat(25),
    )
}
