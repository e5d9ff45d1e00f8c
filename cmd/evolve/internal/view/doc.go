// Package view shows an archive as pages for a browser on the same machine: nights,
// variants by tasks, comparisons, transcripts, the progress of a run, and proposals.
//
// It owns the pages, their style sheet and their one script, and the rules about who may
// request them. A [Server] answers only requests for loopback names that carry the cookie
// for its token, and only GET and HEAD requests unless it was given a [Decider]. Every page
// works without the script, which adds scrolling and keyboard movement in the matrix, and
// live figures.
//
// The package reads everything through a [Source] and writes nothing. Package archived
// provides the Source for an archive. A Decider records decisions; the command line
// provides it. Text from agents, tasks and models is foreign: the templates escape it, and
// hidden and control characters are shown as runtime/text shows them.
package view
