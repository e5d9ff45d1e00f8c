package harness

import "reflect"

// Set describes the package under test to the harness. It is the same on both sides.
type Set struct {
	// Key is the key that seals the records. It is known only to the gate and to the
	// harness's own code.
	Key string
	// Variable is the name of the environment variable that holds the settings of a run.
	Variable string
	// Package is the import path of the package, as reflection reports it for the package's
	// types. Name is the name of the package.
	Package, Name string
	// Functions are the functions to compare. A method is given as a function whose first
	// parameter is the receiver.
	Functions []Function
	// Makers are functions that return values of the package's types. Steps are methods
	// that change a value's state. Looks are methods without parameters that return part of
	// that state.
	Makers, Steps, Looks []Function
	// Sources are functions that return a text or bytes. They produce inputs that other
	// functions accept, such as a text with its checksum.
	Sources []Function
	// Reached returns the numbers of the changed statements that were reached since the
	// last call to Reached; it is nil if the code does not report them.
	Reached func() []int
	// Types are the package's own types; values of these types may be used as
	// implementations of an interface.
	Types []reflect.Type
	// Errors are the package-level error variables, with their names.
	Errors []Error
	// Alike holds the names of the types that both sides declare with the same text. All
	// fields of these types are compared, but only the exported fields of other types.
	Alike []string
	// Fields maps each type that differs between the sides to the fields that both sides
	// have.
	Fields map[string][]string
	// Ints, Floats and Strings are values from the code under test and its tests, from
	// which many inputs are made.
	Ints    []int64
	Floats  []float64
	Strings []string
}

// Function is a function with the name by which source code would call it.
type Function struct {
	Name string
	Func any
}

// Error is a package-level variable. It is used only if its value is an error.
type Error struct {
	Name  string
	Value any
}

// TypeOf returns the type that a nil pointer points to.
func TypeOf(pointer any) reflect.Type { return reflect.TypeOf(pointer).Elem() }

// Calls is the maximum number of inputs with which each function is called.
const Calls = 240

// The exit codes of a process: Finished if nothing is left to do, and Again if another
// process must continue.
const (
	Finished = 77
	Again    = 78
)
