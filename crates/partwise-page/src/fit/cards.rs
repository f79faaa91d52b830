//! The components as cards, the largest first: picture or words, what guidance names, and the samples that
//! represent them.

use partwise::recipes::{distinctive_features, representatives};

use super::Shown;
use crate::html::{counted, escaped, percent, section};
use crate::picture::{self, Polarity};

/// Components that are shown at most.
const MOST_COMPONENTS: usize = 200;
/// Features that are listed for a component, by size and by distinctiveness.
const TOP_FEATURES: usize = 10;
const OWN_FEATURES: usize = 6;
/// Samples that represent a component: as pictures, and as text.
const PICTURES: usize = 8;
const TEXTS: usize = 4;
/// Pixels of all components, and of all samples, that a page has room for.
const PIXELS_OF_PARTS: usize = 150_000;
const PIXELS_OF_SAMPLES: usize = 300_000;
/// Characters of a snippet.
const SNIPPET: usize = 110;

/// What all cards need.
struct Cards<'a> {
    shown: &'a Shown<'a>,
    best: Vec<Vec<(usize, f64)>>,
    own: Vec<Vec<(usize, f64)>>,
    /// How many cards there are.
    count: usize,
}

pub(super) fn section_of(shown: &Shown<'_>) -> String {
    let page = shown.page;
    let count = shown.order.len().min(MOST_COMPONENTS);
    let wanted = if page.image_shape.is_some() { PICTURES } else { TEXTS };
    let cards = Cards {
        shown,
        best: representatives(&page.codes, &page.components, page.shares_of, wanted),
        own: match page.image_shape {
            Some(_) => vec![Vec::new(); page.components.rows()],
            None => distinctive_features(&page.components, OWN_FEATURES),
        },
        count,
    };
    let (_, many) = page.component_words();
    let mut lead = match page.image_shape {
        Some(_) => format!(
            "The largest first. Each is an image itself ({}); below it are the images that represent it best: \
            much of it, and little of anything else.",
            shown.page.polarity.in_words()
        ),
        None => format!(
            "The largest first: features by their fraction of it, features that are its own, and the {} that \
            represent it best (much of it, and little of anything else).",
            page.sample_words().1
        ),
    };
    if !page.topics.is_empty() {
        lead.push_str(" A dot marks what you named.");
    }
    if page.feature_names.is_none() && page.image_shape.is_none() {
        lead.push_str(" The strip shows all features from left to right (square root of the entries).");
    }
    let kind = if page.image_shape.is_some() { "cards images" } else { "cards" };
    let articles: String =
        shown.order[..count].iter().enumerate().map(|(at, j)| cards.card(at, *j)).collect();
    let more = match shown.order.len() - count {
        0 => String::new(),
        n => format!("<p class=\"lead\">{n} more {many} are in components.csv.</p>"),
    };
    let mut title = many.to_string();
    title[..1].make_ascii_uppercase();
    section(&title, &lead, &format!("<div class=\"{kind}\">{articles}</div>{more}"))
}

