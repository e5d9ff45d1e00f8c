package scan

// Finding is one suspicious passage in the source.
type Finding struct {
	Path string
	Line int // line in the candidate, counted from 1
	// Rule names the detector, such as "TestMain" or "linkname".
	Rule string
	// Fatal findings fail a patch; the others flag it for a person.
	Fatal bool
	// Why is the reason, in words for a person; source text quoted in it is escaped.
	Why string
}

// Source is one Go file in a patch, before and after the patch. Old or New is nil if the
// file does not exist on that side.
type Source struct {
	Path     string
	Old, New []byte
}
