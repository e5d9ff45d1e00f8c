// Package selection implements the choice of parents: each selector gets the data of the
// candidates and returns the index of one, with its reason in words. Selectors are pure
// except for the given random source; they write nothing and do not depend on configs and
// tasks.
package selection
