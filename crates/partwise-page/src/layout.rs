//! Places in the plane for points of many dimensions: t-SNE (van der Maaten & Hinton 2008,
//! "Visualizing data using t-SNE", JMLR 9), exact, from the first two principal components. No random number
//! and no thread takes part, so the same points always get the same places; published crates start at
//! random places.
//!
//! ```text
//! min Σᵢⱼ pᵢⱼ log(pᵢⱼ/qᵢⱼ),   qᵢⱼ ∝ 1/(1 + ‖yᵢ − yⱼ‖²),   pᵢⱼ: Gaussian neighbourhoods of the perplexity
//! ```
//!
//! Time and memory grow with the square of the number of points: draw some hundreds.

/// Neighbours that a point effectively has.
const PERPLEXITY: f64 = 30.0;
/// Steps with exaggerated attraction, and all steps.
const EARLY: usize = 80;
const STEPS: usize = 320;
const EXAGGERATION: f32 = 12.0;
/// Sums that are kept side by side, so that a processor adds several numbers at once.
const LANES: usize = 8;

/// The places of points (m of equal length), each coordinate from 0 to 1.
pub fn layout(points: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let m = points.len();
    if m < 4 {
        return (0..m).map(|i| ((i as f64 + 0.5) / m as f64, 0.5)).collect();
    }
    let attraction = neighbourhoods(points);
    let (mut x, mut y) = first_places(points);
    let mut state = [vec![0.0f32; 2 * m], vec![1.0f32; 2 * m]];
    let rate = (m as f32 / EXAGGERATION / 4.0).max(50.0);
    for step in 0..STEPS {
        let (exaggeration, momentum) = if step < EARLY { (EXAGGERATION, 0.5) } else { (1.0, 0.8) };
        let (along_x, along_y) = gradient(&attraction, &x, &y, exaggeration);
        let [velocity, gain] = &mut state;
        let moved = x.iter_mut().chain(y.iter_mut()).zip(along_x.iter().chain(&along_y));
        for (at, (place, slope)) in moved.enumerate() {
            let against = (*slope > 0.0) != (velocity[at] > 0.0);
            gain[at] = if against { gain[at] + 0.2 } else { (gain[at] * 0.8).max(0.01) };
            velocity[at] = momentum * velocity[at] - rate * gain[at] * slope;
            *place += velocity[at];
        }
    }
    let (x, y) = (from_0_to_1(&x), from_0_to_1(&y));
    x.into_iter().zip(y).collect()
}

/// pᵢⱼ (m × m), symmetric, sum 1. Each point reaches to its nearest neighbours only.
fn neighbourhoods(points: &[Vec<f64>]) -> Vec<f32> {
    let m = points.len();
    let perplexity = PERPLEXITY.min((m - 1) as f64 / 3.0);
    let reach = ((3.0 * perplexity) as usize).clamp(1, m - 1);
    let mut p = vec![0.0f32; m * m];
    for i in 0..m {
        let distance = |j: usize| points[i].iter().zip(&points[j]).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let mut near: Vec<(f64, usize)> = (0..m).filter(|j| *j != i).map(|j| (distance(j), j)).collect();
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(reach);
        let weights = weights_of_perplexity(&near, perplexity);
        for ((_, j), weight) in near.iter().zip(weights) {
            let half = (weight / (2.0 * m as f64)) as f32;
            p[i * m + j] += half;
            p[j * m + i] += half;
        }
    }
    p
}

/// Weights of neighbours at these squared distances, sum 1, whose entropy is that of so many equal ones.
fn weights_of_perplexity(near: &[(f64, usize)], perplexity: f64) -> Vec<f64> {
    let nearest = near[0].0;
    let mean = near.iter().map(|n| n.0 - nearest).sum::<f64>() / near.len() as f64;
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut sharpness = if mean > 0.0 { 1.0 / mean } else { 1.0 };
    let mut weights = vec![0.0; near.len()];
    for _ in 0..40 {
        near.iter().zip(&mut weights).for_each(|(n, w)| *w = (-sharpness * (n.0 - nearest)).exp());
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= sum);
        let entropy: f64 = weights.iter().filter(|w| **w > 0.0).map(|w| -w * w.ln()).sum();
        if (entropy - perplexity.ln()).abs() < 1e-4 {
            break;
        }
        if entropy > perplexity.ln() {
            low = sharpness;
            sharpness = if high.is_finite() { (low + high) / 2.0 } else { 2.0 * sharpness };
        } else {
            high = sharpness;
            sharpness = (low + high) / 2.0;
        }
    }
    weights
}

