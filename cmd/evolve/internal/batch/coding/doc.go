// Package coding prepares the nightly search over the marked blocks of a target's code. It
// finds the blocks, scores the unchanged code, and describes the target as an agent whose
// config holds the texts of the blocks and whose tasks are the cases of the target's
// scoring command. A night then searches and confirms versions like configs; a confirmed
// version becomes a patch.
//
// The package writes the base's values to a file in the workspace's state, so that the same
// code is not scored again, and versions to a temporary folder.
package coding
