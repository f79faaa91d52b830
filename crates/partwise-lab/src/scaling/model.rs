//! The time of an iteration by the number of processes.
//!
//! On one machine with C cores, P processes of one thread take
//!
//! ```text
//! T(P) = c·nnz / min(P, C) + r·d·k² · P / min(P, C) + m·d·k·log₂ P
//! ```
//!
//! c: seconds for a stored value; r: for each d·k² of the work that every process does (the update of the
//! components); m: for each number that is sent and added, in each round of the tree. On P machines nothing
//! shares a core: T(P) = c·nnz·(1 + λ)/P + r·d·k² + 2·log₂ P·α + 2·d·k·s/β.

/// What decides the cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) stored: f64,
    pub(super) features: f64,
    pub(super) rank: f64,
}

impl Shape {
    fn product(self) -> f64 {
        self.features * self.rank
    }
}

/// The constants c, r and m, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Constants {
    value: f64,
    update: f64,
    message: f64,
}

/// What is assumed of the network between machines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Network {
    /// Seconds for a message.
    latency: f64,
    /// Bytes in a second.
    bandwidth: f64,
    /// How much more than its share the busiest process has.
    imbalance: f64,
}

impl Default for Network {
    fn default() -> Self {
        Network { latency: 2e-6, bandwidth: 1e10, imbalance: 0.05 }
    }
}

/// How often each constant counts in T(P).
fn counts(processes: usize, cores: usize, shape: Shape) -> [f64; 3] {
    let (processes, at_once) = (processes as f64, processes.min(cores) as f64);
    let update = shape.product() * shape.rank;
    [shape.stored / at_once, update * processes / at_once, shape.product() * processes.log2()]
}

impl Constants {
    /// The constants, 0 or more, with the least sum of squared relative errors at these points (processes,
    /// seconds). `None` where there are fewer than three.
    pub(super) fn fitted(points: &[(usize, f64)], cores: usize, shape: Shape) -> Option<Self> {
        if points.len() < 3 {
            return None;
        }
        let rows: Vec<[f64; 3]> = points
            .iter()
            .map(|(processes, seconds)| counts(*processes, cores, shape).map(|count| count / seconds))
            .collect();
        // The optimum has some of the constants at 0 and solves the equations of the others.
        let mut best: Option<([f64; 3], f64)> = None;
        for subset in 1..8usize {
            let free: Vec<usize> = (0..3).filter(|place| subset & (1 << place) != 0).collect();
            let Some(solution) = least_squares(&rows, &free) else { continue };
            let mut values = [0.0; 3];
            free.iter().zip(&solution).for_each(|(place, value)| values[*place] = *value);
            let error = |row: &[f64; 3]| row.iter().zip(values).map(|(a, x)| a * x).sum::<f64>() - 1.0;
            let squared: f64 = rows.iter().map(|row| error(row).powi(2)).sum();
            if values.iter().all(|value| *value >= 0.0) && best.is_none_or(|(_, least)| squared < least) {
                best = Some((values, squared));
            }
        }
        best.map(|([value, update, message], _)| Constants { value, update, message })
    }

    /// Seconds of an iteration of P processes that share a machine.
    pub(super) fn on_one_machine(&self, processes: usize, cores: usize, shape: Shape) -> f64 {
        let [value, update, message] = counts(processes, cores, shape);
        self.value * value + self.update * update + self.message * message
    }

    /// Seconds of an iteration of P processes on cores of their own, with 32-bit numbers.
    fn on_machines(&self, processes: usize, shape: Shape, network: Network) -> f64 {
        let processes = processes as f64;
        let imbalance = if processes > 1.0 { network.imbalance } else { 0.0 };
        let share = self.value * shape.stored * (1.0 + imbalance) / processes;
        let update = self.update * shape.product() * shape.rank;
        let rounds = 2.0 * processes.log2() * network.latency;
        // Sent and added once up the tree and once down.
        let sent = if processes > 1.0 { 2.0 * shape.product() * 4.0 / network.bandwidth } else { 0.0 };
        share + update + rounds + sent
    }

    pub(super) fn text(&self) -> String {
        format!(
            "fitted: {:.3} ns a stored value; {:.4} ns for each d·k² in every process; {:.3} ns for each d·k \
             in a round",
            self.value * 1e9,
            self.update * 1e9,
            self.message * 1e9
        )
    }
}

