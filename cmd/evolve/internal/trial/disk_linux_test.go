package trial

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"evolve/archive"
)

// mounted is a small file system of its own, where the trials may make one.
func mounted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=96m"); err != nil {
		t.Skipf("this process may not mount file systems: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all that is free but so many bytes.
func fill(t *testing.T, path string, but uint64) {
	t.Helper()
	var s unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &s); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	free := s.Bavail*uint64(s.Bsize) - but
	if _, err := f.Write(make([]byte, free)); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// clear checks that a message says what happened and what to do.
func clear(t *testing.T, r result, words ...string) {
	t.Helper()
	var last struct{ error, hint string }
	for _, line := range strings.Split(r.stderr, "\n") {
		if strings.HasPrefix(line, "{") {
			last.error, last.hint = line, line
		}
		if strings.HasPrefix(line, "error: ") {
			last.error = line
		}
		if strings.HasPrefix(line, "hint: ") {
			last.hint = line
		}
	}
	for _, word := range words {
		if !strings.Contains(last.error, word) {
			t.Errorf("the message %q does not say %q", r.stderr, word)
		}
	}
	if !strings.Contains(last.hint, "hint") || strings.Contains(r.stderr, "goroutine ") {
		t.Errorf("the message %q has no hint, or a stack trace", r.stderr)
	}
}

// TestFullDisk fills the disk while a run is on: it ends with a message and exit
// 7, keeps what was seen, can be looked at unless there is not a byte left, and once
// there is room again the same command goes on to the same report.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]uint64{"to the last byte": 0, "below what the archive asks for": 40 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := kinds[0].undisturbed(t)
			p := starterAt(t, mounted(t))
			ballast := filepath.Join(p.root, "ballast")
			pr := p.start(p.night()...)
			if !p.holds(pr) {
				t.Fatalf("the run ended: %+v", pr.wait())
			}
			var seen view
			if !pr.until(func() bool {
				v, err := p.look()
				seen = v
				return err == nil && len(v.evaluations) >= want.evaluations/4
			}) {
				t.Fatalf("the run ended too early: %+v", pr.wait())
			}
			fill(t, ballast, left)
			r := pr.wait()
			if r.code != 7 {
				t.Fatalf("exit %d\n%s\n%s", r.code, r.stdout, r.stderr)
			}
			clear(t, r, "space")
			// Without a byte left the archive may have stayed as after a crash, which
			// needs room to be put in order: then looking says so, and loses nothing.
			looked := p.start("status", "--workspace", p.root).wait()
			if looked.code != 0 {
				if left > 0 {
					t.Errorf("exit %d of status\n%s", looked.code, looked.stderr)
				}
				clear(t, looked, "space")
			} else if gone := lost(seen, p.mustLook()); len(gone) > 0 {
				t.Errorf("the full disk lost %v", gone)
			}
			clear(t, p.do(7, p.night()...), "space")

			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			if gone := lost(seen, p.mustLook()); len(gone) > 0 {
				t.Errorf("the full disk lost %v", gone)
			}
			p.do(0, p.night()...)
			p.intact([]mark{p.mark(seen)}, want)
		})
	}
}

// TestReadOnly starts runs in workspaces that cannot be written to, before and
// after their first night. What is there can be looked at.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	for _, before := range []int{0, 1} {
		p := tinyAt(t, filepath.Join(mounted(t), "tiny"))
		var want string
		if before > 0 {
			want = p.report(decodeOutcome(t, p.do(0, p.night()...)).Run)
		}
		mount := filepath.Dir(p.root)
		if err := unix.Mount("", mount, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		clear(t, p.do(7, p.night()...), "read-only")
		p.do(0, "status", "--workspace", p.root)
		if before == 0 {
			p.do(2, "report", "--workspace", p.root)
			continue
		}
		p.do(0, "report", "--workspace", p.root)
		clear(t, p.do(7, "report", "--html", "--workspace", p.root), "read-only")
		clear(t, p.do(7, "approve", "--yes", "--by", "Robin", "P1", "--workspace", p.root), "read-only")
		if p.report("1") != want {
			t.Error("the report of a workspace that cannot be written to is another")
		}
		if q := p.mustLook().proposals["P1"]; q.State != archive.Awaiting {
			t.Errorf("the proposal is %s", q.State)
		}
	}
}
