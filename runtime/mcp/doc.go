// Package mcp provides the tools of Model Context Protocol servers, over stdio and
// streamable HTTP, to the registry. Servers are foreign programs whose names, schemas
// and outputs are data. They are supervised, restarted a bounded number of times, and
// under stricter policies than local tools. The package writes nothing and reads no
// environment.
//
// A server's statements about itself are not trusted. The operator names the tools that
// may be used and what each of them may change; read-only hints, titles, instructions
// and everything else that a server adds are ignored. A model sees a tool as in the
// first listing, cut and cleaned. A tool whose description or schema differs later is
// refused for the rest of the run; calls of one that is gone fail.
//
// A server on stdio runs in the sandbox with only the environment it is given. One
// process serves all calls. It ends, with all its descendants, when it breaks the
// protocol, when a call or its start passes its deadline, and on [Clients.Close]; the
// next call starts it again, at most maxRestarts times. An HTTP server's session
// is treated in the same way, except that a deadline ends the request but not the
// session.
//
// Every call has one outcome:
//
//   - the tool's own error, an error of the protocol, a server that ended, refused the
//     connection or answered with a status of 400 or more, a tool that is gone: execution;
//   - 429: rate_limited, with the hint of Retry-After;
//   - a message that is too long or no JSON-RPC, a flood, a result that cannot be read, a
//     redirect to another host, another content type, a changed tool: contract_violation;
//   - the caller's deadline: timeout; the caller's cancellation or Close: cancelled.
//
// Transient faults, such as the end of a server, carry a [policy.Failure] that may be
// retried; the policies decide whether and when, and nothing sleeps here.
//
// Clients declare no capability: requests of a server to sample a model, to ask a
// person or to list folders are answered with an error, and notifications other than of
// a changed list are dropped unread. The protocol version is 2025-11-25 or older; there
// is no OAuth, no proxy, and no standing stream of server messages.
package mcp
