// Package mcp provides the registry with the tools of Model Context Protocol servers over
// stdio and streamable HTTP. Servers are third-party programs whose names, schemas and
// outputs are treated as data. They are supervised, restarted a limited number of times,
// and subject to stricter policies than local tools. The package writes no files and reads
// no environment variables.
//
// A server's statements about itself are not trusted. The operator names the tools that may
// be used and what each of them may change; read-only hints, titles, instructions and
// everything else that a server adds are ignored. A model sees a tool as it was in the
// first listing, shortened and cleaned. A tool whose description or schema later differs is
// refused for the rest of the run; calls to a tool that no longer exists fail.
//
// A server on stdio runs in the sandbox with only the environment that it is given. One
// process serves all calls. It is ended, with all its descendants, when it breaks the
// protocol, when a call or its start exceeds its deadline, and on [Clients.Close]; the next
// call starts it again, at most maxRestarts times. An HTTP server's session is treated in
// the same way, except that a deadline ends the request but not the session.
//
// Every call has one outcome:
//
//   - an error reported by the tool or by the protocol, a server that ended, refused the
//     connection or answered with a status of 400 or more, or a tool that no longer exists:
//     execution;
//   - status 429: rate_limited, with the hint from Retry-After;
//   - a message that is too long or not JSON-RPC, a flood of messages, a result that cannot be
//     read, a redirect to another host, another content type, or a changed tool:
//     contract_violation;
//   - the caller's deadline: timeout; the caller's cancellation or Close: cancelled.
//
// Transient faults, such as the end of a server, carry a [policy.Failure] that permits a
// retry; the policies decide whether and when to retry, and nothing in this package sleeps.
//
// Clients declare no capabilities: a server's requests to sample a model, prompt a person
// or list folders are answered with an error, and notifications other than that of a
// changed list are dropped unread. The protocol version is 2025-11-25 or older; OAuth,
// proxies and standing streams of server messages are not supported.
package mcp
