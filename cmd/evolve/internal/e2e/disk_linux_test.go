package e2e

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

// mounted mounts a small file system if the test is permitted to mount one, and skips the
// test otherwise.
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

// fill fills the disk but leaves the given number of bytes free.
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

// clear checks that a message names the problem and what to do about it.
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

// TestFullDisk fills the disk during a run. The run ends with a message and exit code 7,
// and its finished evaluations are preserved. Status works unless not a single byte is
// free. Once there is space again, the same command completes with the same report.
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
			// Without a free byte, the archive may need a recovery as after a crash, which
			// needs space. Status then reports that, and nothing is lost.
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

// TestReadOnly starts runs in read-only workspaces, both before and after their first run.
// Existing results can still be read.
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
