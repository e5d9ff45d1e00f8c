// Package patch manages changes against a base: proposal commits on
// refs/evolve/proposals/<id>, their adoption on a branch, and their reversal. No other
// package uses go-git, which decodes packs and objects. Refs move by git's own
// lock protocol, and no working tree, index or HEAD is touched until a person approves.
package patch
