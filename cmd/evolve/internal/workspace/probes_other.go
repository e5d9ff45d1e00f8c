//go:build !unix

package workspace

import "errors"

// FreeSpace is unknown here.
func FreeSpace(string) (uint64, error) {
	return 0, errors.New("not known on this system")
}
