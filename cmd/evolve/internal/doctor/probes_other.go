//go:build !unix

package doctor

import "errors"

// FreeSpace returns an error, because free space cannot be determined on this system.
func FreeSpace(string) (uint64, error) {
	return 0, errors.New("it cannot be determined on this system")
}
