//go:build !linux

package archive

import "os"

// dataEnd returns the size: where a file's holes are is not asked on this system.
func dataEnd(_ *os.File, size int64) int64 { return size }
