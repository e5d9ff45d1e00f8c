package patch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// trap creates a program that, when it is run, leaves a record of this in a file.
func (b *fixture) trap() (program, mark string) {
	b.t.Helper()
	dir := b.t.TempDir()
	program, mark = filepath.Join(dir, "trap"), filepath.Join(dir, "mark")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >>"+mark+"\nexit 0\n"), 0o755); err != nil {
		b.t.Fatal(err)
	}
	return program, mark
}

// everything calls all operations that run native git.
func (b *fixture) everything() error {
	r := b.repo
	if _, _, err := r.Propose("P1", change(), "m\n", someone, always); err != nil {
		return err
	}
	if _, err := r.Dirty(b.t.Context(), []string{"README"}); err != nil {
		return err
	}
	if _, err := r.Adopt(b.t.Context(), change(), "m\n", someone); err != nil {
		return err
	}
	_, head, err := r.Head()
	if err != nil {
		return err
	}
	back, err := r.Commit(head, Reverse(change()), "m\n", someone)
	if err != nil {
		return err
	}
	User(b.t.Context(), b.dir, b.env)
	return r.Advance(b.t.Context(), Move{Ref: "refs/heads/main", Old: head, New: back, By: someone})
}

// TestNothingOfTheRepositoryIsRun sets traps in every setting of a repository that makes
// native git run a program, checks that native git itself runs some of them, and checks
// that this package runs none.
func TestNothingOfTheRepositoryIsRun(t *testing.T) {
	b := newFixture(t, map[string]string{
		"agents/a/config.yaml": "x: 1\n", "README": "r\n", ".gitattributes": "* diff=trap merge=trap\n",
	})
	program, mark := b.trap()
	if err := os.MkdirAll(filepath.Join(b.dir, "traps"), 0o755); err != nil {
		t.Fatal(err)
	}
	hooks := []string{
		"post-checkout", "post-merge", "pre-merge-commit", "post-rewrite", "pre-auto-gc", "reference-transaction",
		"post-index-change", "fsmonitor-watchman", "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit",
	}
	for _, dir := range []string{".git/hooks", "traps"} {
		for _, hook := range hooks {
			at := filepath.Join(b.dir, dir, hook)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(program, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	for key, value := range map[string]string{
		"core.hooksPath": filepath.Join(b.dir, "traps"), "core.fsmonitor": program, "core.pager": program, "core.editor": program,
		"core.sshCommand": program, "core.askPass": program, "core.gitProxy": program, "core.alternateRefsCommand": program,
		"diff.external": program, "diff.trap.textconv": program, "diff.trap.command": program, "merge.trap.driver": program,
		"gpg.program": program, "commit.gpgSign": "true", "merge.verifySignatures": "true", "merge.stat": "true", "log.showSignature": "true",
		"credential.helper": "!" + program, "pager.status": program, "pager.merge": program, "merge.autoStash": "true",
		"gc.auto": "1", "gc.autoDetach": "false", "alias.merge": "!" + program, "alias.status": "!" + program, "alias.config": "!" + program,
	} {
		b.git("config", key, value)
	}
	_, _ = b.try("-c", "core.pager=cat", "diff", "HEAD", "--ext-diff")
	_, _ = b.try("status")
	if _, err := os.Stat(mark); err != nil {
		t.Fatal("the traps do not work")
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	if err := b.everything(); err != nil {
		t.Error(err)
	}
	if lines, err := os.ReadFile(mark); err == nil {
		t.Errorf("native git ran\n%s", lines)
	}
}

// TestTheEnvironmentLeadsNowhere sets every environment variable that redirects git.
func TestTheEnvironmentLeadsNowhere(t *testing.T) {
	b, other := newFixture(t, start()), newFixture(t, start())
	program, mark := b.trap()
	trace := filepath.Join(t.TempDir(), "trace")
	b.env = append(b.env,
		"GIT_DIR="+other.dir+"/.git", "GIT_WORK_TREE="+other.dir, "GIT_INDEX_FILE="+other.dir+"/.git/index", "GIT_COMMON_DIR="+other.dir+"/.git",
		"GIT_OBJECT_DIRECTORY="+other.dir+"/.git/objects", "GIT_ALTERNATE_OBJECT_DIRECTORIES="+other.dir+"/.git/objects", "GIT_NAMESPACE=else",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+program,
		"GIT_CONFIG_PARAMETERS='core.fsmonitor'='"+program+"'", "GIT_EXTERNAL_DIFF="+program, "GIT_PAGER="+program, "GIT_EDITOR="+program,
		"GIT_SSH_COMMAND="+program, "GIT_ASKPASS="+program, "GIT_EXEC_PATH="+filepath.Dir(program), "GIT_TEMPLATE_DIR="+other.dir, "GIT_TRACE="+trace,
		"GIT_CEILING_DIRECTORIES=/nowhere", "GIT_REPLACE_REF_BASE=refs/other/", "GIT_LITERAL_PATHSPECS=0", "GIT_QUARANTINE_PATH=/nowhere",
	)
	b.open(b.dir)
	before := other.state()
	if err := b.everything(); err != nil {
		t.Error(err)
	}
	if other.state() != before {
		t.Error("the other repository moved")
	}
	for _, path := range []string{mark, trace} {
		if lines, err := os.ReadFile(path); err == nil {
			t.Errorf("native git ran or wrote\n%s", lines)
		}
	}
}

// TestRepositoryOfAnotherUser makes native git treat the repository as owned by another
// user.
func TestRepositoryOfAnotherUser(t *testing.T) {
	b := newFixture(t, start())
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	m := b.next("main")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	err = b.repo.Advance(t.Context(), m)
	if err == nil || !strings.Contains(err.Error(), "dubious ownership") {
		t.Errorf("%v, want git's refusal", err)
	}
	if h, err := b.repo.Ref("refs/heads/main"); h != m.Old || err != nil {
		t.Error("the branch moved all the same")
	}
}
