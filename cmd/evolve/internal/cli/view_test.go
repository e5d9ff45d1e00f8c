package cli

import (
	"bufio"
	"bytes"
	"context"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/cli/clitest/fixture"
	"evolve/cmd/evolve/internal/wire"
)

// viewing is an `evolve view` that serves a workspace, with a browser that was admitted by
// its token.
type viewing struct {
	t       *testing.T
	browser *http.Client
	origin  string
	signals chan os.Signal
	ended   chan int
	stderr  *bytes.Buffer
}

// process returns a command that runs in a folder, with a git user.
func process(t *testing.T, dir string, args ...string) Process {
	t.Helper()
	home := t.TempDir()
	config := "[user]\n\tname = Robin Tester\n\temail = robin@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, "gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return Process{
		Args: args, Dir: dir, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Now: time.Now, Release: func() {},
		Env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=" + filepath.Join(home, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1"},
	}
}

func viewAt(t *testing.T, dir string, args ...string) *viewing {
	t.Helper()
	v := &viewing{t: t, signals: make(chan os.Signal, 2), ended: make(chan int, 1), stderr: &bytes.Buffer{}}
	out, in := io.Pipe()
	p := process(t, dir, append([]string{"view"}, args...)...)
	p.Stdout, p.Stderr, p.Signals = in, v.stderr, v.signals
	go func() {
		v.ended <- Run(context.Background(), p)
		in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it prints no address: %v: %s", err, v.stderr)
	}
	address, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v.browser, v.origin = &http.Client{Jar: jar}, "http://"+address.Host
	if status, _ := v.send(http.MethodGet, address.RequestURI(), nil); status != http.StatusOK {
		t.Fatalf("the address has status %d", status)
	}
	return v
}

// send sends a request and returns the status and body of the answer.
func (v *viewing) send(method, path string, form url.Values) (int, string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.origin+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", v.origin)
	}
	answer, err := v.browser.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// decide answers the question about a decision by sending the values that the page's form
