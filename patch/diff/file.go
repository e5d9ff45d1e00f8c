package diff

// File is one file of a change, with its whole content before and after.
type File struct {
	// Path is slash-separated and relative to the folder that the change applies to.
	Path string
	// Old is the required content of the base; nil means no file.
	Old []byte
	// New is the new content; nil: the file is removed.
	New []byte
}

// Base returns the content of a file that a change is applied to, or nil if there is
// none.
type Base func(path string) ([]byte, error)
