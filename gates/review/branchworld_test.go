package review

import (
	"context"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/archive"
)

// forge is a bureau whose repository has a remote, and a clone in which a person works.
type forge struct {
	*bureau
	bare, clone string
	// opened lists the pull requests that were opened.
	opened []PullRequest
}

// newForge returns a forge with a bare repository as its remote, or, if http is true, with
// a git server that requires a password.
func newForge(t *testing.T, http bool) *forge {
	store, err := archive.Open(t.TempDir(), archive.Options{Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	f := &forge{bureau: newBureau(t), bare: filepath.Join(t.TempDir(), "remote.git"), clone: filepath.Join(t.TempDir(), "clone")}
	f.store, f.Reviewer.Archive = store, Opened(store)
	f.git("clone", "--quiet", "--bare", f.root, f.bare)
	url := f.bare
	if http {
		url = f.serve()
	}
	f.git("remote", "add", "origin", url)
	f.git("clone", "--quiet", f.bare, f.clone)
	f.Branching = &Branching{
		Remote: "origin", Time: time.Minute,
		Text: func(_ context.Context, _ *archive.Archive, p archive.ProposalRecord) (string, error) {
			return p.Title + "\n" + p.Rationale + "\nEvolve-Proposal: P9\n@kim fixes #12", nil
		},
		Open: func(_ context.Context, r PullRequest) error { f.opened = append(f.opened, r); return nil },
	}
	return f
}

// serve serves the bare repository over HTTP and returns the address, including a password.
func (f *forge) serve() string {
	f.t.Helper()
	f.git("-C", f.bare, "config", "http.receivepack", "true")
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		f.t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + filepath.Dir(f.bare), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=robin"},
	}
	if _, err := os.Stat(backend.Path); err != nil {
		f.t.Skip("git has no http-backend")
	}
	server := httptest.NewServer(guarded(backend))
	f.t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http://", "http://robin:pa55-Wort@", 1) + "/remote.git"
}

// at runs git in the person's clone.
func (f *forge) at(args ...string) string {
	f.t.Helper()
	return f.git(append([]string{"-C", f.clone, "-c", "user.name=Kim", "-c", "user.email=kim@example.org"}, args...)...)
}

// kim runs git in the clone as Kim, who also commits there.
func (f *forge) kim(lines ...string) {
	f.t.Helper()
	env := f.Env
	defer func() { f.Env = env }()
	f.Env = append(append([]string{}, env...), "GIT_AUTHOR_NAME=Kim", "GIT_AUTHOR_EMAIL=kim@example.org", "GIT_COMMITTER_NAME=Kim", "GIT_COMMITTER_EMAIL=kim@example.org")
	for _, line := range lines {
		f.at(strings.Fields(line)...)
	}
}

// edit commits a file in the clone.
func (f *forge) edit(path, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.clone, filepath.FromSlash(path)), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.kim("add --all", "commit --quiet --message=edited")
}

// propose submits a patch and returns its branch's state after a sync.
func (f *forge) propose() BranchState {
	f.t.Helper()
	f.must(f.submit(OriginPerson, "Robin", turned("64", "128")))
	return f.sync()
}

// sync returns the state of the only branch.
func (f *forge) sync() BranchState {
	f.t.Helper()
	states, err := f.trySync()
	if err != nil || len(states) > 1 {
		f.t.Fatal(err, states)
	}
	if len(states) == 0 {
		return BranchState{}
	}
	return states[0]
}

func (f *forge) trySync() ([]BranchState, error) {
	var list []archive.ProposalRecord
	for p, err := range f.store.Proposals(f.t.Context()) {
		if err != nil {
			f.t.Fatal(err)
		}
		list = append(list, p)
	}
	return f.SyncBranches(f.t.Context(), list)
}

func (f *forge) record() archive.ProposalRecord {
	f.t.Helper()
	return f.must(f.Find(f.t.Context(), "P1"))
}

// remoteRefs returns the branches in the remote.
func (f *forge) remoteRefs() string {
	return f.git("-C", f.bare, "for-each-ref", "--format=%(refname:short)")
}

// verified checks that the ledger and the commits agree.
func (f *forge) verified() {
	f.t.Helper()
	repo, err := f.open(f.Targets[0])
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.store.Audit(f.t.Context()); err != nil {
		f.t.Error(err)
	}
	if c, err := AuditCommits(f.t.Context(), f.store, repo, Audit{}); err != nil || len(c.Missing) > 0 {
		f.t.Error(err, c)
	}
}

func (f *forge) move(from, to string) {
	f.t.Helper()
	if err := os.Rename(from, to); err != nil {
		f.t.Fatal(err)
	}
}

// hook writes the remote's hook that judges pushes.
func (f *forge) hook(text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.bare, "hooks", "pre-receive"), []byte(text), 0o755); err != nil {
		f.t.Fatal(err)
	}
}

// guarded admits only Robin with the right password.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "robin" || password != "pa55-Wort" {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
