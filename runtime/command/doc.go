// Package command owns the adapter to an operator's own program (spec 2.2): JSON
// objects, one a line, in the protocols jsonl (a pool of processes) and once (a
// process a task). It implements [evolve/runtime/agent.Agent]. Whatever the
// program prints is hostile until proved otherwise: a crash, garbage, an overlong
// line, a wrong id or a number that is none never counts as what it claims, and
// the process, with all its descendants, is killed and replaced.
//
// What happened becomes one outcome:
//
//   - an exit, a crash, a closed output, a program that cannot be started: execution;
//   - no response in time: timeout;
//   - a line that is too long, no JSON object, for another id, without answer and
//     score, or with a score, usage or outcome that cannot be: contract_violation;
//   - more money, tokens or output than the limits allow: budget_exceeded;
//   - a start that fails by the machine or its walls, not by the program: infrastructure.
//
// One task does not pay for another: a process that ended before it read a byte of
// the request, or that answers the request before it once more, is replaced, and
// the request goes to a new one. Standard error is drained all the time, and its end
// is kept, scrubbed, in the transcript.
package command
