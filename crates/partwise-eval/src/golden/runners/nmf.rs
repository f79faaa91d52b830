//! Plain NMF by each solver (`nmf_*`): its runners go here when the method is built.
