//! Clusters of points by k-means. With codes as the points this is how several papers judge a factorization.

mod directions;
mod k_means;
#[doc(hidden)]
pub mod rows;

pub(crate) use directions::{Directions, units};
pub use k_means::{EmptyCluster, KMeans, KMeansSettings, k_means, k_means_from};
#[doc(hidden)]
pub use k_means::{check, check_centres, lloyd, plus_plus, scatter, scores};
