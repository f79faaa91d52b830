//! Promise: every fault of a user is an error that says what was wrong, where, and what is valid; every
//! policy is a notice with a stable code. Long because every variant and every notice is provoked here, and
//! the tests check that none is left out.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;
mod composed;

use common::facts::{Facts, Margins};
use std::collections::BTreeSet;

use common::Example;
use common::blocks::Slices;
use partwise::graphs::Graph;
use partwise::recipes::{PieceReader, StrengthRule, search_strength};
use partwise::{
    CodeReference, ComponentReference, DenseMatrix, Encoding, Held, Init, LabelSets, LabelTargets, Labels,
    Loss, Matrix, Model, Result, Settings, Slot, SolverChoice, SparseMatrix, SupportVectors, encode, fit,
    solve,
};

fn example() -> Example {
    Example::new(8, 5, 2, 3)
}

/// Every error as (the result, parts of its message).
struct Faults(BTreeSet<String>);

impl Faults {
    fn check<V>(&mut self, result: Result<V>, parts: &[&str]) {
        let Err(error) = result else { panic!("no error, but one with {parts:?} was due") };
        let message = error.to_string();
        for part in parts {
            assert!(message.contains(part), "\"{message}\" does not say \"{part}\"");
        }
        let name = format!("{error:?}");
        self.0.insert(name.split([' ', '(']).next().unwrap().to_string());
    }
}

/// The variants that the enum in the source has.
fn variants() -> BTreeSet<String> {
    let source = include_str!("../src/foundation/error.rs");
    let body = source.split("pub enum Error {").nth(1).unwrap().split("\n}").next().unwrap();
    body.lines()
        .filter(|line| line.starts_with("    ") && line.as_bytes()[4].is_ascii_uppercase())
        .map(|line| line.trim().split([' ', '(', ',']).next().unwrap().to_string())
        .collect()
}

/// Data in row blocks that can no longer be read.
fn blocks(faults: &mut Faults) {
    let x = example().x;
    let slices = Slices { fails_at: Some(2), ..Slices::new(&x, false, &[0, 3, 8]) };
    let (data, _) = slices.data::<f64>(0);
    faults.check(fit(&data, &Model::nmf(), &Settings::new(2)), &["block 0 of the test can't be read"]);
}

#[test]
fn every_error_says_what_where_and_what_is_valid() {
    let mut faults = Faults(BTreeSet::new());
    data(&mut faults);
    blocks(&mut faults);
    settings(&mut faults);
    names(&mut faults);
    guidance(&mut faults);
    margins(&mut faults);
    combinations(&mut faults);
    starts(&mut faults);
    symmetric(&mut faults);
    smoothing(&mut faults);
    label_view(&mut faults);
    composed::images(&mut faults);
    held(&mut faults);
    composed::composed(&mut faults);
    recipes(&mut faults);
    let damaged = PieceReader::new("k2-restart0", &[1]).numbers();
    faults.check(damaged, &["the finished piece \"k2-restart0\"", "form"]);
    assert_eq!(faults.0, variants(), "each variant is provoked");
}

