//! The experiments of the papers, to be run again: one experiment a file, and the registry [`ALL`]. Each file
//! opens with what the paper says, what it leaves open, and what was chosen, and says what its reduced
//! variant leaves out.
//!
//! A [`Protocol`] is a table of facts (what it needs, its cases and groups of methods, published and
//! reference values, figures) and one function, which runs a [`Unit`]: one case, one group of methods, one
//! draw. Units are independent: classes, labels and starts come from the case and the draw alone, so any
//! group can be run alone, or be added later, on the same draws. [`run_units`] runs them in parallel;
//! [`crate::results`] makes tables of their rows.
//!
//! To add an experiment: one file here, and its line in [`ALL`].

pub mod active;
mod classifiers;
mod clock;
pub mod cnmf;
mod cnmf_values;
mod data_set;
mod face_methods;
mod faces;
pub mod few_labels;
mod few_labels_methods;
mod few_labels_values;
pub mod learning_curve;
pub mod nmf_alpha;
pub mod nmf_alpha_basis;
mod nmf_alpha_codes;
mod nmf_alpha_direct;
mod nmf_alpha_rows;
mod nmf_alpha_trial;
pub mod nmf_dc;
pub mod nmf_dc_convergence;
pub mod nmf_dc_delta;
pub mod nmf_dc_generated;
mod nmf_dc_methods;
mod nmf_dc_printed;
pub mod nmf_dc_tables;
mod parallel;
pub mod rank;
mod rank_data;
mod rank_peers;
mod samples;
pub mod scnmf;
pub mod spreading;
mod unit;
pub mod ws_nmf;
mod ws_nmf_methods;
mod ws_nmf_sample;
pub mod ws_nmf_soft;
mod ws_nmf_values;
pub mod ws_nmf_words;
pub mod ws_symnmf;

pub use data_set::{DataSet, Library};
pub use parallel::{Finished, run_units};
pub use unit::{Case, Extent, Outcome, Picture, Row, Unit, UnitId};

use anyhow::{Result, bail};

/// σ of labels in WS-NMF and WS-SymNMF, where an experiment does not vary it.
const LABEL_SIGMA: f64 = 10.0;

/// One experiment. Start from [`Protocol::PLAIN`].
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// The name to ask for it by.
    pub name: &'static str,
    /// What it measures, in one line.
    pub title: &'static str,
    /// The paper and the table or figure.
    pub paper: &'static str,
    /// The data sets that it needs; none where it generates its data.
    pub needs: &'static [&'static str],
    /// How many draws are made unless something else is asked for.
    pub draws: u64,
    /// How many draws the reduced variant makes. Default: 3.
    pub reduced_draws: u64,
    /// About how many minutes all its units take on one core, with the draws of `draws`.
    pub minutes: f64,
    /// Raised whenever the same draw would give another result: results of other revisions are not continued.
    pub revision: u32,
    /// What [`Case::x`] is, where cases have one.
    pub axis: Option<Axis>,
    /// Groups of methods that run together, in the order of the table.
    pub groups: &'static [Group],
    /// The cases, in the order of the table.
    pub cases: fn(Extent) -> Vec<Case>,
    /// Runs a unit, on one thread.
    ///
    /// # Errors
    /// Data that can't be had, or that are not what the protocol needs, and faults of the methods.
    pub run: fn(&Unit<'_>) -> Result<Outcome>,
    /// The scores that tables by x and paired tests are made of. Empty: the first.
    pub main_scores: &'static [&'static str],
    /// Pairs of methods (better first, by expectation) that are tested. Empty: each method against the best.
    pub pairs: &'static [(&'static str, &'static str)],
    /// What the paper reports for it.
    pub published: fn() -> Vec<Published>,
    /// What independent implementations gave for it.
    pub references: fn() -> Vec<Reference>,
    /// Drawn from its rows.
    pub figures: &'static [Figure],
    /// Sentences under its tables: what can't be compared, and why.
    pub remarks: &'static [&'static str],
}

