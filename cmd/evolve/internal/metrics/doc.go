// Package metrics gives figures to Prometheus: those of nights as a text file, which the textfile
// collector of node_exporter reads, and those of a worker over http. Both have a registry of
// their own. No label holds the id of a task, a config, a proposal or a run, and foreign names in
// labels are shortened and shown without hidden characters.
//
// It writes the text file, reads nothing and decides nothing: a caller fills [Night] and
// [Worker].
package metrics
