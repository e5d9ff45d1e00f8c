//go:build !linux

package archive

import "errors"

// exchange fails: this system cannot swap two folders in one step.
func exchange(string, string) error { return errors.ErrUnsupported }
