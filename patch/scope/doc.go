// Package scope owns the question which files a patch may touch. It judges a base
// tree against a candidate tree, path segment by path segment, and never what a
// diff says of itself. Deny wins over allow, and an empty allow list allows
// nothing. It reads no disk and knows no git.
//
// What is refused whatever a policy allows stands in tables: tests.go (what judges
// the code), build.go (what builds it), own.go (what judges the patch) and
// communication.go (what an agent runtime is trusted with).
package scope
