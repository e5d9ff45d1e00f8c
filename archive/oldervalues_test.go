package archive

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestOlderValueLogs checks that damage anywhere in a value log that is not the newest is
// found before anything is read or written, so that no decision, night or backup proceeds
// despite it.
func TestOlderValueLogs(t *testing.T) {
	t.Parallel()
	for state, w := range map[string]wreck{"closed": closedArchive(t), "killed": killedArchive(t)} {
		logs, err := filepath.Glob(filepath.Join(w.dir, storeName, "*.vlog"))
		if err != nil {
			t.Fatal(err)
		}
		newest := filepath.Base(fileOf(t, w.dir, "*.vlog"))
		tried := 0
		for _, path := range logs {
			name := filepath.Base(path)
			if name == newest {
				break
			}
			data, _, err := content(path)
			if err != nil {
				t.Fatal(err)
			}
			spoil := map[string]func(data []byte) []byte{
				"bytes behind its end": func(data []byte) []byte { return append(data, "sixteen more byt"...) },
				"a cut end":            func(data []byte) []byte { return data[:len(data)-1] },
			}
			for at := logHeader; at < len(data); at += 1 + len(data)/24 {
				spoil["a flipped bit at byte "+strconv.Itoa(at)] = func(data []byte) []byte {
					data[at] ^= 4
					return data
				}
			}
			for how, change := range spoil {
				tried++
				for _, open := range map[string]func(dir string) (*Archive, error){
					"write": func(dir string) (*Archive, error) { return Open(dir, Options{}) },
					"read":  OpenRead,
				} {
					dir := w.copy(t, func(t *testing.T, dir string) {
						if err := os.WriteFile(filepath.Join(dir, storeName, name), change(append([]byte(nil), data...)), 0o600); err != nil {
							t.Fatal(err)
						}
					})
					a, err := open(dir)
					var damage *DamageError
					if !errors.As(err, &damage) || damage.File != name {
						t.Errorf("%s: %s with %s: %v", state, name, how, err)
					}
					if a != nil {
						closing(t, a)
					}
				}
			}
		}
		if tried < 10 {
			t.Errorf("%s: only %d kinds of damage", state, tried)
		}
	}
}

// TestUnreadValue checks that a value damaged while the archive is open causes an error
// when it is read, even by a backup, which copies records without decoding them. Badger
// returns such a value as an empty one.
func TestUnreadValue(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	filled(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = openAt(t, dir)
	var first Run
	for r, err := range a.Runs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		first = r
		break
	}
	want := exported(t, a)
	path := fileOf(t, dir, "*.vlog")
	data, _, err := content(path)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	write := func(change byte, from, to int) {
		altered := bytes.Clone(data)
		for i := from; i < to; i++ {
			altered[i] ^= change
		}
		if _, err := log.WriteAt(altered[logHeader:], logHeader); err != nil {
			t.Fatal(err)
		}
	}
	write(4, len(data)/2, len(data)/2+1)
	if _, err := a.Backup(t.Context(), io.Discard); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a backup: %v", err)
	}
	write(1, logHeader, len(data))
	if _, err := a.Run(t.Context(), first.ID); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a run: %v", err)
	}
	for _, err := range a.Runs(t.Context()) {
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("the runs: %v", err)
		}
	}
	write(0, 0, 0)
	if exported(t, a) != want {
		t.Error("the archive differs after the file was put back")
	}
	closing(t, a)
}
