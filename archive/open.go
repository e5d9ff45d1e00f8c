package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Options holds the options of Open; the zero value is the default.
type Options struct {
	// Owner names the process in the lock file, for the error that another process gets
	// when it finds the archive held.
	Owner string
	// Now is the clock for the lock file and its age, and Sleep waits between two attempts
	// to take the lock. If nil, the functions of the system are used.
	Now   func() time.Time
	Sleep func(time.Duration)
	// Accept opens an archive whose ledger does not match the witness, and records in the
	// ledger who accepts it. If the ledger does match, Accept fails with ErrWitnessed.
	Accept *Accept
	// Notary follows the head of the ledger; it may be nil.
	Notary Notary

	// steps replaces the migrations in a test.
	steps map[uint64]migration
}

// Accept is a person's decision to continue with a ledger that does not match the witness.
type Accept struct {
	By, Reason string
}

func (o Options) migrations() map[uint64]migration {
	if o.steps == nil {
		return migrations
	}
	return o.steps
}

// patience limits the wait for readers, and for a process that opens or closes the archive;
// both hold it only briefly. pause is the time between two attempts.
const (
	patience = 5 * time.Second
	pause    = 20 * time.Millisecond
)

// Open opens the archive in dir for writing, and creates it if it does not exist. Open
// serves readers on a socket beside the archive until Close. While another process holds
// the archive, Open fails with a *LockedError, which wraps ErrLocked and names the owner,
// the process and the age of the lock. An archive from an older version of evolve is
// migrated after a backup of it has been written to dir. An archive from a newer version is
// refused with ErrNewer. An archive with a damaged ledger is refused with a *LedgerError,
// one whose ledger differs from the witness with a *WitnessError, and one with a damaged
// file with a *DamageError; each of these wraps ErrCorrupt, and the files are left as they
// are. ErrDisk means that the system refuses to write there or that too little space is
// free. ErrResources means that the process may not open enough files.
func Open(dir string, opts Options) (*Archive, error) {
	a, err := open(dir, opts)
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", resourceError(err))
	}
	return a, nil
}

func open(dir string, opts Options) (_ *Archive, err error) {
	clock := opts.clock()
	if opts.Accept == nil {
		if err := checkMissing(dir); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, storeName), 0o700); err != nil {
		return nil, diskError(err)
	}
	lock := newLock(dir)
	if err := lock.takeForWriting(clock); err != nil {
		return nil, err
	}
	undo := []func() error{func() error { return errors.Join(lock.replace(nil), lock.release()) }}
	defer func() {
		for i := len(undo) - 1; err != nil && i >= 0; i-- {
			err = errors.Join(err, undo[i]())
		}
	}()
	held := newHolder(opts.Owner, clock.now())
	if err := lock.write(held); err != nil {
		undo = []func() error{lock.release}
		return nil, diskError(err)
	}
	// A process killed during a GC leaves this folder behind.
	if err := os.RemoveAll(filepath.Join(dir, gcName)); err != nil {
		return nil, diskError(err)
	}
	files, err := listStore(filepath.Join(dir, storeName))
	if err != nil {
		return nil, storeError(err)
	}
	store, err := openDisk(filepath.Join(dir, storeName), true)
	if err != nil {
		return nil, err
	}
	undo = append(undo, store.close)
	a, err := migratedArchive(store, true, dir, opts.migrations())
	if err != nil {
		return nil, err
	}
	undo[len(undo)-1] = a.Close
	a.now = clock.now
	if err := a.begin(context.Background(), opts); err != nil {
		return nil, err
	}
	if files.manifest { // without a manifest, the leftover folder may hold the only archive
		clearLeftover(dir)
	}
	if err := a.serveReaders(lock, held); err != nil {
		return nil, err
	}
	a.release = func() error { return errors.Join(lock.replace(nil), lock.release()) }
	return a, nil
}

