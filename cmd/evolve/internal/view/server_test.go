package view_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/view"
	"evolve/cmd/evolve/internal/view/archived"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

var night = time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)

// hostile is a text that a page must show and not obey: markup, a script, a control
// character and a character that reverses the direction of text.
const hostile = "</pre><script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31mred \u202egnp.exe"

// everyPart returns a section with every part that a section can have, with hostile text in
// each part.
func everyPart(what string) []view.Section {
	return []view.Section{{
		Title: what + " title " + hostile, Facts: []view.Fact{{Name: what + " fact " + hostile, Lines: []string{hostile, hostile}}},
		Tables: []view.Table{{Name: what + " table " + hostile, Columns: []string{hostile, hostile}, Rows: [][]string{{hostile, what + " cell " + hostile}}}},
		Lines:  []string{what + " line " + hostile, hostile}, Text: what + " text " + hostile, Diff: "+" + what + " diff " + hostile + "\n-" + hostile,
	}, {Lines: []string{what + " paragraph " + hostile}}}
}

// words provides descriptions with hostile text.
type words struct{}

func (words) Comparison(context.Context, *archive.Archive, archive.Variant, archive.Variant) ([]view.Section, error) {
	return everyPart("compared"), nil
}

func (words) Proposal(context.Context, *archive.Archive, archive.ProposalRecord) (parts []view.Section, facts []view.Fact, err error) {
	return everyPart("proposed"), []view.Fact{{Name: "price", Lines: []string{"dearer " + hostile}}}, nil
}

func (words) Limits(context.Context, *archive.Archive, archive.Run) (string, error) { return "", nil }

// Question answers like a workspace whose suites have the hash "now".
func (words) Question(_, suiteHash, task string) (*archive.Question, bool) {
	if suiteHash != "now" {
		return nil, true
	}
	return &archive.Question{Goal: "searched " + task, Expected: "found " + hostile}, false
}

func (words) Weights(string) map[string]float64 { return nil }

func (words) Undecided(p archive.ProposalRecord) bool { return p.State == archive.Awaiting }

func (words) Reversible(p archive.ProposalRecord) bool { return p.State == archive.Adopted }

// moving is a source in which the proposal P3 is stale.
type moving struct{ *archive.Archive }

func (moving) MovedSince(_ context.Context, id string) (moved []string, known bool, err error) {
	if id == "P3" {
		return []string{"agents/" + hostile}, true, nil
	}
	return nil, true, nil
}

