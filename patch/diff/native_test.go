package diff

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// native runs git in a repository, without the settings of any user.
type native struct {
	t   testing.TB
	dir string
	env []string
}

func newNative(t testing.TB, dir string) *native {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	return &native{t: t, dir: dir, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_AUTHOR_DATE=1790000000 +0000",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org", "GIT_COMMITTER_DATE=1790000000 +0000",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}}
}

func (n *native) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = n.dir, n.env
	return cmd
}

func (n *native) git(args ...string) string {
	n.t.Helper()
	out, err := n.command(args...).CombinedOutput()
	if err != nil {
		n.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// changed is the diff of one file of one commit.
type changed struct {
	commit string
	text   string
}

// walk calls the function each for the diff of every file in the newest commits of a
// repository, excluding merges, and returns the number of commits. If most is 0, it
// covers all commits. It skips commits with a file that git cannot read, as in a partial
// clone.
func (n *native) walk(most int, each func(changed)) (commits int) {
	n.t.Helper()
	args := []string{"rev-list", "--no-merges", "HEAD"}
	if most > 0 {
		args = append(args, fmt.Sprintf("--max-count=%d", most))
	}
	list := strings.Fields(n.git(args...))
	for len(list) > 0 {
		done, lost := n.walkOn(list, each)
		commits += done
		list = list[done+lost:]
	}
	return commits
}

// walkOn processes a list of commits as far as git can. It returns the number of commits
// that it processed, and 1 if git cannot read the next commit or 0 otherwise.
func (n *native) walkOn(list []string, each func(changed)) (done, lost int) {
	n.t.Helper()
	cmd := n.command("diff-tree", "--stdin", "--root", "-p", "--no-renames", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color", "--format=%x00%H")
	cmd.Env = append(cmd.Env, "GIT_FLUSH=1")
	cmd.Stdin = strings.NewReader(strings.Join(list, "\n") + "\n")
	out, err := cmd.StdoutPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	r := bufio.NewReaderSize(out, 1<<20)
	var texts []*strings.Builder // of the commit list[done-1]
	flush := func() {
		for _, text := range texts {
			each(changed{list[done-1], text.String()})
		}
		texts = nil
	}
	for {
		l, err := r.ReadString('\n')
		switch {
		case strings.HasPrefix(l, "\x00"):
			flush()
			done++
		case strings.HasPrefix(l, "diff --git "):
			texts = append(texts, &strings.Builder{})
			fallthrough
		case len(texts) > 0 && l != "\n":
			texts[len(texts)-1].WriteString(l)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			n.t.Fatal(err)
		}
	}
	if cmd.Wait() != nil { // git failed: the last commit may be incomplete, or git may not have reached it
		return max(0, done-1), 1
	}
	flush()
	return done, 0
}

// store reads contents by their hash.
type store struct {
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Reader
}

func (n *native) store() *store {
	n.t.Helper()
	cmd := n.command("cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { in.Close(); cmd.Wait() })
	return &store{n.t, in, bufio.NewReaderSize(out, 1<<20)}
}

// blob returns the content with this hash, or nil for the zero hash.
func (s *store) blob(hash string) []byte {
	s.t.Helper()
	if strings.Trim(hash, "0") == "" {
		return nil
	}
	if _, err := io.WriteString(s.in, hash+"\n"); err != nil {
		s.t.Fatal(err)
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	var size int
	if _, err := fmt.Sscanf(line, hash+" blob %d\n", &size); err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(s.out, data); err != nil {
		s.t.Fatal(err)
	}
	return data[:size]
}

// apply runs `git apply` on a diff of one file in an empty folder. It returns the file's
// content, or nil if the file is gone, and whether the diff was applied.
func (n *native) apply(text string, f File) (content []byte, ok bool) {
	n.t.Helper()
	if err := os.RemoveAll(filepath.Join(n.dir, "work")); err != nil {
		n.t.Fatal(err)
	}
	path := filepath.Join(n.dir, "work", filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		n.t.Fatal(err)
	}
	if f.Old != nil {
		if err := os.WriteFile(path, f.Old, 0o644); err != nil {
			n.t.Fatal(err)
		}
	}
	cmd := n.command("apply", "--whitespace=nowarn", "-")
	cmd.Dir = filepath.Join(n.dir, "work")
	cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+n.dir)
	cmd.Stdin = strings.NewReader(text)
	if cmd.Run() != nil {
		return nil, false
	}
	content, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, true
	}
	if err != nil {
		n.t.Fatal(err)
	}
	return content, true
}

func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }
