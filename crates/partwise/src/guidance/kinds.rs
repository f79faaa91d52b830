//! [`Kind`]: what readers of files need to know of an item before there is one: its name, the fields of its
//! schema, and what the rows and columns of its table are.

use super::Advice;

/// What the rows or the columns of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Samples of the data, n.
    Samples,
    /// Features of the data, d.
    Features,
    /// The `names` of the item.
    Names,
    /// Others: components, or labels.
    Others,
    /// One only: the table is a list.
    Single,
}

/// The field of an item that a file may hold as a table of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemTable {
    /// The field.
    pub field: &'static str,
    /// What its rows are.
    pub rows: Axis,
    /// What its columns are.
    pub columns: Axis,
}

/// A kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The name that messages and documents use.
    pub name: &'static str,
    /// The other fields of its schema that say what is known. `n_samples` follows from the data.
    pub fields: &'static [&'static str],
    /// The fields that say how it is meant.
    pub manner: &'static [&'static str],
    /// The field that is a table, where it has one.
    pub table: Option<ItemTable>,
}

impl Kind {
    /// Its name as a key of a file: `"sample_weights"`.
    pub fn key(&self) -> String {
        self.name.replace(' ', "_")
    }

    /// Whether no user gives it, for it is derived from other items.
    pub fn is_derived(&self) -> bool {
        matches!(self.name, "spread" | "scorer")
    }
}

const fn kind(
    name: &'static str,
    fields: &'static [&'static str],
    manner: &'static [&'static str],
    table: Option<ItemTable>,
) -> Kind {
    Kind { name, fields, manner, table }
}

const fn table(field: &'static str, rows: Axis, columns: Axis) -> Option<ItemTable> {
    Some(ItemTable { field, rows, columns })
}

const STRENGTH: &[&str] = &["strength"];

impl Advice {
    /// The kinds in the order in which items are taken.
    #[doc(hidden)]
    pub const KINDS: &[Kind] = &[
        kind("labels", &["n_samples", "samples", "classes", "names"], &["rule", "strength"], None),
        kind("sets", &["n_samples", "samples", "sets", "names"], STRENGTH, None),
        kind("memberships", &["names"], STRENGTH, table("shares", Axis::Samples, Axis::Names)),
        kind("references", &["names"], STRENGTH, table("profiles", Axis::Names, Axis::Features)),
        kind("links", &["must", "cannot"], STRENGTH, None),
        kind("graph", &["n_samples"], STRENGTH, table("edges", Axis::Samples, Axis::Samples)),
        kind("sample weights", &[], &[], table("weights", Axis::Single, Axis::Samples)),
        kind("known entries", &[], &[], table("rows", Axis::Samples, Axis::Features)),
        kind("known features", &["counts", "features"], &[], None),
        kind("weights of entries", &[], &[], table("rows", Axis::Samples, Axis::Features)),
        kind("feature weights", &[], &[], table("weights", Axis::Single, Axis::Features)),
        kind("reference codes", &["weight"], &[], table("reference", Axis::Samples, Axis::Others)),
        kind("reference components", &["weight"], &[], table("reference", Axis::Others, Axis::Features)),
        kind("label targets", &[], STRENGTH, table("targets", Axis::Samples, Axis::Others)),
        kind("spread", &["names", "weights"], STRENGTH, table("posteriors", Axis::Samples, Axis::Names)),
        kind("scorer", &["names"], &[], table("weights", Axis::Names, Axis::Others)),
    ];

    /// Its place among [`Advice::KINDS`].
    pub(super) fn place(&self) -> usize {
        match self {
            Advice::Labels { .. } => 0,
            Advice::Sets { .. } => 1,
            Advice::Memberships { .. } => 2,
            Advice::References { .. } => 3,
            Advice::Links { .. } => 4,
            Advice::Graph { .. } => 5,
            Advice::SampleWeights(_) => 6,
            Advice::KnownEntries(_) => 7,
            Advice::KnownFeatures(_) => 8,
            Advice::EntryWeights(_) => 9,
            Advice::FeatureWeights(_) => 10,
            Advice::CodeReference(_) => 11,
            Advice::ComponentReference(_) => 12,
            Advice::Targets { .. } => 13,
            Advice::Spread(_) => 14,
            Advice::Scorer(_) => 15,
        }
    }

    /// Its kind, for messages.
    pub fn kind(&self) -> &'static str {
        Advice::KINDS[self.place()].name
    }
}