// source returns a source over a new archive that contains two variants and their
// evaluations on one task, all with hostile text.
func source(t *testing.T) *archived.Source {
	t.Helper()
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "archive")
	a, err := archive.Open(dir, archive.Options{})
	must(t, err)
	run := archive.Run{ID: "1-aa", Number: 1, State: archive.RunDone, Started: night, Ended: night, Agents: []string{hostile}}
	must(t, a.PutRun(ctx, run))
	must(t, a.PutPlan(ctx, archive.AgentPlan{Run: run.ID, Agent: hostile, SuiteHash: "s"}))
	must(t, a.PutQuestions(ctx, []archive.Question{{SuiteHash: "s", Task: hostile, Goal: "asked " + hostile, Expected: "expected " + hostile}}))
	for n := range 2 {
		c := agent.Config{"strategy": hostile, "n": n}
		v, err := a.PutVariant(ctx, archive.Variant{ID: c.ID(), Agent: hostile, Config: c, Operator: hostile, Rationale: hostile, Author: hostile, Run: run.ID, Time: night})
		must(t, err)
		must(t, a.Record(ctx, bench.Evaluation{
			Run: run.ID, Agent: hostile, Seq: int64(n), Variant: v.ID, Task: hostile, Domain: hostile, Split: bench.Search, Stage: bench.StageSearch,
			Key: bench.Key(strings.Repeat("a", 31) + string(rune('0'+n))), Outcome: agent.OK, Scored: true, Score: float64(n), Pass: n > 0, Time: night, Answer: hostile, Error: hostile,
			Grades:     []bench.Grade{{Type: "contains", Reason: hostile}},
			Transcript: &agent.Transcript{Events: []agent.Event{{Kind: hostile, Name: hostile, Text: hostile, Data: []byte(`{"x":"</script>\u202e"}`)}, {Kind: agent.EventForeign, Data: []byte(`[{"kind":"tool","name":"sql","args":{"q":"a\nb"},"text":"2 rows"}]`)}}},
		}, nil))
	}
	for n, hash := range []string{"now", "then"} { // agents with a search task whose question is not stored by any run
		name := "by suite " + hash
		must(t, a.PutPlan(ctx, archive.AgentPlan{Run: run.ID, Agent: name, SuiteHash: hash}))
		must(t, a.Record(ctx, bench.Evaluation{
			Run: run.ID, Agent: name, Variant: agent.Config{}.ID(), Task: "t1", Split: bench.Search, Stage: bench.StageSearch,
			Key: bench.Key(strings.Repeat("b", 31) + string(rune('0'+n))), Outcome: agent.OK, Scored: true, Time: night,
		}, nil))
	}
	must(t, a.Flush(ctx))
	_, err = a.NewProposal(ctx, archive.ProposalRecord{Kind: archive.KindConfig, Agent: hostile, Title: hostile, Rationale: hostile, State: archive.Awaiting, Created: night})
	must(t, err)
	_, err = a.NewProposal(ctx, archive.ProposalRecord{Kind: archive.KindConfig, Agent: hostile, Title: hostile, Rationale: hostile, State: archive.Adopted, Created: night})
	must(t, err)
	_, err = a.NewProposal(ctx, archive.ProposalRecord{Kind: archive.KindConfig, Agent: hostile, Title: hostile, Rationale: hostile, State: archive.Awaiting, Created: night})
	must(t, err)
	must(t, a.Close())
	s := archived.New(archived.Options{
		Look: func(look func(*archive.Archive) error) error {
			a, err := archive.OpenRead(dir)
			if err != nil {
				return err
			}
			return errors.Join(look(a), a.Close())
		},
		AsTheyAre: func(_ context.Context, a *archive.Archive) (model.Source, error) { return moving{a}, nil },
		Words:     words{}, Now: func() time.Time { return night },
	})
	t.Cleanup(s.Close)
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// asker is a Decider that records what it is asked.
type asker struct{ decided []string }

func (d *asker) Ask(_ context.Context, action, id string, a view.Answer) (view.Question, error) {
	if action == view.Reject && a.Reason == "refuse" {
		return view.Question{}, errors.New("the archive is held by another")
	}
	plan := map[string]string{view.Approve: "adopt", view.Reject: "reject", view.Rollback: "take back"}[action]
	return view.Question{Sections: everyPart(plan), By: "Robin", Reason: action == view.Reject}, nil
}

func (d *asker) Decide(_ context.Context, action, id string, a view.Answer) (string, error) {
	d.decided = append(d.decided, action+" "+id+" "+a.Reason)
	return "done", nil
}

func (d *asker) Refusal(err error) (words, hint string) { return err.Error(), "wait" }

// site is a server with a browser's cookie.
type site struct {
	t       *testing.T
	server  *view.Server
	cookies []*http.Cookie
}

func newSite(t *testing.T, d view.Decider) *site {
	server, err := view.New(4000, view.Options{Source: source(t), Decider: d, Name: hostile})
	must(t, err)
	return &site{t: t, server: server}
}

// reply is a response whose body has been read.
type reply struct {
	StatusCode int
	Header     http.Header
	cookies    []*http.Cookie
	body       string
}

// send has the server answer a request; change may alter the request first.
func (s *site) send(method, path string, body url.Values, change func(*http.Request)) reply {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, "http://127.0.0.1:4000"+path, strings.NewReader(body.Encode()))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://127.0.0.1:4000")
	}
	for _, c := range s.cookies {
		r.AddCookie(c)
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	answer := w.Result()
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	must(s.t, err)
	return reply{answer.StatusCode, answer.Header, answer.Cookies(), string(data)}
}

