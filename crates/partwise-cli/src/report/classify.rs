//! The page of a classification: what was found, where it is in doubt, who voted for it, and the components
//! by class.

use partwise::Real;
use partwise_classify::Member;
use partwise_page::html::{end_with_script, escaped, head_with_script, pairs, section, tiles};
use partwise_page::picture::{self, Polarity};

use crate::classification::{Classified, origin};
use crate::input::short_name;
use crate::job::Done;
use crate::record::Timings;

/// Doubtful samples that are shown.
const MOST_DOUBTFUL: usize = 24;
/// A sample is in doubt if its largest posterior is below this.
const DOUBT: f64 = 0.6;
/// Features that are shown of a doubtful sample without a picture.
const FEATURES: usize = 5;
/// With more classes than this, a confusion table is too large to read.
const MOST_CLASSES: usize = 30;
/// Candidate graphs of a lower weight are counted only.
const LEAST_WEIGHT: f64 = 0.01;

/// The page; `parts` are the components by class, if they were fitted.
pub(crate) fn classification_page<T: Real>(
    classified: &Classified<'_, T>,
    parts: Option<&Done<'_, T>>,
) -> String {
    let (found, source) = (classified.found, classified.source);
    let doubtful = doubtful(classified);
    let mut page = head_with_script(&short_name(&source.name), &headline(classified, doubtful.len()));
    page.push_str(&tiles(&numbers(classified, doubtful.len())));
    let notes = source.notes.iter().chain(&classified.known.notes);
    let notes: Vec<&str> =
        notes.map(String::as_str).chain(found.notices.iter().map(|n| n.message.as_str())).collect();
    if !notes.is_empty() {
        let items: String = notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
        page.push_str(&section("Notes", "", &format!("<ul class=\"notes\">{items}</ul>")));
    }
    page.push_str(&sizes(classified));
    page.push_str(&doubtful_section(classified, &doubtful));
    page.push_str(&confusion_section(classified));
    page.push_str(&votes(classified));
    if let Some(done) = parts {
        let timings = Timings { read: 0.0, fit: done.fit_seconds, write: 0.0 };
        page.push_str(&super::shown(done, timings, None, Polarity::Light, |page| page.components()));
    }
    page.push_str(&details(classified, parts));
    page.push_str(&end_with_script());
    page
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn headline<T: Real>(classified: &Classified<'_, T>, doubtful: usize) -> String {
    let (n, labelled) = (classified.source.rows, classified.known.labels.n_labelled());
    let names = classified.names();
    let mut text = format!(
        "{} in {}, from {}.",
        count(n, "sample", "samples"),
        count(names.len(), "class", "classes"),
        count(labelled, "label", "labels")
    );
    if let Some(evaluation) = &classified.evaluation
        && let (Some(right), Some(over)) = (evaluation.headline("accuracy"), evaluation.scores.last())
    {
        text.push_str(&format!(
            " {:.1} % of the {} samples whose label it did not use are right.",
            100.0 * right,
            over.samples
        ));
    }
    let doubt = match doubtful {
        0 => " No sample is in doubt.".to_string(),
        1 => " One sample is in doubt.".to_string(),
        d => format!(" {d} samples are in doubt."),
    };
    text + &doubt
}

fn numbers<T: Real>(classified: &Classified<'_, T>, doubtful: usize) -> Vec<(&'static str, String)> {
    let found = classified.found;
    let mut out = vec![
        ("samples", classified.source.rows.to_string()),
        ("classes", classified.names().len().to_string()),
        ("labels used", classified.known.labels.n_labelled().to_string()),
    ];
    if let Some(evaluation) = &classified.evaluation {
        for (name, label) in [("accuracy", "accuracy"), ("nmi", "NMI")] {
            let held_out = evaluation.scores.last().is_some_and(|scores| scores.key == "unlabelled");
            let over = if held_out { "labels not used" } else { "all labels" };
            out.extend(evaluation.headline(name).map(|value| (label, format!("{value:.3} ({over})"))));
        }
    }
    let score = found.held_out_score().map(|score| {
        ("cross-validated score", format!("{score:.2} ({} folds, {} labels)", found.folds, found.held_out))
    });
    out.extend(score);
    out.push(("samples in doubt", doubtful.to_string()));
    out
}

/// The samples without a label whose largest posterior is small, the most doubtful first.
fn doubtful<T: Real>(classified: &Classified<'_, T>) -> Vec<usize> {
    let top = |i: usize| classified.found.posteriors.row(i).iter().fold(0.0f64, |m, v| m.max(*v));
    let labels = &classified.known.labels;
    let mut out: Vec<usize> =
        (0..labels.n_samples()).filter(|i| labels.class(*i).is_none() && top(*i) < DOUBT).collect();
    out.sort_by(|a, b| top(*a).total_cmp(&top(*b)).then(a.cmp(b)));
    out
}

fn sizes<T: Real>(classified: &Classified<'_, T>) -> String {
    let (found, labels, names) = (classified.found, &classified.known.labels, classified.names());
    let mut all = vec![(0, 0); names.len()];
    for (i, class) in found.classes.iter().enumerate() {
        all[*class].0 += 1;
        all[*class].1 += usize::from(labels.class(i).is_some());
    }
    let largest = all.iter().map(|(size, _)| *size).max().unwrap_or(0).max(1) as f64;
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|c| (std::cmp::Reverse(all[*c].0), *c));
    let bars = order.iter().map(|c| {
        let (size, labelled) = all[*c];
        let share = if size > 0 { labelled as f64 / size as f64 } else { 0.0 };
        bar(&names[*c], size as f64 / largest, share, &size.to_string())
    });
    let lead = "Samples that the classifier puts into each class; the marked part at the left: samples whose \
        label was used.";
    section("Classes", lead, &format!("<div class=\"sizes\">{}</div>", bars.collect::<String>()))
}