fn data(faults: &mut Faults) {
    faults.check(DenseMatrix::<f64>::new(0, 3, vec![]), &["0 samples x 3 features", "at least one sample"]);
    faults.check(DenseMatrix::new(2, 3, vec![1.0; 5]), &["2 samples x 3 features = 6 values", "5 values"]);
    faults.check(DenseMatrix::new(usize::MAX, 2, vec![1.0; 5]), &["5 values"]);
    faults.check(Matrix::from_vec(usize::MAX, 2, vec![1.0; 5]), &["5 values"]);
    faults.check(SparseMatrix::<f64>::new(1, 3, vec![0, 1], vec![7], vec![1.0]), &["sparse", "7", "3"]);
    faults.check(SparseMatrix::from_triplets(2, 2, vec![(0, 5, 1.0)]), &["triplet 0", "column 5", "2 x 2"]);
    let of =
        |values: Vec<f64>| fit(&DenseMatrix::new(2, 3, values).unwrap(), &Model::nmf(), &Settings::new(1));
    faults.check(
        of(vec![1.0, 2.0, 3.0, 4.0, -5.5, -6.0]),
        &["the data", "2 negative entries", "row 1, column 1", "-5.5", "0 or more"],
    );
    faults.check(
        of(vec![1.0, f64::NAN, 3.0, f64::INFINITY, f64::NAN, 6.0]),
        &["the data", "2 NaN and 1 infinite", "row 0, column 1", "finite"],
    );
    // Beyond the number type, at the start and on the way.
    let start = |size: f64| {
        let part = |rows, columns| Some(Matrix::from_fn(rows, columns, |_, _| size));
        Settings { init: Init::Custom { codes: part(2, 1), components: part(1, 2) }, ..Settings::new(1) }
    };
    let plain = DenseMatrix::new(2, 2, vec![3f32, 1.0, 2.0, 3.0]).unwrap();
    faults.check(fit(&plain, &Model::nmf(), &start(1e30)), &["iteration", "overflowed", "f64"]);
    let plain = DenseMatrix::new(2, 2, vec![3.0, 1.0, 2.0, 3.0]).unwrap();
    faults.check(fit(&plain, &Model::nmf(), &start(1e200)), &["iteration 0", "scale the data"]);
    // More memory than there may be.
    let little = Settings { memory_limit: Some(1_000_000), ..Settings::new(40_000) };
    faults.check(
        fit(&plain, &Model::nmf(), &little),
        &["a fit of 2 x 2 with 40000 components", "GB of memory", "1.0 MB are available", "fewer components"],
    );
}

fn settings(faults: &mut Faults) {
    let x = example().dense::<f64>();
    let plain = Settings::new(2);
    for (settings, parts) in [
        (Settings::new(0), ["rank k is 0", "1 or more"]),
        (Settings::new(usize::MAX), ["rank k is", "at most"]),
        (Settings { tolerance: -1.0, ..plain.clone() }, ["tolerance is -1", "below 1"]),
        (Settings { tolerance: f64::NAN, ..plain.clone() }, ["tolerance is NaN", "at least 0"]),
        (Settings { inner_steps: Some(0), ..plain.clone() }, ["inner steps is 0", "1 or more"]),
        (Settings { l1: (-0.5, 0.0), ..plain.clone() }, ["l1 of the codes is -0.5", "0 or more"]),
        (Settings { l1: (0.0, f64::NAN), ..plain.clone() }, ["l1 of the components", "finite"]),
        (Settings { l2: (f64::INFINITY, 0.0), ..plain.clone() }, ["l2 of the codes is inf", "finite"]),
        (Settings { l2: (0.0, -1.0), ..plain }, ["l2 of the components is -1", "0 or more"]),
    ] {
        faults.check(fit(&x, &Model::nmf(), &settings), &parts);
    }
}

fn names(faults: &mut Faults) {
    faults.check(
        SolverChoice::from_name("gurobi"),
        &["solver \"gurobi\"", "auto", "hals", "bpp", "nesterov", "mu"],
    );
    faults.check(Loss::from_name("l7"), &["loss \"l7\"", "frobenius", "kullback-leibler"]);
    faults.check(Init::from_name("best"), &["start \"best\"", "random", "nndsvda", "labels"]);
    let method = Facts::default().try_model("pca");
    faults.check(method, &["method \"pca\"", "nmf", "cnmf", "cnmf-kl", "ws-nmf", "ncw-nmf"]);
}

