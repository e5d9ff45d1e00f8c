// Package bench owns measurement: tasks and suites, the split into search and
// holdout, the harness that turns (config, task, repeat) into one recorded
// evaluation, and what counts as what. Graders are in bench/grade, the
// statistics of comparisons in bench/stats, foreign formats in bench/importer.
//
// The harness never knows who asks. It writes through the Recorder it is given
// and keeps nothing of its own; working directories are made under the folder it
// is given and removed again.
package bench
