package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Backup writes a backup to any writer.
func (a *Archive) Backup(ctx context.Context, w io.Writer) (Contents, error) {
	return writeBackup(ctx, a.store, w)
}

// hookWriter calls hook at the first write.
type hookWriter struct {
	bytes.Buffer
	hook func()
}

func (w *hookWriter) Write(p []byte) (int, error) {
	if w.hook != nil {
		w.hook()
		w.hook = nil
	}
	return w.Buffer.Write(p)
}

// TestBackupOfOneMoment checks that a backup contains no records written while it runs, in
// any table and for each way of reading the archive.
func TestBackupOfOneMoment(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, way := range []string{"memory", "disk", "socket"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			var a *Archive
			dir := filepath.Join(t.TempDir(), "archive")
			if way == "memory" {
				a = OpenMemory()
			} else {
				a = openAt(t, dir)
			}
			closing(t, a)
			filled(t, a)
			recordMany(t, a, "9-a", 3000, true) // more than a few pages
			from := a
			if way == "socket" {
				from = readAt(t, dir)
				closing(t, from)
			}
			n, head, err := a.LedgerHead(ctx)
			if err != nil {
				t.Fatal(err)
			}
			out := &hookWriter{hook: func() {
				_, err := a.NewProposal(ctx, ProposalRecord{})
				_, err2 := a.EnterCandidate(ctx, entrant("dd", "12-x"))
				recordMany(t, a, "12-x", 100, true)
				if err := errors.Join(err, err2, a.PutRun(ctx, Run{ID: "12-x", Number: 12})); err != nil {
					t.Error(err)
				}
			}}
			held, err := from.Backup(ctx, out)
			if err != nil {
				t.Fatal(err)
			}
			if out.hook != nil || held.Head != head || int64(held.Ledger) != n || held.LastRun != "10-b" || held.Bytes != int64(out.Len()) {
				t.Errorf("the backup holds %+v, the ledger was at %d %s", held, n, head)
			}
			restored := filepath.Join(t.TempDir(), "archive")
			got, err := Restore(ctx, restored, &out.Buffer, Building{})
			if err != nil {
				t.Fatal(err)
			}
			got.Bytes = held.Bytes
			if got != held {
				t.Errorf("restored %+v\nof %+v", got, held)
			}
		})
	}
}

// TestBackupEnds checks that if the writer closes during a reader's backup, the reader
// makes the backup again from the state after the close.
func TestBackupEnds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	filled(t, a)
	recordMany(t, a, "9-a", 3000, true)
	r := readAt(t, dir)
	closing(t, r)
	out := &hookWriter{hook: func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}}
	// The rest of the backup may already be in the kernel's socket buffers.
	if _, err := r.Backup(ctx, out); err != nil && !errors.Is(err, errDisconnected) {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.backup")
	if _, err := r.BackupFile(ctx, path, false); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the file is %v %v", info, err)
	}
	if _, err := r.BackupFile(ctx, path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if _, err := r.BackupFile(ctx, path, true); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.BackupFile(ended, path, true); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left beside the backup: %v %v", left, err)
	}
	if again, err := os.Stat(path); err != nil || again.Size() != info.Size() {
		t.Errorf("the file was lost: %v", err)
	}
}

func BenchmarkBackup(b *testing.B) {
	ctx := context.Background()
	a, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	recordMany(b, a, "1-a", 100_000, true)
	for b.Loop() {
		held, err := a.BackupFile(ctx, filepath.Join(b.TempDir(), fmt.Sprint(b.N)), false)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(held.Bytes)/(1<<20), "MB")
	}
}
