//! The terminal output of `partwise fit` and similar commands.

use partwise::memory::{Estimate, in_words};
use partwise::recipes::{Finding, GuidanceReport, Level, Likeness, Verdict};
use partwise::{Real, StopReason};

use crate::input::Source;
use crate::job::{Done, Job};
use crate::words::{ending, iterations};
use partwise_report::console::Verbosity;
use partwise_report::duration;

/// From this number of bytes on, the memory that a fit needs is printed first.
const NOTABLE: u64 = 1_000_000_000;

/// What the fit needs beside the data, where that is notable.
fn memory_line<T: Real>(job: &Job<'_, T>) -> Option<String> {
    let needed = job.memory();
    (needed.bytes() >= NOTABLE).then(|| needed_of(&needed, job.settings.memory_limit))
}

fn needed_of(needed: &Estimate, limit: Option<u64>) -> String {
    let available = limit.map_or(String::new(), |bytes| format!(" of {} available", in_words(bytes)));
    format!("memory: about {}{available}", in_words(needed.bytes()))
}

/// What many fits of the same data need beside the data.
pub(crate) fn memory_of_many(needed: &Estimate, limit: Option<u64>) -> String {
    format!("{} (the data once, whatever the number of threads)", needed_of(needed, limit))
}

/// What was read, and the memory that a fit needs.
pub(crate) fn print_input<T: Real>(verbosity: Verbosity, job: &Job<'_, T>) {
    print_source(verbosity, job);
    if let Some(line) = memory_line(job) {
        verbosity.say(&line);
    }
}

/// What was read.
pub(crate) fn print_source<T: Real>(verbosity: Verbosity, job: &Job<'_, T>) {
    print_data(verbosity, job.source);
    for (name, text) in job.known.facts(job.takes_anything()) {
        verbosity.say(&format!("{}: {text}", name.to_lowercase()));
    }
}

/// Which data were read, and their shape.
pub(crate) fn print_data(verbosity: Verbosity, source: &Source) {
    let [(_, data), (_, shape)] = source.facts();
    verbosity.say(&format!("read: {data}, {shape}"));
}

/// What came of it, and where it was written.
pub(crate) fn print_result<T: Real>(verbosity: Verbosity, done: &Done<'_, T>, out: &str) {
    let fit = &done.fit;
    let ending = ending(fit.stop);
    let (count, seconds) = (iterations(fit.iterations), duration(done.fit_seconds));
    let (name, error) = (fit.loss.error_name(), fit.relative_error);
    verbosity.say(&format!(
        "fit: {ending} after {count} in {seconds}; {name} {error:.4}, objective {:.6e}{}",
        fit.objective,
        if fit.stop == StopReason::Observer { "; the result so far was written" } else { "" }
    ));
    if let Some(report) = &done.report {
        print_report(verbosity, report, done.job.source.row_names.as_deref());
    }
    if let Some(evaluation) = &done.evaluation {
        evaluation.lines().iter().for_each(|line| verbosity.say(line));
    }
    if let Some(peak) = partwise_io::machine::peak_memory() {
        verbosity.say(&format!("peak memory: {:.0} MB", peak as f64 / 1e6));
    }
    verbosity.say(&format!("result: {out} (open {out}/report.html)"));
}

/// The report on the guidance: how good the topics are, what was followed, and the first items that were not
/// or that the data disagree with.
fn print_report(verbosity: Verbosity, report: &GuidanceReport, names: Option<&[String]>) {
    /// Topics and items that are listed.
    const MOST: usize = 5;
    /// Components below this cosine are listed.
    const UNLIKE: f64 = 0.7;
    let (n, alone) = (report.findings.len(), report.count(Verdict::NoSupport));
    let items = if n == 1 { "item" } else { "items" };
    let counts: Vec<String> = Verdict::ALL
        .iter()
        .map(|verdict| (report.count(*verdict), verdict.name()))
        .filter(|(count, name)| *count > 0 || *name == Verdict::Followed.name())
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    let whose = if alone == 0 { "" } else { " of those with support in the data" };
    let share = 100.0 * report.agreement();
    verbosity.say(&format!("guidance: {n} {items}: {} ({share:.0} %{whose})", counts.join(", ")));
    if !report.topics.is_empty() {
        let levels: Vec<String> = Level::ALL
            .iter()
            .map(|level| format!("{} {}", report.count_topics(*level), level.name()))
            .collect();
        verbosity.say(&format!("topics with guidance: {}", levels.join(", ")));
        let weak = report.topics.iter().filter(|topic| topic.level != Level::Good);
        listed(verbosity, weak.map(|topic| topic.message.clone()).collect(), MOST);
    }
    if !report.derived.is_empty() {
        let followed = report.derived.iter().filter(|f| f.verdict == Verdict::Followed).count();
        let n = report.derived.len();
        verbosity.say(&format!(
            "spread labels: {followed} of {n} topics hold nearly all samples that the classifier put there"
        ));
    }
    if let Some(cost) = &report.cost {
        verbosity.say(&cost.sentence());
    }
    if !report.likeness.is_empty() {
        let mean = |of: fn(&Likeness) -> f64| {
            report.likeness.iter().map(of).sum::<f64>() / report.likeness.len() as f64
        };
        verbosity.say(&format!(
            "components: mean cosine {:.2} with the mean of the samples of their class, {:.2} with what these share",
            mean(|line| line.mean_cosine),
            mean(|line| line.shared_cosine)
        ));
        let mut worst: Vec<&Likeness> = report.likeness.iter().filter(|l| l.mean_cosine < UNLIKE).collect();
        worst.sort_by(|a, b| a.mean_cosine.total_cmp(&b.mean_cosine));
        listed(verbosity, worst.iter().map(|line| line.sentence()).collect(), MOST);
    }
    let named = |finding: &Finding| {
        let of_samples = names.map(|names| finding.samples.iter().filter_map(|i| names.get(*i)));
        let of_samples: Vec<&str> = of_samples.into_iter().flatten().map(String::as_str).collect();
        if of_samples.is_empty() { String::new() } else { format!(" ({})", of_samples.join(", ")) }
    };
    let line = |f: &Finding| format!("{}: {}{}", f.verdict.name(), f.message, named(f));
    listed(verbosity, report.not_followed().map(line).collect(), MOST);
    let surprising: Vec<String> = report
        .surprising()
        .filter(|finding| finding.verdict == Verdict::Followed)
        .map(|f| format!("{}: {}{}", f.plausibility.name(), f.message, named(f)))
        .collect();
    listed(verbosity, surprising, MOST);
}

/// The first lines, and how many more there are.
fn listed(verbosity: Verbosity, lines: Vec<String>, most: usize) {
    lines.iter().take(most).for_each(|line| verbosity.say(&format!("  {line}")));
    if lines.len() > most {
        verbosity.say(&format!("  and {} more, in guidance_report.csv", lines.len() - most));
    }
}
