package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The watch looks again after watchTime, or after watchShare times the duration of the last
// look if that is longer, so it never costs more than a tenth of a processor.
const (
	watchTime  = 25 * time.Millisecond
	watchShare = 10
)

// watch compares the limits with the resources that all processes in the namespace use in
// total. It runs in the first process, the only one that sees all the others and that
// none of them can hinder.
type watch struct {
	limits Limits
	// folders are the private folders and layers in memory.
	folders []string
	// processes reports whether the number of processes is also watched.
	processes bool
}

// newWatch returns nil if there is nothing to watch. bounded reports whether the kernel
// limits the number of processes.
func newWatch(o orders, bounded bool) *watch {
	w := &watch{limits: o.Limits, processes: !bounded && o.Limits.Processes > 0}
	if o.Limits.Total == 0 && !w.processes {
		return nil
	}
	for _, p := range o.Pieces {
		if p.Kind == private || p.Kind == layer {
			w.folders = append(w.folders, p.Path)
		}
	}
	reserve(4)
	return w
}

// reserve makes the Go runtime create spare threads, because the watch cannot get a new
// one once a program has used up all process numbers.
func reserve(threads int) {
	var ready, done sync.WaitGroup
	ready.Add(threads)
	for range threads {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Done()
			ready.Wait()
		})
	}
	done.Wait()
}

// run watches the processes until a limit is exceeded, and returns the corresponding
// reason.
func (w *watch) run() Reason {
	for {
		began := time.Now()
		if r := w.look(); r != Own {
			return r
		}
		time.Sleep(max(watchTime, watchShare*time.Since(began)))
	}
}

// look compares the current resource use with the limits once. It returns Own if no limit
// is exceeded.
func (w *watch) look() Reason {
	pids, err := processNumbers()
	if err != nil {
		return Own // no descriptors are free at the moment; the next look may succeed
	}
	var most, threads uint64 // most is an upper bound: it counts a shared page once for each process
	for _, pid := range pids {
		if s, ok := statusOf(pid); ok && pid != 1 {
			most, threads = most+s.memory, threads+s.threads
		}
	}
	switch {
	case w.processes && threads > w.limits.Processes:
		return OverProcesses
	case w.limits.Total == 0:
		return Own
	}
	if most+w.filed()+segments() <= w.limits.Total {
		return Own
	}
	// Counting each page once is expensive, so it is done only if the cheap sum exceeds the
	// limit. It is done twice, because processes come and go in the meantime.
	for range 2 {
		var total uint64
		for _, pid := range pids {
			if pid != 1 {
				total += proportional(pid)
			}
		}
		if total+w.filed()+segments() <= w.limits.Total {
			return Own
		}
	}
	return OverMemory
}

// inode is the approximate kernel memory for one empty file, in bytes.
const inode = 1 << 10

// filed returns the memory used by the files in the private folders, in bytes.
func (w *watch) filed() uint64 {
	var total uint64
	for _, folder := range w.folders {
		var fs unix.Statfs_t
		if err := unix.Statfs(folder, &fs); err == nil {
			total += (fs.Blocks-fs.Bfree)*uint64(fs.Bsize) + (fs.Files-fs.Ffree)*inode
		}
	}
	return total
}

// segments returns the number of bytes in System V shared segments that no process has
// attached; attached segments count towards the memory of the processes. It returns 0 on
// kernels without such segments.
func segments() uint64 {
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		return 0
	}
	var total uint64
	for line := range bytes.Lines(text) {
		// Field 7 is the number of attachments. Fields 15 and 16 are the number of bytes in
		// memory and swapped out.
		fields := strings.Fields(string(line))
		if len(fields) < 16 || fields[6] != "0" {
			continue
		}
		for _, f := range fields[14:16] {
			if n, err := strconv.ParseUint(f, 10, 64); err == nil {
				total += n
			}
		}
	}
	return total
}

func processNumbers() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// status holds data about a process that every other process may read.
type status struct {
	memory  uint64 // bytes: private, shared, swapped out and page tables
	threads uint64
}

func statusOf(pid int) (s status, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return s, false // the process is gone
	}
	s.memory = kibibytes(text, "RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:")
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("Threads:")); ok {
			// The error is ignored: the kernel always writes a number here, and 0 would do
			// no harm.
			s.threads, _ = strconv.ParseUint(string(bytes.TrimSpace(rest)), 10, 64)
		}
	}
	return s, true
}

// proportional returns the memory of a process in bytes, including its share of each shared
// page. If the shares cannot be read, each shared page counts in full.
func proportional(pid int) uint64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil || len(text) == 0 {
		s, _ := statusOf(pid)
		return s.memory
	}
	return kibibytes(text, "Pss_Anon:", "Pss_Shmem:", "SwapPss:")
}

// kibibytes adds up the values, which are in KiB, on the lines with these names. It
// returns the sum in bytes.
func kibibytes(text []byte, names ...string) uint64 {
	var total uint64
	for line := range bytes.Lines(text) {
		for _, name := range names {
			if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
				var kib uint64
				if _, err := fmt.Sscan(string(rest), &kib); err == nil {
					total += kib << 10
				}
			}
		}
	}
	return total
}
