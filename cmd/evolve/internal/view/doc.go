// Package view shows an archive as pages for a browser on the same machine: nights, variants by
// tasks, comparisons, transcripts, the progress of a run, and proposals.
//
// It owns the pages, their style sheet and their one script, and the rules of who may ask for
// them: a [Server] answers requests for loopback names that have the cookie of its token, and
// only GET and HEAD unless it was given a [Decider]. Every page works without the script, which
// adds scrolling and moving by keyboard in the matrix, and live figures.
//
// It reads everything through a [Source] and writes nothing. Package archived is the Source over
// an archive; a Decider records decisions, and is the command line's. Text of agents, tasks and
// models is foreign: the templates escape it, and hidden and control characters are shown as
// runtime/text shows them.
package view
