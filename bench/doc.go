// Package bench implements measurement: tasks and suites, the split into search and
// holdout, and the harness that turns (config, task, repeat) into one recorded evaluation.
// Graders are in bench/grade, the statistics of comparisons in bench/stats, and foreign
// formats in bench/importer.
//
// The harness does not depend on its caller. It writes through the given Recorder and
// stores nothing elsewhere. It creates working directories under the given folder and
// removes them again.
package bench
