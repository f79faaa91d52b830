//! [`Term`]: what a model adds to the loss. A term describes its part of the objective; it never touches X.
//! Backends evaluate the list of terms next to their data.

use std::fmt::Debug;
use std::ops::Range;

use crate::engine::quadratic::{Quadratic, Subproblem};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::{Matrix, Once, Real};

/// One part of the objective beside the loss, in the half form (½‖X − WH‖² or D).
pub(crate) trait Term<T: Real>: Debug + Send + Sync {
    /// Its name in the parts of the objective.
    fn name(&self) -> String;

    /// What there is to know of it before anything is computed.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// Whether it is a penalty on the size of factors, and which.
    fn penalty(&self) -> Option<Penalty> {
        None
    }

    /// Its value at the factors, in `f64`.
    fn value(&self, factors: &Factors<T>, loss: Loss) -> f64;

    /// What it needs of the codes.
    fn needs_codes(&self) -> NeedsCodes {
        NeedsCodes::All
    }

    /// What these rows of the codes add to its value, where it needs [`NeedsCodes::EachRow`].
    fn value_of_rows(&self, _rows: Range<usize>, _factors: &Factors<T>) -> f64 {
        unreachable!("only for terms that need the codes row by row")
    }

    /// Whether it depends on a factor. By default on codes and components.
    fn depends_on(&self, slot: Slot) -> bool {
        slot.is_main()
    }

    /// Adds it to the subproblem of a slot that it depends on, at the current factors.
    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>);

    /// As [`Term::add_to`], for a term with work as large as a product with X, which `each_chunk` shares out.
    fn add_to_by(
        &self,
        slot: Slot,
        factors: &Factors<T>,
        subproblem: &mut Subproblem<T>,
        _each_chunk: &EachChunk<'_, T>,
    ) {
        self.add_to(slot, factors, subproblem);
    }

    /// Whether it changes the cross matrix of `slot`, so that a cached product with X can't be used as it is.
    fn changes_cross(&self, _slot: Slot) -> bool {
        false
    }

    /// Puts the entries of `slot` that it fixes where they are fixed; whether that changed anything.
    fn place(&self, _slot: Slot, _factors: &mut Factors<T>) -> bool {
        false
    }

    /// How the factor that it brings along ([`Facts::own_slot`]) begins beside these codes and components.
    fn own_start(&self, _start: &Factors<T>) -> Option<OwnStart<'_, T>> {
        None
    }

    /// What it leaves for the codes of new rows, of which nothing is known. By default nothing.
    fn for_new_rows(&self, _factors: &Factors<T>, _loss: Loss) -> Option<RowPenalty> {
        None
    }

    /// Bytes of data that it holds.
    fn owned_bytes(&self) -> usize {
        0
    }
}

/// What there is to know of a term. The default is a term that every loss and solver supports, with an upper
/// bound in place of itself in some subproblem.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// Each subproblem has the term itself, not an upper bound of it.
    pub(crate) exact: bool,
    /// Only the Frobenius loss has a subproblem for it.
    pub(crate) squared_only: bool,
    /// With the Frobenius loss it may bring negative entries into the cross matrix.
    pub(crate) negative_cross: bool,
    /// The rows with a Gram of their own.
    pub(crate) row_grams: RowGrams,
    /// What its weight is measured in.
    pub(crate) unit: Option<Unit>,
    /// What the size of a component means to it.
    pub(crate) size: ComponentSize,
    /// The factor that it brings along.
    pub(crate) own_slot: Option<Slot>,
    /// It weights the entries of X, so that it is a part of the loss.
    pub(crate) weights_entries: bool,
    /// It fixes entries of a factor. Such terms come after all others.
    pub(crate) fixes_entries: bool,
    /// It makes the components a copy of the codes: one factor, which comes twice in the objective.
    pub(crate) equal_factors: bool,
}

/// Whether some rows of a factor have a Gram (or an unknown) of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RowGrams {
    /// All rows share one.
    #[default]
    None,
    /// Some have their own, without negative entries.
    NonNegative,
    /// Some have their own, with negative entries.
    Signed,
}

/// What the weight of a term is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// In that of the data.
    Raw,
    /// In none: a strength from 0 to 1.
    Relative,
}

/// What the size of a component, against that of its codes, means to a term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ComponentSize {
    /// The term changes with it, or may.
    #[default]
    Matters,
    /// The term does not change with it.
    Free,
    /// The term does not change with it, but its upper bound is tight only where all components are of equal
    /// length.
    BestAtUnit,
}

/// What a term needs of the codes. Where several processes share the data, each has the codes of its own rows
/// at hand; those of all rows have to be sent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NeedsCodes {
    /// Nothing: it is about other factors.
    Nothing,
    /// Each row by itself. Its value is a sum over their rows, and what it adds to the subproblem of the
    /// codes depends on no current code.
    EachRow,
    /// All rows at once.
    All,
}

impl NeedsCodes {
    /// That of a term about one factor, whose rows count by themselves.
    pub(crate) fn of_rows(slot: Slot) -> Self {
        if slot == Slot::Codes { NeedsCodes::EachRow } else { NeedsCodes::Nothing }
    }
}

/// A penalty on the size of factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Penalty {
    /// Of one factor, whatever the other is.
    Plain(Slot),
    /// Of a factor, measured at unit length of its partner.
    ScaleFree,
    /// With a weight for each component.
    ByComponent,
}

