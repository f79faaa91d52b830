//! Non-negative least squares (`nnls`): its runners go here when the method is built.
