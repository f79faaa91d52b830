//! Partwise factors a non-negative matrix into parts, guided by what you know.
//!
//! ```text
//! X (n samples × d features) ≈ W (n × k codes) · H (k × d components),   W, H ≥ 0
//! ```
//!
//! The codes have one row per sample, the components one row each. Labels, reference codes and reference
//! components give the components the user's names ([`Model`]). Every solver ([`SolverChoice`]) supports
//! every method and loss that its update allows. Unsupported combinations are an error that lists the
//! supported ones.
//!
//! ```
//! use partwise::{DenseMatrix, Labels, Model, Settings, fit};
//!
//! // Six samples, two obvious parts, one label for two of them.
//! let x = DenseMatrix::new(6, 4, vec![
//!     2.0, 1.0, 0.0, 0.0,
//!     4.0, 2.0, 0.1, 0.0,
//!     1.0, 0.5, 0.0, 0.0,
//!     0.0, 0.0, 1.0, 3.0,
//!     0.1, 0.0, 2.0, 6.0,
//!     0.0, 0.0, 0.5, 1.5,
//! ])?;
//! let labels = Labels::from_integers(&[0, 0, -1, 1, 1, -1])?;
//! let fit = fit(&x, &Model::cnmf(labels), &Settings::new(2))?;
//! // Component 0 is class 0: sample 2 belongs there, sample 5 does not.
//! assert!(fit.codes.get(2, 0) > fit.codes.get(2, 1));
//! assert!(fit.codes.get(5, 1) > fit.codes.get(5, 0));
//! # Ok::<(), partwise::Error>(())
//! ```
//!
//! # Map
//!
//! [`fit()`] and [`fit_observed`] run the one loop; [`Settings`] holds every setting with its default and
//! range; [`Fit`] is the result, with [`Fit::transform`] for new rows and [`solve`] for one factor with the
//! other fixed. [`methods`] and [`solvers`] hold the registries that the command line and the tables of the
//! documentation are made from. [`metrics`] measures a clustering against labels. [`graphs`] builds graphs of
//! neighbours, [`clustering`] is k-means, and [`draw_labels`] draws the labelled samples of an experiment.
//! The same seed gives the same bits for any number of threads.
//!
//! # Data from other crates
//!
//! [`DenseMatrix`] takes row-major values, [`SparseMatrix`] the arrays of CSR with columns as `u32`; both
//! also borrow. No other crate's types are in the interface, so any of its versions will do:
//!
//! ```text
//! ndarray    DenseMatrix::new(a.nrows(), a.ncols(), a.iter().copied().collect())
//! nalgebra   DenseMatrix::new(m.nrows(), m.ncols(), m.transpose().as_slice().to_vec())
//! sprs       SparseMatrix::new(m.rows(), m.cols(), m.indptr().to_proper().into_owned(),
//!                m.indices().iter().map(|&j| j as u32).collect::<Vec<_>>(), m.data())     (a CSR matrix)
//! files      partwise_io::read_table(path, &ReadOptions::default())?.values.into_data()
//! ```
//!
//! # What is stable
//!
//! Until version 1.0 a new minor version (0.2, 0.3) may change names; the changelog lists each change. Meant
//! to stay: [`fit()`], [`fit_observed`], [`Settings`], [`Fit`], [`Model`], the data types, [`guidance`],
//! [`recipes`], [`metrics`], and model files, which every later version reads. Items that these pages don't
//! show (`#[doc(hidden)]`, and all of `internals`) serve the command line and the Python package and may
//! change in any version. A seed gives the same bits within one version, on one kind of processor.

pub mod clustering;
mod data;
mod engine;
mod fit;
mod foundation;
pub mod graphs;
pub mod guidance;
mod init;
mod kernels;
mod labels;
pub mod methods;
pub mod metrics;
mod problem;
pub mod recipes;
mod svm;
mod terms;

pub use data::{DataMatrix, DenseMatrix, ScaledRow, Scaling, ScalingKind, SparseMatrix, Summary};
pub use engine::{
    Acceleration, Init, Iteration, Loss, Observer, Settings, Slot, SolverChoice, StopReason, solvers,
};
pub use fit::{Encoding, Fit, Held, encode, fit, fit_observed, solve};
#[doc(hidden)]
pub use foundation::Once;
pub use foundation::draw::draw_labels;
pub use foundation::interrupt::{Interrupt, Interrupted};
#[doc(hidden)]
pub use foundation::nearest;
pub use foundation::{Error, Matrix, Notice, Real, Result};
pub use guidance::{
    Advice, CodeReference, ComponentReference, Guidance, LabelSets, LabelTargets, Labels, Strength,
    SupportVectors,
};
pub use methods::{MethodOptions, Model, StepRule};
pub use terms::AnchorScale;

/// What the tests and the other crates of the workspace share with the library. It is no part of the API and
/// may change at any time.
#[doc(hidden)]
pub mod internals {
    pub use crate::clustering::{check, check_centres, lloyd, plus_plus, rows, scatter, scores};
    pub use crate::data::range::in_range;
    pub use crate::data::{RowGroups, Side, times, transpose_times};
    pub use crate::fit::settings_for_new_rows;
    pub use crate::foundation::draw::{Generator, below, generator, uniform};
    pub use crate::foundation::interrupt::check as check_interrupt;
    pub use crate::foundation::pool::{CAPPED, Pool, capped, most_threads};
    pub use crate::graphs::{
        Neighbours, Spread, label_propagation, label_spreading, nearest_neighbours, spread_scores,
    };
    pub use crate::kernels::coordinates::{Costs, Stepped};
    pub use crate::kernels::{conjugate_gradients, symmetric_eigen, symmetric_mean};
    pub use crate::methods::{Machines, Shape, train_machines};
    pub use crate::problem::raw_counts;

    /// The seam between the loop and the place where a factorization runs: what a backend in another crate
    /// needs, and [`fit_on`](backend::fit_on), which runs the loop on it. It may still change.
    pub mod backend {
        pub use crate::engine::backend::{Backend, CpuBackend, Exact, ReferenceBackend};
        pub use crate::engine::{Factors, Problem, Transfer, Transferred};
        pub use crate::fit::fit_on;
    }

    /// The objective seen from one factor.
    pub mod quadratic {
        pub use crate::engine::{KlMajorizer, Penalties, Quadratic, RowGroup, Subproblem};
    }

    /// The solvers of non-negative least squares rows.
    pub mod solvers {
        pub use crate::engine::solvers::{Bpp, Hals, Mu, Nesterov, NesterovRunning, NnlsSolver, Rows};
    }

    /// Linear support vector machines.
    pub mod svm {
        pub use crate::svm::*;
    }

    /// The mechanisms that methods are made of.
    pub mod terms {
        pub use crate::terms::*;
    }
}

/// Data in row blocks, which may lie in a file. It may still change.
#[doc(hidden)]
pub mod blocks {
    pub use crate::data::{BlockSizes, BlockedMatrix, RowBlocks, Transport};
    pub use crate::engine::Checkpoints;
    pub use crate::fit::memory::of_fit_in_blocks;
    pub use crate::foundation::fault::caught;
}

/// How much memory a piece of work will need, from sizes alone, before anything is allocated. An estimate is
/// meant to lie between the true peak and one and a half times of it.
pub mod memory {
    pub use crate::data::DataSize;
    pub use crate::fit::memory::{of_fit, of_nnls, of_solve};
    pub use crate::foundation::Estimate;
    pub use crate::foundation::words::in_words;
    pub use crate::graphs::of_neighbours;
}

/// The README's Rust block is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
