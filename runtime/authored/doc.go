// Package authored implements tools that an agent wrote in Starlark: their format,
// their check with tests, and running them in a child process of this program under
// memory and time limits, without files, network or environment. A draft that passes its
// check can be called in the turn that wrote it; more requires a proposal and a person. The
// package writes nothing.
//
// A tool is two files of agents/<id>/tools/: <name>.star, its source, and <name>.json,
// its manifest with description, schema of the arguments, domains, tests and the
// SHA-256 of the source ([Parse], [Definition.Encode]). An agent's draft contains the
// same in one JSON object ([ParseDraft]). The source is printable ASCII, so that the
// person who approves it reads what will run. It defines
//
//	def run(args): …
//
// which gets the arguments as a dict and returns a value that JSON can represent. The
// modules json and math are available; load, while, recursion, time and randomness are
// not. fail("why") ends the call as an execution failure; returning {"refer":
// {"boundary_axes": […], "observed_task_shape": …, "evidence": …}} refers the task
// elsewhere.
//
// The interpreter bounds steps but not memory: one built-in function called with large
// values can take all there is. So every call runs in a child process ([Pool], [Init])
// that has set its own limits before it got any source, has no files, no environment
// and, inside the sandbox, no network, and is replaced whenever a call did not end in a
// value. The parent kills it when a call takes too long or the child grows too large.
// Whole numbers are bounded, because the interpreter counts one step for any operation
// on them: their operators are rewritten to ones that refuse a long result. A child
// that was killed from outside does not count as a failure of its tool. All this
// requires Linux; elsewhere every call ends as infrastructure.
package authored
