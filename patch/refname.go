package patch

import (
	"fmt"
	"regexp"
	"strings"
)

// zero is the hash that stands for a ref that does not exist.
const zero = "0000000000000000000000000000000000000000"

var hashForm = regexp.MustCompile(`^[0-9a-f]{40}$`)

// checkRef returns an error for names that git's check-ref-format rejects, names outside
// refs/, and names of refs that are private to each working tree.
func checkRef(name string) error {
	bad := func() error { return fmt.Errorf("%q is not a valid ref name", name) }
	rest, ok := strings.CutPrefix(name, "refs/")
	if !ok || rest == "" || len(name) > maxPath {
		return bad()
	}
	for _, own := range []string{"bisect/", "worktree/", "rewritten/"} {
		if strings.HasPrefix(rest, own) {
			return bad()
		}
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return bad()
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || strings.IndexByte("~^:?*[\\", c) >= 0 {
			return bad()
		}
	}
	for part := range strings.SplitSeq(rest, "/") {
		if part == "" || len(part) > maxName-len(".lock") || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return bad()
		}
	}
	return nil
}