/// How a factor beside codes and components begins.
pub(crate) enum OwnStart<'t, T> {
    /// It follows from the others.
    Follows(Matrix<T>),
    /// It is drawn, of a size at which codes times it explain something.
    Explains {
        /// Its rows.
        rows: usize,
        /// The mean of what is to be explained.
        mean: f64,
        /// What is to be explained, where it is above 0: row of the codes, row of the factor, value.
        known: &'t [(u32, u32, T)],
    },
}

/// Penalties on a row of codes, for the half objective.
pub(crate) struct RowPenalty {
    /// Ridge of each component (k).
    pub(crate) ridge: Vec<f64>,
    /// Linear penalty of each component (k).
    pub(crate) linear: Vec<f64>,
}

impl RowPenalty {
    /// That of a term whose part in the codes is the same for every row.
    pub(crate) fn in_codes<T: Real>(term: &dyn Term<T>, factors: &Factors<T>) -> Self {
        let shape = (factors.get(Slot::Codes).rows(), factors.rank());
        let mut probe = Subproblem::Quadratic(Quadratic::of_terms(shape));
        term.add_to(Slot::Codes, factors, &mut probe);
        let Subproblem::Quadratic(probe) = probe else { unreachable!("the probe is a quadratic") };
        RowPenalty {
            ridge: (0..factors.rank()).map(|j| probe.gram.get(j, j).to_f64()).collect(),
            linear: probe.penalties.linear.iter().map(|linear| linear.to_f64()).collect(),
        }
    }
}

/// Adds a term to the subproblem of `slot` at the current factors, as a constant when it does not depend on
/// the slot. `over_codes` gives the total over the rows of the codes of what is computed for some of them.
pub(crate) fn add<T: Real>(
    term: &dyn Term<T>,
    slot: Slot,
    factors: &Factors<T>,
    subproblem: &mut Subproblem<T>,
    each_chunk: &EachChunk<'_, T>,
    over_codes: &OverCodes<'_>,
) {
    if term.depends_on(slot) {
        return term.add_to_by(slot, factors, subproblem, each_chunk);
    }
    let loss = match subproblem {
        Subproblem::Quadratic(_) => Loss::Frobenius,
        Subproblem::KullbackLeibler(_) => Loss::KullbackLeibler,
    };
    subproblem.add_constant(match term.needs_codes() {
        NeedsCodes::EachRow => over_codes(&|rows| term.value_of_rows(rows, factors)),
        NeedsCodes::Nothing | NeedsCodes::All => term.value(factors, loss),
    });
}

/// The total over the rows of the codes of what is computed for some of them.
pub(crate) type OverCodes<'f> = dyn Fn(&dyn Fn(Range<usize>) -> f64) -> f64 + 'f;

/// One chunk of rows of an output: its range, what to fill, and what to add up.
pub(crate) type Chunk<'f, T> = dyn Fn(Range<usize>, &mut [T]) -> f64 + Sync + 'f;

/// Runs a [`Chunk`] for each chunk of rows of an output (rows × width); the results in chunk order.
pub(crate) type EachChunk<'f, T> = dyn Fn(&[Range<usize>], &mut [T], usize, &Chunk<'_, T>) -> Vec<f64> + 'f;

/// [`EachChunk`] on the calling thread.
pub(crate) fn one_by_one<T: Real>(
    chunks: &[Range<usize>],
    out: &mut [T],
    width: usize,
    f: &Chunk<'_, T>,
) -> Vec<f64> {
    chunks.iter().map(|range| f(range.clone(), &mut out[range.start * width..range.end * width])).collect()
}

/// A term of a model, in `f64`, which goes into the number type of the data.
pub(crate) trait Cast: Term<f64> {
    /// The term in a number type.
    type In<T: Real>: Term<T> + 'static;

    /// The same term in a number type, in the form for `multiplicative` updates or for all others.
    fn cast<T: Real>(&self, multiplicative: bool) -> Self::In<T>;
}

/// [`Cast`] behind a pointer: a list of these is what models and guidance come to.
pub(crate) trait ModelTerm: Term<f64> {
    /// As [`Cast::cast`].
    fn in_f32(&self, multiplicative: bool) -> Box<dyn Term<f32>>;
    /// As [`Cast::cast`].
    fn in_f64(&self, multiplicative: bool) -> Box<dyn Term<f64>>;
}

/// What a model or guidance comes to.
pub(crate) type ModelTerms = Vec<Box<dyn ModelTerm>>;

impl<M: Cast> ModelTerm for M {
    fn in_f32(&self, multiplicative: bool) -> Box<dyn Term<f32>> {
        Box::new(self.cast::<f32>(multiplicative))
    }

    fn in_f64(&self, multiplicative: bool) -> Box<dyn Term<f64>> {
        Box::new(self.cast::<f64>(multiplicative))
    }
}

/// See [`in_type`].
struct InType;

impl Once for InType {
    type In<'a, T: Real> = (&'a dyn ModelTerm, bool);
    type Out<'a, T: Real> = Box<dyn Term<T>>;

    fn in_f32<'a>((term, multiplicative): Self::In<'a, f32>) -> Self::Out<'a, f32> {
        term.in_f32(multiplicative)
    }

    fn in_f64<'a>((term, multiplicative): Self::In<'a, f64>) -> Self::Out<'a, f64> {
        term.in_f64(multiplicative)
    }
}

/// A model's term in the number type of the data.
pub(crate) fn in_type<T: Real>(term: &dyn ModelTerm, multiplicative: bool) -> Box<dyn Term<T>> {
    T::once::<InType>((term, multiplicative))
}
