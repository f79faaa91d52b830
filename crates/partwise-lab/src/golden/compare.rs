//! [`Comparison`]: got against expected, by the rules of the fixtures, with every difference told in full.

use anyhow::{Context, Result};
use partwise::Matrix;

use super::fixture::Fixture;

/// An expected objective below this share of the first one is compared at this share (fixtures' README).
const OBJECTIVE_FLOOR: f64 = 1e-6;

/// Numbers of tables (metrics and the like) that should be 0 may be off by this much times the tolerance.
const TABLE_FLOOR: f64 = 1e-3;

/// Collects the comparisons of one fixture.
#[derive(Debug)]
pub struct Comparison {
    file: String,
    variant: String,
    tolerance: f64,
    count: usize,
    failures: Vec<String>,
}

impl Comparison {
    /// Comparisons of `file`, to a tolerance of 1e-9 unless it names its own.
    pub fn of(file: &str) -> Self {
        Comparison {
            file: file.into(),
            variant: String::new(),
            tolerance: 1e-9,
            count: 0,
            failures: Vec::new(),
        }
    }

    /// Names what the comparisons that follow were run on ("sparse data", "case 3"), for their messages.
    pub fn variant(&mut self, name: impl Into<String>) {
        self.variant = name.into();
    }

    /// Sets the relative tolerance of the comparisons that follow.
    pub fn tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    /// How many comparisons were made.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What failed, one line each.
    pub fn into_failures(self) -> Vec<String> {
        self.failures
    }

    /// A number of a table: relative to the expected one, or to 1e-3 if that is larger.
    pub fn number(&mut self, field: &str, iteration: Option<usize>, got: f64, expected: f64) {
        self.within(field, iteration, got, expected, self.tolerance * expected.abs().max(TABLE_FLOOR));
    }

    /// An objective: relative to the expected one, or to 1e-6 of the objective `at_start` if that is larger.
    pub fn objective(&mut self, iteration: usize, got: f64, expected: f64, at_start: f64) {
        let scale = expected.abs().max(OBJECTIVE_FLOOR * at_start.abs());
        self.within("objective", Some(iteration), got, expected, self.tolerance * scale);
    }

    /// A whole array: the largest difference relative to the largest expected entry.
    pub fn matrix(
        &mut self,
        field: &str,
        iteration: Option<usize>,
        got: &Matrix<f64>,
        expected: &Matrix<f64>,
    ) {
        if got.shape() != expected.shape() {
            self.count += 1;
            let (got, expected) = (got.shape(), expected.shape());
            self.fail(field, iteration, &format!("got the shape {got:?}, expected {expected:?}"));
            return;
        }
        let largest = expected.as_slice().iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        // NaN counts as the largest difference of all.
        let size = |difference: f64| if difference.is_nan() { f64::INFINITY } else { difference.abs() };
        let worst = got
            .as_slice()
            .iter()
            .zip(expected.as_slice())
            .map(|(got, expected)| size(got - expected))
            .enumerate()
            .max_by(|one, other| one.1.total_cmp(&other.1));
        match worst {
            None => self.count += 1,
            Some((place, _)) => {
                let (row, column) = (place / expected.columns(), place % expected.columns());
                let field = format!("{field}[{row}, {column}]");
                let allowed = self.tolerance * largest;
                self.within(&field, iteration, got.get(row, column), expected.get(row, column), allowed);
            }
        }
    }

    /// Something that must hold without a tolerance; `message` says what was got and expected.
    pub fn holds(&mut self, field: &str, iteration: Option<usize>, holds: bool, message: &str) {
        self.count += 1;
        if !holds {
            self.fail(field, iteration, message);
        }
    }

    fn within(&mut self, field: &str, iteration: Option<usize>, got: f64, expected: f64, allowed: f64) {
        self.count += 1;
        let difference = (got - expected).abs();
        if got == expected || difference <= allowed {
            return;
        }
        self.fail(
            field,
            iteration,
            &format!("got {got}, expected {expected}, difference {difference:e}, allowed {allowed:e}"),
        );
    }

    fn fail(&mut self, field: &str, iteration: Option<usize>, message: &str) {
        let variant = if self.variant.is_empty() { String::new() } else { format!(" ({})", self.variant) };
        let iteration = iteration.map_or(String::new(), |number| format!(" after {number} iterations"));
        self.failures.push(format!("{}{variant}: {field}{iteration}: {message}", self.file));
    }
}

