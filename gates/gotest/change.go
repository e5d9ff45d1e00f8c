package gotest

// Change is the input to the test gates: a patch as two trees.
type Change struct {
	// Base and Candidate are folders with the exported trees of the repository before and
	// after the patch, without any .git. Neither is written to.
	Base, Candidate string
	// Changed are the paths that differ. NewTests are the test files and testdata that only
	// the candidate has. If the trees are equal, as after a rollback, Changed are the paths
	// whose packages are checked.
	Changed, NewTests []string
	// Claim is the patch's declaration about its effect; "" means none.
	Claim Claim
}