fn guidance(faults: &mut Faults) {
    let example = example();
    let x = example.dense::<f64>();
    let run = |model: &Model| fit(&x, model, &Settings::new(2));
    faults.check(Labels::from_integers(&[0, -7]), &["sample 1", "-7", "-1 for unlabelled"]);
    faults.check(Labels::with_names(&[0, 3], &["cat".into()]), &["class 3", "1 names"]);
    let short = Labels::from_integers(&[0, 1, -1]).unwrap();
    faults.check(run(&Model::cnmf(short)), &["3 labels for 8 samples"]);
    for name in ["cnmf", "ws-nmf"] {
        let model = Facts::default().try_model(name).unwrap();
        faults.check(run(&model), &["needs", "labels"]);
    }
    let many = Labels::from_integers(&[0, 1, 2, 3, -1, -1, -1, -1]).unwrap();
    let facts = Facts { labels: Some(many), ..Facts::default() };
    faults.check(run(&facts.model("ws-nmf")), &["rank k is 2", "at least 4"]);
    let strong = Facts { labels: Some(example.labels()), strength: -2.0, ..Facts::default() };
    faults.check(run(&strong.model("ws-nmf")), &["strength is -2", "from 0"]);
    let graph = example.graph();
    for name in ["gnmf", "semi-gnmf"] {
        let model = Facts::default().try_model(name).unwrap();
        faults.check(run(&model), &["GNMF needs", "a graph over the samples"]);
    }
    let unlabelled = Facts { graph: Some(graph.clone()), ..Facts::default() };
    faults.check(run(&unlabelled.try_model("semi-gnmf").unwrap()), &["SemiGNMF", "labels"]);
    let small = Graph::from_entries(7, &[]).unwrap();
    faults.check(run(&Model::gnmf(small, 1.0)), &["graph", "8 samples", "7 samples"]);
    for weight in [-0.5, f64::NAN, f64::INFINITY] {
        let weight_is = format!("graph weight is {weight}");
        faults.check(run(&Model::gnmf(graph.clone(), weight)), &[&weight_is, "0 or more"]);
    }
    // References, for the model that uses them and for one that does not.
    for name in ["ws-nmf", "nmf"] {
        let codes = |reference, weight| {
            let code_reference = Some(CodeReference { reference, weight });
            Facts { code_reference, ..Facts::default() }.try_model(name).unwrap()
        };
        let ones = |rows, columns| Matrix::from_fn(rows, columns, |_, _| 1.0);
        faults.check(run(&codes(ones(7, 2), vec![1.0; 7])), &["reference of the codes", "7 x 2", "8 x 2"]);
        faults.check(
            run(&codes(ones(8, 2), vec![1.0; 3])),
            &["weights of the reference codes", "3 x 1", "8 x 1"],
        );
        let weight = [1.0, -3.0].repeat(4);
        faults.check(run(&codes(ones(8, 2), weight)), &["weights", "entry 1", "-3", "0 or more"]);
        let negative = Matrix::from_fn(8, 2, |i, j| if (i, j) == (6, 1) { -0.25 } else { 1.0 });
        faults.check(run(&codes(negative, vec![1.0; 8])), &["reference", "row 6, column 1", "-0.25"]);
        let nan = Matrix::from_fn(8, 2, |i, _| if i == 2 { f64::NAN } else { 1.0 });
        faults.check(run(&codes(nan, vec![1.0; 8])), &["reference", "2 NaN", "row 2, column 0"]);
        let components = |rows, columns| {
            let component_reference =
                Some(ComponentReference { reference: ones(rows, columns), weight: vec![1.0; rows] });
            Facts { component_reference, ..Facts::default() }.try_model(name).unwrap()
        };
        faults.check(run(&components(2, 9)), &["reference components", "2 x 9", "2 x 5"]);
        faults.check(run(&components(3, 5)), &["rank k is 2", "at least 3"]);
    }
}

