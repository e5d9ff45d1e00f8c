package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"evolve/archive"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)

func opened(t *testing.T) *archive.Archive {
	t.Helper()
	a, err := archive.Open(filepath.Join(t.TempDir(), "archive"), archive.Options{Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// TestRotation checks that the newest backups of an archive stay, that backups of another
// archive and other files are not touched, and that partial backups are removed.
func TestRotation(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a, other := opened(t), opened(t)
	b := Backups{Dir: filepath.Join(t.TempDir(), "deep", "backups"), Keep: 2, State: t.TempDir()}
	if _, err := b.Write(ctx, other, 1, start); err != nil {
		t.Fatal(err)
	}
	id, err := a.ID(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.txt", ".night-" + id + "-20260102T030405Z-1.backup123"} {
		if err := os.WriteFile(filepath.Join(b.Dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var last Backup
	for night := 1; night <= 4; night++ {
		if err := a.PutRun(ctx, archive.Run{ID: string(rune('a' + night)), Number: night}); err != nil {
			t.Fatal(err)
		}
		if last, err = b.Write(ctx, a, night, start.Add(time.Duration(night)*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := b.List()
	if err != nil || len(list) != 3 || list[1].Night != 3 || list[2].File != last.File {
		t.Errorf("kept are %+v %v", list, err)
	}
	left, err := os.ReadDir(b.Dir)
	if err != nil || len(left) != 4 {
		t.Errorf("in the folder are %v %v", left, err)
	}
	if s := Look(b.State); s.Fault != nil || s.Last == nil || s.Last.File != last.File || !s.Last.Time.Equal(last.Time) || s.Last.Bytes != last.Bytes {
		t.Errorf("the state is %+v", s)
	}
	data, err := os.ReadFile(last.File)
	if err != nil {
		t.Fatal(err)
	}
	held, err := archive.Restore(ctx, filepath.Join(t.TempDir(), "archive"), bytes.NewReader(data), archive.Building{})
	if err != nil || held.Runs != 4 {
		t.Errorf("restored: %+v %v", held, err)
	}
}

// TestFault checks that a failed backup is noted and leaves earlier backups alone, and that
// the next successful backup clears the note.
func TestFault(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := opened(t)
	b := Backups{Dir: filepath.Join(t.TempDir(), "backups"), Keep: 1, State: t.TempDir()}
	first, err := b.Write(ctx, a, 1, start)
	if err != nil {
		t.Fatal(err)
	}
	bad := b
	bad.Dir = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(bad.Dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bad.Write(ctx, a, 2, start.Add(time.Hour)); err == nil {
		t.Fatal("a backup was written into a file")
	}
	if s := Look(b.State); s.Last == nil || s.Last.File != first.File || s.Fault == nil || s.Fault.Night != 2 || s.Fault.Reason == "" {
		t.Errorf("the state is %+v", s)
	}
	if _, err := b.Write(ctx, a, 3, start.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	s := Look(b.State)
	if s.Fault != nil || s.Last == nil || s.Last.Night != 3 {
		t.Errorf("the state is %+v", s)
	}
	if err := os.Remove(s.Last.File); err != nil {
		t.Fatal(err)
	}
	if s := Look(b.State); s.Last != nil {
		t.Errorf("a backup that is gone is the last: %+v", s)
	}
}

// TestMoved checks that a workspace that was moved or copied finds its own backup, even
// if an older version of evolve wrote the note that names the backup folder, and that
// both the original and the copy find a backup folder elsewhere.
func TestMoved(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, c := range []struct {
		dir     string // relative to the workspace, or absolute
		gone    bool   // the original is removed
		absent  bool   // the copy does not include its backups
		older   bool   // the note contains the whole path
		trouble bool
	}{
		{dir: ".evolve/backups"},
		{dir: ".evolve/backups", gone: true},
		{dir: ".evolve/backups", older: true},
		{dir: ".evolve/backups", older: true, gone: true},
		{dir: ".evolve/backups", absent: true, trouble: true},
		{dir: "kept", gone: true},
		{dir: filepath.Join(t.TempDir(), "far"), gone: true},
	} {
		root, to := filepath.Join(t.TempDir(), "was"), filepath.Join(t.TempDir(), "is")
		b := Backups{Dir: c.dir, Keep: 1, State: filepath.Join(root, ".evolve")}
		if !filepath.IsAbs(c.dir) {
			b.Dir = filepath.Join(root, c.dir)
		}
		if err := os.MkdirAll(b.State, 0o700); err != nil {
			t.Fatal(err)
		}
		made, err := b.Write(ctx, opened(t), 1, start)
		if err != nil {
			t.Fatal(err)
		}
		if c.older {
			raw, err := json.Marshal(State{Last: &made})
			if err == nil {
				err = os.WriteFile(filepath.Join(b.State, noteName), raw, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := os.CopyFS(to, os.DirFS(root)); err != nil {
			t.Fatal(err)
		}
		if c.absent {
			err = os.RemoveAll(filepath.Join(to, c.dir))
		} else if c.gone {
			err = os.RemoveAll(root)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := made.File
		if !filepath.IsAbs(c.dir) {
			want = filepath.Join(to, c.dir, filepath.Base(made.File))
		}
		switch s := Look(filepath.Join(to, ".evolve")); {
		case c.trouble != (s.Trouble != ""):
			t.Errorf("%+v: %q", c, s.Trouble)
		case !c.trouble && (s.Last == nil || s.Last.File != want):
			t.Errorf("%+v: the last one is %+v, want %s", c, s.Last, want)
		}
	}
}
