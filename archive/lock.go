package archive

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"evolve/runtime/wholefile"
)

// The file names in an archive's folder.
const (
	lockName   = "lock"
	storeName  = "store"
	socketName = "readers.sock"
)

// holder is the content of the lock file: the process that holds the archive for writing.
// The lock itself is managed by the kernel and ends with the process, so content left by a
// dead process is overwritten.
type holder struct {
	Owner   string    `json:"owner"`
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
	// Socket is the path of the socket on which the holder serves readers; it is "" if it
	// serves none.
	Socket string `json:"socket,omitempty"`
	// Brief reports whether the process only recovers the archive, in which case a writer
	// waits for it.
	Brief bool `json:"brief,omitempty"`
}

// LockedError describes the process that holds the archive. It wraps ErrLocked.
type LockedError struct {
	// Held is what the process holds; "" means the archive.
	Held string
	// Owner, PID and Host are as the holder recorded them. PID is 0 if only readers hold
	// the archive, or if the holder did not write its name within a second.
	Owner string
	PID   int
	Host  string
	// Age is how long the archive had been held when it was found locked.
	Age time.Duration
	// Waited is how long the caller has already waited.
	Waited time.Duration
}

func (e *LockedError) Error() string {
	held := cmp.Or(e.Held, "the archive")
	if e.PID == 0 {
		return held + " is in use by another process"
	}
	return fmt.Sprintf("%s is held by %s (process %d on %s, held for %s)",
		held, cmp.Or(e.Owner, "another process"), e.PID, e.Host, e.Age.Round(time.Second))
}

// Unwrap returns ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

// archiveLock is the lock on an archive's lock file. A writer holds it exclusively; readers
// that open the store themselves share it.
type archiveLock struct {
	file *flock.Flock
	path string
}

func newLock(dir string) *archiveLock {
	path := filepath.Join(dir, lockName)
	return &archiveLock{file: flock.New(path), path: path}
}

func (l *archiveLock) release() error { return l.file.Unlock() }

// maxHolder is the maximum size of the lock file, in bytes.
const maxHolder = 64 << 10

// read returns the content of the lock file, or the zero holder if the file is empty or
// unreadable.
func (l *archiveLock) read() holder {
	var h holder
	data, err := wholefile.Read(l.path, maxHolder)
	if err != nil || json.Unmarshal(data, &h) != nil {
		return holder{}
	}
	return h
}

// write writes the holder to the lock file. The caller must hold the exclusive lock.
func (l *archiveLock) write(h holder) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return l.replace(append(data, '\n'))
}

func (l *archiveLock) replace(data []byte) (err error) {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(data)
	return err
}

// namePatience limits the wait until a process that has just taken a lock has recorded
// itself in the lock file.
const namePatience = time.Second

// locked returns a LockedError about the holder. If the holder has just taken the lock,
// the lock file may not name it yet; locked then reads the file again, for at most
// namePatience.
func (l *archiveLock) locked(clock clock) *LockedError {
	h, waited := l.read(), time.Duration(0)
	for ; h.PID == 0 && waited < namePatience; waited += pause {
		clock.sleep(pause)
		h = l.read()
	}
	e := lockedBy(h, clock.now())
	e.Waited = waited
	return e
}

func lockedBy(h holder, now time.Time) *LockedError {
	e := &LockedError{Owner: h.Owner, PID: h.PID, Host: h.Host}
	if e.PID != 0 {
		e.Age = max(now.Sub(h.Started), 0)
	}
	return e
}

// Holder returns an error about the process that holds the archive in dir for writing, or
// nil if there is no such process or the process is not known. It does not wait.
func Holder(dir string, opts Options) *LockedError {
	l := newLock(dir)
	if l.read().PID == 0 { // no process has recorded its name, or there is no archive
		return nil
	}
	shared, err := l.file.TryRLock()
	switch h := l.read(); {
	case shared:
		_ = l.release()
	case err == nil && h.PID != 0 && !h.Brief:
		return lockedBy(h, opts.clock().now())
	}
	return nil
}

// Claim records the owner and this process in a lock file that does not belong to an
// archive. This process must hold the lock on the file. Other processes read the record
// with HeldBy.
func Claim(path string, opts Options) error {
	return (&archiveLock{path: path}).write(newHolder(opts.Owner, opts.clock().now()))
}

// HeldBy returns an error about the process that holds the lock on a file and has recorded
// itself there with Claim. held names what the file stands for; it becomes the subject of
// the error message.
func HeldBy(path, held string, opts Options) *LockedError {
	e := (&archiveLock{path: path}).locked(opts.clock())
	e.Held = held
	return e
}

func newHolder(owner string, now time.Time) holder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return holder{Owner: owner, PID: os.Getpid(), Host: host, Started: normalizeTime(now)}
}
