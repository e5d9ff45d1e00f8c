// Package versions runs the versions of a target with marked blocks as an agent, so that a
// night searches and confirms them like configs. The config holds the texts of the blocks,
// a task is a case of the target's scoring command, and the score is the score of the
// version's value relative to the base's value (package metrics).
//
// [Base] scores the unchanged program more than once, and [Agent.Differing] returns the
// values in a night that differ from those: a command that measures times, or draws random
// numbers without a seed, does not print the same values each time.
//
// A version is built once, for its first case, and retained while it is in use. Its
// commands run in the sandbox of package measure. A version that does not build, fails its
// tests or prints no value scores 0, because that is a fault in its code. The package
// writes only to the folder of its program.
//
// [Own] runs the versions of an agent's own code: the tasks and their graders are the
// agent's, and the config holds the agent's parameters in addition to the texts of the
// blocks.
package versions
