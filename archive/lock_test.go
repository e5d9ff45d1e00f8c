//go:build unix

package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSecondWriter(t *testing.T) {
	dir := t.TempDir()
	cmd, in := readyChild(t, "hold", dir)
	_, err := Open(dir, Options{Now: func() time.Time { return time.Now().Add(90 * time.Minute) }})
	var locked *LockedError
	if !errors.Is(err, ErrLocked) || !errors.As(err, &locked) {
		t.Fatalf("a second writer: %v", err)
	}
	if locked.Owner != "evolve run 7" || locked.PID != cmd.Process.Pid || locked.Age < 90*time.Minute || locked.Host == "" {
		t.Errorf("%+v", locked)
	}
	for _, fact := range []string{"evolve run 7", "process ", "1h30m"} {
		if !strings.Contains(err.Error(), fact) {
			t.Errorf("%q does not say %q", err, fact)
		}
	}

	// The lock of a dead process is free, whatever the file contains.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	cmd.Wait()
	if h := newLock(dir).read(); h.PID != cmd.Process.Pid {
		t.Fatalf("the dead process left %+v", h)
	}
	a := openAt(t, dir)
	if _, err := Open(dir, Options{}); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("a second writer in the same process: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = openAt(t, dir)
	closing(t, a)
}

// TestReaderGoesOn checks that a reader that began while a writer was at work continues
// when the writer closes, and can neither write nor delay the next writer for long.
func TestReaderGoesOn(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	if _, err := OpenRead(dir); !errors.Is(err, ErrNotFound) {
		t.Fatalf("reading where nothing is: %v", err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("reading made %v", names)
	}
	a := openAt(t, dir)
	recordMany(t, a, "1-a", 5000, false)
	r := readAt(t, dir)
	if owner, alive, err := r.Writer(ctx); owner != "evolve run" || !alive || err != nil {
		t.Errorf("beside a writer: %q %v %v", owner, alive, err)
	}
	if err := errors.Join(r.PutRun(ctx, Run{ID: "1-a", Number: 1}), r.Record(ctx, evaluation("1-a", 1), nil)); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a reader writes: %v", err)
	}
	n := 0
	for _, err := range r.Evaluations(ctx, "1-a", "solver") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 300 {
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != 5000 {
		t.Errorf("%d evaluations", n)
	}
	if _, ok := r.store.(*reader).store.(*sharedStore); !ok {
		t.Errorf("read through %T", r.store.(*reader).store)
	}
	if owner, alive, err := r.Writer(ctx); owner != "" || alive || err != nil {
		t.Errorf("after the writer's end: %q %v %v", owner, alive, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(ctx, ""); !errors.Is(err, errClosed) {
		t.Errorf("a closed reader: %v", err)
	}
	a = openAt(t, dir)
	closing(t, a)
}

// TestReadersAfterCrash opens several readers at once after a process was killed; none may
// fail.
func TestReadersAfterCrash(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t, "record", dir, "0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "evaluation 0 true"; {
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r, err := OpenRead(dir)
			if err != nil {
				t.Error(err)
				return
			}
			if _, ok, err := r.Cached(context.Background(), evaluation("1-a", 0).Key); !ok || err != nil {
				t.Errorf("the first evaluation: %v %v", ok, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestUnbegunLogs checks the recovery from an empty log in a new archive and in a filled
// one. A process leaves such a log if it dies between creating the log and writing to it.
func TestUnbegunLogs(t *testing.T) {
	for name, fill := range map[string]func(testing.TB, *Archive){
		"new": func(testing.TB, *Archive) {}, "filled": filled,
	} {
		for _, log := range []string{"90000.mem", "900000.vlog"} {
			for _, read := range []bool{false, true} {
				dir := t.TempDir()
				a := openAt(t, dir)
				fill(t, a)
				if err := a.Close(); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, storeName, log), nil, 0o600); err != nil {
					t.Fatal(err)
				}
				var err error
				if read {
					if a, err = OpenRead(dir); err == nil {
						err = a.Close()
					}
				} else if a, err = Open(dir, Options{}); err == nil {
					err = errors.Join(a.Check(context.Background()), a.Close())
				}
				if err != nil {
					t.Errorf("%s archive, %s, read only %v: %v", name, log, read, err)
				}
			}
		}
	}
}

// TestDeepFolder checks that an archive's path may be longer than the path of a socket.
func TestDeepFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("deep/", 30), "archive")
	a := openAt(t, dir)
	filled(t, a)
	socket := newLock(dir).read().Socket
	info, err := os.Stat(socket)
	if err != nil || strings.HasPrefix(socket, dir) {
		t.Fatalf("the socket %s: %v", socket, err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %v", info.Mode())
	}
	r := readAt(t, dir)
	if exported(t, r) != exported(t, a) {
		t.Error("a reader sees something else")
	}
	if err := errors.Join(r.Close(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(socket)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket's folder stays behind: %v", err)
	}
}

// TestHostileReaders checks that readers that stall, flood, send garbage or connect in
// large numbers delay neither the writer nor its close.
func TestHostileReaders(t *testing.T) {
	dir := t.TempDir()
	a := openAt(t, dir)
	recordMany(t, a, "1-a", 5000, true)
	socket := newLock(dir).read().Socket
	dial := func() net.Conn {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	stalled := dial() // requests page after page and reads none
	stalled.Write([]byte(greeting))
	for range 50 {
		_ = writeFrame(stalled, appendBytes(appendBytes([]byte{requestScan}, nil), nil))
	}
	for _, garbage := range []string{"GET / HTTP/1.1\r\n\r\n", greeting + "\xff\xff\xff\xff", greeting + "\x00\x00\x00\x00", greeting + "\x00\x00\x00\x02s\xff"} {
		dial().Write([]byte(garbage))
	}
	for range 2 * maxReaders {
		dial()
	}
	recordMany(t, a, "2-b", 2000, true)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

func FuzzSocket(f *testing.F) {
	m := newMemory()
	b := &batch{}
	b.put([]byte("key"), []byte("value"))
	if err := m.write(b); err != nil {
		f.Fatal(err)
	}
	s := &server{store: m, ctx: context.Background()}
	f.Add(appendBytes([]byte{requestGet}, []byte("key")))
	f.Add(appendBytes(appendBytes([]byte{requestScan}, []byte("k")), nil))
	f.Fuzz(func(t *testing.T, ask []byte) {
		if len(ask) > 0 {
			_, _ = s.answer(nil, ask)
		}
		_, _ = cutAll(ask)
	})
}

// endless is an engine whose get blocks until the request's context ends.
type endless struct {
	engine
	asked chan bool
}

func (e endless) get(ctx context.Context, _ ...[]byte) ([][]byte, error) {
	e.asked <- true
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestServingEnds checks that a request that is in progress when the writer closes the
// archive fails with errDisconnected, not with the writer's own cancellation error.
func TestServingEnds(t *testing.T) {
	store := endless{newMemory(), make(chan bool)}
	s, err := serve(store, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, err := dialRemote(s.path(), patience)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := r.get(context.Background(), []byte("key"))
		answered <- err
	}()
	<-store.asked
	s.cancel() // the first step of close
	if err := <-answered; !errors.Is(err, errDisconnected) {
		t.Errorf("a reader beside a writer that closes: %v", err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}

// TestUnfinishedTables checks that a table that is not in the manifest may be garbled,
// because a crash while writing a table leaves such a file. A table in the manifest must be
// intact.
func TestUnfinishedTables(t *testing.T) {
	dir := t.TempDir()
	a := openAt(t, dir)
	recordMany(t, a, "1-a", 3000, true)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = openAt(t, dir) // its log was left by a killed process
	defer a.Close()
	crashed := func() string {
		to := t.TempDir()
		if err := os.WriteFile(filepath.Join(to, lockName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(to, storeName), os.DirFS(filepath.Join(dir, storeName))); err != nil {
			t.Fatal(err)
		}
		return to
	}
	table := func(dir, pattern string) string {
		found, err := filepath.Glob(filepath.Join(dir, storeName, pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(found, err)
		}
		return found[0]
	}
	for name, content := range map[string][]byte{"garbled": bytes.Repeat([]byte{7}, 5000), "zeroed": make([]byte, 5000)} {
		to := crashed()
		if err := os.WriteFile(filepath.Join(to, storeName, "900000.sst"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := OpenRead(to)
		if err != nil {
			t.Errorf("an unfinished table, %s: %v", name, err)
			continue
		}
		if err := errors.Join(r.Check(context.Background()), r.Close()); err != nil {
			t.Errorf("an unfinished table, %s: %v", name, err)
		}
	}
	to := crashed()
	if err := os.WriteFile(table(to, "*.sst"), make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRead(to); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a table that the manifest names is garbled: %v", err)
	}
}

// TestRemoved checks that the next write to an archive whose folder was removed returns an
// ErrRemoved, and that closing the archive does too.
func TestRemoved(t *testing.T) {
	for how := range removals {
		out, err := child(t, "removed", filepath.Join(t.TempDir(), "archive"), how).CombinedOutput()
		if err != nil || string(out) != "true true\n" {
			t.Errorf("%s: %v\n%s", how, err, out)
		}
	}
}

// TestDamagedLedgerIsNotWrittenTo checks that an archive whose ledger is damaged can be
// opened only for reading.
func TestDamagedLedgerIsNotWrittenTo(t *testing.T) {
	dir := t.TempDir()
	a := openAt(t, dir)
	var entries []LedgerEntry
	for range 3 {
		entries = append(entries, must(a.Append(context.Background(), LedgerEntry{Time: day, Kind: "run.start", Actor: "cron"}))(t))
	}
	entries[1].Actor = "another"
	tamper(t, a, func(b *batch) {
		if err := putDocument(b, ledgerKey(2), entries[1]); err != nil {
			panic(err)
		}
	})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	var broken *LedgerError
	if _, err := Open(dir, Options{}); !errors.As(err, &broken) || broken.Seq != 2 || !errors.Is(err, ErrCorrupt) {
		t.Errorf("opened for writing: %v", err)
	}
	r := readAt(t, dir)
	closing(t, r)
	if _, _, err := r.VerifyLedger(context.Background()); !errors.As(err, &broken) {
		t.Errorf("verified: %v", err)
	}
}

// stoppedHolder makes an archive whose holder accepts connections and answers none, as a
// stopped process does.
func stoppedHolder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, storeName), 0o700); err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "stopped") // the length of a socket's name is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	socket := filepath.Join(folder, "s")
	listener, err := net.Listen("unix", socket) // the kernel accepts connections for it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	lock := newLock(dir)
	if ok, err := lock.file.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	t.Cleanup(func() {
		if err := lock.release(); err != nil {
			t.Error(err)
		}
	})
	h := newHolder("evolve run", day)
	h.Socket = socket
	if err := lock.write(h); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestStoppedHolder tests that a holder that answers no connection is reported as the
// holder after one attempt.
func TestStoppedHolder(t *testing.T) {
	dir := stoppedHolder(t)
	slept := 0
	_, err := findStore(dir, clock{now: func() time.Time { return day }, sleep: func(time.Duration) { slept++ }}, 10*time.Millisecond)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Owner != "evolve run" || slept != 0 {
		t.Errorf("after %d attempts: %v", slept+1, err)
	}
}

// heldLock takes the lock of a folder without writing a holder's name.
func heldLock(t *testing.T, dir string) *archiveLock {
	t.Helper()
	lock := newLock(dir)
	if ok, err := lock.file.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	t.Cleanup(func() { _ = lock.release() })
	return lock
}

// TestHolderNamesItselfLate checks that if a holder has not yet written its name, the
// error about the holder is delayed until the name is there, but for at most a second.
func TestHolderNamesItselfLate(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // 0: never
		slept time.Duration
		pid   int
	}{
		{"at once", pause, pause, os.Getpid()},
		{"late", namePatience, namePatience, os.Getpid()},
		{"never", 0, namePatience, 0},
	} {
		lock, slept := heldLock(t, t.TempDir()), time.Duration(0)
		err := lock.locked(clock{now: func() time.Time { return day }, sleep: func(d time.Duration) {
			if slept += d; slept == c.after {
				if err := lock.write(newHolder("evolve run", day)); err != nil {
					t.Error(err)
				}
			}
		}})
		if err.PID != c.pid || slept != c.slept || err.Waited != slept {
			t.Errorf("%s: %+v after %s", c.name, err, slept)
		}
	}
}

// TestRecoveryIsWaitedFor checks that a writer waits for a process that is recovering the
// archive, and names that process if the recovery takes too long.
func TestRecoveryIsWaitedFor(t *testing.T) {
	for name, ends := range map[string]bool{"a short one": true, "a long one": false} {
		dir := t.TempDir()
		lock, slept := heldLock(t, dir), time.Duration(0)
		h := newHolder("evolve, which is recovering it", day)
		h.Brief = true
		if err := lock.write(h); err != nil {
			t.Fatal(err)
		}
		a, err := Open(dir, Options{Now: func() time.Time { return day }, Sleep: func(d time.Duration) {
			if slept += d; slept == 3*pause && ends {
				if err := lock.release(); err != nil {
					t.Error(err)
				}
			}
		}})
		if err == nil {
			err = a.Close()
		}
		var locked *LockedError
		switch {
		case ends && (err != nil || slept != 3*pause):
			t.Errorf("%s: %v after %s", name, err, slept)
		case !ends && (!errors.As(err, &locked) || locked.PID != os.Getpid() || slept != patience || locked.Waited != slept):
			t.Errorf("%s: %v after %s", name, err, slept)
		}
	}
}

// TestHolder checks that the process that writes is found, and that nothing else is taken
// for such a process.
func TestHolder(t *testing.T) {
	dir := t.TempDir()
	if e := Holder(dir, Options{}); e != nil {
		t.Errorf("a folder without an archive is held by %v", e)
	}
	cmd, in := readyChild(t, "hold", dir)
	if e := Holder(dir, Options{}); e == nil || e.Owner != "evolve run 7" || e.PID != cmd.Process.Pid {
		t.Errorf("held by %v", e)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	cmd.Wait()
	if e := Holder(dir, Options{}); e != nil {
		t.Errorf("a dead process holds it: %v", e)
	}
	a := openAt(t, dir)
	defer closing(t, a)
	if e := Holder(dir, Options{}); e == nil || e.PID != os.Getpid() {
		t.Errorf("the own process does not hold it: %v", e)
	}
}
