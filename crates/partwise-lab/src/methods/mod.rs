//! The methods that guided factorization is compared with: clusterings with and without guidance,
//! projections, and classifiers. One method a file, each with functions of its own, and the registry [`ALL`],
//! which runs every method on the same [`Task`] with the defaults that its file states.
//!
//! ```
//! use partwise::{DenseMatrix, Labels};
//! use partwise_lab::methods::{self, Task};
//!
//! let x = DenseMatrix::new(6, 2, vec![1.0, 0.0, 1.2, 0.1, 0.9, 0.0, 0.0, 2.0, 0.1, 2.2, 0.0, 1.9])?;
//! let labels = Labels::from_integers(&[0, -1, -1, 1, -1, -1])?;
//! let method = methods::named("label-propagation")?;
//! let outcome = (method.run)(&Task { labels: Some(&labels), ..Task::new(&x, 2) })?;
//! assert_eq!(outcome.labels, [0, 0, 0, 1, 1, 1]);
//! # Ok::<(), partwise::Error>(())
//! ```

mod eigen;
pub(crate) mod k_means;
pub mod label_spreading;
pub mod lda;
pub mod linear_svm;
pub mod links;
pub mod mpck_means;
pub mod nearest_neighbours;
pub mod pca;
pub mod pck_means;
mod rows;
pub mod seeded_k_means;
pub mod spectral;
pub mod ss_nmf1;
pub mod ss_spectral;
pub mod transductive_svm;

pub use links::Links;

use partwise::{DataMatrix, Error, Labels, Matrix, Result};

/// What a method is given.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The samples (n × d).
    pub data: &'a dyn DataMatrix<f64>,
    /// The number of clusters. Classifiers have one a class instead.
    pub clusters: usize,
    /// The labels of some samples.
    pub labels: Option<&'a Labels>,
    /// Links between samples. Methods that need them take [`Links::chained`] from the labels where none are
    /// given.
    pub links: Option<&'a Links>,
    /// The seed of everything random.
    pub seed: u64,
    /// Threads for restarts; no result depends on them.
    pub threads: usize,
}

impl<'a> Task<'a> {
    /// A task without guidance, seed 0, one thread.
    pub fn new(data: &'a dyn DataMatrix<f64>, clusters: usize) -> Self {
        Task { data, clusters, labels: None, links: None, seed: 0, threads: 1 }
    }

    fn labels(&self, method: &str) -> Result<&'a Labels> {
        let missing =
            || Error::MissingGuidance { model: method.into(), needs: "labels of some samples".into() };
        self.labels.ok_or_else(missing)
    }

    fn links(&self, method: &str) -> Result<Links> {
        match (self.links, self.labels) {
            (Some(links), _) => Ok(links.clone()),
            (None, Some(labels)) => {
                check_labels(self.data, labels)?;
                Ok(Links::chained(labels, self.seed))
            }
            (None, None) => {
                let needs = "links, or labels of some samples to make links of".into();
                Err(Error::MissingGuidance { model: method.into(), needs })
            }
        }
    }
}

/// What a method gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The cluster or class of each sample (n), from 0.
    pub labels: Vec<i32>,
    /// The samples in the space that the method found (n rows), where it has one.
    pub coordinates: Option<Matrix<f64>>,
    /// What should be known about this result: a disconnected graph, samples that no label reached.
    pub notes: Vec<String>,
}

impl Outcome {
    fn clusters(labels: &[usize]) -> Self {
        let number = |label: &usize| i32::try_from(*label).expect("there are fewer clusters than samples");
        Outcome { labels: labels.iter().map(number).collect(), coordinates: None, notes: Vec::new() }
    }
}

/// What a method can't do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The number of clusters alone.
    Nothing,
    /// Labels of some samples.
    Labels,
    /// Links, or labels to make them of.
    Links,
}

/// One line of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The name to ask for it by.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// What it can't do without.
    pub needs: Needs,
    /// Where it is published.
    pub reference: &'static str,
    /// The digital object identifier of that.
    pub doi: Option<&'static str>,
    /// The algorithm and its limit of iterations, as tables show it.
    pub solver: &'static str,
    /// Runs it.
    ///
    /// # Errors
    /// [`Error::MissingGuidance`] without what it needs, and what its own functions name.
    pub run: fn(&Task<'_>) -> Result<Outcome>,
}