// login exchanges the token in an address for the cookie.
func (s *site) login(address string) reply {
	s.t.Helper()
	u, err := url.Parse(address)
	must(s.t, err)
	r := s.send(http.MethodGet, u.RequestURI(), nil, nil)
	s.cookies = r.cookies
	return r
}

func TestToken(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	if r := s.send(http.MethodGet, "/", nil, nil); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a cookie the status is %d", r.StatusCode)
	}
	if r := s.send(http.MethodGet, "/?token=wrong", nil, nil); r.StatusCode != http.StatusUnauthorized || len(r.cookies) > 0 {
		t.Errorf("with another token the status is %d, and there are cookies %v", r.StatusCode, r.cookies)
	}
	ticket := s.server.Ticket()
	for _, address := range []string{s.server.Address(), s.server.Address(), ticket} {
		r := s.login(address)
		if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/" {
			t.Errorf("the token leads to %q with status %d", r.Header.Get("Location"), r.StatusCode)
		}
		if c := r.cookies; len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || strings.Contains(address, c[0].Value) {
			t.Errorf("the cookies are %v", c)
		}
		if r := s.send(http.MethodGet, "/", nil, nil); r.StatusCode != http.StatusOK {
			t.Errorf("with the cookie the status is %d", r.StatusCode)
		}
	}
	s.cookies = nil
	if r := s.login(ticket); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a ticket that was used has status %d", r.StatusCode)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.login(s.server.Address())
	for _, c := range []struct {
		name, method, path string
		change             func(*http.Request)
		want               int
	}{
		{"a page", "GET", "/", nil, 200},
		{"its head", "HEAD", "/", nil, 200},
		{"localhost", "GET", "/", func(r *http.Request) { r.Host = "localhost:8080" }, 200},
		{"another name", "GET", "/", func(r *http.Request) { r.Host = "evil.example:4000" }, 421},
		{"a name that begins alike", "GET", "/", func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, 421},
		{"another name with the token", "GET", "/?token=x", func(r *http.Request) { r.Host = "evil.example" }, 421},
		{"a post", "POST", "/decide", nil, 405},
		{"a delete", "DELETE", "/", nil, 405},
		{"a decision", "GET", "/decide?do=approve&id=P1", nil, 404},
		{"no such page", "GET", "/etc/passwd", nil, 404},
		{"no such agent", "GET", "/matrix?agent=none", nil, 404},
		{"no such night", "GET", "/night?run=9", nil, 404},
		{"an offset that is no number", "GET", "/matrix?offset=-1", nil, 400},
		{"a long address", "GET", "/matrix?q=" + strings.Repeat("a", 9000), nil, 414},
	} {
		r := s.send(c.method, c.path, nil, c.change)
		if r.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", c.name, r.StatusCode, c.want)
		}
		for header, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
		} {
			if got := r.Header.Get(header); got != want {
				t.Errorf("%s: %s is %q", c.name, header, got)
			}
		}
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %q", c.name, policy)
		}
	}
}

// hidden matches attributes whose values stay unchanged because a form sends them back or
// the script reads them.
var hidden = regexp.MustCompile(` (value|data-agent)="[^"]*"`)

