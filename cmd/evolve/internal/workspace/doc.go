// Package workspace handles the folder in which a person works. It finds the folder, loads
// it and reports all errors at once, and scaffolds it with schemas and comments. It also
// determines the files that make a config the champion, and the hashes that show whether
// anything has changed.
//
// Every key of evolve.yaml and agent.yaml is declared once, in settings.go, agentfile.go
// and spacefile.go, as a [field]. The loader, the JSON schemas and the comments in a
// scaffold are generated from these tables.
//
// The package writes only to scaffold (Init) or to create .evolve/ (MakeStateDir), and
// never overwrites a file. It opens no archive and runs no agent.
package workspace
