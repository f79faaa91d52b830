//! The files of a consensus: those of Partwise, or those of cNMF.

use anyhow::Result;
use partwise::memory::Estimate;
use partwise::recipes::{CellPrograms, Cells, Consensus, ConsensusSteps, distinctive_features};
use partwise::{Matrix, Real};
use partwise_io::{self as io, CnmfNames, OutputFolder};
use partwise_page::ConsensusPage;
use partwise_report::duration;
use serde_json::{Value, json};

use super::{Found, record::settings_json};
use crate::job::Job;
use crate::request::ConsensusRequest;
use crate::{input, outputs, record};

/// What it writes in any layout, beside run.json.
const FILES: &[&str] = &["consensus.csv", "stability.csv", "consensus.json", "README.txt", "report.html"];
/// Features that the page lists for a component.
const FEATURES: usize = 8;

/// All files but run.json.
pub(super) fn files(request: &ConsensusRequest) -> Vec<String> {
    let ranks = &request.consensus.ranks;
    let of_layout = match cnmf_names(request) {
        Some(names) => names.all(ranks),
        None => ranks.iter().flat_map(|rank| matrix_names(*rank)).collect(),
    };
    FILES.iter().map(|name| name.to_string()).chain(of_layout).collect()
}

/// The names of cNMF's files: its run has the name of the folder.
fn cnmf_names(request: &ConsensusRequest) -> Option<CnmfNames> {
    let cells = request.cells.as_ref()?;
    let out = request.fit.write.out();
    let name = out.file_name().map_or("programs".into(), |name| name.to_string_lossy());
    Some(CnmfNames::new(&name, cells.threshold()))
}

/// The matrices of one k.
fn matrix_names(rank: usize) -> [String; 4] {
    ["components_k{}.csv", "components_k{}.npy", "codes_k{}.csv", "codes_k{}.npy"]
        .map(|name| name.replace("{}", &rank.to_string()))
}

/// Writes the matrices of one k.
pub(super) fn matrices<T: Real>(folder: &OutputFolder, job: &Job<'_, T>, found: &Consensus<T>) -> Result<()> {
    let names = found.summary.names();
    let [components_csv, components_npy, codes_csv, codes_npy] = matrix_names(found.summary.rank);
    let features = job.source.feature_names.as_deref();
    folder.write(&components_csv, |w| {
        io::write_matrix_csv(w, "component", &found.components, Some(&names), features)
    })?;
    folder.write(&components_npy, |w| io::write_npy(w, &found.components))?;
    let samples = job.source.row_names.as_deref();
    folder.write(&codes_csv, |w| io::write_matrix_csv(w, "sample", &found.codes, samples, Some(&names)))?;
    Ok(folder.write(&codes_npy, |w| io::write_npy(w, &found.codes))?)
}

/// Names, or numbers from 0 where there are none.
fn names_or_numbers(names: Option<&[String]>, count: usize) -> Vec<String> {
    names.map_or_else(|| (0..count).map(|at| at.to_string()).collect(), <[String]>::to_vec)
}

/// The names of all genes, and of those that are factored.
fn gene_names<T: Real>(job: &Job<'_, T>, cells: &Cells<'_, T>) -> (Vec<String>, Vec<String>) {
    let all = names_or_numbers(job.source.feature_names.as_deref(), job.source.columns);
    let factored = cells.genes.iter().map(|gene| all[*gene].clone()).collect();
    (all, factored)
}

/// Writes the matrices of one k as cNMF does.
pub(super) fn programs<T: Real>(
    folder: &OutputFolder,
    request: &ConsensusRequest,
    job: &Job<'_, T>,
    cells: &Cells<'_, T>,
    found: &CellPrograms<T>,
) -> Result<()> {
    let Some(names) = cnmf_names(request) else { return Ok(()) };
    let (all, factored) = gene_names(job, cells);
    let samples = names_or_numbers(job.source.row_names.as_deref(), job.source.rows);
    for (which, name) in names.matrices(found.selection.rank).iter().enumerate() {
        folder.write(name, |w| io::write_cnmf_matrix(w, which, found, &samples, (&all, &factored)))?;
    }
    Ok(())
}

