//! The label-constraint matrix (`label_constraint`): its runners go here when the method is built.
