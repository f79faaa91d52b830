//! The components of a fit as cards, and their sizes as bars.

use partwise::{DataMatrix, Real};
use partwise_report::html::{escaped, section};
use partwise_report::picture;

use crate::job::Done;

/// Components that are shown at most.
const MOST_COMPONENTS: usize = 200;
/// Features that are listed for a component.
const TOP_FEATURES: usize = 10;
/// Samples that are listed for a component.
const TOP_SAMPLES: usize = 8;

/// One component.
struct Component {
    name: String,
    size: usize,
    guided: usize,
    picture: Look,
    /// (name, share of the component).
    features: Vec<(String, f64)>,
    /// (name, share, picture).
    samples: Vec<(String, f64, Option<String>)>,
}

/// What a component looks like.
enum Look {
    /// An image (data address).
    Image(String),
    /// A strip, one column per feature (data address).
    Strip(String),
    /// Nothing but its features.
    Words,
}

/// The sections of the components and of their sizes.
pub(super) fn sections<T: Real>(done: &Done<'_, T>) -> (String, String) {
    let shown = done.fit.components.rows().min(MOST_COMPONENTS);
    let counts = done.memberships.sizes();
    let all: Vec<Component> = (0..shown).map(|j| component(done, j, counts[j])).collect();
    let has = |look: fn(&Look) -> bool| all.iter().any(|c| look(&c.picture));
    let images = has(|look| matches!(look, Look::Image(_)));
    let mut lead = String::from(if images {
        "Each component as an image (black is 0, white its largest entry), with the samples that have the \
        largest memberships in it (\"Method and data\" states how they are measured)."
    } else {
        "The largest features of each component, as a fraction of its sum, and the samples with the largest \
        memberships in it (\"Method and data\" states how they are measured)."
    });
    if has(|look| matches!(look, Look::Strip(_))) {
        lead.push_str(" The strip shows all features from left to right (square root of the entries).");
    }
    let more = match done.fit.components.rows() - shown {
        0 => String::new(),
        n => format!("<p class=\"lead\">{n} more components are in components.csv.</p>"),
    };
    let (kind, cards) = (if images { "cards images" } else { "cards" }, all.iter().map(card));
    let cards = format!("<div class=\"{kind}\">{}</div>{more}", cards.collect::<String>());
    let largest = all.iter().map(|c| c.size).max().unwrap_or(0).max(1) as f64;
    let size = |c: &Component| {
        let darker = if c.size > 0 { c.guided as f64 / c.size as f64 } else { 0.0 };
        bar(&c.name, c.size as f64 / largest, darker, &c.size.to_string())
    };
    let sizes = format!("<div class=\"sizes\">{}</div>", all.iter().map(size).collect::<String>());
    let lead_of_sizes = "Samples with their largest membership in this component. The darker part: samples \
        whose labels the fit used.";
    (section("Components", &lead, &cards), section("Cluster sizes", lead_of_sizes, &sizes))
}

fn component<T: Real>(done: &Done<'_, T>, j: usize, size: usize) -> Component {
    let source = done.job.source;
    let values: Vec<f64> = done.fit.components.row(j).iter().map(|v| v.to_f64()).collect();
    let picture = match source.image_shape {
        Some(shape) => Look::Image(picture::image(&values, shape)),
        None if source.feature_names.is_some() => Look::Words,
        None => Look::Strip(picture::strip(&values)),
    };
    let guides = |i: usize| done.job.known.classes.as_ref().is_some_and(|known| known.used[i] >= 0);
    let cluster = &done.memberships.cluster;
    let samples = done.memberships.top(j, TOP_SAMPLES).into_iter().map(|(i, share)| {
        let image = source.image_shape.map(|shape| picture::image(&row(done.job.data, i), shape));
        (name_of(&source.row_names, i, "sample"), share, image)
    });
    let features = if source.image_shape.is_some() { Vec::new() } else { top_features(&values) };
    Component {
        name: done.fit.component_names[j].clone(),
        size,
        guided: (0..cluster.len()).filter(|i| cluster[*i] == Some(j) && guides(*i)).count(),
        picture,
        features: features
            .into_iter()
            .map(|(f, share)| (name_of(&source.feature_names, f, "feature"), share))
            .collect(),
        samples: samples.collect(),
    }
}

/// A row of the data.
fn row<T: Real>(data: &dyn DataMatrix<T>, sample: usize) -> Vec<f64> {
    let mut row = vec![0.0; data.n_features()];
    data.add_row(sample, 1.0, &mut row);
    row
}

fn name_of(names: &Option<Vec<String>>, index: usize, what: &str) -> String {
    names.as_ref().map_or_else(|| format!("{what} {index}"), |names| names[index].clone())
}

/// The features of the largest shares of a component, largest first.
fn top_features(values: &[f64]) -> Vec<(usize, f64)> {
    let sum: f64 = values.iter().sum();
    let mut order: Vec<usize> = (0..values.len()).filter(|f| values[*f] > 0.0).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]).then(a.cmp(b)));
    order.truncate(TOP_FEATURES);
    order.into_iter().map(|f| (f, values[f] / sum)).collect()
}

fn card(component: &Component) -> String {
    let name = escaped(&component.name);
    let picture = match &component.picture {
        Look::Image(address) => {
            format!("<img class=\"part\" alt=\"component {name}\" src=\"{address}\">")
        }
        Look::Strip(address) => {
            format!("<img class=\"strip\" alt=\"component {name} over its features\" src=\"{address}\">")
        }
        Look::Words => String::new(),
    };
    let largest = component.features.first().map_or(1.0, |f| f.1);
    let feature = |(feature, share): &(String, f64)| bar(feature, share / largest, 0.0, &percent(*share));
    let sample = |(sample, share, image): &(String, f64, Option<String>)| {
        let (sample, share) = (escaped(sample), percent(*share));
        match image {
            Some(address) => {
                format!("<img alt=\"{sample}\" title=\"{sample}: membership {share}\" src=\"{address}\">")
            }
            None => format!("<span>{sample} <b>{share}</b></span>"),
        }
    };
    let images = component.samples.iter().any(|s| s.2.is_some());
    format!(
        "<article><h3><span>{}</span> <small>{} {}</small></h3>{picture}{}<div class=\"{}\">{}</div></article>",
        // A chance to break long names such as comp.sys.mac.hardware.
        name.replace('.', ".<wbr>").replace('_', "_<wbr>"),
        component.size,
        if component.size == 1 { "sample" } else { "samples" },
        component.features.iter().map(feature).collect::<String>(),
        if images { "top pictures" } else { "top" },
        component.samples.iter().map(sample).collect::<String>()
    )
}

/// A bar of `width` (0 to 1), of which a part is darker.
fn bar(name: &str, width: f64, darker: f64, value: &str) -> String {
    let name = escaped(name);
    format!(
        "<div class=\"bar\"><span class=\"n\" title=\"{name}\">{name}</span><span class=\"track\"><i style=\"width:{:.1}%\"><u style=\"width:{:.1}%\"></u></i></span><span class=\"v\">{value}</span></div>",
        100.0 * width,
        100.0 * darker
    )
}

/// `34 %`, `1.2 %`, `0.03 %`.
fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p >= 9.95 => format!("{p:.0} %"),
        p if p >= 0.95 => format!("{p:.1} %"),
        p => format!("{p:.2} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_a_fitting_number_of_digits() {
        assert_eq!([0.5, 0.012, 0.0003].map(percent), ["50 %", "1.2 %", "0.03 %"]);
    }
}
