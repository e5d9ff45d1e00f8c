package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"evolve/runtime/wholefile"
)

// Layout of an archive's folder.
const (
	lockName   = "lock"
	storeName  = "store"
	socketName = "readers.sock"
)

// holder is the content of the lock file: who holds the archive for writing. The
// lock itself is the kernel's and ends with the process, so what a dead process
// left is simply written over.
type holder struct {
	Owner   string    `json:"owner"`
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
	// Socket is where the holder serves readers; "" when it does not.
	Socket string `json:"socket,omitempty"`
}

// LockedError says who holds the archive. It is an ErrLocked.
type LockedError struct {
	// Owner, PID, Host and Started are what the holder wrote about itself; PID is
	// 0 when only readers hold the archive, or a process that has just begun.
	Owner   string
	PID     int
	Host    string
	Started time.Time
	// Age is how long it had held the archive when it was found.
	Age time.Duration
	// Lock is the path of the lock file.
	Lock string
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return "the archive is in use by another process"
	}
	owner := e.Owner
	if owner == "" {
		owner = "another process"
	}
	return fmt.Sprintf("the archive is held by %s (process %d on %s, for %s)",
		owner, e.PID, e.Host, e.Age.Round(time.Second))
}

// Unwrap makes it an ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

// archiveLock is the lock file: exclusive for a writer, shared for readers that
// open the store themselves.
type archiveLock struct {
	file *flock.Flock
	path string
}

func newLock(dir string) *archiveLock {
	path := filepath.Join(dir, lockName)
	return &archiveLock{file: flock.New(path), path: path}
}

func (l *archiveLock) release() error { return l.file.Unlock() }

// maxHolder bounds the lock file, in bytes.
const maxHolder = 64 << 10

// read returns what the lock file says; the zero holder when it says nothing.
func (l *archiveLock) read() holder {
	var h holder
	data, err := wholefile.Read(l.path, maxHolder)
	if err != nil || json.Unmarshal(data, &h) != nil {
		return holder{}
	}
	return h
}

// write states the holder. The exclusive lock must be held.
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

// locked describes who is in the way.
func (l *archiveLock) locked(now time.Time) error {
	h := l.read()
	e := &LockedError{Owner: h.Owner, PID: h.PID, Host: h.Host, Started: h.Started, Lock: l.path}
	if e.PID != 0 {
		e.Age = max(now.Sub(h.Started), 0)
	}
	return e
}

func newHolder(owner string, now time.Time) holder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return holder{Owner: owner, PID: os.Getpid(), Host: host, Started: plainTime(now)}
}
