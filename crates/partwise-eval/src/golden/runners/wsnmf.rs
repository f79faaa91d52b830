//! Weakly supervised NMF (`wsnmf`, `wsnmf_soft`, `wsnmf_beta_search`): its runners go here when the method is built.