impl Protocol {
    /// An experiment without anything: a base for values.
    pub const PLAIN: Protocol = Protocol {
        name: "",
        title: "",
        paper: "",
        needs: &[],
        draws: 1,
        reduced_draws: 3,
        minutes: 0.0,
        revision: 1,
        axis: None,
        groups: &[],
        cases: |_| Vec::new(),
        run: |_| Ok(Outcome::default()),
        main_scores: &[],
        pairs: &[],
        published: Vec::new,
        references: Vec::new,
        figures: &[],
        remarks: &[],
    };

    /// The draws of an extent, unless something else is asked for.
    pub fn draws_of(&self, extent: Extent) -> u64 {
        if extent == Extent::Reduced { self.reduced_draws } else { self.draws }
    }

    /// The groups that `wanted` names, all when it is empty.
    ///
    /// # Errors
    /// A name that is not one of its groups, with the valid names.
    pub fn groups_named(&self, wanted: &[String]) -> Result<Vec<&'static Group>> {
        if let Some(name) = wanted.iter().find(|name| !self.groups.iter().any(|group| group.name == **name)) {
            let valid: Vec<&str> = self.groups.iter().map(|group| group.name).collect();
            bail!("{} has no methods \"{name}\"; valid: {}", self.name, valid.join(", "))
        }
        Ok(self.groups.iter().filter(|g| wanted.is_empty() || wanted.iter().any(|w| w == g.name)).collect())
    }

    /// The cases of an extent that `wanted` names, all without it: names with commas or semicolons between
    /// them, "ORL 2" for a data set at a place of the axis, "ORL" for all of its places. Names may hold
    /// commas themselves. In the order of the table.
    ///
    /// # Errors
    /// What is no case of the extent, or that none is named, with the cases that there are.
    pub fn cases_named(&self, extent: Extent, wanted: Option<&str>) -> Result<Vec<Case>> {
        let ends = |text: &str| text.is_empty() || text.starts_with([',', ';']);
        let all = (self.cases)(extent);
        let Some(wanted) = wanted else { return Ok(all) };
        let valid = || enumerated(&all.iter().map(Case::to_string).collect::<Vec<_>>());
        let mut chosen = vec![false; all.len()];
        let mut rest = wanted.trim();
        if rest.is_empty() {
            bail!("no case is named; {} ({}) has {}", self.name, extent.name(), valid())
        }
        while !rest.is_empty() {
            // The longest that fits: "ORL, 10 people" before "ORL".
            let names = all.iter().flat_map(|case| [case.to_string(), case.name.clone()]);
            let fits = |name: &String| {
                rest.strip_prefix(name.as_str()).is_some_and(|after| ends(after.trim_start()))
            };
            let Some(name) = names.filter(fits).max_by_key(String::len) else {
                let (own, extent) = (self.name, extent.name());
                bail!("{own} ({extent}) has no case \"{rest}\"; valid: {}", valid())
            };
            for (chosen, case) in chosen.iter_mut().zip(&all) {
                *chosen |= case.to_string() == name || case.name == name;
            }
            rest = rest[name.len()..].trim_start().trim_start_matches([',', ';']).trim_start();
        }
        Ok(all.into_iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(case, _)| case).collect())
    }

    /// Every unit of some cases, draw by draw, so that a run that ends early has whole draws.
    pub fn units(&self, cases: &[Case], draws: u64, groups: &[&'static Group]) -> Vec<UnitId> {
        let mut units = Vec::new();
        for draw in 0..draws {
            for case in cases {
                units.extend(groups.iter().map(|group| UnitId {
                    case: case.clone(),
                    group: group.name,
                    draw,
                }));
            }
        }
        units
    }
}

/// Names with commas between them, or semicolons where names hold commas.
pub fn enumerated(names: &[String]) -> String {
    names.join(if names.iter().any(|name| name.contains(',')) { "; " } else { ", " })
}

/// What the numbers [`Case::x`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name: "k", "labels a class".
    pub name: &'static str,
    /// Whether the same draw at two places of the axis has classes and labels of its own. Else draws are what
    /// the standard error of an average over the axis counts.
    pub independent: bool,
    /// Whether an average over its places means anything. Else tables show the last place that every method
    /// has in its stead.
    pub averaged: bool,
}

/// Methods that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name to ask for it by.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
}

