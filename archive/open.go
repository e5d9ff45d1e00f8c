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

// Options of Open; the zero value is the default.
type Options struct {
	// Owner names the process in the lock file, for the error of another process that finds
	// the archive held.
	Owner string
	// Now is the clock of the lock file and of its age, Sleep passes the time between two
	// attempts to take the lock; nil: those of the system.
	Now   func() time.Time
	Sleep func(time.Duration)
	// Accept opens an archive whose ledger does not match the witness, and records in the
	// ledger who accepts it. When it does match, the open fails with ErrWitnessed.
	Accept *Accept
	// Notary follows the head of the ledger; nil: none.
	Notary Notary

	// steps replace the migrations in a test.
	steps map[uint64]migration
}

// Accept is a person's decision to continue with a ledger.
type Accept struct {
	By, Reason string
}

func (o Options) migrations() map[uint64]migration {
	if o.steps == nil {
		return migrations
	}
	return o.steps
}

// Readers hold the archive briefly, and so does a process that opens or closes it.
// patience bounds the wait for them, pause is the time between attempts.
const (
	patience = 5 * time.Second
	pause    = 20 * time.Millisecond
)

// Open opens the archive in dir for writing, making it when absent. It fails with a
// *LockedError, which is an ErrLocked (naming owner, process and age), while another process
// holds it, and serves readers on a socket beside it until Close. The archive of an older
// evolve is migrated, and a copy of it is kept beside it. The archive of a newer evolve is
// refused with ErrNewer. An archive with a damaged ledger is refused with a *LedgerError,
// one whose ledger differs from the witness with a *WitnessError, and one with a damaged
// file with a *DamageError; each of these is an ErrCorrupt, and the files are left as they
// are. ErrDisk means that the system refuses to write there or that too little space is
// free, ErrResources that the process may not open enough files.
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
	// A process killed during a GC leaves this.
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
	if files.manifest { // otherwise the only archive may be there
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
	// Nothing is added to a damaged ledger: later entries would look valid.
	if _, _, err := a.VerifyLedger(ctx); err != nil {
		return err
	}
	if err := a.verifyWitness(ctx, opts); err != nil {
		return err
	}
	return a.closeTallies(ctx)
}

// serveReaders starts a server and names it in the lock file. Where there can be no socket,
// readers get an ErrLocked.
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
		// A shared lock fails only beside an exclusive holder. A writer writes its holder
		// right after it has the lock: until then the file names the previous holder. The
		// second attempt rules that out.
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
// holds it, or directly when none does. It first recovers the archive of a killed process,
// unless the disk refuses writes: then it reads the archive as it is (see Refused). It
// fails with ErrNotFound when there is no archive, ErrLocked when its holder serves no
// readers, and a *WitnessError when its ledger does not match the witness.
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

// Inspect is OpenRead without the check of the witness. An archive that is missing beside
// its witness is a *WitnessError here too.
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

// findStore finds a way to read the store, and waits while other processes open or close
// it, for about as long as most. The time in which a holder does not answer counts: a process
// that is stopped accepts connections, and answers none.
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

// sharedStore is the store with the shared lock.
type sharedStore struct {
	*disk
	lock *archiveLock
}

func (s *sharedStore) close() error { return errors.Join(s.disk.close(), s.lock.release()) }

// openShared opens the store for reading with the shared lock that the caller has, and
// releases the lock when it fails. A store that was not closed is read as it is if the
// disk refuses the writes of a recovery, or if another process reads it.
func openShared(dir string, lock *archiveLock, refused error) (engine, error) {
	path := filepath.Join(dir, storeName)
	if files, err := listStore(path); err != nil {
		return nil, errors.Join(storeError(err), lock.release())
	} else if !files.manifest && !files.begun {
		return nil, errors.Join(ErrNotFound, lock.release()) // a writer has only created the folder
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
var errShared = errors.New("another process reads the archive")

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
	// A starting writer that reads the name of the dead process would give up instead of
	// waiting.
	h := newHolder("evolve, which recovers it", clock.now())
	h.Brief = true
	err = lock.write(h)
	if err == nil {
		err = errors.Join(reopen(filepath.Join(dir, storeName)), lock.replace(nil))
	}
	if err != nil {
		err = fmt.Errorf("put the archive in order after a crash: %w", err)
	}
	return errors.Join(err, lock.release())
}

// reopen opens a store for writing, settles its open tallies, and closes it.
func reopen(path string) error {
	store, err := openDisk(path, true)
	if err != nil {
		return err
	}
	return errors.Join(closeOpenTallies(context.Background(), store), store.close())
}

// closeOpenTallies closes the tallies of a store that is fit to be written to. Otherwise it leaves the
// store as it is: opening it returns the error.
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

// Refused returns the error, such as an ErrDisk, for which the archive of a killed process
// could not be recovered; nil when it was closed or recovered. All acknowledged data can
// be read either way.
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
