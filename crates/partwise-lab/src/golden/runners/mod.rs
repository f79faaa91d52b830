//! Which function checks which method: one file a family, one line a method.

mod clustering;
mod cnmf;
mod gnmf;
mod labels;
mod linked;
mod metrics;
mod nmf;
mod nmf_alpha;
mod nnls;
mod ntf;
mod ssnmf;
mod ssnmf1;
mod svm;
mod symnmf;
mod wsnmf;

use super::Runner;

/// Every method whose fixtures are compared.
pub const RUNNERS: &[Runner] = &[
    Runner { method: "scnmf_guard", run: linked::run_scnmf },
    Runner { method: "scnmf", run: linked::run_scnmf },
    Runner { method: "nsnmf_kl", run: linked::run_nsnmf },
    Runner { method: "nsnmf_fro", run: linked::run_nsnmf },
    Runner { method: "nmfdc_restart", run: linked::run_nmfdc },
    Runner { method: "nmfdc", run: linked::run_nmfdc },
    Runner { method: "clustering", run: clustering::run },
    Runner { method: "cnmf", run: cnmf::run },
    Runner { method: "cnmf_alllabelled", run: cnmf::run },
    Runner { method: "cnmf_kl", run: cnmf::run },
    Runner { method: "cnmf_kl_alllabelled", run: cnmf::run },
    Runner { method: "gnmf_binary", run: gnmf::run },
    Runner { method: "gnmf_dot", run: gnmf::run },
    Runner { method: "gnmf_heat", run: gnmf::run },
    Runner { method: "label_constraint", run: labels::run },
    Runner { method: "metrics", run: metrics::run },
    Runner { method: "nmf_anls_bpp", run: nmf::run },
    Runner { method: "nmf_anls_bpp_wfirst", run: nmf::run },
    Runner { method: "nmf_hals", run: nmf::run },
    Runner { method: "nmf_hals_wfirst", run: nmf::run },
    Runner { method: "nmf_mu_fro", run: nmf::run },
    Runner { method: "nmf_mu_fro_wfirst", run: nmf::run },
    Runner { method: "nmf_mu_kl", run: nmf::run },
    Runner { method: "nmf_mu_kl_wfirst", run: nmf::run },
    Runner { method: "nmf_ncw", run: nmf::run },
    Runner { method: "nmf_nenmf", run: nmf::run },
    Runner { method: "nmf_nenmf_wfirst", run: nmf::run },
    Runner { method: "nmfalpha", run: nmf_alpha::run },
    Runner { method: "nnls", run: nnls::run },
    Runner { method: "semignmf", run: gnmf::run_labelled },
    Runner { method: "ntf", run: ntf::run },
    Runner { method: "ssnmf", run: ssnmf::run },
    Runner { method: "ssnmf1", run: ssnmf1::run },
    Runner { method: "svm", run: svm::run },
    Runner { method: "symnmf", run: symnmf::run },
    Runner { method: "wsnmf", run: wsnmf::run },
    Runner { method: "wsnmf_beta_search", run: wsnmf::run_search },
    Runner { method: "wsnmf_soft", run: wsnmf::run },
    Runner { method: "wssymnmf", run: symnmf::run },
    Runner { method: "wssymnmf_soft", run: symnmf::run },
];

/// Every method whose fixtures wait because it is not built yet. It shrinks to nothing.
pub const NOT_BUILT: &[&str] = &[];