/// A figure that a paper reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// As in [`Row::case`].
    pub case: &'static str,
    /// As in [`Row::case`]; `None` for the average over the whole axis.
    pub x: Option<f64>,
    /// As in [`Row::method`].
    pub method: &'static str,
    /// As in [`Row::scores`].
    pub score: &'static str,
    /// The figure.
    pub value: f64,
}

/// A result of independent implementations.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// As in [`Row::case`].
    pub case: &'static str,
    /// As in [`Row::case`]; `None` for the average over the whole axis.
    pub x: Option<f64>,
    /// As in [`Row::method`].
    pub method: &'static str,
    /// As in [`Row::scores`].
    pub score: &'static str,
    /// Its mean over draws.
    pub mean: f64,
    /// The standard error of that; NaN where it is not known, and then nothing is flagged.
    pub error: f64,
}

/// A line chart over the axis, one for each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The beginning of the names of its files.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The score on the vertical axis.
    pub score: &'static str,
    /// A score on the horizontal axis in place of the protocol's axis (time).
    pub across: Option<&'static str>,
    /// The methods it shows; all when empty.
    pub methods: &'static [&'static str],
    /// Whether the horizontal axis is logarithmic.
    pub logarithmic: bool,
}

/// What papers use and can't be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The data or method.
    pub what: &'static str,
    /// Who uses it.
    pub papers: &'static str,
    /// What stands in its place.
    pub stands_in: &'static str,
}

const fn absent(what: &'static str, papers: &'static str, stands_in: &'static str) -> Absent {
    Absent { what, papers, stands_in }
}

/// What the papers use that is not reproduced.
pub const ABSENT: &[Absent] = &[
    absent(
        "FERET",
        "SCNMF, figures 2, 4, 8, 12",
        "nothing for the set; ORL, Yale and UMIST show the same figures",
    ),
    absent("LFW", "NMF-DC, tables", "Extended Yale B"),
    absent("AR", "NMF-DC, tables", "UMIST and Extended Yale B"),
    absent("RCV1", "WS-NMF, figure 2", "Reuters-21578, the ten largest topics"),
    absent("NIPS papers", "WS-NMF, scenario 1", "20 Newsgroups with the groups' names"),
    absent("Four Area (DBLP)", "WS-NMF, scenario 1", "Cora with citations"),
    absent(
        "the IMDB co-starring graph",
        "WS-NMF, table 3",
        "public graphs: karate, books, football, blogs, e-mail",
    ),
    absent("AnsNMF", "NMF-DC, tables", "nothing: no reliable public description of its linear programs"),
];

/// The registry.
pub const ALL: &[Protocol] = &[
    cnmf::ORL,
    cnmf::YALE,
    cnmf::UMIST,
    cnmf::EXTENDED_YALE_B,
    scnmf::BASIS,
    scnmf::CLASSES,
    scnmf::LABELS,
    scnmf::OVER_ITERATIONS,
    nmf_dc_convergence::CONVERGENCE,
    nmf_dc_delta::DELTA,
    nmf_dc_tables::TABLES,
    nmf_dc_tables::PROPORTION,
    nmf_dc_generated::GENERATED,
    nmf_dc::STEP,
    nmf_alpha_basis::BASIS,
    nmf_alpha::MNIST,
    nmf_alpha::NEWSGROUPS,
    nmf_alpha::AVIATION,
    ws_nmf::SHARES,
    ws_nmf_soft::SOFT,
    ws_nmf_words::WORDS,
    ws_symnmf::GRAPHS,
    active::LABELS,
    few_labels::LEADERBOARD,
    few_labels::FURTHER,
    spreading::SPREADING,
    rank::RANK,
    rank::TUNING,
    rank::LARGE,
    rank::REAL,
    rank::GUIDED,
    learning_curve::LEARNING_CURVE,
];

