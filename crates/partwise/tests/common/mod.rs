//! Random problems for the promises, over the registries: a model or solver is covered by being listed.
//!
//! [`objective`] is written from the published formulas alone, on W (n × k) and H (k × d), and shares no code
//! with the engine.

// Each promise uses a part of this.
#![allow(dead_code)]

use std::fmt;

pub(crate) mod blocks;
pub(crate) mod facts;
mod guided;
mod objective;
pub(crate) mod processes;

use facts::{Facts, Unit};
#[allow(unused_imports, reason = "not every promise compares objectives")]
pub(crate) use objective::{margins, objective};
use partwise::graphs::Graph;
use partwise::methods::{Form, Input, MethodSpec};
use partwise::solvers::SolverSpec;
use partwise::{
    AnchorScale, CodeReference, ComponentReference, DenseMatrix, Error, Init, LabelTargets, Labels, Loss,
    Matrix, Model, Real, Result, Slot, SparseMatrix, methods, solvers,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A number in [0, 1) that depends on its arguments alone.
pub(crate) fn number(seed: u64, index: usize) -> f64 {
    let mut z = seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// X (n × d) with zeros (in some a whole row and column of them), labels at random positions, and a rank.
#[derive(Clone)]
pub(crate) struct Example {
    pub(crate) n: usize,
    pub(crate) d: usize,
    pub(crate) k: usize,
    pub(crate) seed: u64,
    pub(crate) x: Matrix<f64>,
    /// −1 = unlabelled; at least one class has two samples.
    pub(crate) labels: Vec<i32>,
}

impl fmt::Debug for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Example::new({}, {}, {}, {})", self.n, self.d, self.k, self.seed)
    }
}

impl Example {
    pub(crate) fn new(n: usize, d: usize, k: usize, seed: u64) -> Self {
        let zeros = number(seed, 1 << 40) < 0.5;
        let (row, column) =
            ((number(seed, 1 << 41) * n as f64) as usize, (number(seed, 1 << 42) * d as f64) as usize);
        let x = Matrix::from_fn(n, d, |i, j| {
            let r = number(seed, i * d + j);
            if r < 0.4 || (zeros && (i == row || j == column)) { 0.0 } else { 9.0 * r }
        });
        let classes = k.min(3) as f64;
        let mut labels: Vec<i32> = (0..n)
            .map(|i| {
                let r = number(seed ^ 0x1abe1, i);
                if r < 0.5 { (2.0 * r * classes) as i32 } else { -1 }
            })
            .collect();
        labels[0] = 0;
        labels[n / 2] = 0;
        Example { n, d, k, seed, x, labels }
    }

    pub(crate) fn dense<T: Real>(&self) -> DenseMatrix<'static, T> {
        DenseMatrix::from_matrix(self.x.cast()).unwrap()
    }

    pub(crate) fn sparse<T: Real>(&self) -> SparseMatrix<'static, T> {
        sparse(&self.x)
    }

    pub(crate) fn labels(&self) -> Labels {
        Labels::from_integers(&self.labels).unwrap()
    }

    /// A random graph over the first two thirds of the samples, with a loop; the other samples have no edge.
    pub(crate) fn graph(&self) -> Graph {
        let joined = 2 * self.n / 3;
        let mut entries = vec![(0, 0, 0.5)];
        for i in 0..joined {
            for step in 0..2 {
                let j = (number(self.seed ^ 0x96af, 2 * i + step) * joined as f64) as usize;
                let weight = 0.2 + number(self.seed ^ 0xed6e, 2 * i + step);
                if i != j {
                    entries.extend([(i, j, weight), (j, i, weight)]);
                }
            }
        }
        Graph::from_entries(self.n, &entries).unwrap()
    }

    /// Positive numbers up to about 1, another matrix for each `salt`.
    pub(crate) fn positive(&self, rows: usize, columns: usize, salt: u64) -> Matrix<f64> {
        let seed = self.seed ^ salt.wrapping_mul(0xd6e8_feb8_6659_fd93);
        Matrix::from_fn(rows, columns, |i, j| 0.05 + number(seed, i * columns + j))
    }

    /// A start with positive codes (n × k), those of a class equal, and positive components (k × d).
    pub(crate) fn factors(&self, salt: u64) -> (Matrix<f64>, Matrix<f64>) {
        let drawn = self.positive(self.n, self.k, 2 * salt);
        let first = |i: usize| match self.labels[i] {
            -1 => i,
            class => self.labels.iter().position(|l| *l == class).unwrap(),
        };
        let codes = Matrix::from_fn(self.n, self.k, |i, j| drawn.get(first(i), j));
        (codes, self.positive(self.k, self.d, 2 * salt + 1))
    }

    pub(crate) fn start(&self, salt: u64) -> Init {
        let (codes, components) = self.factors(salt);
        Init::Custom { codes: Some(codes), components: Some(components) }
    }
}