/// The slope of the objective in each coordinate, without the factor 4.
fn gradient(p: &[f32], x: &[f32], y: &[f32], exaggeration: f32) -> (Vec<f32>, Vec<f32>) {
    let m = x.len();
    let mut normalizer = 0.0f64;
    // Σⱼ p q d and Σⱼ q² d, each along x and y.
    let mut sums = vec![[0.0f32; 4]; m];
    for i in 0..m {
        let mut lanes = [[0.0f32; LANES]; 5];
        let row = &p[i * m..(i + 1) * m];
        let mut add = |lane: usize, j: usize| {
            let (dx, dy) = (x[i] - x[j], y[i] - y[j]);
            let q = 1.0 / (1.0 + dx * dx + dy * dy);
            let (pull, push) = (row[j] * q, q * q);
            lanes[0][lane] += pull * dx;
            lanes[1][lane] += pull * dy;
            lanes[2][lane] += push * dx;
            lanes[3][lane] += push * dy;
            lanes[4][lane] += q;
        };
        let whole = m / LANES * LANES;
        for start in (0..whole).step_by(LANES) {
            for lane in 0..LANES {
                add(lane, start + lane);
            }
        }
        (whole..m).for_each(|j| add(j - whole, j));
        let total = |lane: &[f32; LANES]| lane.iter().sum::<f32>();
        sums[i] = [total(&lanes[0]), total(&lanes[1]), total(&lanes[2]), total(&lanes[3])];
        // Its distance to itself is no pair.
        normalizer += f64::from(total(&lanes[4])) - 1.0;
    }
    let one_over = (1.0 / normalizer.max(1e-12)) as f32;
    let slope = |pull: usize| sums.iter().map(|s| exaggeration * s[pull] - s[pull + 2] * one_over).collect();
    (slope(0), slope(1))
}

/// The first two principal components, small, with a trace of each point's number so that equal points part.
fn first_places(points: &[Vec<f64>]) -> (Vec<f32>, Vec<f32>) {
    let (m, k) = (points.len(), points[0].len());
    let mean: Vec<f64> = (0..k).map(|j| points.iter().map(|p| p[j]).sum::<f64>() / m as f64).collect();
    let centred: Vec<Vec<f64>> =
        points.iter().map(|p| p.iter().zip(&mean).map(|(a, b)| a - b).collect()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut axes: Vec<Vec<f64>> = Vec::new();
    for axis in 0..2 {
        let mut direction: Vec<f64> = (0..k).map(|j| 1.0 + ((j * (7 + 4 * axis)) % 5) as f64 / 5.0).collect();
        for _ in 0..60 {
            let mut next = vec![0.0; k];
            for point in &centred {
                let along = dot(point, &direction);
                next.iter_mut().zip(point).for_each(|(n, p)| *n += along * p);
            }
            for earlier in &axes {
                let along = dot(&next, earlier);
                next.iter_mut().zip(earlier).for_each(|(n, e)| *n -= along * e);
            }
            let length = dot(&next, &next).sqrt();
            if length < 1e-12 {
                break;
            }
            direction = next.into_iter().map(|n| n / length).collect();
        }
        axes.push(direction);
    }
    let places = |axis: &[f64], turn: f64| {
        let along: Vec<f64> = centred.iter().map(|point| dot(point, axis)).collect();
        let spread = (dot(&along, &along) / m as f64).sqrt().max(1e-12);
        let trace = |i: usize| 0.01 * (turn * i as f64).sin();
        along.iter().enumerate().map(|(i, a)| (1e-4 * (a / spread + trace(i))) as f32).collect()
    };
    (places(&axes[0], 12.9898), places(&axes[1], 78.233))
}

fn from_0_to_1(values: &[f32]) -> Vec<f64> {
    let (low, high) =
        values.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let span = f64::from(high - low);
    let place = |v: &f32| if span > 0.0 { f64::from(*v - low) / span } else { 0.5 };
    values.iter().map(place).map(|v| if v.is_finite() { v } else { 0.5 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stay_together_and_the_places_are_always_the_same() {
        // Three groups of 40 around the corners of a simplex, with a little of the others.
        let point = |i: usize| {
            let mut point: Vec<f64> = (0..3).map(|j| 0.02 * ((i * 7 + j * 3) % 5) as f64).collect();
            point[i % 3] += 1.0;
            point
        };
        let points: Vec<Vec<f64>> = (0..120).map(point).collect();
        let places = layout(&points);
        assert_eq!(places, layout(&points));
        assert!(places.iter().all(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y)));
        let distance = |a: usize, b: usize| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1);
        for i in 0..120 {
            let nearest =
                (0..120).filter(|j| *j != i).min_by(|a, b| distance(i, *a).total_cmp(&distance(i, *b)));
            assert_eq!(nearest.unwrap() % 3, i % 3, "point {i}");
        }
    }

    #[test]
    fn few_or_equal_points_have_places_too() {
        for count in [0, 1, 3, 4, 30] {
            let places = layout(&vec![vec![0.5, 0.5]; count]);
            assert_eq!(places.len(), count);
            assert!(places.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
        }
    }
}
