// Package selection implements the selection of parents. Each selector gets data about
// the candidates and returns the index of one of them, with the reason in words.
// Selectors are pure except for the given random source; they write nothing and do not
// depend on configs or tasks.
package selection
