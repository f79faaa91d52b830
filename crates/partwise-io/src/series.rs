//! Sequences of numbers in the first row or column: do they count, rise or look like years, as names do and
//! data do not?

use crate::cells::{Cell, classify};
use crate::text::number;

/// A cell, as far as these rules go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sample {
    /// A whole number, written without point or exponent.
    Whole(i64),
    /// Another number.
    Real(f64),
    Missing,
    Other,
}

impl Sample {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
        let plain = !digits.is_empty() && digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit);
        // A leading zero makes a code, not a number that counts, but it is whole all the same.
        if plain && let Some(value) = number(bytes) {
            return Sample::Whole(value as i64);
        }
        match classify(bytes, true) {
            Cell::Number(value) => Sample::Real(value),
            Cell::Missing => Sample::Missing,
            Cell::Odd(_) | Cell::Text => Sample::Other,
        }
    }

    fn value(self) -> Option<f64> {
        match self {
            Sample::Whole(value) => Some(value as f64),
            Sample::Real(value) => Some(value),
            Sample::Missing | Sample::Other => None,
        }
    }
}

/// The statistics of a sequence of numbers, updated while it is read.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    len: usize,
    first: Option<Sample>,
    last: Option<f64>,
    whole: bool,
    steps_of_one: bool,
    rising: bool,
    falling: bool,
    smallest: f64,
    largest: f64,
}

impl Default for Series {
    fn default() -> Self {
        Series {
            len: 0,
            first: None,
            last: None,
            whole: true,
            steps_of_one: true,
            rising: true,
            falling: true,
            smallest: f64::INFINITY,
            largest: f64::NEG_INFINITY,
        }
    }
}

impl Series {
    pub(crate) fn of(values: &[Sample]) -> Self {
        let mut series = Series::default();
        values.iter().for_each(|value| series.add(*value));
        series
    }

    pub(crate) fn add(&mut self, value: Sample) {
        self.len += 1;
        self.first.get_or_insert(value);
        self.whole &= matches!(value, Sample::Whole(_));
        let Some(number) = value.value() else {
            (self.steps_of_one, self.rising, self.falling) = (false, false, false);
            return;
        };
        if let Some(last) = self.last {
            self.step(last, number);
        }
        self.last = Some(number);
        self.smallest = self.smallest.min(number);
        self.largest = self.largest.max(number);
    }

    fn step(&mut self, from: f64, to: f64) {
        self.steps_of_one &= to == from + 1.0;
        self.rising &= to > from;
        self.falling &= to < from;
    }

    /// Puts a value before the first.
    pub(crate) fn prepend(&mut self, value: Sample) {
        let next = self.first.and_then(Sample::value);
        let mut front = Series::of(&[value]);
        if let (Some(number), Some(next)) = (value.value(), next) {
            front.step(number, next);
        }
        self.steps_of_one &= front.steps_of_one;
        self.rising &= front.rising;
        self.falling &= front.falling;
        self.whole &= front.whole;
        self.smallest = self.smallest.min(front.smallest);
        self.largest = self.largest.max(front.largest);
        self.first = Some(value);
        self.last = self.last.or(front.last);
        self.len += 1;
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The first number, if it is whole.
    pub(crate) fn first(&self) -> Option<i64> {
        match self.first {
            Some(Sample::Whole(value)) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn all_whole(&self) -> bool {
        self.whole && self.len > 0
    }

    /// Whole numbers, each one more than the last.
    pub(crate) fn counts(&self) -> bool {
        self.all_whole() && self.steps_of_one
    }

    /// Strictly rising or falling.
    pub(crate) fn rises(&self) -> bool {
        self.rising || self.falling
    }

    pub(crate) fn smallest(&self) -> f64 {
        self.smallest
    }

    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }
}

/// Why a first row of numbers is a header over these rows; `Err` when it may be one.
pub(crate) fn header_of_numbers(first: &[Sample], rows: &[Vec<Sample>]) -> Result<Option<&'static str>, ()> {
    let series = Series::of(first);
    let unlike = first.iter().any(|cell| matches!(cell, Sample::Missing | Sample::Other));
    if rows.is_empty() || first.len() < 2 || unlike || !series.rises() {
        return Ok(None);
    }
    let below: Vec<Series> = rows.iter().map(|row| Series::of(row)).collect();
    let decimals = below.iter().all(|row| !row.all_whole());
    let alike = |row: &Series| if series.rising { row.rising } else { row.falling };
    let others_rise = first.len() > 2 && below.iter().all(alike);
    let counts = series.counts() && matches!(series.first(), Some(0 | 1));
    if counts && decimals && (first.len() > 2 || rows.len() > 2) {
        return Ok(Some("it counts the columns and the rows below have decimals"));
    }
    if counts && series.first() == Some(0) && first.len() >= 4 && !others_rise {
        return Ok(Some("it counts the columns from 0"));
    }
    let years = |row: &Series| row.smallest() >= 1500.0 && row.largest() <= 2100.0;
    if series.all_whole() && years(&series) && !below.iter().any(years) {
        return Ok(Some("its numbers look like years"));
    }
    let largest = below.iter().map(Series::largest).fold(f64::NEG_INFINITY, f64::max);
    let long_enough = first.len() >= if series.all_whole() { 3 } else { 5 };
    if long_enough && rows.len() > 1 && series.smallest() > largest && !others_rise {
        return Ok(Some("its numbers rise steadily and are larger than all below"));
    }
    match series.all_whole() && first.len() > 2 && !others_rise {
        true => Err(()),
        false => Ok(None),
    }
}