fn margins(faults: &mut Faults) {
    let x = example().dense::<f64>();
    let run = |labels: &[i32], margins: Margins| {
        let labels = (!labels.is_empty()).then(|| Labels::from_integers(labels).unwrap());
        let facts = Facts { labels, margins, ..Facts::default() };
        fit(&x, &facts.model("nmf-alpha"), &Settings::new(2))
    };
    let (two, plain) = ([0, 1, 0, 1, -1, -1, -1, -1], Margins::default());
    let weight = |discriminative_weight| Margins { discriminative_weight, ..plain.clone() };
    faults.check(run(&two, weight(-2.0)), &["discriminative weight lambda is -2", "0 or more"]);
    faults.check(run(&two, weight(f64::NAN)), &["discriminative weight lambda is NaN", "finite"]);
    let cost = |cost| Margins { cost, ..plain.clone() };
    faults.check(run(&two, cost(0.0)), &["cost C", "is 0", "positive"]);
    faults.check(run(&two, cost(f64::INFINITY)), &["cost C", "inf", "finite"]);
    faults.check(run(&[], plain.clone()), &["NMF-alpha needs", "two or more classes"]);
    faults.check(run(&[-1; 8], plain.clone()), &["NMF-alpha needs", "two or more classes"]);
    faults.check(run(&[3, 3, -1, -1, -1, -1, -1, 3], plain.clone()), &["all 3", "class \"3\"", "two"]);
    faults.check(LabelSets::new(2, vec![None, Some(vec![0, 2])]), &["sample 1", "label 2", "2 labels"]);
    let sets = |n: usize, set: fn(usize) -> Option<Vec<u32>>| {
        let label_sets = Some(LabelSets::new(2, (0..n).map(set).collect()).unwrap());
        run(&two, Margins { label_sets, ..plain.clone() })
    };
    faults.check(sets(7, |_| Some(vec![])), &["label sets", "7 samples", "8 samples"]);
    faults.check(sets(8, |_| None), &["NMF-alpha needs", "label sets"]);
    faults.check(sets(8, |i| (i < 3).then(|| vec![0])), &["label 0", "3 of 3", "some with and some without"]);
    faults.check(
        sets(8, |i| Some(if i < 3 { vec![0] } else { vec![] })),
        &["label 1", "0 of 8", "some with and some without"],
    );
    let place = SupportVectors::from_triplets(8, 2, vec![(3, 2, 1.0)]);
    faults.check(place, &["support vector", "(3, 2)", "8 x 2"]);
    for value in [-0.5, f64::NAN] {
        let coefficient = SupportVectors::from_triplets(8, 2, vec![(3, 1, value)]);
        faults.check(coefficient, &["coefficient of sample 3 in column 1", &value.to_string(), "0 or more"]);
    }
    let support = Some(SupportVectors::from_triplets(9, 2, vec![]).unwrap());
    let short = Margins { support, ..plain };
    faults.check(run(&two, short), &["coefficients of the support vectors", "9 samples", "8 samples"]);
    let alpha = Facts::default().model("nmf-alpha").with_loss(Loss::Frobenius);
    faults.check(alpha, &["NMF-alpha", "frobenius", "loss kullback-leibler"]);
}

fn combinations(faults: &mut Faults) {
    let example = example();
    let x = example.dense::<f64>();
    let kl = Model::nmf().with_loss(Loss::KullbackLeibler).unwrap();
    for solver in ["hals", "bpp", "nesterov"] {
        let settings = Settings { solver: SolverChoice::from_name(solver).unwrap(), ..Settings::new(2) };
        let asked = format!("solver \"{solver}\"");
        faults.check(fit(&x, &kl, &settings), &[&asked, "kullback-leibler", "valid: solver mu"]);
    }
    let known_entries = Some(Matrix::from_fn(example.n, 5, |_, _| 1.0));
    let known = Facts { known_entries, ..Facts::default() }.model("nmf").with_loss(Loss::KullbackLeibler);
    let settings = Settings { solver: SolverChoice::Mu, ..Settings::new(2) };
    faults.check(fit(&x, &known.unwrap(), &settings), &["entries", "kullback-leibler", "loss frobenius"]);
    let facts = Facts { labels: Some(example.labels()), ..Facts::default() };
    let ws = facts.model("ws-nmf");
    faults.check(
        ws.clone().with_loss(Loss::KullbackLeibler),
        &["WS-NMF", "kullback-leibler", "loss frobenius"],
    );
    let mu = Settings { solver: SolverChoice::Mu, ..Settings::new(2) };
    let (n, k) = (example.n, 2);
    let soft =
        CodeReference { reference: Matrix::from_fn(n, k, |_, j| 1.0 + j as f64), weight: vec![1.0; n] };
    let ws = Facts { code_reference: Some(soft), ..Facts::default() }.model("ws-nmf");
    faults.check(fit(&x, &ws, &mu), &["solver \"mu\"", "WS-NMF", "hals", "alternating"]);
    let nndsvd = Settings { init: Init::Nndsvd, ..mu };
    faults.check(fit(&x, &Model::nmf(), &nndsvd), &["nndsvd", "zeros", "nndsvda", "random"]);
    let cnmf = Model::cnmf(example.labels()).with_loss(Loss::KullbackLeibler).unwrap();
    for (l1, l2, asked) in [
        ((0.0, 0.0), (0.1, 0.0), "L2 penalty on the codes alone"),
        ((0.0, 0.0), (0.0, 0.1), "L2 penalty on the components alone"),
        ((0.0, 0.1), (0.0, 0.0), "L1 penalty on the components alone"),
    ] {
        for model in [&cnmf, &Model::ncw_nmf()] {
            faults.check(fit(&x, model, &Settings { l1, l2, ..Settings::new(2) }), &[asked, "both factors"]);
        }
    }
}

