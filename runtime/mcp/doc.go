// Package mcp brings the tools of Model Context Protocol servers, over stdio and
// streamable HTTP, into the registry: foreign programs whose names, schemas and
// outputs are data, supervised, restarted a bounded number of times, and under
// stricter policies than local tools. It writes nothing and reads no environment.
//
// What a server says about itself is not believed. The operator names the tools that
// may be used and what each of them may change; read-only hints, titles, instructions
// and everything else that a server adds are left out. What a model is shown of a tool
// is what the first listing said, cut and cleaned: a tool whose description or schema
// is another one later is refused for the rest of the run, and one that is gone fails.
//
// A server on stdio runs in the sandbox with the environment it is given and nothing
// else. It is one process for all calls. It ends, with everything it started, when it
// breaks the protocol, when a call or its start passes its deadline, and on
// [Clients.Close]; the next call starts it again, at most Options.Restarts times. An
// HTTP server's session is treated in the same way, except that a deadline ends the
// request and leaves the session.
//
// What happened becomes one outcome:
//
//   - the tool's own error, an error of the protocol, a server that ended, refused the
//     connection or answered with a status of 400 or more, a tool that is gone: execution;
//   - 429: rate_limited, with the hint of Retry-After;
//   - a message that is too long or no JSON-RPC, a flood, a result that cannot be read, a
//     redirect to another host, another content type, a tool that was changed: contract_violation;
//   - the caller's deadline: timeout; its end or Close: cancelled.
//
// Faults that may pass, such as the end of a server, carry a [policy.Failure] that may
// be retried; whether and when is the policies' to say, and nothing sleeps here.
//
// Clients declare no capability: requests of a server to sample a model, to ask a person
// or to list folders are answered with an error, and notifications other than of a changed
// list are dropped unread. The protocol is that of 2025-11-25 or older; there is no
// OAuth, no proxy, and no standing stream of server messages.
package mcp
