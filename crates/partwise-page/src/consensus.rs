//! The page of a consensus of restarts: which components return, and what the others are confused with.

use partwise::recipes::{ComponentStability, ConsensusSummary};

use crate::charts::{Line, line};
use crate::html::{end, escaped, folded, head, pairs, percent, section, table};

/// From this share of the fits on, a component is drawn as one that returns.
const RETURNS: f64 = 0.9;

/// What the page shows.
pub struct ConsensusPage<'a> {
    /// The name of the data.
    pub title: String,
    /// What the relative error is called.
    pub error_name: &'a str,
    /// One for each k, ascending.
    pub found: &'a [ConsensusSummary],
    /// Of each k, for each component, the features that tell it from the others; empty lists where features
    /// have no names.
    pub features: &'a [Vec<Vec<String>>],
    /// Names and texts at the end.
    pub facts: &'a [(&'a str, String)],
}

impl ConsensusPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let mut page = head(&self.title, &self.lead());
        if self.found.len() > 1 {
            page.push_str(&self.over_k());
        }
        let only = self.found.len() == 1;
        for (of_k, features) in self.found.iter().zip(self.features) {
            let body = components(of_k, features);
            page.push_str(&match only {
                true => section("Components", LEAD, &body),
                false => folded(&of_k.explanation(), &body),
            });
        }
        page.push_str(&section("Settings", "", &pairs(self.facts.iter().map(|(k, v)| (*k, v.as_str())))));
        page.push_str(end());
        page
    }

    fn lead(&self) -> String {
        match self.found {
            [one] => format!("{}.", one.explanation()),
            several => {
                let fits: usize = several.iter().map(|of_k| of_k.restarts).sum();
                let ranks: Vec<String> = several.iter().map(|of_k| of_k.rank.to_string()).collect();
                format!("{fits} fits from different random starts, with k = {} components.", ranks.join(", "))
            }
        }
    }

    /// Stability and error over k, as charts and as a table.
    fn over_k(&self) -> String {
        let points = |of: &dyn Fn(&ConsensusSummary) -> f64| {
            self.found.iter().map(|of_k| (of_k.rank as f64, of(of_k))).collect::<Vec<_>>()
        };
        let chart = |title: &str, points| {
            let across = Some("number of components");
            format!("<figure>{}</figure>", line(&Line { title, points, across, ..Line::default() }))
        };
        let charts = format!(
            "<div class=\"cols\">{}{}</div>",
            chart("stability: mean share of the fits in which a component appears", points(&|k| k.stability)),
            chart(&format!("{} of the consensus", self.error_name), points(&|k| k.relative_error)),
        );
        let header = ["components", "fits", "stability", "least stable component", "error of the best fit"];
        let header =
            header.into_iter().chain(["error of the consensus"]).map(String::from).collect::<Vec<_>>();
        let row = |of_k: &ConsensusSummary| {
            let least = of_k.parts.iter().min_by(|a, b| a.share.total_cmp(&b.share));
            let least =
                least.map_or(String::new(), |part| format!("{} ({})", percent(part.share), part.name));
            vec![
                of_k.rank.to_string(),
                of_k.restarts.to_string(),
                percent(of_k.stability),
                least,
                format!("{:.4}", of_k.best_error),
                format!("{:.4}", of_k.relative_error),
            ]
        };
        let rows: Vec<_> = self.found.iter().map(row).collect();
        let lead = "How often the components return, and how well they fit. Fewer components nearly always \
            return more often, so this does not choose k: the command rank does, by prediction of held-out \
            data and by replication in halves of the samples.";
        let body = format!("{charts}{}", table(&header, &rows));
        section("Numbers of components", lead, &body) + &section("Components", LEAD, "")
    }
}

const LEAD: &str = "Each component of the best fit is matched to one of every other fit. The bar is the share of \
    these fits in which it appears (cosine 0.9 or more). Distance is 1 - cosine; the consensus is the median of \
    the components of these fits, without those beyond median + 3 MAD, after ten more iterations from there.";

/// The components of one k: a bar for each, and a table.
fn components(of_k: &ConsensusSummary, features: &[Vec<String>]) -> String {
    let bar = |part: &ComponentStability| {
        let class = if part.share >= RETURNS { "bar" } else { "bar seed" };
        format!(
            "<div class=\"{class}\"><span class=\"n\" title=\"{0}\">{0}</span><span class=\"track\"><i \
             style=\"width:{1:.1}%\"></i></span><span class=\"v\">{2}</span></div>",
            escaped(&part.name),
            100.0 * part.share,
            percent(part.share)
        )
    };
    let bars: String = of_k.parts.iter().map(bar).collect();
    let named = features.iter().any(|features| !features.is_empty());
    let mut header = ["component", "appears in", "size", "distance", "outliers", "confused with"]
        .map(String::from)
        .to_vec();
    header.extend(named.then(|| "distinctive features".to_string()));
    let row = |(part, features): (&ComponentStability, &Vec<String>)| {
        let [_, low, middle, high, _] = part.distances;
        let confused = part.confusion.map_or(String::new(), |c| {
            let (name, share) = (&of_k.parts[c.with].name, percent(c.share));
            format!("{name} (in {share} of the fits without it; cosine {:.2})", c.cosine)
        });
        let mut row = vec![
            part.name.clone(),
            percent(part.share),
            percent(part.size),
            format!("{middle:.3} ({low:.3} to {high:.3})"),
            part.outliers.to_string(),
            confused,
        ];
        row.extend(named.then(|| features.join(", ")));
        row
    };
    let rows: Vec<_> = of_k.parts.iter().zip(features).map(row).collect();
    let note = match of_k.same_starts {
        true => format!("<ul class=\"notes\"><li>{}</li></ul>", escaped(&of_k.explanation())),
        false => String::new(),
    };
    format!("{note}<div class=\"sizes\">{bars}</div>{}", table(&header, &rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use partwise::recipes::{ConsensusSettings, InMemory, consensus_at, fit_restarts};
    use partwise::{DenseMatrix, Model, Settings};
    use std::ops::ControlFlow::Continue;

    #[test]
    fn the_page_shows_every_component_and_no_markup_of_names() {
        let values: Vec<f64> = (0..48).map(|at| f64::from((at * 37 % 11) as u32)).collect();
        let (x, model, settings) = (DenseMatrix::new(8, 6, values).unwrap(), Model::nmf(), Settings::new(1));
        let (kept, asked) = (InMemory::default(), ConsensusSettings { ranks: vec![2, 3], restarts: 4 });
        fit_restarts(&x, &model, &settings, &asked, &kept, &|_| Continue(())).unwrap();
        let at = |k| consensus_at(&x, &model, &settings, k, 4, &kept).unwrap().unwrap().summary;
        let found = [at(2), at(3)];
        let features = [vec![vec!["<b>".to_string()]; 2], vec![Vec::new(); 3]];
        let page = |found: &[ConsensusSummary]| {
            let features = &features[..found.len()];
            ConsensusPage { title: "a<b".into(), error_name: "relative error", found, features, facts: &[] }
                .html()
        };
        let (one, two) = (page(&found[..1]), page(&found));
        for page in [&one, &two] {
            assert!(page.contains("a&lt;b") && page.contains("&lt;b&gt;") && !page.contains("NaN"), "{page}");
        }
        assert_eq!(one.matches("<span class=\"n\"").count(), 2);
        assert_eq!(two.matches("<span class=\"n\"").count(), 5);
        assert!(!one.contains("<svg") && two.contains("<svg"), "a chart over k needs more than one");
        assert!(two.contains("k = 3:") && one.contains("k = 2:"));
    }
}