/// The same data with only the non-zeros stored.
pub(crate) fn sparse<T: Real>(x: &Matrix<f64>) -> SparseMatrix<'static, T> {
    let (n, d) = x.shape();
    let mut triplets = Vec::new();
    for i in 0..n {
        for j in (0..d).filter(|j| x.get(i, *j) != 0.0) {
            triplets.push((i as u32, j as u32, T::from_f64(x.get(i, j))));
        }
    }
    SparseMatrix::from_triplets(n, d, triplets).unwrap().0
}

/// Runs a test on random examples, the same ones at every run. `PROPTEST_CASES` asks for another number of
/// them.
pub(crate) fn for_examples(cases: u32, test: impl Fn(&Example)) {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|v| v.parse().ok());
    let config = Config { cases: asked.unwrap_or(cases), failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let examples = (4usize..16, 3usize..12, 1usize..6, any::<u64>())
        .prop_map(|(n, d, k, seed)| Example::new(n, d, k, seed));
    let outcome = TestRunner::new_with_rng(config, rng).run(&examples, |example| {
        test(&example);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// A model of the registry with a loss it is defined for, what is known, and what becomes of the references'
/// scale.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) spec: &'static MethodSpec,
    pub(crate) loss: Loss,
    pub(crate) scale: AnchorScale,
    /// Soft reference codes and components instead of labels.
    pub(crate) references: bool,
    /// What the strength of labels is measured in.
    pub(crate) unit: Unit,
    /// Two factors that are coupled as published, where the default is one.
    pub(crate) coupled: bool,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = if self.references { "references" } else { "labels" };
        let coupled = if self.coupled { ", coupled" } else { "" };
        let (name, loss) = (self.spec.name, self.loss.name());
        write!(f, "{name} {loss} with {known} ({:?}, {:?}{coupled})", self.scale, self.unit)
    }
}

/// Every model × loss; for models that take references also with them, and with every treatment of their
/// scale.
pub(crate) fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    for &spec in methods::ALL {
        for &loss in spec.losses {
            let unit = Unit::Relative;
            let plain =
                Case { spec, loss, scale: AnchorScale::Joint, references: false, unit, coupled: false };
            out.push(plain);
            if spec.name == "ssnmf" || spec.name == "guided" {
                out.push(Case { references: true, unit: Unit::Raw, ..plain });
            } else if spec.form == Form::Symmetric && spec.takes(Input::CodeReference) {
                out.push(Case { references: true, ..plain });
                out.push(Case { unit: Unit::Raw, ..plain });
            } else if spec.takes(Input::CodeReference) {
                for scale in [AnchorScale::Joint, AnchorScale::Alternating, AnchorScale::Fixed] {
                    out.push(Case { scale, references: true, ..plain });
                }
                for scale in [AnchorScale::Joint, AnchorScale::Alternating] {
                    out.push(Case { scale, unit: Unit::Raw, ..plain });
                }
            }
            if spec.form == Form::Symmetric {
                let own: Vec<Case> = out.iter().filter(|case| case.spec.name == spec.name).copied().collect();
                out.extend(own.into_iter().map(|case| Case { coupled: true, ..case }));
            }
        }
    }
    out
}

impl Case {
    /// The example with data of the form that the model takes.
    pub(crate) fn example(&self, example: &Example) -> Example {
        let mut example = example.clone();
        match self.spec.form {
            Form::Matrix => {
                if let Some(known) = &self.facts(&example).known_entries {
                    let known = known.as_slice();
                    example.x.as_mut_slice().iter_mut().zip(known).for_each(|(x, known)| *x *= known);
                }
            }
            Form::Images => {}
            Form::Symmetric => {
                let (x, n, d) = (example.x, example.n, example.d);
                example.x = Matrix::from_fn(n, n, |i, j| x.get(i.min(j), i.max(j) % d));
                example.d = n;
            }
            other => panic!("no data of the form {other:?}"),
        }
        example
    }

