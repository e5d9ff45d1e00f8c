// Package coding prepares the nightly search over the marked blocks of a target's code: it
// finds the blocks, scores the code as it is, and describes the target as an agent whose
// config holds the texts of the blocks and whose tasks are the cases of the target's
// scoring command. A night then searches and confirms versions like configs; a confirmed
// version becomes a patch.
//
// It writes the base's values to a file of the workspace's state, so that the same code is
// not scored again, and versions to a temporary folder.
package coding
