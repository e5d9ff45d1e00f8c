// Package authored implements tools that an agent wrote in Starlark. It defines their
// format, checks them with their tests, and runs them in a child process of this program
// under memory and time limits, without files, network or environment. A draft that passes
// its check can be called in the turn that wrote it; any further use requires a proposal
// and a person's approval. The package writes no files.
//
// A tool consists of two files in agents/<id>/tools/: <name>.star, its source, and
// <name>.json, its manifest with the description, the schema of the arguments, the domains,
// the tests and the SHA-256 of the source ([Parse], [Definition.Encode]). An agent's draft
// contains the same in one JSON object ([ParseDraft]). The source is printable ASCII, so
// the person who approves it reads exactly what will run. It defines
//
//	def run(args): …
//
// which gets the arguments as a dict and returns a value that JSON can represent. The
// modules json and math are available; load, while, recursion, time and randomness are not.
// fail("why") ends the call as an execution failure; returning {"refer": {"boundary_axes":
// […], "observed_task_shape": …, "evidence": …}} refers the task elsewhere.
//
// The interpreter limits steps but not memory: one call to a built-in function with large
// values can use all available memory. Every call therefore runs in a child process
// ([Pool], [Init]) that set its own limits before it got any source. The child has no
// files, no environment and, inside the sandbox, no network, and it is replaced whenever a
// call does not end in a value. The parent kills it if a call takes too long or the child
// uses too much memory. The size of whole numbers is limited too, because the interpreter
// counts any operation on them as one step: the source is rewritten so that operators
// refuse a result that is too long. If a child is killed from outside, this does not count
// as a failure of its tool. All this requires Linux; elsewhere every call ends with the
// outcome infrastructure.
package authored
