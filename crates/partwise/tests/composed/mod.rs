//! Faults in guidance of several kinds, and in images.

use crate::common::facts::Facts;
use partwise::guidance::{Advice, Guidance, Strength, Topic};
use partwise::{Init, Matrix, Model, Settings, Slot, fit};

use super::{Faults, example};

/// Guidance of several kinds.
pub(crate) fn composed(faults: &mut Faults) {
    let example = example();
    let x = example.dense::<f64>();
    let mut check = |guidance: Guidance, parts: &[&str]| {
        faults.check(fit(&x, &Model::guided(guidance), &Settings::new(2)), parts);
    };
    let one = |advice| Guidance::new([Topic::new("sea")]).with(advice);
    check(Guidance::new([Topic::new(" ")]), &["topic 0 has no name"]);
    check(Guidance::new([Topic::new("sea"), Topic::new("sea")]), &["two topics", "\"sea\""]);
    check(Guidance::new(["a", "b", "c"].map(Topic::new)), &["rank k is 2", "at least 3", "a, b, c"]);
    check(Guidance::new([Topic::new("sea").with_seeds([7])]), &["seed", "\"sea\" is 7", "below 5"]);
    check(
        Guidance::new([Topic::new("sea").with_seeds(["wave"])]),
        &["seed \"wave\"", "\"sea\"", "names of the features"],
    );
    check(
        Guidance::new([Topic::new("sea").with_seeds([1]).without([1])]),
        &["feature 1", "seed", "forbidden"],
    );
    let labels = |strength| Advice::labels(example.labels()).with_strength(strength);
    let labelled = |strength| Guidance::default().with(labels(strength));
    check(labelled(Strength::Relative(1.5)), &["strength of the labels is 1.5", "0 (ignored) to 1"]);
    check(labelled(Strength::Raw(-1.0)), &["strength of the labels is -1", "0 or more"]);
    let links = |must: &[(usize, usize)], cannot: &[(usize, usize)], s| Advice::Links {
        must: must.to_vec(),
        cannot: cannot.to_vec(),
        strength: Strength::Relative(s),
    };
    check(one(links(&[(0, 9)], &[], 0.5)), &["must-link (0, 9) is 9", "below 8"]);
    check(one(links(&[(3, 3)], &[], 0.5)), &["(3, 3)", "to itself"]);
    check(one(links(&[(0, 1), (1, 2)], &[(0, 2)], 1.0)), &["samples 0 and 2", "cannot-link", "must-links"]);
    check(one(links(&[], &[(0, 2)], 1.0)), &["exact cannot-links", "fit_guided"]);
    let sets =
        |sets| Advice::Sets { names: vec!["sea".into(), "sky".into()], sets, strength: Strength::HELD };
    let mut given = vec![None; 8];
    given[2] = Some(vec![]);
    check(one(sets(given.clone())), &["set of sample 2 is empty"]);
    given[2] = Some(vec![4]);
    check(one(sets(given)), &["sample 2 has topic number 4", "2 topics"]);
    let twice = |topic: u32| (0..8).map(|i| (i == 5).then(|| vec![topic])).collect::<Vec<_>>();
    check(one(sets(twice(0))).with(sets(twice(1))), &["sample 5", "may not use any component", "contradict"]);
}

pub(crate) fn images(faults: &mut Faults) {
    let x = example().dense::<f64>();
    let settings = Settings::new(2);
    let shapeless = Facts::default().try_model("ntf").unwrap();
    faults.check(fit(&x, &shapeless, &settings), &["NTF needs the shape of the images"]);
    faults.check(fit(&x, &Model::ntf((2, 3)), &settings), &["images", "2 x 3", "features, 5"]);
    let model = Model::ntf((5, 1));
    let penalized = Settings { l1: (0.1, 0.1), ..settings.clone() };
    faults.check(fit(&x, &model, &penalized), &["penalty with NTF", "no penalties"]);
    let nndsvd = Settings { init: Init::Nndsvda, ..settings.clone() };
    faults.check(fit(&x, &model, &nndsvd), &["nndsvda", "NTF", "start random"]);
    let given = |slot, rows| {
        let factor = Matrix::from_fn(rows, 2, |_, _| 1.0);
        Settings { init: Init::Given(vec![(slot, factor)]), ..settings.clone() }
    };
    faults.check(fit(&x, &model, &given(Slot::Components, 5)), &["start for the components", "image rows"]);
    faults.check(fit(&x, &model, &given(Slot::ImageRows, 4)), &["image rows of the start", "4 x 2", "5 x 2"]);
}
