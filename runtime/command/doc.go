// Package command adapts an operator's own agent, a program ([Agent]) or a server
// ([HTTPAgent]). Both implement [evolve/runtime/agent.Agent].
//
// A program reads and writes JSON objects, one a line, in the protocols jsonl (a pool
// of processes) and once (a process a task). Its output is not trusted: a crash, an
// invalid or overlong line, a wrong id or an invalid number never counts as an answer,
// and the process, with all its descendants, is killed and replaced.
//
// Every task has one outcome:
//
//   - an exit, a crash, a closed output, a program that cannot be started: execution;
//   - no response in time: timeout;
//   - a line that is too long, no JSON object, for another id, without answer and
//     score, or with an invalid score, usage or outcome: contract_violation;
//   - more money, tokens or output than the limits allow: budget_exceeded;
//   - a start that fails because of the machine or the sandbox, not the program:
//     infrastructure.
//
// One task does not suffer from another: a process that ended before it read a byte of
// the request, or that answers the previous request once more, is replaced, and the
// request goes to a new one. Standard error is drained all the time, and its end is
// kept, scrubbed, in the transcript.
//
// [HTTPAgent] is the same for an agent that is a server: the same objects, one request
// a POST, judged by the same code. The differences are:
//
//   - a server that cannot be reached, ends the connection before it answers, or answers
//     with 408 or 5xx: infrastructure, and with 429: rate_limited, with its Retry-After
//     in the error;
//   - any other 4xx, and an answer that breaks off: execution;
//   - any other status but 200, and a redirect to another host: contract_violation.
//
// A server elsewhere cannot access this machine's disk. The workdir of a request is
// sent only where the URL's host is localhost or a loopback address, and is empty
// otherwise. The task's files are then mere names, so such tasks need an agent on this
// machine.
package command
