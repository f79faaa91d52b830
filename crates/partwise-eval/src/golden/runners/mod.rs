//! Which function checks which method: one file a family, one line a method.

mod cnmf;
mod labels;
mod metrics;
mod nmf;
mod nnls;
mod wsnmf;

use super::Runner;

/// Every method whose fixtures are compared.
pub const RUNNERS: &[Runner] = &[Runner { method: "metrics", run: metrics::run }];

/// Every method whose fixtures wait because it is not built yet. It shrinks to nothing.
pub const NOT_BUILT: &[&str] = &[
    "clustering",
    "cnmf",
    "cnmf_alllabelled",
    "cnmf_kl",
    "cnmf_kl_alllabelled",
    "gnmf_binary",
    "gnmf_dot",
    "gnmf_heat",
    "label_constraint",
    "nmf_anls_bpp",
    "nmf_anls_bpp_wfirst",
    "nmf_hals",
    "nmf_hals_wfirst",
    "nmf_mu_fro",
    "nmf_mu_fro_wfirst",
    "nmf_mu_kl",
    "nmf_mu_kl_wfirst",
    "nmf_ncw",
    "nmf_nenmf",
    "nmf_nenmf_wfirst",
    "nmfalpha",
    "nmfdc",
    "nmfdc_restart",
    "nnls",
    "nsnmf_fro",
    "nsnmf_kl",
    "ntf",
    "scnmf",
    "scnmf_guard",
    "semignmf",
    "ssnmf",
    "ssnmf1",
    "svm",
    "symnmf",
    "wsnmf",
    "wsnmf_beta_search",
    "wsnmf_soft",
    "wssymnmf",
    "wssymnmf_soft",
];