/// The least squares solution of rows · x = 1 in the free places.
fn least_squares(rows: &[[f64; 3]], free: &[usize]) -> Option<Vec<f64>> {
    // Columns of length 1, since the constants differ by many powers of ten.
    let length = |place: usize| rows.iter().map(|row| row[place].powi(2)).sum::<f64>().sqrt();
    let lengths: Vec<f64> = free.iter().map(|place| length(*place)).collect();
    let count = free.len();
    let mut system = vec![vec![0.0; count + 1]; count];
    for row in rows {
        let scaled: Vec<f64> = free.iter().zip(&lengths).map(|(place, by)| row[*place] / by).collect();
        for (i, a) in scaled.iter().enumerate() {
            scaled.iter().enumerate().for_each(|(j, b)| system[i][j] += a * b);
            system[i][count] += a;
        }
    }
    for pivot in 0..count {
        if !system[pivot][pivot].is_finite() || system[pivot][pivot] < 1e-12 {
            return None;
        }
        for other in (0..count).filter(|other| *other != pivot) {
            let factor = system[other][pivot] / system[pivot][pivot];
            let from = system[pivot].clone();
            system[other].iter_mut().zip(from).for_each(|(x, y)| *x -= factor * y);
        }
    }
    Some((0..count).map(|i| system[i][count] / system[i][i] / lengths[i]).collect())
}

/// What the model says of 1 to 1,024 machines and 1.2e11 stored values, the features and components as
/// measured.
pub(super) fn table(constants: &Constants, shape: Shape, network: Network) -> Vec<String> {
    let shape = Shape { stored: 1.2e11, ..shape };
    let alone = constants.on_machines(1, shape, network);
    let mut lines = vec![
        format!(
            "processes on cores of their own, 1.2e11 stored values, {} features, {} components, 32 bits;",
            shape.features, shape.rank
        ),
        format!(
            "assumed: {} µs a message, {:e} bytes a second, the busiest process {} % over its share",
            network.latency * 1e6,
            network.bandwidth,
            network.imbalance * 100.0
        ),
        "(slow rounds: each costs as much as measured on this machine)".into(),
        "processes   seconds an iteration   efficiency   efficiency, slow rounds".into(),
    ];
    for power in 0..=10u32 {
        let processes = 1usize << power;
        let seconds = constants.on_machines(processes, shape, network);
        let efficiency = |seconds: f64| 100.0 * alone / (seconds * processes as f64);
        let slow = seconds + constants.message * shape.product() * f64::from(power);
        lines.push(format!(
            "{processes:>9}   {seconds:>20.4}   {:>8.1} %   {:>21.1} %",
            efficiency(seconds),
            efficiency(slow)
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { stored: 4e8, features: 2e4, rank: 50.0 };

    #[test]
    fn the_constants_that_made_the_times_are_found() {
        let made = Constants { value: 5e-9, update: 2e-10, message: 3e-9 };
        let points: Vec<_> = [1, 2, 3, 4].map(|p| (p, made.on_one_machine(p, 2, SHAPE))).into();
        let found = Constants::fitted(&points, 2, SHAPE).unwrap();
        for (found, made) in
            [(found.value, made.value), (found.update, made.update), (found.message, made.message)]
        {
            assert!((found / made - 1.0).abs() < 1e-6, "{found} for {made}");
        }
    }

    #[test]
    fn a_constant_is_never_negative() {
        // Two processes took less than half of the time of one.
        let found = Constants::fitted(&[(1, 2.0), (2, 0.9), (4, 0.9)], 2, SHAPE).unwrap();
        assert!(found.value > 0.0 && found.update >= 0.0 && found.message >= 0.0, "{found:?}");
        assert!(Constants::fitted(&[(1, 2.0), (2, 1.0)], 2, SHAPE).is_none());
    }

    #[test]
    fn more_machines_are_faster_and_less_efficient() {
        let constants = Constants { value: 5e-9, update: 2e-10, message: 3e-9 };
        let lines = table(&constants, SHAPE, Network::default());
        let column = |line: &String, place: usize| -> f64 {
            line.split_whitespace().nth(place).unwrap().parse().unwrap()
        };
        let rows = &lines[4..];
        assert_eq!(rows.len(), 11);
        assert!(rows.windows(2).all(|pair| column(&pair[0], 1) > column(&pair[1], 1)));
        assert!(rows.windows(2).all(|pair| column(&pair[0], 2) >= column(&pair[1], 2)));
        assert!(rows.iter().all(|row| column(row, 4) <= column(row, 2)));
    }
}
