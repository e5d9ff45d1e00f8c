// Package patch owns changes against a base: proposal commits on
// refs/evolve/proposals/<id>, their adoption on a branch, and their reversal. It
// alone knows go-git, which it uses for objects and refs only; refs move by git's
// own lock protocol, and nobody's working tree, index or HEAD is touched until a
// person approves.
package patch
