//go:build unix

package tempdir

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// holdVar is the environment variable that marks a process that a test starts only to
// make a folder, print the folder's path and wait.
const holdVar = "TEMPDIR_HOLD"

func TestMain(m *testing.M) {
	if os.Getenv(holdVar) == "" {
		os.Exit(m.Run())
	}
	f, err := Make("held")
	if err == nil {
		err = os.WriteFile(filepath.Join(f.Path, "file"), nil, 0o600)
	}
	if err != nil {
		panic(err)
	}
	fmt.Println(f.Path)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// holder starts a process that holds a folder, and returns the folder's path.
func holder(t *testing.T) (cmd *exec.Cmd, path string) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdVar+"=1")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(line)
}

// names lists the entries of a folder.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// TestKilled checks that the folder of a killed process is removed when another process
// makes a folder, and that the folder of a living process stays.
func TestKilled(t *testing.T) {
	parent := t.TempDir()
	t.Setenv("TMPDIR", parent)
	_, living := holder(t)
	dead, left := holder(t)
	if err := dead.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = dead.Wait()
	if _, err := os.Stat(filepath.Join(left, "file")); err != nil {
		t.Fatalf("the killed process left nothing: %v", err)
	}
	f, err := Make("own")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(living, "file")); err != nil {
		t.Errorf("the folder of a living process: %v", err)
	}
	if got := names(t, parent); len(got) != 2 {
		t.Errorf("beside two living processes there are %v", got)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, parent); len(got) != 1 {
		t.Errorf("beside one living process there are %v", got)
	}
}

// TestOthersStay checks that only folders made by Make are removed. A folder stays if it
// has another name, has no lock, or is reached through a link.
func TestOthersStay(t *testing.T) {
	parent, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", parent)
	write := func(elements ...string) {
		t.Helper()
		path := filepath.Join(elements...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(parent, "evolve-archive", lockName)
	write(parent, prefix+"worker", lockName)
	write(parent, prefix+"worker-12", "file")
	write(elsewhere, lockName)
	for name, to := range map[string]string{prefix + "a-1": elsewhere, filepath.Join(prefix+"worker-12", lockName): filepath.Join(elsewhere, lockName)} {
		if err := os.Symlink(to, filepath.Join(parent, name)); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, parent)
	f, err := Make("own")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if after := names(t, parent); !slices.Equal(after, before) || len(names(t, elsewhere)) != 1 {
		t.Errorf("%v is left of %v, and %v elsewhere", after, before, names(t, elsewhere))
	}
}

// TestMadeAtOnce checks that no process removes a folder that another process is about to
// lock.
func TestMadeAtOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				f, err := Make("own")
				if err == nil {
					err = os.WriteFile(filepath.Join(f.Path, "file"), nil, 0o600)
				}
				if err == nil {
					_, err = os.Stat(filepath.Join(f.Path, "file"))
				}
				if err == nil {
					err = f.Remove()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
