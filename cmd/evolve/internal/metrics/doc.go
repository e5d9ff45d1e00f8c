// Package metrics provides figures to Prometheus. Figures about nights are written to a
// text file, which the textfile collector of node_exporter reads; figures about a worker
// are served over http. The file and the server have separate registries. No label holds
// the id of a task, a config, a proposal or a run. Foreign names in labels are shortened
// and shown without hidden characters.
//
// The package writes the text file, reads nothing and decides nothing: a caller fills in
// [Night] and [Worker].
package metrics