/// The features that tell each component from the others, by name; none where features have no names.
pub(super) fn top_features<T: Real>(
    job: &Job<'_, T>,
    cells: Option<&Cells<'_, T>>,
    components: &Matrix<T>,
) -> Vec<Vec<String>> {
    let Some(names) = &job.source.feature_names else { return vec![Vec::new(); components.rows()] };
    let name = |feature: usize| names[cells.map_or(feature, |cells| cells.genes[feature])].clone();
    let named = |of: Vec<(usize, f64)>| of.into_iter().map(|(feature, _)| name(feature)).collect();
    distinctive_features(components, FEATURES).into_iter().map(named).collect()
}

/// Writes all but the matrices.
pub(super) fn result<T: Real>(
    request: &ConsensusRequest,
    job: &Job<'_, T>,
    cells: Option<&Cells<'_, T>>,
    folder: OutputFolder,
    found: &Found,
    needed: &Estimate,
) -> Result<Value> {
    let summaries = &found.summaries;
    folder.write("consensus.csv", |w| io::write_consensus_csv(w, summaries))?;
    folder.write("stability.csv", |w| io::write_stability_csv(w, summaries))?;
    let tables = io::consensus_json(summaries);
    folder.write("consensus.json", |w| writeln!(w, "{tables:#}"))?;
    let ranks: Vec<usize> = summaries.iter().map(|of_k| of_k.rank).collect();
    let readme = match (cells, cnmf_names(request), &request.cells) {
        (Some(cells), Some(names), Some(asked)) => {
            let (_, factored) = gene_names(job, cells);
            folder.write(&names.genes(), |w| w.write_all(factored.join("\n").as_bytes()))?;
            folder.write(&names.selection(), |w| {
                io::write_cnmf_selection(w, &found.selection, asked.threshold())
            })?;
            io::cnmf_readme(&names, &ranks, steps_in_words(asked.steps))
        }
        _ => io::consensus_readme(&ranks, job.model.loss()),
    };
    folder.write("README.txt", |w| w.write_all(readme.as_bytes()))?;
    let page = ConsensusPage {
        title: input::short_name(&job.source.name),
        error_name: job.model.loss().error_name(),
        found: summaries,
        features: &found.features,
        facts: &facts(request, job, found),
    };
    folder.write("report.html", |w| w.write_all(page.html().as_bytes()))?;
    outputs::finish(
        folder,
        json!({
            "command": "consensus",
            "versions": io::versions(),
            "data": record::data_json(job.source, T::NAME),
            "scale": io::scaling_json(job.scaling),
            "settings": settings_json(job),
            "k": ranks,
            "restarts": request.consensus.restarts,
            "layout": request.layout,
            "density_threshold": request.cells.as_ref().and_then(|cells| cells.threshold()),
            "factored_genes": cells.map(|cells| cells.genes.len()),
            "time_limit_seconds": request.time_limit.map(|limit| limit.as_secs_f64()),
            "chosen": job.chosen,
            "guidance": job.known.to_json(job.model.guidance()),
            "fits": found.done,
            "result": tables,
            "notes": job.source.notes.iter().cloned().chain(job.known.notes_of_many_fits()).collect::<Vec<_>>(),
            "threads": job.settings.threads,
            "seconds": found.seconds,
            "estimated_memory_bytes": needed.bytes(),
            "peak_memory_bytes": io::machine::peak_memory(),
        }),
    )
}

fn steps_in_words(steps: ConsensusSteps) -> &'static str {
    match steps {
        ConsensusSteps::Matched => "components of all fits matched to the best fit, their median",
        ConsensusSteps::Pooled { .. } => "the steps of cNMF (local density threshold, k-means, median)",
    }
}

fn facts<T: Real>(
    request: &ConsensusRequest,
    job: &Job<'_, T>,
    found: &Found,
) -> Vec<(&'static str, String)> {
    let mut facts = job.source.facts().to_vec();
    facts.extend(job.known.facts(job.takes_anything()));
    facts.extend([
        ("Method", job.model.spec().name.to_string()),
        ("Loss", job.model.loss().name().to_string()),
        ("Fits for each k", request.consensus.restarts.to_string()),
        ("Random seeds", format!("from {} on", job.settings.seed)),
        ("Fits done", found.done.to_string()),
        ("Time", duration(found.seconds)),
    ]);
    facts.extend(
        request.cells.as_ref().map(|cells| ("Consensus in the files", steps_in_words(cells.steps).into())),
    );
    facts.extend(job.chosen.iter().map(|line| ("Chosen", line.clone())));
    facts
}
