package clitest

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptGitServer serves the repositories below a folder over http, as git itself does, to
// clients that have a password.
func scriptGitServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: gitserver NAME DIR PASSWORD")
	}
	out, err := exec.Command("git", "--exec-path").Output()
	ts.Check(err)
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + ts.MkAbs(args[1]), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=robin"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != args[2] {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], strings.Replace(server.URL, "http://", "http://robin:"+args[2]+"@", 1))
}