fn starts(faults: &mut Faults) {
    let x = example().dense::<f64>();
    let custom =
        |codes, components| Settings { init: Init::Custom { codes, components }, ..Settings::new(2) };
    let ones = |rows, columns| Some(Matrix::from_fn(rows, columns, |_, _| 1.0));
    let nmf = Model::nmf();
    faults.check(fit(&x, &nmf, &custom(ones(8, 3), None)), &["codes of the start", "8 x 3", "8 x 2"]);
    faults.check(fit(&x, &nmf, &custom(None, ones(5, 2))), &["components of the start", "5 x 2", "2 x 5"]);
    let negative = Some(Matrix::from_fn(8, 2, |i, j| if (i, j) == (3, 1) { -2.0 } else { 1.0 }));
    faults.check(fit(&x, &nmf, &custom(negative, None)), &["codes of the start", "row 3, column 1", "-2"]);
    let infinite = Some(Matrix::from_fn(2, 5, |_, j| if j == 4 { f64::INFINITY } else { 1.0 }));
    faults.check(
        fit(&x, &nmf, &custom(None, infinite)),
        &["components of the start", "2 infinite", "column 4"],
    );
    let zeros = Some(Matrix::zeros(8, 2));
    let kl = Model::nmf().with_loss(Loss::KullbackLeibler).unwrap();
    faults.check(fit(&x, &kl, &custom(zeros, None)), &["start", "rows 0..8", "infinite", "positive"]);
    let labels = Settings { init: Init::Labels, ..Settings::new(2) };
    faults.check(fit(&x, &nmf, &labels), &["label-aware start", "at least one labelled sample"]);
    let many = Labels::from_integers(&[0, 1, 2, 3, -1, -1, -1, -1]).unwrap();
    faults.check(fit(&x, &nmf.with_labels(many), &labels), &["rank k is 2", "at least 4"]);
}

fn smoothing(faults: &mut Faults) {
    let x = example().dense::<f64>();
    for name in ["nmf-dc", "ns-nmf"] {
        for smoothing in [-0.1, 1.5, f64::NAN] {
            let facts = Facts { labels: Some(example().labels()), smoothing, ..Facts::default() };
            let model = facts.try_model(name).unwrap();
            let value = format!("delta) is {smoothing}");
            faults.check(fit(&x, &model, &Settings::new(2)), &[&value, "from 0 (no smoothing) to 1"]);
        }
    }
}

