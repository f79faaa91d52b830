//! The `.h5` of 10x Genomics: counts of features × cells in compressed columns, which are the rows of cells ×
//! features. Cell Ranger 3 and later write one group `matrix` with a table of features; Cell Ranger 2 a
//! group for each genome.

use std::collections::{HashMap, HashSet};

use crate::error::{IoError, Result};
use crate::formats::hdf5::matrix::{self, Sides};
use crate::formats::hdf5::reader::Reader;
use crate::formats::hdf5::{Found, Named};
use crate::table::counted;

/// The feature type that is read if there are several.
const GENES: &str = "Gene Expression";

/// Where the groups of a file are, by the version of its layout.
pub(super) enum Layout {
    /// One group, `matrix`.
    Matrix,
    /// A group for each genome.
    Genomes(Vec<String>),
}

impl Layout {
    /// The layout of a file, if it is one of 10x Genomics.
    pub(super) fn of(reader: &Reader<'_>) -> Option<Layout> {
        let is_matrix = |group: &str| {
            let names = reader.file.names(group).unwrap_or_default();
            ["barcodes", "data", "indices", "indptr", "shape"]
                .iter()
                .all(|part| names.iter().any(|n| n == part))
        };
        if is_matrix("matrix") {
            return Some(Layout::Matrix);
        }
        let mut genomes = reader.file.names("")?;
        genomes.retain(|name| is_matrix(name));
        (!genomes.is_empty()).then_some(Layout::Genomes(genomes))
    }
}

/// Which counts of a file are read.
pub(super) struct Selected {
    /// The group that contains them.
    pub(super) group: String,
    /// The barcodes of the cells, and the names of the features that stay.
    pub(super) names: Named,
    /// Where some features are left out: the new place of each that stays.
    pub(super) places: Option<Vec<Option<u32>>>,
    pub(super) notes: Vec<String>,
}

impl Selected {
    /// Those of a feature type or a genome.
    pub(super) fn new(reader: &Reader<'_>, layout: &Layout, layer: Option<&str>) -> Result<Self> {
        match layout {
            Layout::Matrix => features(reader, layer),
            Layout::Genomes(genomes) => genome(reader, genomes, layer),
        }
    }

    pub(super) fn sides(&self) -> Sides {
        self.names.sides()
    }
}

/// Reads the counts with the barcodes of the cells and the names of the features.
pub(super) fn read(reader: &Reader<'_>, layout: &Layout, layer: Option<&str>) -> Result<Found> {
    let selected = Selected::new(reader, layout, layer)?;
    let sides = selected.sides();
    let Selected { group, names, places, mut notes } = selected;
    let values = matrix::rows(reader, &group, sides, places.as_deref(), &mut notes)?;
    Ok(Found { values, names, notes, labels: None })
}

/// Layout 3: the features of one type.
fn features(reader: &Reader<'_>, layer: Option<&str>) -> Result<Selected> {
    let names = reader.texts("matrix/features/name")?;
    let types = reader.texts("matrix/features/feature_type")?;
    if types.len() != names.len() {
        let message = format!("{} feature types, but {} names", types.len(), names.len());
        return Err(reader.malformed("matrix/features/feature_type", message));
    }
    let mut valid: Vec<String> = Vec::new();
    types.iter().for_each(|own| {
        if !valid.contains(own) {
            valid.push(own.clone());
        }
    });
    let has_genes = valid.iter().any(|own| own == GENES);
    let read = match (layer, &valid[..]) {
        (Some(layer), _) if valid.iter().any(|own| own == layer) => layer,
        (Some(layer), _) => {
            let (path, name) = (reader.path.to_path_buf(), layer.to_string());
            return Err(IoError::UnknownName { path, kind: "feature type", name, valid });
        }
        (None, [only]) => only,
        (None, _) if has_genes => GENES,
        (None, []) => "",
        (None, several) => {
            let several: Vec<&str> = several.iter().map(String::as_str).collect();
            let message = "the file has several feature types; choose one with --layer";
            return Err(reader.unsupported("matrix/features/feature_type", message, &several));
        }
    };
    let mut places = Vec::with_capacity(names.len());
    let mut stays = 0;
    for own in &types {
        places.push((own == read).then_some(stays));
        stays += u32::from(own == read);
    }
    let mut notes = Vec::new();
    let left_out = names.len() - stays as usize;
    if left_out > 0 {
        let others: Vec<&str> = valid.iter().map(String::as_str).filter(|own| *own != read).collect();
        notes.push(format!(
            "{} of other types ({}) {} left out; --layer reads another type",
            counted(left_out, "feature", "features"),
            others.join(", "),
            if left_out == 1 { "was" } else { "were" }
        ));
    }
    let names = names.into_iter().zip(&types).filter(|(_, own)| *own == read).map(|(name, _)| name).collect();
    let places = (left_out > 0).then_some(places);
    counts(reader, "matrix", names, types.len(), places, notes)
}