// begin checks the ledger and its witness before the first write, and closes the tallies
// of a killed writer.
func (a *Archive) begin(ctx context.Context, opts Options) error {
	// Nothing may be added to a damaged ledger, because the added entries would look valid.
	if _, _, err := a.VerifyLedger(ctx); err != nil {
		return err
	}
	if err := a.verifyWitness(ctx, opts); err != nil {
		return err
	}
	return a.closeTallies(ctx)
}

// serveReaders starts a server for readers and records its socket in the lock file. If a
// socket cannot be created, there is no server, and readers get an ErrLocked.
func (a *Archive) serveReaders(lock *archiveLock, held holder) error {
	readers, err := serve(talliedStore{a.store, a.writer.tallies}, a.dir)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	held.Socket, a.shutdown = readers.path(), readers.close
	if err := lock.write(held); err != nil {
		return diskError(errors.Join(err, readers.close()))
	}
	return nil
}

// takeForWriting takes the lock. It waits for readers, but not for another writer.
func (l *archiveLock) takeForWriting(clock clock) error {
	for waited := time.Duration(0); ; waited += pause {
		ok, err := l.file.TryLock()
		if err != nil {
			return diskError(err)
		}
		if ok {
			return nil
		}
		// A shared lock fails only while another process holds the exclusive lock. A writer
		// writes its name to the file right after it takes the lock; until then the file
		// names the previous holder. The name is therefore trusted only from the second
		// attempt on.
		shared, err := l.file.TryRLock()
		if err != nil {
			return diskError(err)
		}
		if shared {
			if err := l.file.Unlock(); err != nil {
				return diskError(err)
			}
		} else if h := l.read(); h.PID != 0 && !h.Brief && waited > 0 {
			return lockedBy(h, clock.now())
		}
		if waited >= patience {
			e := &LockedError{}
			if !shared {
				e = l.locked(clock)
			}
			e.Waited += waited
			return e
		}
		clock.sleep(pause)
	}
}

// OpenRead opens the archive in dir for reading: through the socket of the process that
// holds it, or directly if no process does. It first recovers the archive of a killed
// process. If the disk refuses writes, it reads the archive as it is instead (see Refused).
// It fails with ErrNotFound if there is no archive, with ErrLocked if its holder serves no
// readers, and with a *WitnessError if its ledger does not match the witness.
func OpenRead(dir string) (*Archive, error) {
	w, there, err := WitnessOf(dir)
	if err != nil {
		return nil, fmt.Errorf("open the archive for reading: %w", resourceError(err))
	}
	a, err := Inspect(dir)
	if err != nil || !there {
		return a, err
	}
	if err := a.matchWitness(context.Background(), w); err != nil {
		return nil, fmt.Errorf("open the archive for reading: %w", errors.Join(err, a.Close()))
	}
	return a, nil
}

// Inspect does what OpenRead does, without checking the witness. If the witness exists but
// the archive is missing, it returns a *WitnessError too.
func Inspect(dir string) (*Archive, error) {
	r := &reader{find: func() (engine, error) { return findStore(dir, systemClock(), patience) }}
	if _, err := r.current(nil); err != nil {
		if missing := checkMissing(dir); errors.Is(err, ErrNotFound) && missing != nil {
			err = missing
		}
		return nil, fmt.Errorf("open the archive for reading: %w", resourceError(err))
	}
	a, err := newArchive(r, false, dir)
	if err != nil {
		return nil, fmt.Errorf("open the archive for reading: %w", errors.Join(err, r.close()))
	}
	return a, nil
}

