package clitest

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// address matches the address that evolve view prints.
var address = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/\?token=[A-Za-z0-9_-]{22}`)

// scriptViewed runs evolve view with its arguments and opens the printed address as a
// browser does. It then opens PATH and writes its page to FILE. Finally it interrupts the
// command, which must end with exit code 130.
func scriptViewed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: viewed PATH FILE evolve view ARG…")
	}
	cmd := exec.Command("evolve", args[3:]...)
	path := ts.Getenv("PATH")
	for _, dir := range strings.Split(path, string(os.PathListSeparator)) {
		if p := dir + "/evolve"; isExecutable(p) {
			cmd.Path, cmd.Err = p, nil
			break
		}
	}
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = slices.Concat(os.Environ(), []string{"PATH=" + path, "HOME=" + ts.Getenv("HOME"), "GIT_CONFIG_GLOBAL=" + ts.Getenv("GIT_CONFIG_GLOBAL"), "GIT_CONFIG_NOSYSTEM=1"})
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	printed, found := bufio.NewReader(out), ""
	for found == "" {
		line, err := printed.ReadString('\n')
		if err != nil {
			_ = cmd.Wait()
			ts.Fatalf("it printed no address: %v: %s", err, problems.String())
		}
		found = address.FindString(line)
	}
	page, err := visit(found, args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), page, 0o600))
	ts.Check(cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err != nil || problems.Len() > 0 {
		ts.Fatalf("after an interrupt it ended with %v: %s", err, problems.String())
	}
}

// visit opens an address and then a path on the same server, and returns the page at that
// path.
func visit(address, path string) ([]byte, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{Jar: jar}
	defer browser.CloseIdleConnections()
	var page []byte
	for _, to := range []string{address, "http://" + at.Host + path} {
		answer, err := browser.Get(to) //nolint:noctx // the server ends with the script
		if err != nil {
			return nil, err
		}
		page, err = io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	return page, nil
}