    /// Whether codes and components are one factor.
    pub(crate) fn is_one_factor(&self) -> bool {
        self.spec.form == Form::Symmetric && !self.coupled
    }

    /// Codes and components, which are each other's transpose where they are one factor.
    pub(crate) fn factors(&self, example: &Example, salt: u64) -> (Matrix<f64>, Matrix<f64>) {
        let (codes, components) = example.factors(salt);
        let components = if self.is_one_factor() { codes.transposed() } else { components };
        (codes, components)
    }

    /// A start with positive numbers in every factor.
    pub(crate) fn start(&self, example: &Example, salt: u64) -> Init {
        let (codes, components) = self.factors(example, salt);
        if self.spec.form == Form::Images {
            let (height, width) = image_shape(example);
            return Init::Given(vec![
                (Slot::Codes, codes),
                (Slot::ImageRows, example.positive(height, example.k, 300 + salt)),
                (Slot::ImageColumns, example.positive(width, example.k, 400 + salt)),
            ]);
        }
        if self.spec.name != "ssnmf" {
            return Init::Custom { codes: Some(codes), components: Some(components) };
        }
        let facts = self.facts(example);
        let labels = facts.label_targets.map_or(example.labels().n_classes(), |t| t.targets.columns());
        Init::Given(vec![
            (Slot::Codes, codes),
            (Slot::Components, components.transposed()),
            (Slot::Labels, example.positive(labels, example.k, 200 + salt)),
        ])
    }

    pub(crate) fn facts(&self, example: &Example) -> Facts {
        let labels = (!self.references).then(|| example.labels());
        let mut facts = Facts {
            labels,
            strength: 1.3,
            unit: self.unit,
            anchor_scale: self.scale,
            graph: self.takes_graph().then(|| example.graph()),
            graph_weight: 0.7,
            image_shape: (self.spec.form == Form::Images).then(|| image_shape(example)),
            ..Facts::default()
        };
        facts.margins = margins(example);
        let largest = example.x.as_slice().iter().fold(0.0f64, |most, x| most.max(*x));
        facts.coupling = self.coupled.then_some(largest * largest);
        if self.spec.name == "guided" {
            facts.guidance = Some(self.guidance(example));
            return facts;
        }
        if self.references {
            let Example { n, d, k, seed, .. } = *example;
            // A third of the rows is free; one row has a reference of zeros.
            let weight = (0..n).map(|i| (3.0 * number(seed ^ 0x77, i) - 1.0).max(0.0)).collect();
            let soft = example.positive(n, k, 91);
            let reference = Matrix::from_fn(n, k, |i, j| if i == 1 { 0.0 } else { soft.get(i, j) });
            facts.code_reference = Some(CodeReference { reference, weight });
            if self.spec.form == Form::Symmetric {
                return facts;
            }
            if self.spec.name == "ssnmf" {
                // Three labels, each known or not, a third of the samples without any; and a fifth of X
                // unknown.
                let chance = |salt: u64, at: usize| number(seed ^ salt, at);
                let known = |i: usize, l: usize| f64::from(i % 3 != 1 && chance(0x31, 3 * i + l) < 0.6);
                return Facts {
                    label_targets: Some(LabelTargets {
                        targets: Matrix::from_fn(n, 3, |i, l| (2.0 * chance(0x32, 3 * i + l) - 0.7).max(0.0)),
                        known: Matrix::from_fn(n, 3, known),
                    }),
                    known_entries: Some(Matrix::from_fn(n, d, |i, j| {
                        f64::from(chance(0x33, i * d + j) < 0.8)
                    })),
                    label_weight: 1.4,
                    code_reference: None,
                    ..facts
                };
            }
            let known = k.div_ceil(2);
            facts.component_reference = Some(ComponentReference {
                reference: example.positive(known, d, 92),
                weight: (0..known).map(|c| 0.4 + c as f64).collect(),
            });
        }
        facts
    }

