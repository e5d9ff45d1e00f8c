package diff

// The limits of the input. A change beyond any of these is refused as TooLarge.
const (
	// MaxText is the size of a diff with the prose around it, and of all pairs of
	// old and new text together, in bytes.
	MaxText = 4 << 20
	// MaxFile is the size of a file that a change is applied to, in bytes.
	MaxFile = 8 << 20
	// MaxFiles is the number of files of one change, and of pairs.
	MaxFiles = 500
	// MaxHunks is the number of hunks of one change, over all its files.
	MaxHunks = 2000
	// maxSearch bounds the number of hunks of one file times the lines of the file, which
	// limits the time of a search to seconds.
	maxSearch = 200_000_000
	// maxPath is the length of a path, in bytes.
	maxPath = 1024
	// maxSegment is the length of one name of a path, in bytes, the usual limit of file
	// systems.
	maxSegment = 255
)
