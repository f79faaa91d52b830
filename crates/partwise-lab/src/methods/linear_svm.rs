//! A linear support vector machine on the labelled samples: one class against the others.
//!
//! ```text
//! w_c: the support vector machine of class c (+1) against the other labelled samples (−1);
//!     class of x: argmax_c w_c·x
//! ```
//!
//! References: C.-J. Hsieh et al., "A dual coordinate descent method for large-scale linear SVM", ICML 2008,
//! doi 10.1145/1390156.1390208. The registry's machine has the squared hinge and no bias: on two labels a
//! class of faces, rows of unit length, the hinge at C = 1 has every α at its bound and is little more than a
//! class mean (Yale: accuracy 35 against 50; see [`partwise::internals::svm`]). Labelled samples are
//! classified too.

use partwise::internals::svm::{Svm, SvmLoss, SvmSettings, train};
use partwise::{DataMatrix, Labels, Result};

use super::rows;
use super::{Outcome, Task};

/// One machine for each class of `labels` over `data` (n × d).
///
/// # Errors
/// [`Shape`](partwise::Error::Shape) when labels are not one a sample; [`Labels`](partwise::Error::Labels)
/// for fewer than two classes; and as [`partwise::internals::svm::train`].
pub fn one_against_rest(
    data: &dyn DataMatrix<f64>,
    labels: &Labels,
    settings: &SvmSettings,
) -> Result<Vec<Svm>> {
    super::check_labels(data, labels)?;
    super::check_two_classes("a support vector machine", labels)?;
    let samples: Vec<usize> = (0..labels.n_samples()).filter(|&i| labels.class(i).is_some()).collect();
    let machine = |class: usize| {
        let targets: Vec<i8> =
            samples.iter().map(|&i| if labels.class(i) == Some(class) { 1 } else { -1 }).collect();
        train(data, &samples, &targets, settings)
    };
    (0..labels.n_classes()).map(machine).collect()
}

/// The class of each row of `data` whose machine gives the largest value, ties to the lower class.
///
/// # Errors
/// [`Shape`](partwise::Error::Shape) when the data have another number of features.
pub fn classify(data: &dyn DataMatrix<f64>, machines: &[Svm]) -> Result<Vec<usize>> {
    let values: Vec<Vec<f64>> =
        machines.iter().map(|machine| machine.decision_values(data)).collect::<Result<_>>()?;
    Ok((0..data.n_samples()).map(|i| rows::largest(values.iter().map(|value| value[i]))).collect())
}

/// As the registry runs it: squared hinge, C = 1.
pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let settings = SvmSettings { loss: SvmLoss::SquaredHinge, seed: task.seed, ..SvmSettings::default() };
    let machines = one_against_rest(task.data, task.labels("a support vector machine")?, &settings)?;
    Ok(Outcome::clusters(&classify(task.data, &machines)?))
}