// would send.
func (v *viewing) decide(action, id, reason, yes string) (int, string) {
	v.t.Helper()
	status, page := v.send(http.MethodGet, "/decide?do="+action+"&id="+id, nil)
	if status != http.StatusOK {
		return status, page
	}
	form := url.Values{"do": {action}, "id": {id}, "reason": {reason}, "yes": {yes}}
	for _, hidden := range regexp.MustCompile(`name="(form|shown)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Set(hidden[1], hidden[2])
	}
	return v.send(http.MethodPost, "/decide", form)
}

// stop interrupts `evolve view`, which is how it usually ends.
func (v *viewing) stop() {
	v.t.Helper()
	v.signals <- os.Interrupt
	if code := <-v.ended; code != 0 || strings.Contains(v.stderr.String(), "error:") {
		v.t.Errorf("exit code %d after an interrupt: %s", code, v.stderr)
	}
}

// refusedDuringRun checks that a decision is refused while a run holds the archive.
func (v *viewing) refusedDuringRun(dir, action, id string) {
	v.t.Helper()
	holder, err := archive.Open(wire.ArchiveDir(dir), archive.Options{Owner: "evolve run"})
	if err != nil {
		v.t.Fatal(err)
	}
	if status, body := v.decide(action, id, "", "yes"); status != http.StatusConflict || !strings.Contains(body, "the archive is held by evolve run") {
		v.t.Errorf("%s while a run is on: status %d: %s", action, status, body)
	}
	if err := holder.Close(); err != nil {
		v.t.Fatal(err)
	}
}

// TestView views a night and decides on its proposal, with the same questions as the
// command.
func TestView(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := fixture.Workspace(dir, "tiny"); err != nil {
		t.Fatal(err)
	}
	if code := Run(t.Context(), process(t, dir, "run", "--quiet", "--seed", "1")); code != 0 {
		t.Fatalf("the night ends with exit code %d", code)
	}
	v := viewAt(t, dir)
	for path, want := range map[string]string{
		"/": `chip adopt">ADOPT`, "/night": "confirmed for new tasks", "/matrix": "(?s)tasks of aide.*with the weights of the suites", "/proposal?id=P1": "recall.min_score",
		"/compare?agent=aide&a=v1&b=v2": "pairs|points|no task", "/progress": "No run is on", "/variant?agent=aide&v=v2": "Against the champion v1",
	} {
		if status, body := v.send(http.MethodGet, path, nil); status != http.StatusOK || !regexp.MustCompile(want).MatchString(body) {
			t.Errorf("%s: status %d, without %q", path, status, want)
		}
	}
	if status, _ := v.send(http.MethodGet, "/decide?do=approve&id=P1", nil); status != http.StatusNotFound {
		t.Errorf("a decision has status %d without --decide", status)
	}
	v.stop()

	v = viewAt(t, dir, "--decide")
	status, page := v.send(http.MethodGet, "/decide?do=approve&id=P1", nil)
	for _, want := range []string{"adopt v", "for aide", "points", "recall.min_score", "Robin Tester", "agents/aide/config.yaml", "the first commit of a new repository will contain only these files"} {
		if !strings.Contains(page, want) {
			t.Errorf("the question, status %d, lacks %q: %s", status, want, page)
		}
	}
	for _, c := range []struct {
		action, id, reason, yes string
		status                  int
		words                   string
	}{
		{"approve", "P9", "", "yes", 409, "there is no proposal"},
		{"approve", "P1", "", "no", 409, "not confirmed; nothing was done"},
		{"reject", "P1", " ", "yes", 409, "reject needs a reason"},
	} {
		if status, body := v.decide(c.action, c.id, c.reason, c.yes); status != c.status || !strings.Contains(body, c.words) {
			t.Errorf("%+v: status %d: %s", c, status, body)
		}
	}
	v.refusedDuringRun(dir, "approve", "P1")
	if status, body := v.decide("approve", "P1", "it is better", "yes"); status != http.StatusOK || !strings.Contains(body, " for aide as commit ") {
		t.Errorf("an approval: status %d: %s", status, body)
	}
	if status, body := v.decide("approve", "P1", "", "yes"); status != http.StatusConflict || !strings.Contains(body, "is not awaiting approval") {
		t.Errorf("another one: status %d: %s", status, body)
	}
	v.stop()
	pages, err := filepath.Glob(filepath.Join(reportsDir(dir), "*.html"))
	if err != nil || len(pages) != 2 {
		t.Fatalf("the pages are %v: %v", pages, err)
	}
	for _, path := range pages {
		if page, err := os.ReadFile(path); err != nil || strings.Contains(string(page), "evolve approve P1") || !strings.Contains(string(page), "it is better") {
			t.Errorf("%s does not show the approval: %v", path, err)
		}
	}
	err = wire.Look(dir, func(a *archive.Archive) error {
		p, err := a.Proposal(t.Context(), "P1")
		if err == nil && (p.State != archive.Adopted || p.Decision == nil || p.Decision.By != "Robin Tester <robin@example.org>" || p.Decision.Reason != "it is better") {
			t.Errorf("the record is %+v", p.Decision)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestViewRollsBack adopts a proposal and rolls the adoption back, with the same question
// as the command.
func TestViewRollsBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := fixture.Workspace(dir, "tiny"); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "agents", "aide", "config.yaml")
	before, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if code := Run(t.Context(), process(t, dir, "run", "--quiet", "--seed", "1")); code != 0 {
		t.Fatalf("the night ends with exit code %d", code)
	}
	v := viewAt(t, dir, "--decide")
	if status, body := v.decide("rollback", "P1", "", "yes"); status != http.StatusConflict || !strings.Contains(body, "only an adopted proposal can be rolled back") {
		t.Errorf("before the adoption: status %d: %s", status, body)
	}
	if status, body := v.decide("approve", "P1", "", "yes"); status != http.StatusOK {
		t.Fatalf("an approval: status %d: %s", status, body)
	}
	if after, err := os.ReadFile(config); err != nil || bytes.Equal(after, before) {
		t.Fatalf("the adoption left the config: %v", err)
	}
	v.stop()

	v = viewAt(t, dir)
	if _, body := v.send(http.MethodGet, "/proposal?id=P1", nil); strings.Contains(body, "Roll back …") || !strings.Contains(body, "<code>evolve rollback P1</code>") {
		t.Errorf("without --decide the page is %s", body)
	}
	v.stop()

	v = viewAt(t, dir, "--decide")
	if _, body := v.send(http.MethodGet, "/proposal?id=P1", nil); !strings.Contains(body, "Roll back …") {
		t.Errorf("with --decide the page is %s", body)
	}
	status, page := v.send(http.MethodGet, "/decide?do=rollback&id=P1", nil)
	for _, want := range []string{"undo v", "and restore the config before it", "recall.min_score", "Robin Tester", "agents/aide/config.yaml"} {
		if !strings.Contains(page, want) {
			t.Errorf("the question, status %d, lacks %q: %s", status, want, page)
		}
	}
	v.refusedDuringRun(dir, "rollback", "P1")
	if status, body := v.decide("rollback", "P1", "", "no"); status != http.StatusConflict || !strings.Contains(body, "not confirmed; nothing was done") {
		t.Errorf("without a yes: status %d: %s", status, body)
	}
	if status, body := v.decide("rollback", "P1", "it disappointed", "yes"); status != http.StatusOK || !strings.Contains(body, "restores the config before it") {
		t.Errorf("a rollback: status %d: %s", status, body)
	}
	if after, err := os.ReadFile(config); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the config is not the earlier one: %v: %s", err, after)
	}
	if status, body := v.decide("rollback", "P1", "", "yes"); status != http.StatusConflict || !strings.Contains(body, "P1 is rolled back; only an adopted proposal can be rolled back") {
		t.Errorf("another one: status %d: %s", status, body)
	}
	for _, want := range []string{"approve by Robin Tester", "rollback by Robin Tester", ": it disappointed"} {
		if _, body := v.send(http.MethodGet, "/proposal?id=P1", nil); !strings.Contains(body, want) {
			t.Errorf("after the rollback, the page of the proposal lacks %q", want)
		}
	}
	for path, want := range map[string]string{"/proposal?id=P1": ">rolled back<", "/variant?agent=aide&v=v2": "Against the champion v1"} {
		if _, body := v.send(http.MethodGet, path, nil); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	v.stop()
	err = wire.Look(dir, func(a *archive.Archive) error {
		p, err := a.Proposal(t.Context(), "P1")
		if err == nil && (p.State != archive.RolledBack || p.Decision == nil || p.Decision.By != "Robin Tester <robin@example.org>" || p.Decision.Reason != "it disappointed") {
			t.Errorf("the record is %s, %+v", p.State, p.Decision)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestViewShowsQuestionsOfSearchTasks checks that an evaluation of a search task is shown
// with the question and the expected answer from the suite, and without them if the suite
// has changed since the night.
func TestViewShowsQuestionsOfSearchTasks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := fixture.Workspace(dir, "tiny"); err != nil {
		t.Fatal(err)
	}
	if code := Run(t.Context(), process(t, dir, "run", "--quiet", "--seed", "1")); code != 0 {
		t.Fatalf("the night ends with exit code %d", code)
	}
	w, err := wire.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	v := viewAt(t, dir)
	var task *bench.Task
	address := ""
	for _, task = range w.Suites["depots"].Side(bench.Search) {
		_, cell := v.send(http.MethodGet, "/cell?"+url.Values{"agent": {"aide"}, "v": {"v1"}, "task": {task.ID}}.Encode(), nil)
		if _, link, found := strings.Cut(cell, `href="/evaluation?`); found {
			link, _, _ = strings.Cut(link, `"`)
			address = "/evaluation?" + html.UnescapeString(link)
			break
		}
	}
	if _, body := v.send(http.MethodGet, address, nil); !strings.Contains(body, html.EscapeString(task.Goal)) || !strings.Contains(body, ">Expected answer</h2>") {
		t.Errorf("the question or the answer is missing: %s", body)
	}
	v.stop()
	path := filepath.Join(dir, "suites", "depots.jsonl")
	suite, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(suite, []byte(`"goal": "`), []byte(`"goal": "Today: `), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	v = viewAt(t, dir)
	if _, body := v.send(http.MethodGet, address, nil); !strings.Contains(body, "The suite has changed since") || strings.Contains(body, ">Expected answer</h2>") {
		t.Errorf("after a change to the suite the page is %s", body)
	}
	v.stop()
}
