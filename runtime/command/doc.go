// Package command owns the adapters to an operator's own agent (spec 2.2), a program
// ([Agent]) or a server ([HTTPAgent]). They implement [evolve/runtime/agent.Agent].
//
// A program reads and writes JSON objects, one a line, in the protocols jsonl (a pool of
// processes) and once (a process a task). Whatever it prints is hostile until proved
// otherwise: a crash, garbage, an overlong line, a wrong id or a number that is none
// never counts as what it claims, and the process, with all its descendants, is killed
// and replaced.
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
//
// [HTTPAgent] is the same for an agent that is a server: the same objects, one request a
// POST, judged by the same code. What is different:
//
//   - a server that cannot be reached, ends the connection before it answers, or answers
//     with 408, 429 or 5xx: infrastructure, with its hint of Retry-After in the error;
//   - any other 4xx, and an answer that breaks off: execution;
//   - any other status but 200, and a redirect to another host: contract_violation.
//
// A server elsewhere does not see this machine's disk. The workdir of a request is sent
// only where the URL's host is localhost or a loopback address, and is empty otherwise;
// files are then no more than names, and such a task is one for an agent on this machine.
package command
