//go:build !unix

package doctor

import "errors"

// FreeSpace is not supported on this system.
func FreeSpace(string) (uint64, error) {
	return 0, errors.New("it cannot be determined on this system")
}
