// Package typed compares a patch's Go source with type information: the guards between a
// program and what it must be kept from (locks, comparisons of secrets, bounds, file
// modes), and its uses of the environment outside the program. Names do not matter: an
// import under another name, a method value or a variable that holds a function all lead
// to the same object. It compiles and runs nothing; of the standard library and of other
// modules it reads only the declarations.
//
// A finding flags a patch for a person and never fails it, as honest patches change
// guards as well. What a package of another module does behind a function of its own is
// not seen.
package typed