// TestHostile checks that foreign text is shown on every page and obeyed on none.
func TestHostile(t *testing.T) {
	t.Parallel()
	s := newSite(t, &asker{})
	s.login(s.server.Address())
	id := url.QueryEscape(hostile)
	for _, path := range []string{
		"/", "/night", "/matrix?agent=" + id, "/matrix?sort=task:" + id + "&q=" + id + "&tasks=" + id, "/variant?v=v1&agent=" + id, "/compare?a=v1&b=v2&agent=" + id,
		"/cell?v=v1&agent=" + id + "&task=" + id, "/evaluation?run=1-aa&seq=1&agent=" + id, "/proposals", "/proposal?id=P1", "/decide?do=approve&id=P1",
		"/decide?do=approve&id=" + id, "/variant?agent=x&v=" + id, "/window.json?limit=9&columns=9&agent=" + id,
	} {
		r := s.send(http.MethodGet, path, nil, nil)
		body := r.body
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "<img") {
			t.Errorf("%s: the markup is not escaped", path)
		}
		if strings.ContainsAny(hidden.ReplaceAllString(body, ""), "\x1b\u202e") && !strings.HasPrefix(path, "/window.json") {
			t.Errorf("%s: a control or bidi character is there", path)
		}
		if strings.Contains(body, " style=") || strings.Contains(body, "<style") || strings.Contains(body, " onclick=") {
			t.Errorf("%s: a style or script is in the page", path)
		}
		if !strings.Contains(body, "alert") && r.StatusCode == http.StatusOK && path != "/night" {
			t.Errorf("%s: the text is missing", path)
		}
	}
}

// TestTranscriptIsReadable checks that the steps of a program's own transcript are shown
// one by one, with their data as lines.
func TestTranscriptIsReadable(t *testing.T) {
	t.Parallel()
	s := newSite(t, &asker{})
	s.login(s.server.Address())
	body := s.send(http.MethodGet, "/evaluation?run=1-aa&seq=1&agent="+url.QueryEscape(hostile), nil, nil).body
	for _, want := range []string{"2 events", `<span class="kind">tool</span> <bdi>sql</bdi>`, "<bdi>2 rows</bdi>", "<bdi>args.q: a\n  b</bdi>"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestPagesHaveTheirSubject checks that the page of an evaluation shows its question,
// that the page of a cell shows its task, and that the page of a proposal shows its price
// and the decisions before everything else.
func TestPagesHaveTheirSubject(t *testing.T) {
	t.Parallel()
	s := newSite(t, &asker{})
	s.login(s.server.Address())
	id := url.QueryEscape(hostile)
	for path, want := range map[string][]string{
		"/evaluation?run=1-aa&seq=1&agent=" + id:         {"first run", "asked &lt;/pre&gt;", "expected &lt;/pre&gt;"},
		"/evaluation?run=1-aa&seq=0&agent=by+suite+now":  {"searched t1", "found &lt;/pre&gt;"},
		"/evaluation?run=1-aa&seq=0&agent=by+suite+then": {"The suite has changed since."},
		"/cell?v=v1&agent=" + id + "&task=" + id:         {"<h1>v1 on &lt;/pre&gt;", "night 1, first run"},
		"/proposal?id=P1":                                {"awaiting", "dearer &lt;/pre&gt;", "Approve …", "<h2>proposed title &lt;/pre&gt;", "<dt>proposed fact", "<caption>proposed table", "proposed cell", "<li><bdi>proposed line", "<pre><bdi>proposed text", `<span class="add">&#43;proposed diff`, "proposed paragraph"},
		"/matrix?agent=" + id:                            {"each with weight 1, because the workspace's suites could not be read", ">.000</a>", ">1.000</a>"},
	} {
		body := s.send(http.MethodGet, path, nil, nil).body
		for _, words := range want {
			_, after, found := strings.Cut(body, words)
			if !found {
				t.Errorf("%s: %s is missing, or stands before", path, words)
			}
			body = after
		}
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	l, err := view.Listen(0)
	must(t, err)
	port, err := view.Port(l)
	must(t, err)
	server, err := view.New(port, view.Options{Source: source(t)})
	must(t, err)
	if !strings.HasPrefix(l.Addr().String(), "127.0.0.1:") {
		t.Errorf("it listens on %s", l.Addr())
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	r, err := http.Get(server.Address()) //nolint:noctx // the server ends with the test
	must(t, err)
	r.Body.Close()
	cancel(stopped)
	if err := <-ended; !errors.Is(err, stopped) {
		t.Errorf("it ended with %v", err)
	}
}
