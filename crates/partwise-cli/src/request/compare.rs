//! `partwise compare`: its flags, checked.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use partwise::ScalingKind;
use partwise_classify::compare::Contender;

use super::choices::{self, Precision};
use super::data::{DataSource, ReadFlags};
use super::groups::{LabelSource, Run, Write, WriteFlags};
use super::method_flags::Given;

/// Compares methods on your data: each draw gives all of them the same few labels, and judges them by the
/// samples whose label was not drawn.
///
/// Methods whose components are the classes, and the classifier, are judged by the names that they give;
/// others by the best one-to-one map of clusters to classes. Prints a table, and writes compare.csv (a row
/// for each method), draws.csv (a row for each run), report.html and run.json.
#[derive(Args, Clone, Debug)]
pub(crate) struct CompareFlags {
    #[command(flatten)]
    given: Given,
    #[command(flatten)]
    read: ReadFlags,
    /// Known labels, in the formats of `fit --labels`: of as many samples as you have. A draw uses a few of
    /// them.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The column with the labels: of the --labels table, or of the data without --labels.
    #[arg(long, value_name = "NAME")]
    label_column: Option<String>,
    /// The methods, separated by commas: names of `partwise methods`, and "classifier" for the few-label
    /// classifier. Differences are to the first. Default: plain NMF, the methods whose components are the
    /// classes, and the classifier.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    methods: Vec<String>,
    /// Draws of labels, 1 or more.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = choices::positive, allow_negative_numbers = true)]
    draws: usize,
    /// Labels per class that a draw gives to the methods, 1 or more; several numbers are separated by commas.
    #[arg(long, value_name = "LIST", value_parser = choices::positive, value_delimiter = ',', default_value = "2", allow_negative_numbers = true)]
    labels_per_class: Vec<usize>,
    /// The number of components of methods that do not name classes. Default: the number of classes.
    #[arg(short = 'k', long, value_name = "K", value_parser = choices::positive, allow_negative_numbers = true)]
    n_components: Option<usize>,
    /// Scaling of the data before anything is computed.
    #[arg(long, value_parser = choices::scales())]
    scale: Option<ScalingKind>,
    #[command(flatten)]
    run: Run,
    /// The number type of the computation.
    #[arg(long, value_enum, default_value = "auto")]
    dtype: Precision,
    #[command(flatten)]
    write: WriteFlags,
}

/// `partwise compare`.
pub(crate) struct CompareRequest {
    pub(crate) data: DataSource,
    pub(crate) labels: LabelSource,
    pub(crate) methods: Vec<Contender>,
    pub(crate) draws: usize,
    pub(crate) labels_per_class: Vec<usize>,
    pub(crate) rank: Option<usize>,
    pub(crate) scaling: ScalingKind,
    pub(crate) run: Run,
    pub(crate) dtype: Precision,
    pub(crate) write: Write,
}

impl CompareRequest {
    pub(crate) fn new(flags: CompareFlags) -> Result<Self> {
        flags.given.check_standard_input()?;
        let (labels, label_column) = (flags.labels, flags.label_column);
        let labels = LabelSource { labels, labels_per_class: None, label_column };
        if !labels.are_given() {
            bail!("a comparison needs labels to judge the methods by; give --labels or --label-column");
        }
        let methods = match flags.methods.is_empty() {
            true => Contender::defaults(),
            false => flags
                .methods
                .iter()
                .map(|name| Contender::from_name(name.trim()))
                .collect::<partwise::Result<_>>()?,
        };
        for (at, method) in methods.iter().enumerate() {
            if methods[..at].iter().any(|other| other.name() == method.name()) {
                bail!("--methods names {} twice", method.name());
            }
        }
        let data = flags.read.source(labels.column_of_data())?;
        let (scaling, write) = (data.scaling(flags.scale), flags.write.for_data(&data, "compare"));
        Ok(CompareRequest {
            data,
            labels,
            methods,
            draws: flags.draws,
            labels_per_class: flags.labels_per_class,
            rank: flags.n_components,
            scaling,
            run: flags.run,
            dtype: flags.dtype,
            write,
        })
    }
}
