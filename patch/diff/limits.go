package diff

// The limits on the input. A change that exceeds any of them is refused as TooLarge.
const (
	// MaxText is the maximum length, in bytes, of a diff including the prose around it, and
	// of all pairs of old and new text together.
	MaxText = 4 << 20
	// MaxFile is the maximum length, in bytes, of a file to which a change is applied.
	MaxFile = 8 << 20
	// MaxFiles is the maximum number of files, and of pairs of old and new text, in one
	// change.
	MaxFiles = 500
	// MaxHunks is the maximum number of hunks in one change, over all its files.
	MaxHunks = 2000
	// maxSearch is the maximum product of the number of hunks for a file and the number of
	// lines in the file. It limits the duration of a search to seconds.
	maxSearch = 200_000_000
	// maxPath is the maximum length of a path, in bytes.
	maxPath = 1024
	// maxSegment is the maximum length, in bytes, of one name in a path, which is the usual
	// limit of file systems.
	maxSegment = 255
)
