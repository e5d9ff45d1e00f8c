// Package selection owns the choice of parents: each selector takes what is known of
// the candidates and returns the index of one, with its reason in words (spec 5.4).
// Selectors are pure but for the randomness they are given; they write nothing and
// know neither configs nor tasks by name.
package selection
