// Package bench implements measurement: tasks and suites, the split into search and
// holdout, and the harness that turns (config, task, repeat) into one recorded
// evaluation. Graders are in bench/grade, the statistics of comparisons in bench/stats,
// foreign formats in bench/importer.
//
// The harness does not depend on its caller. It writes through the given Recorder and
// keeps nothing of its own; it makes working directories under the given folder and
// removes them again.
package bench