fn doubtful_section<T: Real>(classified: &Classified<'_, T>, doubtful: &[usize]) -> String {
    if doubtful.is_empty() {
        return String::new();
    }
    let shape = classified.source.image_shape;
    let cards: String = doubtful.iter().take(MOST_DOUBTFUL).map(|i| doubtful_card(classified, *i)).collect();
    let more = doubtful.len().saturating_sub(MOST_DOUBTFUL);
    let more = match more {
        0 => String::new(),
        n => format!("<p class=\"lead\">{n} more are in memberships.csv.</p>"),
    };
    let lead = format!(
        "Samples whose most likely class has a posterior below {:.0} %, the most doubtful first. A label for \
        one of these helps most.",
        100.0 * DOUBT
    );
    let kind = if shape.is_some() { "cards images" } else { "cards" };
    section("Samples in doubt", &lead, &format!("<div class=\"{kind}\">{cards}</div>{more}"))
}

fn doubtful_card<T: Real>(classified: &Classified<'_, T>, i: usize) -> String {
    let (source, posteriors) = (classified.source, classified.found.posteriors.row(i));
    let names = classified.names();
    let name = source.row_names.as_ref().map_or_else(|| format!("sample {i}"), |names| names[i].clone());
    let mut row = vec![0.0; classified.data.n_features()];
    classified.data.add_row(i, 1.0, &mut row);
    let looks = match source.image_shape {
        Some(shape) => {
            let address = picture::image(&row, shape, Polarity::Light);
            format!("<img class=\"part\" alt=\"{}\" src=\"{address}\">", escaped(&name))
        }
        None => {
            let mut order: Vec<usize> = (0..row.len()).filter(|f| row[*f] > 0.0).collect();
            order.sort_by(|a, b| row[*b].total_cmp(&row[*a]).then(a.cmp(b)));
            let feature = |f: &usize| {
                let names = source.feature_names.as_ref();
                names.map_or_else(|| format!("feature {f}"), |names| names[*f].clone())
            };
            let features: Vec<String> = order.iter().take(FEATURES).map(feature).collect();
            format!("<p class=\"lead\">{}</p>", escaped(&features.join(", ")))
        }
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|a, b| posteriors[*b].total_cmp(&posteriors[*a]).then(a.cmp(b)));
    let mut classes: String = order
        .iter()
        .take(2)
        .map(|c| format!("<span>{} <b>{:.0} %</b></span>", escaped(&names[*c]), 100.0 * posteriors[*c]))
        .collect();
    let known = classified.known;
    if let Some(label) = usize::try_from(known.truth[i]).ok().and_then(|label| known.class_names.get(label)) {
        classes.push_str(&format!("<span>label: <b>{}</b></span>", escaped(label)));
    }
    format!(
        "<article><h3><span>{}</span></h3>{looks}<div class=\"top\">{classes}</div></article>",
        escaped(&name)
    )
}

fn confusion_section<T: Real>(classified: &Classified<'_, T>) -> String {
    let names = classified.names();
    if names.len() > MOST_CLASSES {
        return String::new();
    }
    let known = classified.known;
    let mut counts = vec![vec![0_usize; names.len()]; names.len()];
    let lead = if classified.evaluation.is_some() {
        let pairs = known.truth.iter().zip(&known.used).enumerate();
        for (i, _) in pairs.filter(|(_, (truth, used))| **truth >= 0 && **used < 0) {
            let class = &known.class_names[known.truth[i] as usize];
            if let Some(row) = names.iter().position(|name| name == class) {
                counts[row][classified.found.classes[i]] += 1;
            }
        }
        "The samples whose label the classifier did not use: their class by the label (rows) and by \
            the classifier (columns)."
            .to_string()
    } else {
        for label in &classified.found.held_out_labels {
            counts[label.class][label.predicted] += 1;
        }
        format!(
            "Cross-validation: each of {} labels was held out in one of {} folds. Its class by the label \
            (rows) and by the fold that did not know it (columns). The weights of the members come from the \
            same labels, so this is a little too good.",
            classified.found.held_out, classified.found.folds
        )
    };
    if counts.iter().flatten().all(|count| *count == 0) {
        return String::new();
    }
    section("Confusion", &lead, &confusion(names, &counts))
}

