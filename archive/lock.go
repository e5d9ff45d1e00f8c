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
// The lock itself is the kernel's and ends with the process, so the content left by a dead
// process is simply overwritten.
type holder struct {
	Owner   string    `json:"owner"`
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
	// Socket is where the holder serves readers; "" when it serves none.
	Socket string `json:"socket,omitempty"`
	// Brief reports whether the process only recovers the archive, so that a writer waits for
	// it.
	Brief bool `json:"brief,omitempty"`
}

// LockedError describes the process that holds the archive. It is an ErrLocked.
type LockedError struct {
	// Held is what the process holds; "" means the archive.
	Held string
	// Owner, PID and Host are the holder's own data; PID is 0 when only readers hold the
	// archive, or when the holder did not leave its name within a second.
	Owner string
	PID   int
	Host  string
	// Age is how long the archive had been held when it was found locked.
	Age time.Duration
	// Waited is how long the caller has waited for it already.
	Waited time.Duration
}

func (e *LockedError) Error() string {
	held := cmp.Or(e.Held, "the archive")
	if e.PID == 0 {
		return held + " is in use by another process"
	}
	return fmt.Sprintf("%s is held by %s (process %d on %s, for %s)",
		held, cmp.Or(e.Owner, "another process"), e.PID, e.Host, e.Age.Round(time.Second))
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

// namePatience bounds the time in which a process that has just taken a lock leaves its name.
const namePatience = time.Second

// locked returns a LockedError about the holder. It reads the lock file again while that has
// no name: the holder has just taken the lock.
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

// Holder returns an error about the process that holds the archive in dir for writing; nil if
// there is none, or if it is not known. It waits for nothing.
func Holder(dir string, opts Options) *LockedError {
	l := newLock(dir)
	if l.read().PID == 0 { // no process has named itself, or there is no archive
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

// Claim writes the owner and this process into another file than an archive's, whose lock it
// holds, for HeldBy in other processes.
func Claim(path string, opts Options) error {
	return (&archiveLock{path: path}).write(newHolder(opts.Owner, opts.clock().now()))
}

// HeldBy returns an error about the process that holds the lock of a file and called Claim.
// held is what that file stands for, as the subject of a sentence.
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
