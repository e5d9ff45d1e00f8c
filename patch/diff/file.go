package diff

// File is one file in a change, with its whole content before and after.
type File struct {
	// Path is slash-separated and relative to the folder to which the change applies.
	Path string
	// Old is the content that the base must have; nil means that the file must not exist.
	Old []byte
	// New is the new content; nil means that the file is removed.
	New []byte
}

// Base returns the content of a file to which a change is applied, or nil if there is no
// such file.
type Base func(path string) ([]byte, error)
