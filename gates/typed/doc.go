// Package typed owns the reading of a patch's Go source with its types: what stands
// between a program and what it must be kept from (locks, comparisons of secrets, bounds,
// file modes), and what of the world outside a program asks for. Names do not matter to
// it: an import under another name, a method value or a variable that holds a function
// all lead to the same object. It compiles and runs nothing; of the standard library and
// of other modules it reads the declarations alone.
//
// A finding flags a patch for a person and never fails it, as honest patches change
// guards as well. What a package of another module does behind a function of its own is
// not seen.
package typed
