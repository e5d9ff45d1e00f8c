package gotest

// Change is a patch as the test gates see it.
type Change struct {
	// Base and Candidate are folders with the exported trees of the repository before
	// and after, without any .git. Nothing is written to either.
	Base, Candidate string
	// Changed are the paths that differ, NewTests the test files and testdata that only
	// the candidate has.
	Changed, NewTests []string
	// Foreign says that the base is not to be trusted, as where a patch is taken back
	// that nobody has approved: nothing that it compiles or says is kept for others.
	Foreign bool
}
