package view_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestStaleProposal checks that a stale proposal is marked, and offered only for rejection.
func TestStaleProposal(t *testing.T) {
	t.Parallel()
	s := newSite(t, &asker{})
	s.login(s.server.Address())
	list := s.send(http.MethodGet, "/proposals", nil, nil).body
	if n := strings.Count(list, "</span> stale</td>"); n != 1 {
		t.Errorf("%d proposals in the list are marked as stale: %s", n, list)
	}
	body := s.send(http.MethodGet, "/proposal?id=P3", nil, nil).body
	if !strings.Contains(body, "stale: agents/&lt;/pre&gt;") || !strings.Contains(body, "Reject …") || strings.Contains(body, "Approve …") {
		t.Errorf("the page of a stale proposal is %s", body)
	}
}

// answerTo returns the form values that confirm the question on a page.
func answerTo(page, action, id, reason string) url.Values {
	field := func(name string) string {
		_, after, _ := strings.Cut(page, `name="`+name+`" value="`)
		value, _, _ := strings.Cut(after, `"`)
		return value
	}
	return url.Values{"form": {field("form")}, "do": {action}, "id": {id}, "shown": {field("shown")}, "reason": {reason}, "yes": {"yes"}}
}

// TestRollback checks that an adopted proposal, and no other, can be rolled back if
// decisions are allowed; otherwise its page names the command.
func TestRollback(t *testing.T) {
	t.Parallel()
	const act = "/decide?do=rollback&amp;id=P"
	shown := newSite(t, nil)
	shown.login(shown.server.Address())
	if body := shown.send(http.MethodGet, "/proposal?id=P2", nil, nil).body; strings.Contains(body, act) || !strings.Contains(body, "<code>evolve rollback P2</code>") {
		t.Errorf("without decisions the page is %s", body)
	}
	d := &asker{}
	s := newSite(t, d)
	s.login(s.server.Address())
	if body := s.send(http.MethodGet, "/proposal?id=P1", nil, nil).body; strings.Contains(body, act) {
		t.Error("a proposal that is not adopted can be rolled back")
	}
	if body := s.send(http.MethodGet, "/proposal?id=P2", nil, nil).body; !strings.Contains(body, act) || strings.Contains(body, "Approve …") {
		t.Errorf("the page of an adopted proposal is %s", body)
	}
	page := s.send(http.MethodGet, "/decide?do=rollback&id=P2", nil, nil).body
	for _, want := range []string{"<h1>Roll back P2</h1>", "<h2>take back title &lt;/pre&gt;", "<button>Roll back</button>", "may be empty"} {
		if !strings.Contains(page, want) {
			t.Errorf("the question lacks %s", want)
		}
	}
	approval := s.send(http.MethodGet, "/decide?do=approve&id=P2", nil, nil).body
	stale := answerTo(page, "rollback", "P2", "")
	stale["shown"] = answerTo(approval, "", "", "")["shown"]
	if r := s.send(http.MethodPost, "/decide", stale, nil); r.StatusCode != http.StatusConflict || len(d.decided) > 0 {
		t.Errorf("after another question: status %d, decided: %q", r.StatusCode, d.decided)
	}
	confirmed := answerTo(page, "rollback", "P2", "it disappointed")
	confirmed.Set("yes", " Y ") // as at the terminal
	if r := s.send(http.MethodPost, "/decide", confirmed, nil); r.StatusCode != http.StatusOK || len(d.decided) != 1 || d.decided[0] != "rollback P2 it disappointed" {
		t.Errorf("status %d, decided: %q", r.StatusCode, d.decided)
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	d := &asker{}
	s := newSite(t, d)
	s.login(s.server.Address())
	page := s.send(http.MethodGet, "/decide?do=reject&id=P1", nil, nil)
	body := page.body
	if page.Header.Get("Referrer-Policy") != "same-origin" {
		t.Error("a browser would send the form without its origin")
	}
	form := func(changes ...string) url.Values {
		v := answerTo(body, "reject", "P1", "no")
		for i := 0; i < len(changes); i += 2 {
			v.Set(changes[i], changes[i+1])
		}
		return v
	}
	for _, c := range []struct {
		name   string
		form   url.Values
		change func(*http.Request)
		want   int
	}{
		{"not confirmed", form("yes", "n"), nil, 409},
		{"no answer", form("yes", ""), nil, 409},
		{"neither", form("yes", "yess"), nil, 409},
		{"another form", form("form", "x"), nil, 403},
		{"another question", form("shown", "x"), nil, 409},
		{"another decision", form("do", "revoke"), nil, 400},
		{"refused", form("reason", "refuse"), nil, 409},
		{"another origin", form(), func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403},
		{"an origin that is hidden", form(), func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"no origin", form(), func(r *http.Request) { r.Header.Del("Origin") }, 403},
		{"another site", form(), func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		{"no cookie", form(), func(r *http.Request) { r.Header.Del("Cookie") }, 401},
		{"a body that is too long", form("reason", strings.Repeat("a", 1<<17)), nil, 400},
	} {
		if r := s.send(http.MethodPost, "/decide", c.form, c.change); r.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", c.name, r.StatusCode, c.want)
		}
	}
	if len(d.decided) > 0 {
		t.Fatalf("it was decided: %q", d.decided)
	}
	if r := s.send(http.MethodPost, "/decide", form(), nil); r.StatusCode != http.StatusOK || len(d.decided) != 1 || d.decided[0] != "reject P1 no" {
		t.Errorf("status %d, decided: %q", r.StatusCode, d.decided)
	}
}
