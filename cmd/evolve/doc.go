// Command evolve makes an LLM agent better overnight and leaves the decision to
// a person. This file is the tour.
//
//	runtime/agent      what a run takes and yields: config, space, limits, outcome, transcript
//	runtime/turn       one turn of the built-in agent, with runtime/{model,tool,memory,session,source}
//	runtime/provider   language models; runtime/mcp, authored, skill: tools of servers and of agents
//	runtime/policy     deadlines, retries, breakers, rates, budgets around every call
//	runtime/safety     the rails that no config reaches; runtime/scrub: no credential leaves
//	runtime/command    an operator's own program in runtime/sandbox, or service
//	bench              tasks, suites, graders, the harness, the statistics
//	archive            everything that outlives the process, on Badger
//	mutate             operators, selectors, searchers; mutate/constants: those marked in source
//	mutate/night       one agent's night: champion against itself, search, ablation, confirmation
//	patch              proposals as commits: patch/diff reads foreign diffs, patch/scope judges trees
//	gates              the checks they must pass; gates/scan reads source, gates/gotest runs tests
//	gates/review       the life of every proposal: propose, gate, approve, reject, roll back
//	reports            the morning report
//	internal/workspace the folder a person works in
//	internal/batch     a night over all agents: shares of the limits, resume, patches, tuning, backups
//	crew.go            what the agents of one process share, and how each is opened
//
// An evaluation goes: task + config → agent.Run (bounded) → transcript → grade →
// evaluation → recorded at once → searcher is told → next ask.
package main
