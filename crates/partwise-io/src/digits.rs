//! The data set that is built in: 1,797 images of handwritten digits.
//!
//! E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits" (test set), UCI Machine Learning
//! Repository, 1998, doi 10.24432/C50P49, licence CC BY 4.0. `data/README.md` names the source of the file.

use std::io::Read;

const FILE: &[u8] = include_bytes!("../data/digits.csv.gz");

/// Handwritten digits as data and labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Digits {
    /// The pixels (1,797 × 64, row-major): one image per row, pixels row by row, from 0 to 16.
    pub images: Vec<f64>,
    /// The digit of each image (1,797), from 0 to 9.
    pub labels: Vec<i32>,
    /// The height and width of an image: (8, 8).
    pub shape: (usize, usize),
}

impl Digits {
    /// The number of images.
    pub fn n_samples(&self) -> usize {
        self.labels.len()
    }

    /// The number of pixels of an image.
    pub fn n_features(&self) -> usize {
        self.shape.0 * self.shape.1
    }
}

/// Reads the built-in file.
pub fn digits() -> Digits {
    let mut text = String::new();
    flate2::read::GzDecoder::new(FILE)
        .read_to_string(&mut text)
        .expect("the built-in file is a whole gzip file of text, as a test of this module checks");
    let shape = (8, 8);
    let mut images = Vec::new();
    let mut labels = Vec::new();
    for line in text.lines() {
        let values: Vec<i32> = line
            .split(',')
            .map(|field| field.parse().expect("every field of the built-in file is an integer"))
            .collect();
        let (label, pixels) = values.split_last().expect("every line of the built-in file has fields");
        assert_eq!(pixels.len(), shape.0 * shape.1, "every line of the built-in file is one image");
        images.extend(pixels.iter().map(|&pixel| f64::from(pixel)));
        labels.push(*label);
    }
    Digits { images, labels, shape }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures were counted from the file by another program (Python) when it was added.
    #[test]
    fn the_digits_are_whole() {
        let digits = digits();
        assert_eq!((digits.n_samples(), digits.n_features()), (1797, 64));
        assert_eq!(digits.images.len(), 1797 * 64);
        assert_eq!(digits.images.iter().sum::<f64>(), 561_718.0);
        assert!(digits.images.iter().all(|pixel| (0.0..=16.0).contains(pixel)));
        let counts: Vec<usize> =
            (0..10).map(|digit| digits.labels.iter().filter(|&&label| label == digit).count()).collect();
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
    }
}
