// Package typed compares a patch's Go source with type information. It looks at the guards
// that protect a program (locks, comparisons of secrets, limits, file modes, early exits),
// at uses of the environment outside the program, and at known forms of weaknesses in new
// code: untrusted input that names files, programs or machines, credentials, broken
// algorithms and the like. Names do not matter: a renamed import, a method value or a
// variable that holds a function all lead to the same object. The package compiles and runs
// nothing; from the standard library and other modules it reads only the declarations.
//
// A finding flags a patch for review and never fails it, because legitimate patches change
// guards as well. Uses of guards or of the environment inside functions in other modules
// are not found. Untrusted input is followed only within one function. In files in other
// languages, and in Go files that are not built on this system, only early exits are
// compared, by their tokens.
package typed
