//go:build unix

package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// secondNight writes the records of a night, in transactions of several sizes.
func secondNight(ctx context.Context, a *Archive) error {
	var errs []error
	for seq := range int64(120) {
		e := evaluation("2-a", 1000+seq)
		e.Transcript = transcript(strings.Repeat(fmt.Sprint("step ", seq, " "), 20))
		errs = append(errs, a.Record(ctx, e, nil))
		if seq%20 == 19 {
			_, err := a.Append(ctx, LedgerEntry{Kind: "test", Subject: fmt.Sprint(seq), Time: day})
			errs = append(errs, a.Flush(ctx), err)
		}
	}
	_, err := a.NewProposal(ctx, ProposalRecord{Kind: KindConfig, State: Awaiting, Title: "the last", Created: day})
	errs = append(errs, err, a.PutRun(ctx, Run{ID: "2-a", Number: 11, State: RunDone, Started: day}))
	_, err = a.Append(ctx, LedgerEntry{Kind: "run.end", Subject: "2-a", Time: day})
	return errors.Join(append(errs, err)...)
}

// wreck is the folder of an archive after its process was closed or killed.
type wreck struct {
	dir string
	// want is the export of everything that was acknowledged.
	want string
}

// closedArchive returns an archive of two nights that was closed properly.
func closedArchive(t *testing.T) wreck {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	filled(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = openAt(t, dir)
	if err := secondNight(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	want := exported(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return wreck{dir, want}
}

// killedArchive returns an archive that was closed after its first night and whose
// process was killed in its second night, once everything written in that night had been
// acknowledged.
func killedArchive(t *testing.T) wreck {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	filled(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "leave", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if err := cmd.Process.Kill(); err != nil || line != "ready\n" {
		t.Fatal(line, err)
	}
	cmd.Wait() // killed
	w := wreck{dir: dir}
	r := readAt(t, w.copy(t, nil))
	w.want = exported(t, r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.want, "the last") || !strings.Contains(w.want, "run.end") {
		t.Fatal("the killed process has lost what it had acknowledged")
	}
	return w
}

// copy copies the folder and its witness, preserving the holes in sparse files, and damages
// the copy.
func (w wreck) copy(t *testing.T, damage func(t *testing.T, dir string)) string {
	t.Helper()
	base := t.TempDir()
	if err := copySparse(base, filepath.Dir(w.dir)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, filepath.Base(w.dir))
	if damage != nil {
		damage(t, dir)
	}
	return dir
}

func copySparse(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, size, err := content(path)
		if err != nil {
			return err
		}
		return put(filepath.Join(to, name), data, size)
	})
}

// content returns a file's bytes without the zeros at its end, and its size.
func content(path string) (data []byte, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	data = make([]byte, dataEnd(f, info.Size()))
	if _, err := f.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	return withoutZeros(data), info.Size(), nil
}

func put(path string, data []byte, size int64) error {
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	return os.Truncate(path, size)
}

// sums returns the contents of those files of a store that must not change.
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.mem", "*.vlog", "*.sst", "MANIFEST"} {
		names, err := filepath.Glob(filepath.Join(dir, storeName, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, size, err := content(name)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(name)] = fmt.Sprint(size, string(data))
		}
	}
	return out
}

// outcome is the result of reading or writing a damaged archive.
type outcome int

const (
	kept    outcome = iota // everything acknowledged is there, and Check passes
	refused                // the error is ErrCorrupt, and if a file is damaged, no file has changed
	lost                   // neither
)

func (o outcome) String() string { return [...]string{"kept", "refused", "lost"}[o] }

// tried opens a damaged archive for reading or writing and compares its whole content with
// what was acknowledged.
func (w wreck) tried(t *testing.T, dir string, write bool) (outcome, error) {
	t.Helper()
	before := sums(t, dir)
	var a *Archive
	var err error
	if write {
		a, err = Open(dir, Options{})
	} else {
		a, err = OpenRead(dir)
	}
	if err != nil {
		if !errors.Is(err, ErrCorrupt) || errors.Is(err, ErrDisk) {
			return lost, err
		}
		if !errors.As(err, new(*DamageError)) {
			return refused, err
		}
		after := sums(t, dir)
		for name, data := range before {
			if after[name] != data {
				return lost, fmt.Errorf("%s was changed: %w", name, err)
			}
		}
		return refused, err
	}
	defer a.Close()
	var out bytes.Buffer
	if err := errors.Join(a.Export(context.Background(), &out), a.Check(context.Background())); err != nil {
		if errors.Is(err, ErrCorrupt) {
			return refused, err
		}
		return lost, err
	}
	if out.String() != w.want {
		return lost, errors.New("something acknowledged is missing, and the archive passes for sound")
	}
	return kept, nil
}