/// The protocol with this name.
///
/// # Errors
/// An unknown name, with those of the registry.
pub fn named(name: &str) -> Result<&'static Protocol> {
    match ALL.iter().find(|protocol| protocol.name == name) {
        Some(protocol) => Ok(protocol),
        None => {
            let valid: Vec<&str> = ALL.iter().map(|protocol| protocol.name).collect();
            bail!("there is no experiment \"{name}\"; valid: all, {}", valid.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_an_unknown_one_is_refused_with_them() {
        for protocol in ALL {
            assert_eq!(named(protocol.name).unwrap().title, protocol.title);
        }
        let message = named("alpha").unwrap_err().to_string();
        assert!(message.contains("\"alpha\"") && message.contains(ALL[0].name), "{message}");
    }

    #[test]
    fn every_experiment_states_what_it_is() {
        for protocol in ALL {
            let name = protocol.name;
            assert!(!name.is_empty() && !protocol.title.is_empty() && !protocol.paper.is_empty(), "{name}");
            assert!(!protocol.needs.is_empty() || protocol.title.contains("generated"), "{name}");
            assert!(!protocol.groups.is_empty(), "{name}");
            assert!(protocol.draws > 0 && protocol.reduced_draws > 0 && protocol.minutes > 0.0, "{name}");
            let (full, reduced) = ((protocol.cases)(Extent::Full), (protocol.cases)(Extent::Reduced));
            assert!(!reduced.is_empty() && reduced.len() <= full.len(), "{name}");
            assert!(
                reduced.iter().all(|case| full.contains(case)),
                "{name}: a reduced case that is not a full one"
            );
            assert!(protocol.axis.is_some() || full.iter().all(|case| case.x.is_none()), "{name}");
        }
    }

    #[test]
    fn groups_are_chosen_by_name_and_units_go_draw_by_draw() {
        let protocol = &cnmf::ORL;
        let groups = protocol.groups_named(&["cnmf".into(), "nmf".into()]).unwrap();
        let cases = (protocol.cases)(Extent::Reduced);
        let units = protocol.units(&cases, 2, &groups);
        let cases = cases.len();
        assert_eq!(units.len(), 2 * 2 * cases);
        assert!(units[..2 * cases].iter().all(|unit| unit.draw == 0));
        let message = protocol.groups_named(&["nfm".into()]).unwrap_err().to_string();
        assert!(message.contains("\"nfm\"") && message.contains("cnmf-kl"), "{message}");
    }

    #[test]
    fn cases_are_chosen_by_name_and_place_whatever_commas_names_hold() {
        fn named(protocol: &Protocol, wanted: &str) -> Result<Vec<Case>> {
            protocol.cases_named(Extent::Full, Some(wanted))
        }
        let text = |cases: Vec<Case>| cases.iter().map(Case::to_string).collect::<Vec<_>>();
        let orl = &cnmf::ORL;
        assert_eq!(text(named(orl, "ORL 4, ORL 2").unwrap()), ["ORL 2", "ORL 4"]);
        assert_eq!(named(orl, "ORL").unwrap(), (orl.cases)(Extent::Full));
        assert_eq!(orl.cases_named(Extent::Full, None).unwrap(), (orl.cases)(Extent::Full));
        let message = named(orl, " ").unwrap_err().to_string();
        assert!(message.contains("no case is named") && message.contains("ORL 2, ORL 3"), "{message}");
        // Each case alone is found by its own text, in every experiment, and so are all of them together.
        for protocol in ALL {
            let all = (protocol.cases)(Extent::Full);
            for case in &all {
                let found = named(protocol, &case.to_string()).unwrap();
                assert!(found.contains(case), "{}: {case}: {found:?}", protocol.name);
                assert!(case.x.is_none() || found.len() == 1, "{}: {case}: {found:?}", protocol.name);
            }
            assert_eq!(named(protocol, &text(all.clone()).join(",")).unwrap(), all, "{}", protocol.name);
            assert_eq!(named(protocol, &enumerated(&text(all.clone()))).unwrap(), all, "{}", protocol.name);
        }
        for (wanted, said) in
            [("ORL 11", "no case \"ORL 11\""), ("ORL 2,Yale", "no case \"Yale\""), ("ORL2", "ORL2")]
        {
            let message = named(orl, wanted).unwrap_err().to_string();
            assert!(message.contains(said) && message.contains("valid: ORL 2, ORL 3"), "{message}");
        }
        let message = orl.cases_named(Extent::Reduced, Some("ORL 3")).unwrap_err().to_string();
        assert!(message.contains("reduced") && message.contains("ORL 6, ORL 10"), "{message}");
    }
}
