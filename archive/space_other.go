//go:build !unix

package archive

import "io/fs"

// freeSpace reports that the free space is unknown on this system; a full disk is detected
// when Badger fails.
func freeSpace(string) (bytes uint64, known bool) { return 0, false }

func sizeOnDisk(info fs.FileInfo) int64 { return info.Size() }