// fileOf returns the path of the newest file that matches the pattern and has content.
func fileOf(t *testing.T, dir, pattern string) string {
	t.Helper()
	base := filepath.Join(dir, storeName)
	switch pattern {
	case lockName:
		base = dir
	case "archive.head":
		base = filepath.Dir(dir)
	}
	names, err := filepath.Glob(filepath.Join(base, pattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Backward(names) {
		data, _, err := content(name)
		if err == nil && len(data) > logHeader || !strings.HasPrefix(pattern, "*") {
			return name
		}
	}
	return ""
}

func flip(bit uint64) func(t *testing.T, name string) {
	return func(t *testing.T, name string) {
		data, size, err := content(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) == 0 { // a table of zeros
			data, size = make([]byte, max(size, 1)), max(size, 1)
		}
		data[bit/8%uint64(len(data))] ^= 1 << (bit % 8)
		if err := put(name, data, size); err != nil {
			t.Fatal(err)
		}
	}
}

// cut truncates a file to a fraction of its content.
func cut(numerator, denominator int) func(t *testing.T, name string) {
	return func(t *testing.T, name string) {
		data, _, err := content(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, int64(len(data)*numerator/denominator)); err != nil {
			t.Fatal(err)
		}
	}
}

func remove(t *testing.T, name string) {
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// TestDamageMatrix damages each kind of file in each way, both in an archive that was
// closed and in one whose process was killed. Either everything acknowledged is there, or
// the archive is refused as damaged and its files are left unchanged.
func TestDamageMatrix(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 22))
	type way struct {
		name   string
		damage func(t *testing.T, name string)
	}
	ways := []way{
		{"deleted", remove},
		{"emptied", cut(0, 1)},
		{"cut to a third", cut(1, 3)},
		{"cut before its end", cut(999, 1000)},
	}
	for range 5 {
		bit := random.Uint64() >> 1
		ways = append(ways, way{fmt.Sprint("bit ", bit), flip(bit)})
	}
	for state, w := range map[string]wreck{"closed": closedArchive(t), "killed": killedArchive(t)} {
		for _, kind := range []string{"MANIFEST", "*.sst", "*.vlog", "*.mem", "KEYREGISTRY", "DISCARD", "lock", "archive.head"} {
			if state == "closed" && kind == "*.mem" {
				continue
			}
			for i, how := range ways {
				t.Run(state+" "+kind+" "+how.name, func(t *testing.T) {
					t.Parallel()
					dir := w.copy(t, func(t *testing.T, dir string) { how.damage(t, fileOf(t, dir, kind)) })
					// A writer that recreates the witness adds a ledger entry, so the
					// export would differ.
					got, err := w.tried(t, dir, i%2 == 0 && kind != "archive.head")
					t.Log(got, err)
					if got == lost {
						t.Errorf("%v", err)
					}
				})
			}
		}
	}
}

// fileAs copies a file from one store into another.
func fileAs(t *testing.T, from, to string) {
	t.Helper()
	data, size, err := content(from)
	if err == nil {
		err = put(to, data, size)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRecoveryPoints checks that the recovery after a kill may be killed too: at whatever
// point it is killed, everything acknowledged is preserved.
func TestRecoveryPoints(t *testing.T) {
	t.Parallel()
	w := killedArchive(t)
	healed := w.copy(t, nil)
	store, err := openDisk(filepath.Join(healed, storeName), true)
	if err == nil {
		err = store.close()
	}
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Base(fileOf(t, w.dir, "*.mem"))
	flushed := fileOf(t, healed, "*.sst")
	in := func(dir, name string) string { return filepath.Join(dir, storeName, name) }
	for name, leave := range map[string]func(t *testing.T, dir string){
		"the log is cut to its last transaction": func(t *testing.T, dir string) {
			data, _, err := content(in(dir, log))
			if err == nil {
				err = os.Truncate(in(dir, log), int64(readTransactions(data).at))
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		"the next log is made": func(t *testing.T, dir string) {
			if err := put(in(dir, "00002.mem"), []byte(strings.Repeat("\x00", 8)+"twelve bytes"), 8<<20); err != nil {
				t.Fatal(err)
			}
		},
		"the next log is empty": func(t *testing.T, dir string) {
			if err := put(in(dir, "00002.mem"), nil, 0); err != nil {
				t.Fatal(err)
			}
		},
		"the next value log is empty": func(t *testing.T, dir string) {
			if err := put(in(dir, "000009.vlog"), nil, 0); err != nil {
				t.Fatal(err)
			}
		},
		"the table is written": func(t *testing.T, dir string) {
			fileAs(t, flushed, in(dir, filepath.Base(flushed)))
		},
		"the table is half written": func(t *testing.T, dir string) {
			fileAs(t, flushed, in(dir, filepath.Base(flushed)))
			cut(1, 2)(t, in(dir, filepath.Base(flushed)))
		},
		"the table is empty": func(t *testing.T, dir string) {
			if err := put(in(dir, filepath.Base(flushed)), nil, 0); err != nil {
				t.Fatal(err)
			}
		},
		"the table is named, and the log is there": func(t *testing.T, dir string) {
			fileAs(t, flushed, in(dir, filepath.Base(flushed)))
			fileAs(t, in(healed, manifestName), in(dir, manifestName))
		},
		"the log is gone, and the value log is not cut": func(t *testing.T, dir string) {
			fileAs(t, flushed, in(dir, filepath.Base(flushed)))
			fileAs(t, in(healed, manifestName), in(dir, manifestName))
			remove(t, in(dir, log))
		},
		"the manifest has half an entry": func(t *testing.T, dir string) {
			data, _, err := content(in(healed, manifestName))
			if err == nil {
				err = put(in(dir, manifestName), data, int64(len(data)-3))
			}
			if err == nil {
				err = os.Truncate(in(dir, manifestName), int64(len(data)-3))
			}
			if err != nil {
				t.Fatal(err)
			}
			fileAs(t, flushed, in(dir, filepath.Base(flushed)))
		},
	} {
		for _, write := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", write), func(t *testing.T) {
				t.Parallel()
				if got, err := w.tried(t, w.copy(t, leave), write); got != kept {
					t.Errorf("%v: %v", got, err)
				}
			})
		}
		t.Run(name+", as it is", func(t *testing.T) {
			t.Parallel()
			dir := w.copy(t, leave)
			before := sums(t, dir)
			u := must(openUnclosed(filepath.Join(dir, storeName), ErrDisk, nil))(t)
			a := must(newArchive(u, false, dir))(t)
			if exported(t, a) != w.want {
				t.Error("it reads something else than after it was put in order")
			}
			if err := errors.Join(a.Check(t.Context()), a.Close()); err != nil {
				t.Error(err)
			}
			if !maps.Equal(before, sums(t, dir)) {
				t.Error("files were changed")
			}
		})
	}
}

// TestOlderLogDeleted checks that the loss of an older log is detected when a crash leaves
// several logs.
func TestOlderLogDeleted(t *testing.T) {
	t.Parallel()
	w := killedArchive(t)
	dir := w.copy(t, func(t *testing.T, dir string) {
		log := fileOf(t, dir, "*.mem")
		data, _, err := content(log)
		if err != nil {
			t.Fatal(err)
		}
		// The second half of the log's transactions goes to a new log, and the first half
		// is deleted.
		all := readTransactions(data)
		for _, e := range all.entries {
			if e.version == (all.first+all.last)/2 {
				rest := append(bytes.Clone(data[:logHeader]), data[e.offset:all.at]...)
				if err := errors.Join(put(filepath.Join(filepath.Dir(log), "00002.mem"), rest, 8<<20), os.Remove(log)); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
		t.Fatal("the log has one transaction")
	})
	if got, err := w.tried(t, dir, true); got != refused {
		t.Errorf("%v: %v", got, err)
	}
}

// TestPageGone checks that a page that cannot be read while the archive is open results in
// an ErrDisk and does not end the process.
func TestPageGone(t *testing.T) {
	w := closedArchive(t)
	out, err := child(t, "page gone", w.dir, fileOf(t, w.dir, "*.vlog")).CombinedOutput()
	if err != nil || string(out) != "true true\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPausedWriter checks that a stopped process still holds the archive, and that it
// continues when it is resumed.
func TestPausedWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	cmd, in := readyChild(t, "leave", dir)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("beside a stopped writer: %v", err)
	}
	if err := errors.Join(cmd.Process.Signal(syscall.SIGCONT), in.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	r := readAt(t, dir)
	closing(t, r)
	if err := r.Check(context.Background()); err != nil || !strings.Contains(exported(t, r), "run.end") {
		t.Errorf("afterwards: %v", err)
	}
}
