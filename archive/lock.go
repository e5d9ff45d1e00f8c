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

// The file names in an archive's folder.
const (
	lockName   = "lock"
	storeName  = "store"
	socketName = "readers.sock"
)

// holder is the content of the lock file: the process that holds the archive for writing.
// The lock itself is the kernel's and ends with the process, so the content left by a dead
// process is simply overwritten.
type holder struct {
	Owner   string    `json:"owner"`
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
	// Socket is where the holder serves readers; "" when it serves none.
	Socket string `json:"socket,omitempty"`
}

// LockedError describes the process that holds the archive. It is an ErrLocked.
type LockedError struct {
	// Owner, PID and Host are the holder's own data; PID is 0 when only readers, or a
	// process that has just started, hold the archive.
	Owner string
	PID   int
	Host  string
	// Age is how long the archive had been held when it was found locked.
	Age time.Duration
	// Waited is how long the caller has waited for it already.
	Waited time.Duration
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

// archiveLock is the lock file: exclusive for a writer, shared for readers that open the
// store themselves.
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

// read returns the content of the lock file; the zero holder when it is empty or
// unreadable.
func (l *archiveLock) read() holder {
	var h holder
	data, err := wholefile.Read(l.path, maxHolder)
	if err != nil || json.Unmarshal(data, &h) != nil {
		return holder{}
	}
	return h
}

// write writes the holder to the lock file. The exclusive lock must be held.
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

// locked returns a LockedError about the holder.
func (l *archiveLock) locked(now time.Time) error { return lockedBy(l.read(), now) }

func lockedBy(h holder, now time.Time) error {
	e := &LockedError{Owner: h.Owner, PID: h.PID, Host: h.Host}
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
	return holder{Owner: owner, PID: os.Getpid(), Host: host, Started: normalizeTime(now)}
}