// findStore returns an engine that reads the store, either directly or through the socket
// of the process that holds it. While other processes open or close the store, it waits,
// but only for about the given duration (most). The time during which a holder does not
// answer counts towards that limit, because a stopped process accepts connections but
// does not answer.
func findStore(dir string, clock clock, most time.Duration) (engine, error) {
	if _, err := os.Stat(filepath.Join(dir, storeName)); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	} else if err != nil {
		return nil, diskError(err)
	}
	lock := newLock(dir)
	var refused error // the reason why the store cannot be recovered
	for waited := time.Duration(0); ; waited += pause {
		shared, err := lock.file.TryRLock()
		if err != nil {
			return nil, diskError(err)
		}
		if shared {
			store, err := openShared(dir, lock, refused)
			if !errors.Is(err, errUnclosed) {
				return store, err
			}
			refused = diskError(recoverStore(dir, lock, clock))
			switch {
			case refused == nil || errors.Is(refused, ErrDisk) || errors.Is(refused, errShared):
				continue
			default:
				return nil, refused
			}
		} else if h := lock.read(); h.Socket != "" {
			store, err := dialRemote(h.Socket, most)
			if !errors.Is(err, errDisconnected) {
				return store, err
			}
			if slow := net.Error(nil); errors.As(err, &slow) && slow.Timeout() {
				waited = most
			}
		}
		if waited >= most {
			return nil, lock.locked(clock)
		}
		clock.sleep(pause)
	}
}

// sharedStore is a store that is open for reading, together with the shared lock, which
// close releases.
type sharedStore struct {
	*disk
	lock *archiveLock
}

func (s *sharedStore) close() error { return errors.Join(s.disk.close(), s.lock.release()) }

// openShared opens the store for reading with the shared lock that the caller holds, and
// releases the lock if that fails. A store that was not closed is read as it is if the disk
// refuses the writes of a recovery, or if another process reads it.
func openShared(dir string, lock *archiveLock, refused error) (engine, error) {
	path := filepath.Join(dir, storeName)
	if files, err := listStore(path); err != nil {
		return nil, errors.Join(storeError(err), lock.release())
	} else if !files.manifest && !files.begun {
		return nil, errors.Join(ErrNotFound, lock.release()) // a writer has created only the folder so far
	}
	store, err := openDisk(path, false)
	if errors.Is(err, errUnclosed) && refused != nil {
		var u *unclosed
		if u, err = openUnclosed(path, refused, lock); err == nil {
			return u, nil
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return &sharedStore{store, lock}, nil
}

// errShared means that another process reads or recovers a store that was not closed.
var errShared = errors.New("another process is reading the archive")

// recoverStore opens the store once for writing, which recovers it after a crash. It fails with
// errShared while another process has the lock.
func recoverStore(dir string, lock *archiveLock, clock clock) error {
	ok, err := lock.file.TryLock()
	if err != nil {
		return diskError(err)
	}
	if !ok {
		return errShared
	}
	// Without this record, a starting writer would read the record of the dead process
	// and would give up instead of waiting.
	h := newHolder("evolve, which is recovering it", clock.now())
	h.Brief = true
	err = lock.write(h)
	if err == nil {
		err = errors.Join(reopen(filepath.Join(dir, storeName)), lock.replace(nil))
	}
	if err != nil {
		err = fmt.Errorf("recover the archive, which was not closed: %w", err)
	}
	return errors.Join(err, lock.release())
}

// reopen opens a store for writing, closes its open tallies, and then closes the store.
func reopen(path string) error {
	store, err := openDisk(path, true)
	if err != nil {
		return err
	}
	return errors.Join(closeOpenTallies(context.Background(), store), store.close())
}

// closeOpenTallies closes the tallies of a store if the store is fit to be written to.
// Otherwise it leaves the store as it is and returns no error, because the next open of the
// store returns one.
func closeOpenTallies(ctx context.Context, store engine) error {
	a, err := newArchive(store, false, "")
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	defer a.packer.close()
	if _, _, err := a.VerifyLedger(ctx); err != nil {
		return nil //nolint:nilerr // see above
	}
	return a.closeTallies(ctx)
}

// Refused returns the error, such as an ErrDisk, that prevented the recovery of a killed
// process's archive, or nil if the archive was closed or recovered. All acknowledged data
// can be read either way.
func (a *Archive) Refused() error {
	r, ok := a.store.(*reader)
	if !ok {
		return nil
	}
	store, err := r.current(nil)
	if err != nil {
		return nil //nolint:nilerr // the next read returns it
	}
	if u, ok := store.(interface{ refusal() error }); ok {
		return u.refusal()
	}
	return nil
}
