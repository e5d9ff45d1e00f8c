//go:build unix

package archive

import (
	"bufio"
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
	cmd := child(t, "hold", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if text, err := bufio.NewReader(out).ReadString('\n'); text != "ready\n" {
		t.Fatal(text, err)
	}

	_, err = Open(dir, Options{Now: func() time.Time { return time.Now().Add(90 * time.Minute) }})
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

	// A dead process holds nothing, whatever it left.
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

// TestReaderGoesOn: a reader that began beside a writer is not lost when that ends,
// and can neither write nor hold up the next writer for long.
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
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(ctx, ""); !errors.Is(err, errClosed) {
		t.Errorf("a closed reader: %v", err)
	}
	a = openAt(t, dir)
	closing(t, a)
}

// TestReadersAfterCrash: several at once, none of whom may fail.
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

// TestUnbegunLogs: a process that dies between making a log and its first byte
// leaves an empty file, at the first opening as at any later one.
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

// TestDeepFolder: the path of a socket is short, the path of an archive need not be.
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

// TestHostileReaders: readers that stall, flood, send garbage or come in crowds
// hold up neither the writer nor its end.
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
	stalled := dial() // asks for page after page and takes none
	stalled.Write([]byte(greeting))
	for range 50 {
		_ = writeFrame(stalled, appendBytes(appendBytes([]byte{askScan}, nil), nil))
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
	f.Add(appendBytes([]byte{askGet}, []byte("key")))
	f.Add(appendBytes(appendBytes([]byte{askScan}, []byte("k")), nil))
	f.Fuzz(func(t *testing.T, ask []byte) {
		if len(ask) > 0 {
			s.answer(ask)
		}
		_, _ = takeAll(ask)
	})
}
