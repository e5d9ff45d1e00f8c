//go:build !linux

package archive

import "errors"

// exchange swaps two folders in one step, which this system cannot.
func exchange(string, string) error { return errors.ErrUnsupported }
