package bench

// GraderError is the failure of a program that grades: it crashed, hung or wrote no verdict.
// The answer is neither right nor wrong by it.
type GraderError struct {
	// Argv is the program and its arguments.
	Argv []string
	// Err names the program and the cause. It quotes foreign text.
	Err error
}

// Error implements error.
func (e *GraderError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *GraderError) Unwrap() error { return e.Err }
