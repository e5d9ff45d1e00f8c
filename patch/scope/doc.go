// Package scope decides which files a patch may change. It compares a base tree with a
// candidate tree, path segment by path segment, and never trusts the names in a diff. Deny
// wins over allow, and an empty allow list allows nothing. The package reads no files and
// does not depend on git.
//
// Tables list what is refused whatever a policy allows: tests.go (tests that judge the
// code), build.go (build files), own.go (files that judge the patch) and communication.go
// (security-sensitive parts of an agent runtime).
package scope
