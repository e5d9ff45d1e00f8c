package scan

// Finding is one suspicious place in the source.
type Finding struct {
	Path string
	Line int // of the candidate, from 1
	// Rule names the detector, such as "TestMain" or "linkname".
	Rule string
	// Fatal findings fail a patch; the others flag it for a person.
	Fatal bool
	// Why is the reason in words for a person; quoted source is escaped.
	Why string
}

// Source is one Go file of a patch, before and after; nil where there is none.
type Source struct {
	Path     string
	Old, New []byte
}