fn label_view(faults: &mut Faults) {
    let x = example().dense::<f64>();
    let settings = Settings::new(2);
    let ones = |rows, columns| Matrix::from_fn(rows, columns, |_, _| 1.0);
    let run = |facts: Facts| fit(&x, &facts.model("ssnmf"), &settings);
    let with =
        |targets, known| Facts { label_targets: Some(LabelTargets { targets, known }), ..Facts::default() };
    faults.check(run(Facts::default()), &["SSNMF needs", "labels, or targets"]);
    faults.check(run(with(ones(7, 3), ones(7, 3))), &["targets of the labels", "7 x 3", "8 x 3"]);
    faults.check(run(with(ones(8, 3), ones(8, 2))), &["marks of known labels", "8 x 2", "8 x 3"]);
    let half = Matrix::from_fn(8, 3, |i, l| if (i, l) == (4, 1) { 0.5 } else { 1.0 });
    faults.check(run(with(ones(8, 3), half)), &["sample 4, label 1", "0.5", "1 (known)"]);
    let labelled = || Facts { labels: Some(example().labels()), ..Facts::default() };
    faults.check(run(Facts { label_weight: -2.0, ..labelled() }), &["label weight is -2", "from 0"]);
    let unknown = |facts, known| Facts { known_entries: Some(known), ..facts };
    let smoothed = unknown(Facts::default(), ones(8, 5)).try_model("ns-nmf").unwrap();
    faults.check(fit(&x, &smoothed, &settings), &["with known entries", "ssnmf"]);
    faults.check(run(unknown(labelled(), ones(8, 4))), &["marks of known entries", "8 x 4", "8 x 5"]);
    let two = Matrix::from_fn(8, 5, |i, j| if (i, j) == (2, 3) { 2.0 } else { 1.0 });
    faults.check(run(unknown(labelled(), two)), &["row 2, column 3", "is 2", "0 (unknown)"]);
    let at = example().x.as_slice().iter().position(|v| *v > 0.0).unwrap();
    let hidden = Matrix::from_fn(8, 5, |i, j| f64::from(5 * i + j != at));
    let place = format!("row {}, column {}", at / 5, at % 5);
    faults.check(
        run(unknown(labelled(), hidden)),
        &[
            "missing entry",
            &place,
            "missing entries are stored as \
        0",
        ],
    );
    let given = |slot, factor| Settings { init: Init::Given(vec![(slot, factor)]), ..settings.clone() };
    faults.check(
        fit(&x, &Model::nmf(), &given(Slot::Labels, ones(2, 2))),
        &["start for the labels", "codes, components"],
    );
    faults.check(
        fit(&x, &labelled().model("ssnmf"), &given(Slot::Labels, ones(5, 2))),
        &["labels of the start", "5 x 2"],
    );
}

fn symmetric(faults: &mut Faults) {
    let settings = Settings::new(2);
    let model = Model::symnmf();
    faults.check(fit(&example().dense::<f64>(), &model, &settings), &["SymNMF", "8 x 5", "n x n"]);
    let other = |i: usize, j: usize| if (i, j) == (3, 1) { 0.75 } else { 0.5 };
    let full = Matrix::from_fn(4, 4, other);
    let stored = common::sparse(&Matrix::from_fn(4, 4, |i, j| if i == j { 0.0 } else { other(i, j) }));
    let parts = ["pair (1, 3)", "is 0.5", "(3, 1) is 0.75", "symmetric"];
    faults.check(fit(&DenseMatrix::from_matrix(full).unwrap(), &model, &settings), &parts);
    faults.check(fit::<f64>(&stored, &model, &settings), &parts);
    let square = DenseMatrix::new(2, 2, vec![1.0, 0.5, 0.5, 1.0]).unwrap();
    let with = |coupling| Facts { coupling: Some(coupling), ..Facts::default() };
    let coupled = |coupling| with(coupling).try_model("symnmf").unwrap();
    faults.check(fit(&square, &coupled(-1.0), &settings), &["coupling is -1", "0 or more"]);
    faults.check(
        fit(&square, &Facts::default().model("ws-symnmf"), &settings),
        &["WS-SymNMF needs", "labels or reference codes"],
    );
    let first = Settings { first: Some(Slot::Scales), ..settings };
    faults.check(fit(&square, &model, &first), &["update first", "scales", "codes or the components"]);
}

