// Command evolve makes an LLM agent better overnight and leaves the decision to
// a person. This file is the tour.
//
//	runtime/agent      what a run takes and yields: config, space, limits, outcome, transcript
//	runtime/turn       the built-in runtime, with runtime/{model,tool,memory}
//	runtime/command    an operator's own program, in runtime/sandbox, its output through runtime/scrub
//	bench              tasks, suites, graders, the harness, the statistics
//	archive            everything that outlives the process, on Badger
//	mutate             operators, selectors, searchers
//	patch, gates       proposals as commits; the checks they must pass
//	reports            the morning report
//	internal/workspace the folder a person works in
//	internal/nightly   the plan of a run and the way of an evaluation, where everything meets
//	internal/decide    approve, reject, roll back
//
// An evaluation goes: task + config → agent.Run (bounded) → transcript → grade →
// evaluation → recorded at once → searcher is told → next ask.
package main
