// Package scope owns the question which files a patch may touch. It judges a base
// tree against a candidate tree, path segment by path segment, and never what a
// diff says of itself. Deny wins over allow, and an empty allow list allows
// nothing. It reads no disk and knows no git.
package scope