impl Cards<'_> {
    fn card(&self, place: usize, j: usize) -> String {
        let (shown, page) = (self.shown, self.shown.page);
        let name = escaped(&page.component_names[j]);
        let (size, n) = (shown.sizes[j], page.codes.rows().max(1));
        let (one, many) = page.sample_words();
        let largest = shown.order.first().map_or(1, |first| shown.sizes[*first]).max(1);
        let width = 100.0 * size as f64 / largest as f64;
        let values = page.components.row(j);
        let picture = self.picture(values, &name);
        let words = if page.image_shape.is_some() { String::new() } else { self.words(j, values) };
        format!(
            "<article data-j=\"{j}\" style=\"{}\"><h3>{}</h3><p class=\"size\">{}{}{}</p>\
             <div class=\"meter\"><i style=\"width:{width:.1}%\"></i></div>{picture}{words}{}</article>",
            super::colour(place),
            // A chance to break long names such as comp.sys.mac.hardware.
            name.replace('.', ".<wbr>").replace('_', "_<wbr>"),
            counted(size, one, many),
            // Narrow cards have no room for it.
            if page.image_shape.is_some() {
                String::new()
            } else {
                format!(" · {}", percent(size as f64 / n as f64))
            },
            self.verdict(j),
            self.samples(j)
        )
    }

    /// The level of its topic, where it belongs to one with guidance of its own.
    fn verdict(&self, j: usize) -> String {
        let topic = self.shown.verdicts.get(j).copied().flatten();
        topic.map_or(String::new(), |topic| {
            let (level, why) = (topic.level.name(), escaped(&topic.message));
            format!(" · <span class=\"verdict {level}\" title=\"{why}\">{level}</span>")
        })
    }

    /// The component itself as a picture, where it is an image or has no names.
    fn picture(&self, values: &[f64], name: &str) -> String {
        let page = self.shown.page;
        match page.image_shape {
            Some(shape) => {
                let (values, shape) = picture::smaller(values, shape, PIXELS_OF_PARTS / self.count.max(1));
                let address = picture::image(&values, shape, self.shown.page.polarity);
                format!("<img class=\"part\" alt=\"component {name}\" src=\"{address}\">")
            }
            None if page.feature_names.is_none() => {
                let address = picture::strip(values, Polarity::Ink);
                format!("<img class=\"strip\" alt=\"component {name} over its features\" src=\"{address}\">")
            }
            None => String::new(),
        }
    }

    /// Features as bars, then what guidance names and is not among them, then its own.
    fn words(&self, j: usize, values: &[f64]) -> String {
        let (page, named) = (self.shown.page, &self.shown.named[j]);
        let sum: f64 = values.iter().sum();
        let mut order: Vec<usize> = (0..values.len()).filter(|f| values[*f] > 0.0).collect();
        order.sort_by(|a, b| values[*b].total_cmp(&values[*a]).then(a.cmp(b)));
        let top = &order[..order.len().min(TOP_FEATURES)];
        let largest = top.first().map_or(1.0, |f| values[*f]);
        let mut out = String::new();
        for f in top {
            let seed = named.seeds.contains(f);
            let share = percent(values[*f] / sum);
            out.push_str(&bar(&page.feature_name(*f), values[*f] / largest, &share, seed));
        }
        let below = |f: &&usize| !top.contains(f);
        let ranked = |f: &usize| {
            let name = escaped(&page.feature_name(*f));
            match order.iter().position(|other| other == f) {
                Some(at) => format!("<b class=\"seed\">{name}</b> (rank {})", at + 1),
                None => format!("<b class=\"seed\">{name}</b> (0 here)"),
            }
        };
        let far: Vec<String> = named.seeds.iter().filter(below).map(ranked).collect();
        if !far.is_empty() {
            out.push_str(&format!("<p class=\"far\">Named by you, but further down: {}</p>", far.join(", ")));
        }
        let own = |(f, share): &(usize, f64)| {
            format!("{} <small>{}</small>", escaped(&page.feature_name(*f)), percent(*share))
        };
        let own: Vec<String> = self.own[j].iter().map(own).collect();
        if !own.is_empty() && page.components.rows() > 1 {
            out.push_str(&format!("<p class=\"own\">Its own: {}</p>", own.join(", ")));
        }
        let struck: Vec<String> =
            named.forbidden.iter().map(|name| format!("<s>{}</s>", escaped(name))).collect();
        if !struck.is_empty() {
            out.push_str(&format!("<p class=\"out\">Kept out by you: {}</p>", struck.join(", ")));
        }
        out
    }

    /// The samples that represent it.
    fn samples(&self, j: usize) -> String {
        let page = self.shown.page;
        let Some(shape) = page.image_shape else {
            let item = |(i, share): &(usize, f64)| {
                let text =
                    page.snippet(*i).map(|text| format!(" <span>{}</span>", escaped(&cut(text, SNIPPET))));
                let (name, share) = (escaped(&page.sample_name(*i)), percent(*share));
                format!("<li><b>{name}</b>{} <small>{share}</small></li>", text.unwrap_or_default())
            };
            let kind = if page.snippets.is_some() { "samples texts" } else { "samples" };
            let items: String = self.best[j].iter().map(item).collect();
            return format!("<ul class=\"{kind}\">{items}</ul>");
        };
        let pixels = PIXELS_OF_SAMPLES / (self.count * PICTURES).max(1);
        let image = |(i, share): &(usize, f64)| {
            let (values, shape) = picture::smaller(&(page.row)(*i), shape, pixels);
            let (name, share) = (escaped(&page.sample_name(*i)), percent(*share));
            let address = picture::image(&values, shape, self.shown.page.polarity);
            format!("<img alt=\"{name}\" title=\"{name}: membership {share}\" src=\"{address}\">")
        };
        let images: String = self.best[j].iter().map(image).collect();
        format!("<div class=\"pictures\">{images}</div>")
    }
}

/// A bar of `width` (0 to 1).
fn bar(name: &str, width: f64, value: &str, seed: bool) -> String {
    let name = escaped(name);
    let class = if seed { "bar seed" } else { "bar" };
    format!(
        "<div class=\"{class}\"><span class=\"n\" title=\"{name}\">{name}</span><span class=\"track\">\
         <i style=\"width:{:.1}%\"></i></span><span class=\"v\">{value}</span></div>",
        100.0 * width
    )
}

/// The first characters of a text, on one line.
pub(super) fn cut(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let start: String = line.chars().take(most).collect();
    let whole = start.rsplit_once(' ').map_or(start.as_str(), |(whole, _)| whole);
    format!("{whole} …")
}
