package harness

import "reflect"

// Set describes the package to the harness. It is the same on both sides.
type Set struct {
	// Key seals the records. Only the gate and this code have it.
	Key string
	// Variable is the name of the environment variable with the settings of a run.
	Variable string
	// Package is the import path of the package, as its types have it, and Name its name.
	Package, Name string
	// Functions are the functions to be compared. Methods take their receiver as the
	// first parameter.
	Functions []Function
	// Makers are functions that return values of the package's types, Steps methods
	// that change a value's state, and Looks methods without parameters that return a
	// part of it.
	Makers, Steps, Looks []Function
	// Sources are functions that return a text or bytes. They make inputs that other
	// functions accept, such as a text with its checksum.
	Sources []Function
	// Reached returns the numbers of the changed statements that were reached since its
	// last call; nil if the code does not report them.
	Reached func() []int
	// Types are the package's own types, which may implement an interface.
	Types []reflect.Type
	// Errors are the package-level errors by name.
	Errors []Error
	// Alike are the names of the types that both sides declare with the same text: all
	// of their fields are compared. Of other types only the exported fields are.
	Alike []string
	// Fields are the fields that both sides have, by type, where the types differ.
	Fields map[string][]string
	// Ints, Floats and Strings are the values that the inputs are drawn around.
	Ints    []int64
	Floats  []float64
	Strings []string
}

// Function is a function with its name, as source would call it.
type Function struct {
	Name string
	Func any
}

// Error is a package-level variable. It is used if its value is an error.
type Error struct {
	Name  string
	Value any
}

// TypeOf returns the type that a nil pointer points to.
func TypeOf(pointer any) reflect.Type { return reflect.TypeOf(pointer).Elem() }

// Calls is the largest number of inputs with which each function is called.
const Calls = 240

// The exit codes of a process: Finished if all inputs are done, Again if another
// process has to continue.
const (
	Finished = 77
	Again    = 78
)