/// What one run of a method gives to compare.
#[derive(Clone, Debug)]
pub struct RunOutput {
    /// The objective by iteration number, the start's (0) first, on the fixture's scale (mind factors ½).
    pub objectives: Vec<f64>,
    /// The factors at the end, by the fixture's name and in its orientation: samples × k, k × features, and d
    /// as n × 1.
    pub factors: Vec<(&'static str, Matrix<f64>)>,
}

/// Compares a run with everything that `fixture` expects: the objectives at its iterations (0, 1, 5, 50), all
/// from the history of one run to the last of them, and all factors after 1 and after 5 iterations, from runs
/// of that length.
///
/// `run` is called with the number of iterations; only that limit may stop it (`tol = 0`).
///
/// # Errors
/// When the fixture lacks a field or the run fails.
pub fn compare_run(
    fixture: &Fixture,
    comparison: &mut Comparison,
    run: impl Fn(usize) -> Result<RunOutput>,
) -> Result<()> {
    comparison.tolerance(fixture.tolerance()?);
    let expected = fixture.expected_objectives()?;
    let last = expected.iter().map(|(iteration, _)| *iteration).max().context("no expected objective")?;
    let at_start = expected.iter().find(|(iteration, _)| *iteration == 0).context("no objective at 0")?.1;
    let history = run(last).with_context(|| format!("the run of {last} iterations"))?.objectives;
    comparison.holds(
        "history",
        None,
        history.len() == last + 1,
        &format!("got {} objectives, expected {} (0 to {last})", history.len(), last + 1),
    );
    for (iteration, value) in expected {
        if let Some(&got) = history.get(iteration) {
            comparison.objective(iteration, got, value, at_start);
        }
    }
    for (iteration, factors) in fixture.expected_factors()? {
        let output = run(iteration).with_context(|| format!("the run of {iteration} iterations"))?;
        for (name, expected) in factors {
            match output.factors.iter().find(|(got, _)| *got == name) {
                Some((_, got)) => comparison.matrix(&name, Some(iteration), got, &expected),
                None => comparison.holds(&name, Some(iteration), false, "the run gave no such factor"),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fixture() -> Fixture {
        Fixture::of(
            "made__up.json",
            json!({
                "tolerance": 1e-9,
                "expected": {
                    "objective": {"0": 8.0, "1": 4.0, "2": 2.0},
                    "factors": {"1": {"W": [[1.0], [0.5]], "d": [3.0, 0.0]}}
                }
            }),
        )
    }

    fn output(iterations: usize) -> RunOutput {
        RunOutput {
            objectives: [8.0, 4.0, 2.0][..=iterations].to_vec(),
            factors: vec![
                ("W", Matrix::from_vec(2, 1, vec![1.0, 0.5]).unwrap()),
                ("d", Matrix::from_vec(2, 1, vec![3.0, 0.0]).unwrap()),
            ],
        }
    }

    fn failures(run: impl Fn(usize) -> Result<RunOutput>) -> Vec<String> {
        let mut comparison = Comparison::of("made__up.json");
        comparison.variant("dense data");
        compare_run(&fixture(), &mut comparison, run).unwrap();
        comparison.into_failures()
    }

    #[test]
    fn the_right_run_passes_and_rounding_is_allowed_for() {
        assert!(failures(|n| Ok(output(n))).is_empty());
        let rounded = |n| {
            let mut output = output(n);
            output.objectives.iter_mut().for_each(|value| *value *= 1.0 + 5e-10);
            output.factors[0].1.set(1, 0, 0.5 + 5e-10);
            Ok(output)
        };
        assert!(failures(rounded).is_empty());
    }

    #[test]
    fn each_kind_of_difference_is_found_and_named() {
        let objective = failures(|n| {
            let mut output = output(n);
            output.objectives[1] += 1e-7;
            Ok(output)
        });
        assert!(
            objective[0]
                .starts_with("made__up.json (dense data): objective after 1 iterations: got 4.0000001")
        );
        let factor = failures(|n| {
            let mut output = output(n);
            output.factors[1].1.set(1, 0, f64::NAN);
            Ok(output)
        });
        assert!(factor[0].contains("d[1, 0] after 1 iterations: got NaN, expected 0"), "{}", factor[0]);
        let missing = failures(|n| Ok(RunOutput { factors: Vec::new(), ..output(n) }));
        assert_eq!(missing.len(), 2);
        let shape = failures(|n| Ok(RunOutput { factors: vec![("W", Matrix::zeros(1, 2))], ..output(n) }));
        assert!(shape[0].contains("got the shape (1, 2), expected (2, 1)"), "{}", shape[0]);
        let short = failures(|n| Ok(RunOutput { objectives: vec![8.0], ..output(n) }));
        assert!(short[0].contains("got 1 objectives, expected 3"), "{}", short[0]);
    }

    #[test]
    fn an_objective_near_zero_is_held_to_a_share_of_the_first_one() {
        let mut comparison = Comparison::of("x");
        comparison.objective(50, 1.5e-14, 0.0, 10.0);
        assert!(comparison.failures.len() == 1 && comparison.failures[0].contains("allowed 1e-14"));
        comparison.objective(50, 0.9e-14, 0.0, 10.0);
        assert_eq!(comparison.failures.len(), 1);
    }
}
