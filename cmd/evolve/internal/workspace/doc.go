// Package workspace owns the folder a person works in (spec 2.1): finding it,
// loading it with every error at once, scaffolding it with schemas and comments,
// the files that make a config the champion, the hashes that tell whether anything
// in it moved, and the examination of it and its surroundings by doctor.
//
// Every key of evolve.yaml and agent.yaml is declared once, in settings.go,
// agentfile.go and spacefile.go, as a [field]; the loader, the JSON schemas and the
// comments of a scaffold are made from these tables.
//
// It writes only when asked to scaffold (Init) or to make .evolve/ (MakeStateDir),
// and never over what is there. It opens no archive and runs no agent.
package workspace
