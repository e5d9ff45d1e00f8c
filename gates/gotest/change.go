package gotest

// Change is a patch as the test gates see it.
type Change struct {
	// Base and Candidate are folders with the exported trees of the repository before
	// and after, without any .git. Nothing is written to either.
	Base, Candidate string
	// Changed are the paths that differ, NewTests the test files and testdata that only
	// the candidate has. Where the trees are the same, as when a patch was taken back,
	// Changed are the paths whose packages are asked whether they are as they were.
	Changed, NewTests []string
	// Claim is what the patch declares of itself; "" for nothing.
	Claim Claim
}
