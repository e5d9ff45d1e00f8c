package harness

import "reflect"

// Set is what the harness of one package was made with. It is the same on both sides.
type Set struct {
	// Key seals the records. Only the gate and this code have it.
	Key string
	// Variable names the environment variable with the settings of a run.
	Variable string
	// Package is the import path of the package, as its types have it, and Name its name.
	Package, Name string
	// Functions are those to be compared. Methods take their receiver first.
	Functions []Function
	// Makers are functions that return values of the package's types, Steps methods that
	// bring a value into another state, and Looks methods without parameters that tell of
	// one.
	Makers, Steps, Looks []Function
	// Sources are functions that return a text or bytes. They make inputs that others
	// accept, such as a text with its checksum.
	Sources []Function
	// Reached returns the numbers of the changed statements that were reached since it was
	// last called; nil where the code does not report them.
	Reached func() []int
	// Types are the package's own, which may fit an interface.
	Types []reflect.Type
	// Errors are the package-level errors by name.
	Errors []Error
	// Alike are the names of the types that both sides declare alike: all of their
	// fields are compared. Of other types the exported fields are.
	Alike []string
	// Fields are the fields, by type, that both sides have where they differ.
	Fields map[string][]string
	// Ints, Floats and Strings are the values that the inputs are drawn around.
	Ints    []int64
	Floats  []float64
	Strings []string
}

// Function is one with its name, as source would call it.
type Function struct {
	Name string
	Func any
}

// Error is a package-level variable. Its value counts where it is an error.
type Error struct {
	Name  string
	Value any
}

// TypeOf is the type that a nil pointer to it stands for.
func TypeOf(pointer any) reflect.Type { return reflect.TypeOf(pointer).Elem() }

// Calls is how many inputs each function is called with at most.
const Calls = 240

// The exit codes by which a process tells what it left undone.
const (
	Finished = 77
	Again    = 78
)
