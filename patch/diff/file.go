package diff

// File is one file of a change, whole before and after.
type File struct {
	// Path is slash-separated and relative to the folder that the change is of.
	Path string
	// Old is what the base must hold there; nil: nothing.
	Old []byte
	// New is what the change puts there; nil: the file is removed.
	New []byte
}

// Base reads a file that a change is applied to; nil when there is none.
type Base func(path string) ([]byte, error)