fn held(faults: &mut Faults) {
    let x = example().dense::<f64>();
    let settings = Settings::new(2);
    let ones = |rows, columns| Matrix::from_fn(rows, columns, |_, _| 1.0);
    let run = |held, loss| solve(&x, held, loss, &settings);
    let (codes, components) = (ones(7, 2), ones(2, 6));
    faults.check(run(Held::Codes(&codes), Loss::Frobenius), &["fixed codes", "8 samples", "7"]);
    faults
        .check(run(Held::Components(&components), Loss::Frobenius), &["fixed components", "5 features", "6"]);
    let negative = Matrix::from_fn(2, 5, |i, j| if (i, j) == (1, 3) { -1.0 } else { 1.0 });
    faults
        .check(run(Held::Components(&negative), Loss::KullbackLeibler), &["fixed components", "1 negative"]);
    let nan = Matrix::from_fn(2, 5, |i, _| if i == 1 { f64::NAN } else { 1.0 });
    faults.check(run(Held::Components(&nan), Loss::Frobenius), &["fixed components", "5 NaN"]);
    let fitted = fit(&x, &Model::nmf(), &settings).unwrap();
    let other = DenseMatrix::new(1, 4, vec![1.0; 4]).unwrap();
    faults.check(fitted.transform(&other, &settings), &["fixed components", "4 features"]);
    let code = |ridge: Vec<f64>| {
        let encoding = Encoding { ridge, ..Encoding::plain(2) };
        let mut silent = |_: &partwise::Iteration| std::ops::ControlFlow::Continue(());
        encode(&x, &ones(2, 5), &encoding, Loss::Frobenius, &settings, &mut silent)
    };
    faults.check(code(vec![0.0]), &["penalties of the encoding", "2 of each kind", "1 and 2"]);
    faults.check(code(vec![0.0, -1.0]), &["ridge of the encoding", "-1", "0 or more"]);
    faults.check(code(vec![f64::NAN, 0.0]), &["ridge of the encoding", "NaN", "finite"]);
}

fn recipes(faults: &mut Faults) {
    let example = example();
    let x = example.dense::<f64>();
    let labelled = Facts { labels: Some(example.labels()), ..Facts::default() }.model("ws-nmf");
    let run = |model: &Model, rule: StrengthRule| search_strength(&x, model, &Settings::new(2), &rule);
    let rule = StrengthRule::default();
    for (rule, parts) in [
        (StrengthRule { start: 0.0, ..rule }, ["first strength is 0", "above 0"]),
        (StrengthRule { factor: 1.0, ..rule }, ["factor of the strength is 1", "between 0 and 1"]),
        (StrengthRule { threshold: 1.5, ..rule }, ["threshold is 1.5", "at most 1"]),
        (StrengthRule { max_steps: 0, ..rule }, ["number of steps is 0", "1 or more"]),
    ] {
        faults.check(run(&labelled, rule), &parts);
    }
    let none = Labels::from_integers(&[-1; 8]).unwrap();
    let unlabelled = Facts { labels: Some(none), ..Facts::default() }.model("ws-nmf");
    faults.check(run(&unlabelled, rule), &["search for a strength needs labelled samples"]);
    faults.check(run(&Model::cnmf(example.labels()), rule), &["search", "CNMF", "ws-nmf"]);
    let both = Facts {
        labels: Some(example.labels()),
        code_reference: Some(CodeReference { reference: Matrix::zeros(8, 2), weight: vec![1.0; 8] }),
        ..Facts::default()
    };
    faults.check(run(&both.model("ws-nmf"), rule), &["search", "reference codes"]);
}

/// The code of the notice on sparse counts with a long tail that labels guide.
fn raw_counts_of_labelled_samples() -> String {
    let counts = (0..40).map(|i| (i % 8, i / 8, if i == 7 { 90.0 } else { 1.0 })).collect();
    let (counts, _) = SparseMatrix::from_triplets(8, 5, counts).unwrap();
    let labels = Labels::from_integers(&[0, 1, -1, -1, -1, -1, -1, -1]).unwrap();
    let fit = fit(&counts, &Model::cnmf(labels), &Settings::new(2)).unwrap();
    let notice = fit.notices.iter().find(|notice| notice.code == "raw-counts").unwrap();
    for part in ["raw counts", "tf-idf (--scale tfidf", "take logarithms"] {
        assert!(notice.message.contains(part), "\"{}\" does not say \"{part}\"", notice.message);
    }
    notice.code.to_string()
}

