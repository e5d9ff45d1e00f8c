package doctor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func needGit(t *testing.T) func(root string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	return func(root string, args ...string) {
		t.Helper()
		if out, err := healthy(t, root).Git(context.Background(), root, args...); err != nil {
			t.Fatalf("git %v: %v %s", args, gitMessage(err), out)
		}
	}
}

func TestDoctorRepository(t *testing.T) {
	git := needGit(t)
	run := func(args ...string) func(string) { return func(root string) { git(root, args...) } }
	write := func(name, content string) func(string) {
		return func(root string) {
			if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	ignore := write(".gitignore", ".evolve/\n")
	const unignored = "warn repository: does not ignore .evolve/, so every run leaves the tree changed | add .evolve/ to .gitignore\n"
	for _, c := range []struct {
		name  string
		steps []func(string)
		want  string
	}{
		{"none", nil, "ok repository: none: the first approval lists what it would commit, and offers to create a repository\n"},
		{"not ignored", []func(string){run("init", "-q")}, unignored},
		{"dirty", []func(string){run("init", "-q"), ignore}, "warn repository: has changes that are not committed: 4 files | commit or undo them: an approval commits only in a clean tree\n"},
		{"replaced", []func(string){
			run("init", "-q"), ignore, write("other", "other\n"), run("add", "-A"), run("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "begin"),
			run("replace", "HEAD:other", "HEAD:.gitignore"), run("config", "user.email", "a@example.org"),
		}, "warn repository: has replace refs for 1 object, which git follows and evolve ignores: e45c9c2666d4 | `git replace --list` lists the replace refs, and `git replace --delete OBJECT` removes one\n"},
		{"sha256", []func(string){run("init", "-q", "--object-format=sha256")}, "fail repository: hashes its objects with SHA-256, which evolve cannot write | keep the workspace in a repository made with git init --object-format=sha1\n"},
		{"worktreeConfig", []func(string){run("init", "-q"), run("config", "extensions.worktreeConfig", "true")}, "warn repository: uses worktreeConfig in a repository with format version 0: evolve reads it, but other programs may refuse it | git config core.repositoryformatversion 1\n" + unignored},
		{"reftable", []func(string){run("init", "-q"), write(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\nrefstorage = reftable\n")}, "fail repository: stores its refs as reftable, which evolve cannot write | git refs migrate --ref-format=files\n"},
		{"partial clone", []func(string){run("init", "-q"), run("config", "extensions.partialClone", "origin")}, "warn repository: is a partial clone: missing objects cannot be read | use a full clone\n" + unignored},
		{"version", []func(string){run("init", "-q"), run("config", "core.repositoryformatversion", "7")}, "fail repository: has the format version 7, which evolve does not support | use a repository with format version 0 or 1\n"},
		{"extension", []func(string){run("init", "-q"), write(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\nfuture = yes\n")}, "fail repository: has the extension future, which evolve does not support | use a repository without this extension\n"},
		{"working tree elsewhere", []func(string){run("init", "-q"), run("config", "core.worktree", "/")}, "fail repository: has its working tree elsewhere, in / | git config --unset core.worktree\n"},
		{"shallow", []func(string){run("init", "-q"), write(".git/shallow", "")}, "warn repository: is a shallow clone: older commits are missing | git fetch --unshallow\n" + unignored},
		{"alternates", []func(string){run("init", "-q"), write(".git/objects/info/alternates", "../nowhere\n")}, "warn repository: borrows objects from ../nowhere, which does not exist | restore that folder; git repack -ad then copies its objects into the clone\n" + unignored},
		{"broken", []func(string){run("init", "-q"), write(".git/config", "[core\n")}, "fail repository: cannot be opened: reading git's settings (config): 1:6: expected subsection name or right bracket | git config --list --show-origin shows the settings\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := build(t, spoil(nil))
			for _, step := range c.steps {
				step(root)
			}
			p := healthy(t, root)
			if diff := cmp.Diff(c.want, lines(Run(context.Background(), p), "repository")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDoctorGitUser checks that doctor reports as missing whatever a decision would find
// missing: the name or the address of git's user, inside or outside a repository. The
// hints must be complete.
func TestDoctorGitUser(t *testing.T) {
	git := needGit(t)
	const setName, setEmail = `git config --global user.name "Your Name"`, "git config --global user.email you@example.org"
	for _, c := range []struct {
		name  string
		steps [][]string
		want  string
	}{
		{"no repository", nil, "warn git: user.name and user.email are not set; decisions are recorded with your git name and email address | " + setName + "; " + setEmail + "\n"},
		{"neither", [][]string{{"init", "-q"}}, "warn git: user.name and user.email are not set; decisions are recorded with your git name and email address | " + setName + "; " + setEmail + "\n"},
		{"no name", [][]string{{"init", "-q"}, {"config", "user.email", "a@example.org"}}, "warn git: user.name is not set; decisions are recorded with your git name and email address | " + setName + "\n"},
		{"a blank name", [][]string{{"init", "-q"}, {"config", "user.email", "a@example.org"}, {"config", "user.name", " "}}, "warn git: user.name is not set; decisions are recorded with your git name and email address | " + setName + "\n"},
		{"no address", [][]string{{"init", "-q"}, {"config", "user.name", "a"}}, "warn git: user.email is not set; decisions are recorded with your git name and email address | " + setEmail + "\n"},
		{"both", [][]string{{"init", "-q"}, {"config", "user.name", "a"}, {"config", "user.email", "a@example.org"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := build(t, spoil(nil))
			for _, step := range c.steps {
				git(root, step...)
			}
			_, got, _ := strings.Cut(lines(Run(context.Background(), healthy(t, root)), "git"), "\n")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