/// Layout 2: the genes of one genome.
fn genome(reader: &Reader<'_>, genomes: &[String], layer: Option<&str>) -> Result<Selected> {
    let genome = match (layer, genomes) {
        (Some(layer), _) if genomes.iter().any(|genome| genome == layer) => layer,
        (Some(layer), _) => {
            let (path, name, valid) = (reader.path.to_path_buf(), layer.to_string(), genomes.to_vec());
            return Err(IoError::UnknownName { path, kind: "genome", name, valid });
        }
        (None, [only]) => only,
        (None, several) => {
            let several: Vec<&str> = several.iter().map(String::as_str).collect();
            return Err(reader.unsupported(
                "",
                "the file has several genomes; choose one with --layer",
                &several,
            ));
        }
    };
    let names = reader.texts(&format!("{genome}/gene_names"))?;
    let count = names.len();
    counts(reader, genome, names, count, None, Vec::new())
}

/// The counts of a group. `names` are those of the features that stay, `of` is the number of all.
fn counts(
    reader: &Reader<'_>,
    group: &str,
    names: Vec<String>,
    of: usize,
    places: Option<Vec<Option<u32>>>,
    mut notes: Vec<String>,
) -> Result<Selected> {
    let cells = reader.texts(&format!("{group}/barcodes"))?;
    let shape = format!("{group}/shape");
    let shape = if reader.vector(&shape)?.len() == 2 { reader.whole_vector(&shape)? } else { Vec::new() };
    if shape != [of as i64, cells.len() as i64] {
        let message = format!(
            "the shape is {shape:?}, but there are {} and {}",
            counted(of, "feature", "features"),
            counted(cells.len(), "barcode", "barcodes")
        );
        return Err(reader.malformed(&format!("{group}/shape"), message));
    }
    let names = Named { rows: cells, columns: unique(names, &mut notes) };
    Ok(Selected { group: group.to_string(), names, places, notes })
}

/// Names of which none comes twice: -1, -2, … is appended, as `var_names_make_unique` of anndata does.
fn unique(mut names: Vec<String>, notes: &mut Vec<String>) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    if taken.len() == names.len() {
        return names;
    }
    let (mut seen, mut next): (HashSet<String>, HashMap<String, usize>) = Default::default();
    let mut changed = 0;
    for name in &mut names {
        if seen.insert(name.clone()) {
            continue;
        }
        let count = next.entry(name.clone()).or_insert(1);
        let mut own = format!("{name}-{count}");
        while taken.contains(&own) {
            *count += 1;
            own = format!("{name}-{count}");
        }
        *count += 1;
        taken.insert(own.clone());
        seen.insert(own.clone());
        *name = own;
        changed += 1;
    }
    notes.push(format!(
        "{} as an earlier one and got -1, -2, ... at its end",
        counted(changed, "feature has the same name", "features have the same name")
    ));
    names
}