fn confusion(names: &[String], counts: &[Vec<usize>]) -> String {
    let head: String = names.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
    let row = |(class, counts): (&String, &Vec<usize>)| {
        let sum = counts.iter().sum::<usize>().max(1) as f64;
        let cell = |count: &usize| {
            let share = 100.0 * *count as f64 / sum;
            let text = if *count == 0 { "·".to_string() } else { count.to_string() };
            let class = if share > 55.0 { " class=\"hi\"" } else { "" };
            format!("<td style=\"--s:{share:.0}%\"{class}>{text}</td>")
        };
        format!("<tr><th>{}</th>{}</tr>", escaped(class), counts.iter().map(cell).collect::<String>())
    };
    let rows: String = names.iter().zip(counts).map(row).collect();
    format!(
        "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th></th>{head}</tr></thead>\
        <tbody>{rows}</tbody></table></div>"
    )
}

/// Who voted, and how much each counted.
fn votes<T: Real>(classified: &Classified<'_, T>) -> String {
    let found = classified.found;
    let members = |members: &[Member]| {
        let sum: f64 = members.iter().map(|m| m.weight).sum();
        let lines = members.iter().map(|m| {
            let score = m.score.map_or(String::new(), |score| format!(" ({score:.2})"));
            let share = m.weight / sum;
            vote(&format!("{}{score}", m.name), share)
        });
        lines.collect::<String>()
    };
    let mut candidates: Vec<_> = found.candidates.iter().filter(|c| c.weight >= LEAST_WEIGHT).collect();
    candidates.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let others = found.candidates.len() - candidates.len();
    let graphs: String = candidates
        .iter()
        .map(|c| {
            let score = c.score.map_or(String::new(), |score| format!(" ({score:.2})"));
            let share = if c.share > 0.0 { format!(", {:.0} %", 100.0 * c.share) } else { String::new() };
            let name = format!("{}{share}{score}", origin(c.graph));
            vote(&name, c.weight)
        })
        .collect();
    let others = match others {
        0 => String::new(),
        n => format!("<p class=\"lead\">{n} more graphs were tried and count less than 1 % each.</p>"),
    };
    let body = format!(
        "<div class=\"cols\"><div><h3>Base classifiers</h3>{}</div><div><h3>Refinements</h3>{}</div></div>\
        <h3>Graphs of the samples</h3><div class=\"votes\">{graphs}</div>{others}",
        members(&found.base_classifiers),
        members(&found.refinements)
    );
    let lead = match found.held_out {
        0 => "No label could be held out, so all have the same weight.".to_string(),
        held_out => format!(
            "How much each member of the ensemble counts, by its score in brackets: the mean of the accuracy \
            and of the posterior of the true class, over {held_out} held-out labels. The agreement of the \
            folds counts for the refinements, too. The base classifiers vote first, the refinements learn \
            from their product."
        ),
    };
    section("Votes", &lead, &body)
}

fn details<T: Real>(classified: &Classified<'_, T>, parts: Option<&Done<'_, T>>) -> String {
    let (source, known, request) = (classified.source, classified.known, classified.request);
    let [data, shape] = source.facts();
    let labelled = known.truth.iter().filter(|label| **label >= 0).count();
    let scaling = classified.scaling.kind();
    let facts = [
        data,
        shape,
        ("SHA-256", source.sha256.clone()),
        ("Scaling", format!("{}: {}", scaling.name(), scaling.summary())),
        (
            "Labels",
            format!("{}; {labelled} samples have one, {} were used", known.name, known.labels.n_labelled()),
        ),
        ("Seed", request.run.seed.to_string()),
        (
            "Method",
            "An ensemble of graph-based classifiers, factorizations and mixtures, weighed by \
            cross-validation on the labels; the components by class are guided NMF with the classes spread \
            as guidance."
                .to_string(),
        ),
        ("New rows", format!("partwise transform {} NEW_DATA --out DIR", request.write.out().display())),
    ];
    let memberships = parts.map(|done| ("Memberships", done.memberships.of.summary().to_string()));
    let facts: Vec<_> = facts.into_iter().chain(memberships).collect();
    section("Method and data", "", &pairs(facts.iter().map(|(name, text)| (*name, text.as_str()))))
}

/// A bar of a member, with room for its name.
fn vote(name: &str, share: f64) -> String {
    let bar = bar(name, share, 0.0, &format!("{:.0} %", 100.0 * share));
    bar.replacen(
        "class=\"bar\"",
        "class=\"bar\" style=\"grid-template-columns:minmax(60px,62%) 1fr 52px\"",
        1,
    )
}

/// A bar of `width` (0 to 1), of which a part is darker.
fn bar(name: &str, width: f64, darker: f64, value: &str) -> String {
    let name = escaped(name);
    format!(
        "<div class=\"bar\"><span class=\"n\" title=\"{name}\">{name}</span><span class=\"track\"><i \
        style=\"width:{:.1}%\"><u style=\"width:{:.1}%\"></u></i></span><span class=\"v\">{value}</span></div>",
        100.0 * width,
        100.0 * darker
    )
}