/// The registry: every method, in the order in which tables show them.
/// Long because it is a table.
pub const ALL: &[Method] = &[
    Method {
        name: "k-means",
        title: "k-means from k-means++ starts, the best of 20",
        needs: Needs::Nothing,
        reference: "Lloyd 1982",
        doi: Some("10.1109/TIT.1982.1056489"),
        solver: k_means::SOLVER,
        run: k_means::run,
    },
    Method {
        name: "seeded-k-means",
        title: "k-means that starts from the class means",
        needs: Needs::Labels,
        reference: "Basu, Banerjee & Mooney, ICML 2002",
        doi: None,
        solver: seeded_k_means::SOLVER,
        run: seeded_k_means::run,
    },
    Method {
        name: "constrained-k-means",
        title: "seeded k-means in which labelled samples keep their class",
        needs: Needs::Labels,
        reference: "Basu, Banerjee & Mooney, ICML 2002",
        doi: None,
        solver: seeded_k_means::SOLVER,
        run: seeded_k_means::run_constrained,
    },
    Method {
        name: "pck-means",
        title: "k-means with a price on broken links",
        needs: Needs::Links,
        reference: "Basu, Banerjee & Mooney, SDM 2004",
        doi: None,
        solver: "assignment in turn, at most 300 iterations",
        run: pck_means::run,
    },
    Method {
        name: "mpck-means",
        title: "PCK-means that learns a diagonal metric for each cluster",
        needs: Needs::Links,
        reference: "Bilenko, Basu & Mooney, ICML 2004",
        doi: Some("10.1145/1015330.1015360"),
        solver: "assignment in turn, at most 100 iterations",
        run: mpck_means::run,
    },
    Method {
        name: "spectral",
        title: "spectral clustering of the self-tuning neighbour graph",
        needs: Needs::Nothing,
        reference: "Ng, Jordan & Weiss, NIPS 2001",
        doi: None,
        solver: spectral::SOLVER,
        run: spectral::run,
    },
    Method {
        name: "ss-spectral",
        title: "spectral clustering of the neighbour graph with links written into it",
        needs: Needs::Links,
        reference: "Kulis, Basu, Dhillon & Mooney, Machine Learning 2009",
        doi: Some("10.1007/s10994-008-5084-4"),
        solver: spectral::SOLVER,
        run: ss_spectral::run,
    },
    Method {
        name: "ss-nmf1",
        title: "symmetric tri-factorization of a similarity with links written into it",
        needs: Needs::Links,
        reference: "Chen, Rege, Dong & Hua, Knowledge and Information Systems 2008",
        doi: Some("10.1007/s10115-008-0134-6"),
        solver: "multiplicative updates, at most 500 iterations",
        run: ss_nmf1::run,
    },
    Method {
        name: "pca",
        title: "k-means on as many principal components as clusters",
        needs: Needs::Nothing,
        reference: "Pearson 1901",
        doi: Some("10.1080/14786440109462720"),
        solver: "eigenvectors; Lloyd, at most 300 iterations, the best of 20 starts",
        run: pca::run,
    },
    Method {
        name: "lda",
        title: "the nearest class mean along discriminant directions",
        needs: Needs::Labels,
        reference: "Fisher 1936",
        doi: Some("10.1111/j.1469-1809.1936.tb02137.x"),
        solver: "Cholesky and eigenvectors",
        run: lda::run,
    },
    Method {
        name: "linear-svm",
        title: "linear support vector machines, one class against the others",
        needs: Needs::Labels,
        reference: "Hsieh et al., ICML 2008",
        doi: Some("10.1145/1390156.1390208"),
        solver: "dual coordinate descent, at most 10000 passes",
        run: linear_svm::run,
    },
    Method {
        name: "transductive-svm",
        title: "support vector machines that label the unlabelled by switching",
        needs: Needs::Labels,
        reference: "Joachims, ICML 1999",
        doi: None,
        solver: "switching; dual coordinate descent, at most 10000 passes",
        run: transductive_svm::run,
    },
    Method {
        name: "label-propagation",
        title: "labels flow along the neighbour graph and stay where they were given",
        needs: Needs::Labels,
        reference: "Zhu, Ghahramani & Lafferty, ICML 2003",
        doi: None,
        solver: label_spreading::SOLVER,
        run: label_spreading::run_propagation,
    },
    Method {
        name: "label-spreading",
        title: "labels flow along the neighbour graph and may change",
        needs: Needs::Labels,
        reference: "Zhou et al., NIPS 2003",
        doi: None,
        solver: label_spreading::SOLVER,
        run: label_spreading::run_spreading,
    },
    Method {
        name: "nearest-neighbours",
        title: "the 5 nearest labelled samples vote",
        needs: Needs::Labels,
        reference: "Cover & Hart 1967",
        doi: Some("10.1109/TIT.1967.1053964"),
        solver: "all distances",
        run: nearest_neighbours::run,
    },
];

/// The method `name`.
///
/// # Errors
/// [`Error::UnknownName`], which lists the names.
pub fn named(name: &str) -> Result<&'static Method> {
    ALL.iter().find(|method| method.name == name).ok_or_else(|| Error::UnknownName {
        kind: "comparison method".into(),
        name: name.into(),
        valid: ALL.iter().map(|method| method.name.into()).collect(),
    })
}

/// Refuses labels of another number of samples, or none at all.
fn check_labels(data: &dyn DataMatrix<f64>, labels: &Labels) -> Result<()> {
    check_label_count(data.n_samples(), labels)
}

fn check_label_count(n_samples: usize, labels: &Labels) -> Result<()> {
    if labels.n_samples() != n_samples {
        return Err(Error::Shape {
            what: "the labels".into(),
            expected: format!("{n_samples} entries (one a sample)"),
            found: format!("{} entries", labels.n_samples()),
        });
    }
    if labels.n_classes() == 0 {
        return Err(Error::Labels("no sample is labelled; at least one label is needed".into()));
    }
    Ok(())
}

fn check_two_classes(method: &str, labels: &Labels) -> Result<()> {
    if labels.n_classes() >= 2 {
        return Ok(());
    }
    Err(Error::Labels(format!(
        "the only class is \"{}\"; {method} needs labelled samples of at least two classes",
        labels.names()[0]
    )))
}

fn check_features(data: &dyn DataMatrix<f64>, expected: usize) -> Result<()> {
    if data.n_features() == expected {
        return Ok(());
    }
    Err(Error::Shape {
        what: "the data to project".into(),
        expected: format!("{expected} features"),
        found: format!("{} features", data.n_features()),
    })
}
