//! The end of the report: notes, how to make it again and to cite the method, and what stands behind the
//! numbers, folded.

use super::{FitPage, Progress};
use crate::charts::{Line, line};
use crate::html::{escaped, folded, pairs, section};

pub(super) fn sections(page: &FitPage<'_>) -> String {
    let mut out = String::new();
    if !page.notes.is_empty() {
        let items: String = page.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
        out.push_str(&section("Notes", "", &format!("<ul class=\"notes\">{items}</ul>")));
    }
    let again =
        format!("<pre class=\"code\">{}</pre>{}", escaped(&page.again.command), list(&page.again.facts));
    out.push_str(&section("Make this again", "", &again));
    let cite = format!(
        "<details><summary>BibTeX</summary><pre class=\"code\">{}</pre></details>",
        escaped(&page.bibtex)
    );
    out.push_str(&section("How to cite", "Partwise, and the publications of the method.", &cite));
    let behind = format!(
        "<p class=\"lead\">{}</p>{}<div class=\"cols\"><div><h3>Method</h3>{}</div><div><h3>Data</h3>{}</div>\
         </div><div class=\"cols\"><div><h3>Run</h3>{}</div><div><h3>Settings</h3>{}</div></div>",
        escaped(&page.progress.ended),
        convergence(&page.progress),
        list(&page.method),
        list(&page.data),
        list(&page.run),
        list(&page.settings),
    );
    out.push_str(&folded("Behind the numbers: convergence, method, settings", &behind));
    out
}

fn list(facts: &[(String, String)]) -> String {
    pairs(facts.iter().map(|(name, text)| (name.as_str(), text.as_str())))
}

fn convergence(progress: &Progress) -> String {
    let first = progress.history.iter().find_map(|i| i.2).filter(|kkt| *kkt > 0.0);
    let objective = Line {
        title: "Objective",
        points: progress.history.iter().map(|i| (i.0, i.1)).collect(),
        ..Line::default()
    };
    let kkt = Line {
        title: "Projected gradient, relative to iteration 1",
        points: progress.history.iter().filter_map(|i| Some((i.0, i.2? / first?))).collect(),
        level: (progress.tolerance > 0.0).then_some((progress.tolerance, "tolerance")),
        logarithmic: true,
        ..Line::default()
    };
    format!("<div class=\"cols\"><div>{}</div><div>{}</div></div>", line(&objective), line(&kkt))
}
