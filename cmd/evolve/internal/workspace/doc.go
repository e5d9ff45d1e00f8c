// Package workspace handles the folder that a person works in: finding it, loading it
// with all errors at once, scaffolding it with schemas and comments, the files that make
// a config the champion, and the hashes that show whether anything has changed.
//
// Every key of evolve.yaml and agent.yaml is declared once, in settings.go, agentfile.go
// and spacefile.go, as a [field]; the loader, the JSON schemas and the comments of a
// scaffold are generated from these tables.
//
// The package writes only to scaffold (Init) or to create .evolve/ (MakeStateDir), and
// never overwrites a file. It opens no archive and runs no agent.
package workspace