    /// Whether it is guided by a graph over the samples, whose weight has a unit.
    pub(crate) fn takes_graph(&self) -> bool {
        self.spec.name.ends_with("gnmf")
    }

    /// The codes as the model takes them: NCW-NMF gives rows of zeros no weight and no codes.
    pub(crate) fn codes(&self, example: &Example, w: &Matrix<f64>) -> Matrix<f64> {
        let weights = self.row_weights(example);
        Matrix::from_fn(w.rows(), w.columns(), |i, j| if weights[i] > 0.0 { w.get(i, j) } else { 0.0 })
    }

    /// S·H for the models that link the factors, H for the others.
    pub(crate) fn linked(&self, h: &Matrix<f64>) -> Matrix<f64> {
        let theta = if self.spec.takes(Input::Smoothing) { Facts::default().smoothing } else { 0.0 };
        let k = h.rows() as f64;
        Matrix::from_fn(h.rows(), h.columns(), |i, j| {
            let sum: f64 = (0..h.rows()).map(|l| h.get(l, j)).sum();
            (1.0 - theta) * h.get(i, j) + theta / k * sum
        })
    }

    pub(crate) fn model(&self, example: &Example) -> Model {
        self.facts(example).model(self.spec.name).with_loss(self.loss).unwrap()
    }

    /// The solvers that serve the loss.
    pub(crate) fn solvers(&self) -> impl Iterator<Item = &'static SolverSpec> {
        let loss = self.loss;
        solvers::ALL.iter().filter(move |s| s.losses.contains(&loss))
    }

    /// The data's weight of each row in the loss.
    fn row_weights(&self, example: &Example) -> Vec<f64> {
        let x = &example.x;
        if self.spec.name == "guided" {
            return self.sample_weights(example);
        }
        if self.spec.tying != methods::Tying::NormalizedCut {
            return vec![1.0; example.n];
        }
        let sums: Vec<f64> =
            (0..example.d).map(|j| (0..example.n).map(|i| x.get(i, j)).sum::<f64>()).collect();
        (0..example.n)
            .map(|i| {
                let degree: f64 = (0..example.d).map(|j| x.get(i, j) * sums[j]).sum();
                if degree > 0.0 { 1.0 / degree } else { 0.0 }
            })
            .collect()
    }
}

/// Height and width of the images that the samples of an example are.
fn image_shape(example: &Example) -> (usize, usize) {
    if example.d.is_multiple_of(2) { (2, example.d / 2) } else { (example.d, 1) }
}

/// A name, (l1 of codes, of components), (l2 of codes, of components).
pub(crate) type Penalty = (&'static str, (f64, f64), (f64, f64));

pub(crate) const NO_PENALTY: Penalty = ("none", (0.0, 0.0), (0.0, 0.0));

pub(crate) const PENALTIES: [Penalty; 8] = [
    NO_PENALTY,
    ("both L1", (0.02, 0.03), (0.0, 0.0)),
    ("both L1 and L2", (0.02, 0.01), (0.03, 0.04)),
    ("L1 of codes, L2 of components", (0.02, 0.0), (0.0, 0.04)),
    ("L1 of codes", (0.03, 0.0), (0.0, 0.0)),
    ("L1 of components", (0.0, 0.03), (0.0, 0.0)),
    ("L2 of codes", (0.0, 0.0), (0.03, 0.0)),
    ("L1 and L2 of components", (0.0, 0.02), (0.0, 0.03)),
];

/// The value, or `None` for a combination that is refused as one; any other error fails the test.
pub(crate) fn accepted<V>(result: Result<V>) -> Option<V> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Incompatible { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

/// W·H (n × d).
pub(crate) fn product(w: &Matrix<f64>, h: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_fn(w.rows(), h.columns(), |i, j| {
        (0..h.rows()).map(|c| w.get(i, c) * h.get(c, j)).sum::<f64>()
    })
}

/// ‖A − B‖ / ‖B‖ (‖A − B‖ when B is 0).
pub(crate) fn relative_difference(a: &Matrix<f64>, b: &Matrix<f64>) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
    let difference = norm(&mut a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| a - b));
    let size = norm(&mut b.as_slice().iter().copied());
    if size > 0.0 { difference / size } else { difference }
}
