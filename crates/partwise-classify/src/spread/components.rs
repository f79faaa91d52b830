//! How many components each class has, where the data decide.

use partwise::guidance::Guidance;
use partwise::recipes::components_for_class;
use partwise::{DataMatrix, Labels, Matrix, Notice, Real};

use crate::posteriors::largest;

/// The code of notices on components per class.
pub const COMPONENTS_PER_CLASS: &str = "components-per-class";

/// The guidance in which each class of the labels, whose topic has one component so far, has as many as its
/// samples need, how many were added in all, and a sentence on it. The samples of a class are its labelled
/// ones, and of the others those that have their largest posterior there.
pub(super) fn chosen<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    labels: &Labels,
    posteriors: Option<&Matrix<f64>>,
    seed: u64,
) -> (Guidance, usize, Notice) {
    let class = |i: usize| labels.class(i).or_else(|| posteriors.map(|p| largest(p.row(i))));
    let classes: Vec<Option<usize>> = (0..data.n_samples()).map(class).collect();
    let mut wanted: Vec<(String, usize)> = Vec::new();
    for (name, components) in guidance.all_topics() {
        let Some(class) = labels.names().iter().position(|known| *known == name) else { continue };
        if components == 1 {
            let samples: Vec<usize> = (0..classes.len()).filter(|i| classes[*i] == Some(class)).collect();
            wanted.push((name, components_for_class(data, &samples, seed)));
        }
    }
    let several: Vec<&(String, usize)> = wanted.iter().filter(|(_, count)| *count > 1).collect();
    let listed: Vec<String> = several.iter().map(|(name, count)| format!("\"{name}\" {count}")).collect();
    let (ones, of) = (wanted.len() - several.len(), wanted.len());
    let message = match (listed.as_slice(), ones) {
        ([], _) => format!("components per class: 1 for each of the {of} classes"),
        (listed, 0) => format!("components per class: {}", listed.join(", ")),
        (listed, 1) => format!("components per class: {}; 1 for the other class", listed.join(", ")),
        (listed, ones) => {
            format!("components per class: {}; 1 for the other {ones} classes", listed.join(", "))
        }
    };
    let added = wanted.iter().map(|(_, count)| count - 1).sum();
    let message = format!("{message} (as many as predict held-out samples of the class clearly better)");
    let notice = Notice { code: COMPONENTS_PER_CLASS, message };
    (guidance.clone().with_components(&wanted), added, notice)
}
