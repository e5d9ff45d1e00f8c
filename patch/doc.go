// Package patch manages changes to a base: proposal commits on refs/evolve/proposals/<id>,
// their adoption on a branch, and their reversal. It is the only package that uses go-git,
// which decodes packs and objects. Refs are moved with git's own lock protocol, and no
// working tree, index or HEAD is touched until a person approves.
package patch
