//! Images as the model sees them: the original, what the components rebuild of it, and the components times
//! their codes, which add up to that.

use super::Shown;
use crate::html::{escaped, percent, section};
use crate::picture;

/// Images that are shown, and components of each.
const IMAGES: usize = 6;
const PARTS: usize = 4;
/// Pixels of one picture at most.
const PIXELS: usize = 2500;

pub(super) fn section_of(shown: &Shown<'_>) -> String {
    let Some(shape) = shown.page.image_shape else { return String::new() };
    let rows: String = shown
        .order
        .iter()
        .take(IMAGES)
        .filter_map(|j| typical(shown, *j))
        .map(|i| row(shown, i, shape))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let lead = "Each image is close to a sum of components, each times its code; only sums, no differences. \
        Left: the image. Then what the components rebuild of it, on the same scale, and the largest terms of \
        the sum with their fractions, each on a scale of its own.";
    section("Images from their components", lead, &format!("<div class=\"rebuilt\">{rows}</div>"))
}

/// A sample of the component that is neither pure nor mixed: the one with the median membership.
fn typical(shown: &Shown<'_>, j: usize) -> Option<usize> {
    let clusters = shown.page.clusters;
    let mut members: Vec<usize> = (0..clusters.len()).filter(|i| clusters[*i] == Some(j)).collect();
    members.sort_by(|a, b| shown.shares.get(*a, j).total_cmp(&shown.shares.get(*b, j)).then(a.cmp(b)));
    members.get(members.len() / 2).copied()
}

fn row(shown: &Shown<'_>, i: usize, shape: (usize, usize)) -> String {
    let page = shown.page;
    let (original, small) = picture::smaller(&(page.row)(i), shape, PIXELS);
    let code = |j: usize| page.codes.get(i, j);
    let term = |j: usize| -> Vec<f64> {
        let values: Vec<f64> = page.components.row(j).iter().map(|h| code(j) * h).collect();
        picture::smaller(&values, shape, PIXELS).0
    };
    let mut sum = vec![0.0; original.len()];
    for j in 0..page.components.rows() {
        sum.iter_mut().zip(term(j)).for_each(|(sum, value)| *sum += value);
    }
    let most = picture::largest(&original).max(picture::largest(&sum));
    let figure = |values: &[f64], caption: &str, sign: &str, most: f64| {
        let address = picture::image_up_to(values, small, shown.page.polarity, most);
        let caption = escaped(caption);
        format!(
            "<span class=\"sign\">{sign}</span><figure><img alt=\"{caption}\" src=\"{address}\">\
             <figcaption>{caption}</figcaption></figure>"
        )
    };
    let mut largest: Vec<usize> =
        (0..page.components.rows()).filter(|j| shown.shares.get(i, *j) > 0.0).collect();
    largest.sort_by(|a, b| shown.shares.get(i, *b).total_cmp(&shown.shares.get(i, *a)).then(a.cmp(b)));
    let others = largest.len().saturating_sub(PARTS);
    let mut out = figure(&original, &page.sample_name(i), "", most);
    out.push_str(&figure(&sum, "rebuilt", "≈", most));
    for (at, j) in largest.iter().take(PARTS).enumerate() {
        let caption = format!("{} {}", page.component_names[*j], percent(shown.shares.get(i, *j)));
        let values = term(*j);
        let own = picture::largest(&values);
        out.push_str(&figure(&values, &caption, if at == 0 { "=" } else { "+" }, own));
    }
    if others > 0 {
        out.push_str(&format!("<span class=\"sign\">+ {others} more</span>"));
    }
    format!("<div class=\"sum\">{out}</div>")
}
