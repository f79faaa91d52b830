//! Label-constrained NMF (`cnmf`, `cnmf_kl` and their all-labelled twins): its runners go here when the method is built.