#[test]
fn every_policy_is_a_notice() {
    let x = DenseMatrix::new(4, 3, vec![1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 2.0, 5.0, 0.0]).unwrap();
    let labels = |labels: &[i32]| Labels::from_integers(labels).unwrap();
    let mut seen = BTreeSet::new();
    let mut check = |model: &Model, settings: &Settings, code: &str, parts: &[&str]| {
        let fit = fit(&x, model, settings).unwrap();
        let notice = fit.notices.iter().find(|n| n.code == code);
        let notice = notice.unwrap_or_else(|| panic!("no notice {code} in {:?}", fit.notices));
        for part in parts {
            assert!(notice.message.contains(part), "\"{}\" does not say \"{part}\"", notice.message);
        }
        seen.insert(code.to_string());
    };
    let two = Settings::new(2);
    let nmf = Model::nmf();
    check(&nmf, &two, "zero-rows", &["1 row is empty", "no component", ": 1"]);
    check(&nmf, &two, "zero-columns", &["1 column is empty", "no component", ": 2"]);
    check(&nmf, &Settings::new(5), "large-rank", &["k = 5", "min(n, d) = 3"]);
    check(&Model::cnmf(labels(&[-1; 4])), &two, "no-labels", &["no sample is labelled"]);
    let single = Model::cnmf(labels(&[0, 1, 0, -1]));
    check(&single, &two, "single-label", &["1 of 2 classes", "CNMF", ": 1"]);
    let singles = Model::cnmf(labels(&[0, 1, -1, -1]));
    check(&singles, &two, "single-label", &["2 of 2 classes", "is exactly NMF"]);
    let parts = ["all 2 labelled samples", "class \"0\"", "do not separate classes"];
    check(&Model::cnmf(labels(&[0, -1, -1, 0])), &two, "one-class", &parts);
    let graph = Graph::from_entries(4, &[(0, 2, 1.0), (2, 0, 1.0)]).unwrap();
    let parts = ["3 connected components", "2 samples are isolated (no edge): 1, 3"];
    check(&Model::gnmf(graph, 1.0), &two, "disconnected-graph", &parts);
    let many = nmf.clone().with_labels(labels(&[0, 1, 2, -1]));
    check(&many, &two, "start-without-labels", &["k = 2", "classes, 3", "random"]);
    let machines = Facts { labels: Some(labels(&[0, -1, 1, -1])), ..Facts::default() };
    let parts =
        ["1 support vector machines", "1 to their duality gap", "2 coefficients", "the data to 1.40e1"];
    check(&machines.model("nmf-alpha"), &two, "margins", &parts);
    let custom = |codes: Matrix<f64>| Settings {
        init: Init::Custom { codes: Some(codes), components: None },
        solver: SolverChoice::Mu,
        ..Settings::new(2)
    };
    let zeros = Matrix::from_fn(4, 2, |i, j| if i == 0 && j == 0 { 0.0 } else { 1.0 + i as f64 });
    check(
        &nmf,
        &custom(zeros.clone()),
        "zeros-in-start",
        &["codes", "1 zeros", "never change a zero", "hals"],
    );
    check(&Model::cnmf(labels(&[0, -1, 0, -1])), &custom(zeros), "start-averaged", &["1 sample has", "mean"]);
    let published = Settings { init: Init::Published, solver: SolverChoice::Mu, ..Settings::new(2) };
    let labelled = nmf.clone().with_labels(labels(&[0, 1, -1, -1]));
    check(&labelled, &published, "zeros-in-start", &["codes", "2 zeros"]);
    let unused = Facts {
        code_reference: Some(CodeReference { reference: Matrix::zeros(4, 2), weight: vec![1.0; 4] }),
        ..Facts::default()
    };
    let unused = unused.try_model("nmf").unwrap();
    check(&unused, &two, "unused-reference", &["NMF", "reference codes", "ws-nmf"]);
    seen.insert(raw_counts_of_labelled_samples());

    let sources =
        ["problem/mod.rs", "problem/checks.rs", "problem/margins.rs", "problem/tying.rs", "init/mod.rs"];
    for source in sources {
        let path = format!("{}/src/{source}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        for code in text.split("code: \"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(seen.contains(code), "the notice {code} of {source} is not provoked");
        }
    }
}
