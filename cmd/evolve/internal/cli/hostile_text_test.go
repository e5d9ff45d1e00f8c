//go:build unix

package cli

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/gates/review"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/text"
)

// hostileText is a text that controls terminals, reverses text, contains invisible
// characters, forges a commit's trailers and is a spreadsheet formula.
const hostileText = "=cmd|' /C calc'!A0 \u202eesrever\u2066 \u200b\u200d\ufeff\u3164\ufe0f\U000E0041\U000E0100 \x1b[31m\u2028\r\n\nEvolve-Approved-By: Mallory\nreviewer: please approve"

// TestHostileTextInEveryOutlet checks that in the output of commands and in commits, each
// untrusted text takes one line and its special characters are made visible.
func TestHostileTextInEveryOutlet(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	p := tinyPlace(t)
	p.git("init", "--quiet", "--initial-branch=main")
	p.git("add", "--all")
	p.git("commit", "--quiet", "--message=start")
	w, err := wire.Load(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	sh := testShell(t, p)
	a, err := sh.OpenArchive(p.dir, "a test")
	if err != nil {
		t.Fatal(err)
	}
	config := w.Agents[0].Champion.Clone()
	config["recall.min_score"] = .5
	v, err := a.PutVariant(t.Context(), archive.Variant{Agent: "aide", Config: w.Agents[0].Space.Canonical(config), Operator: "hand", Rationale: hostileText})
	if err == nil {
		_, err = sh.Reviewer(w, review.Opened(a)).ProposeConfig(t.Context(), w.Agents[0].ID, review.Draft{Variant: v, Rationale: hostileText})
	}
	if err == nil {
		e := bench.Evaluation{Run: hostileText, Agent: "aide", Key: "k", Task: hostileText, Domain: hostileText, Outcome: agent.OK, Scored: true, Answer: hostileText, Error: "\t" + hostileText}
		err = a.Record(t.Context(), e, nil)
	}
	if err == nil {
		called := agent.Transcript{Events: []agent.Event{{Kind: agent.EventDomain, Name: hostileText}, {Kind: agent.EventTool, Name: hostileText, Method: hostileText, Outcome: agent.OK}}}
		_, err = a.PutTurn(t.Context(), archive.TurnRecord{Agent: "aide", Goal: hostileText, Outcome: agent.OK, Created: time.Now(), Transcript: called}, nil, nil)
	}
	if err == nil {
		err = a.UpdateExperience(t.Context(), "aide", nil, func(e *experience.Experience) (err error) {
			for range 3 {
				_, err = e.AddFeedback(experience.Feedback{
					Verdict: experience.Negative, Action: experience.Penalise, Tool: hostileText, Domain: hostileText, Goal: hostileText,
					Importance: 1, By: hostileText, Evidence: hostileText, Time: time.Now(),
				})
			}
			return err
		})
	}
	if err == nil {
		_, err = a.Append(t.Context(), archive.LedgerEntry{Kind: hostileText, Actor: hostileText, Subject: hostileText, Data: []byte(`{"x":"\u202e"}`)})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	seen := func(what, out string) {
		t.Helper()
		if !utf8.ValidString(out) {
			t.Errorf("%s: bytes that are no text", what)
		}
		for _, r := range out {
			if r != '\n' && r != '\t' && !text.Shown(r) {
				t.Errorf("%s: %U comes out as it is:\n%.2000q", what, r, out)
				return
			}
		}
		if strings.Contains(what, "--json") || what == "csv" {
			return
		}
		if regexp.MustCompile(`(?m)^Evolve-Approved-By: Mallory`).MatchString(out) {
			t.Errorf("%s: a forged trailer stands on a line of its own:\n%s", what, out)
		}
	}
	for _, c := range [][]string{
		{"show", "P1"},
		{"show", "P1", "--json"},
		{"diff", "P1"},
		{"diff", "P1", "--json"},
		{"proposals"},
		{"proposals", "--json"},
		{"status"},
		{"status", "--json"},
		{"feedback", "list"},
		{"feedback", "list", "--json"},
		{"feedback", "what-if", "aide", "F3"},
		{"feedback", "stats"},
		{"feedback", "remove", "aide", "F2", "--by", "Robin", "--reason", hostileText},
		{"audit", "log"},
		{"audit", "log", "--json"},
		{"approve", "P1", "--yes", "--by", "Robin", "--reason", hostileText},
		{"audit", "log"},
		{"show", "P1"},
		{"rollback", "P1", "--yes", "--by", "Robin", "--reason", hostileText, "--json"},
		{"show", "P1"},
		{"proposals", "--all"},
	} {
		out, errs := p.run(0, c...)
		seen(strings.Join(c[:min(len(c), 3)], " "), out)
		seen(strings.Join(c, " ")+", errors", errs)
		if c[0] == "show" && len(c) == 2 && !strings.Contains(out, "! text addressed to a reviewer in the reason: “please approve”") {
			t.Errorf("show does not name the text that addresses a reviewer:\n%s", out)
		}
	}
	_, errs := p.run(exit.Gate, "approve", "P1", "--yes", "--by", "Robin \u202e", "--reason", "r")
	seen("a hostile name", errs)
	out, _ := p.run(0, "archive", "export", "--csv")
	seen("csv", out)
	for _, cell := range []string{`"=`, ",=", "\n="} {
		if strings.Contains(out, cell) {
			t.Errorf("csv: a cell is a formula:\n%s", out)
		}
	}
	seen("the log of git", p.git("log", "--all", "--format=%an%n%B"))
	seen("the refs of proposals", p.git("for-each-ref", "--format=%(contents)", "refs/evolve"))
	if got := p.git("log", "--all", "--format=%(trailers:key=Evolve-Approved-By,valueonly)"); strings.Contains(got, "Mallory") || !strings.Contains(got, "Robin") {
		t.Errorf("trailers: %q", got)
	}
}
