package archive

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// releasePages returns the memory of a store's mapped tables and value logs to the system.
// Badger maps all its files and never unmaps touched pages, so the memory of a process
// would grow with its archive. The advice that it gives the kernel loses no data, even if
// the addresses have been mapped to something else by then: pages that are needed again are
// read again. releasePages does nothing if the system does not support the advice.
func releasePages(dir string) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	if dir, err = filepath.EvalSymlinks(dir); err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return
	}
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		// A line has the form "7f0a80000000-7f0a82000000 rw-s 00000000 08:01 42
		// /archive/store/000001.vlog".
		line := lines.Text()
		path := strings.IndexByte(line, '/')
		if path < 0 || filepath.Dir(line[path:]) != dir {
			continue
		}
		if ext := filepath.Ext(line); ext != ".sst" && ext != ".vlog" {
			continue
		}
		span, _, _ := strings.Cut(line, " ")
		from, to, _ := strings.Cut(span, "-")
		lo, err1 := strconv.ParseUint(from, 16, 64)
		hi, err2 := strconv.ParseUint(to, 16, 64)
		if err1 == nil && err2 == nil && lo < hi {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(lo), uintptr(hi-lo), unix.MADV_PAGEOUT)
		}
	}
}
