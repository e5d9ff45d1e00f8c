// Package command adapts an operator's own agent, which is a program ([Agent]) or a server
// ([HTTPAgent]). Both implement [evolve/runtime/agent.Agent].
//
// A program reads and writes JSON objects, one per line, in one of two protocols: jsonl (a
// pool of processes) or once (one process per task). Its output is not trusted: a crash, an
// invalid or overlong line, a wrong id or an invalid number never counts as an answer, and
// the process is killed with all its descendants and replaced.
//
// Every task has one outcome:
//
//   - an exit, a crash, a closed output, or a program that cannot be started: execution;
//   - no response in time: timeout;
//   - a line that is too long, is not a JSON object, has another id, has neither an
//     answer nor a score, or has an invalid score, usage or outcome: contract_violation;
//   - more money, tokens or output than the limits allow: budget_exceeded;
//   - a start that fails because of the machine or the sandbox, not the program:
//     infrastructure.
//
// No task suffers because of another: a process that ended before it read a byte of the
// request, or that answers the previous request again, is replaced, and the request goes to
// a new process. Standard error is drained all the time, and the end of it is stored,
// scrubbed, in the transcript.
//
// [HTTPAgent] does the same for an agent that is a server: the same objects, one request
// per POST, judged by the same code. The differences are:
//
//   - a server that cannot be reached, ends the connection before it answers, or answers
//     with 408 or 5xx: infrastructure; one that answers with 429: rate_limited, with its
//     Retry-After in the error;
//   - any other 4xx, or a response that breaks off: execution;
//   - any other status except 200, or a redirect to another host: contract_violation.
//
// A server on another machine cannot access this machine's disk. The workdir of a request
// is sent only if the URL's host is localhost or a loopback address, and is empty
// otherwise. The task's files are then mere names, so tasks with files need an agent on
// this machine.
package command
