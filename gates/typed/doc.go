// Package typed compares a patch's Go source with type information: the guards that protect a
// program (locks, comparisons of secrets, limits, file modes, early exits), its uses of the
// environment outside the program, and weaknesses of known forms in new code: foreign input
// that names files, programs or machines, credentials, broken algorithms and the like.
// Names do not matter: a renamed import, a method value or a variable that holds a function
// all lead to the same object. The package compiles and runs nothing; of the standard
// library and of other modules it reads only the declarations.
//
// A finding flags a patch for review and never fails it, as honest patches change
// guards as well. Uses of guards or of the environment inside functions of other
// modules are not found. Foreign input is followed within one function only. Of files in other
// languages, and of Go that this system does not build, early exits alone are compared, by their
// tokens.
package typed
