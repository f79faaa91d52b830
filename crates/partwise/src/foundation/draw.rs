//! Draws of labelled samples, which choose the labels that a guided fit gets to see, and the generator of
//! such draws.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The labels of `per_class` samples of each class, and −1 for all others (n in, n out).
///
/// The same seed gives the same draw on every machine. A class with fewer samples gives all it has. Samples
/// whose label is negative are unlabelled already and stay so. Each class draws from a stream of its own, so
/// what is drawn from it depends on the seed, its label and its own samples only, and a larger `per_class`
/// adds to a smaller one.
pub fn draw_labels(labels: &[i32], per_class: usize, seed: u64) -> Vec<i32> {
    let mut classes: Vec<i32> = labels.iter().copied().filter(|&label| label >= 0).collect();
    classes.sort_unstable();
    classes.dedup();
    let mut drawn = vec![-1; labels.len()];
    for class in classes {
        let mut random = generator(seed, u64::from(class.unsigned_abs()));
        let mut samples: Vec<usize> = (0..labels.len()).filter(|&sample| labels[sample] == class).collect();
        for place in 0..per_class.min(samples.len()) {
            let chosen = place + below(&mut random, samples.len() - place);
            samples.swap(place, chosen);
            drawn[samples[place]] = class;
        }
    }
    drawn
}

/// The generator of draws that follow one another.
pub type Generator = ChaCha8Rng;

/// The generator of a seed and a stream. Streams of a seed are independent of each other.
pub fn generator(seed: u64, stream: u64) -> Generator {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    random
}

/// A whole number from `0..bound`, each as likely as the others.
pub fn below(random: &mut impl Rng, bound: usize) -> usize {
    let bound = bound as u64;
    // Numbers beyond the last whole multiple of the bound would favour small results.
    let limit = u64::MAX - u64::MAX % bound;
    loop {
        let number = random.next_u64();
        if number < limit {
            return (number % bound) as usize;
        }
    }
}

/// A uniform number on [0, 1).
pub fn uniform(random: &mut impl Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_class_gives_what_is_asked_or_all_it_has(
            labels in prop::collection::vec(-1_i32..4, 0..40),
            per_class in 0_usize..6,
            seed: u64,
        ) {
            let drawn = draw_labels(&labels, per_class, seed);
            prop_assert_eq!(&drawn, &draw_labels(&labels, per_class, seed));
            for (given, label) in drawn.iter().zip(&labels) {
                prop_assert!(*given == -1 || given == label);
            }
            for class in 0..4 {
                let has = labels.iter().filter(|&&label| label == class).count();
                let gives = drawn.iter().filter(|&&label| label == class).count();
                prop_assert_eq!(gives, has.min(per_class));
            }
            // A larger draw keeps what a smaller one chose.
            let more = draw_labels(&labels, per_class + 1, seed);
            prop_assert!(drawn.iter().zip(&more).all(|(less, more)| *less == -1 || less == more));
        }
    }

    #[test]
    fn the_seed_changes_the_draw() {
        let labels = vec![0; 100];
        assert_ne!(draw_labels(&labels, 5, 1), draw_labels(&labels, 5, 2));
    }

    #[test]
    fn every_sample_is_drawn_about_equally_often() {
        let labels = [0, 0, 0, 0, 0];
        let mut times = [0; 5];
        for seed in 0..2000 {
            for (sample, label) in draw_labels(&labels, 2, seed).into_iter().enumerate() {
                times[sample] += i32::from(label == 0);
            }
        }
        // 800 expected; the standard deviation is 22.
        assert!(times.iter().all(|count| (690..=910).contains(count)), "{times:?}");
    }
}
