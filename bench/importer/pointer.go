package importer

import (
	"bytes"
	"fmt"
	"regexp"
)

// PointerError reports that a file is a git-LFS pointer, whose content is elsewhere.
type PointerError struct {
	// OID names the content, and Size is its length in bytes as the pointer states it.
	OID, Size string
}

func (e *PointerError) Error() string {
	return fmt.Sprintf("it is a Git LFS pointer: its content, %s bytes with the name %.12s…, is not on this machine", e.Size, e.OID)
}

// maxPointer limits the size of a pointer file, in bytes.
const maxPointer = 1024

var (
	pointerVersion = regexp.MustCompile(`^version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v\d`)
	pointerOID     = regexp.MustCompile(`(?m)^oid sha256:([0-9a-f]{64})\r?$`)
	pointerSize    = regexp.MustCompile(`(?m)^size (\d{1,20})\r?$`)
)

// Pointer returns a [PointerError] for a file that is a git-LFS pointer, and nil for any
// other.
func Pointer(data []byte) error {
	if len(data) > maxPointer || !pointerVersion.Match(bytes.TrimSpace(data)) {
		return nil
	}
	oid, size := pointerOID.FindSubmatch(data), pointerSize.FindSubmatch(data)
	if oid == nil || size == nil {
		return nil
	}
	return &PointerError{OID: string(oid[1]), Size: string(size[1])}
}
