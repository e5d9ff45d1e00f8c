//go:build unix

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/runtime/agent"
)

// hostile lists ways of answering with which no variant may win, and "children", which
// answers correctly but leaves processes behind.
var hostile = []manner{
	{"crash", `exit 3`},
	{"garbage", `echo 'Traceback (most recent call last):'; continue`},
	{"binary", `printf '\377\376\n'; continue`},
	{"nan", `echo "{\"id\":\"$id\",\"answer\":\"yes\",\"score\":NaN}"; continue`},
	{"huge", `echo "{\"id\":\"$id\",\"answer\":\"yes\",\"score\":1e999}"; continue`},
	{"above", `echo "{\"id\":\"$id\",\"answer\":\"yes\",\"score\":7}"; continue`},
	{"liar", `echo "{\"id\":\"x$id\",\"answer\":\"yes\"}"; continue`},
	{"invented", `echo "{\"id\":\"$id\",\"answer\":\"yes\",\"outcome\":\"champion\"}"; continue`},
	{"flood", `yes | head -c 3000000; continue`},
	{"hang", `sleep 600`},
	{"children", `sleep 600 & (setsid sleep 600 >/dev/null 2>&1 </dev/null &)`},
}

// TestHostileVariants runs a search that can choose values with which the program
// misbehaves in every way. None of these values wins or ends the run, and no process
// started by the program is left.
func TestHostileVariants(t *testing.T) {
	t.Parallel()
	for _, walls := range []string{"auto", "none"} {
		t.Run(walls, func(t *testing.T) {
			t.Parallel()
			p := written(t, script{sandbox: walls, timeout: "3s", first: ":", manners: hostile})
			p.flags = []string{"--seed", "7", "--budget-evals", "600"}
			o := decodeOutcome(t, p.do(0, p.night()...))
			a := o.Agents[0]
			if m := a.Search.Recommended.Config["manner"]; m != "plain" && m != "careful" && m != "children" {
				t.Errorf("the manner %v is recommended", m)
			}
			if a.Verdict != archive.Adopt {
				t.Errorf("verdict %s: %s", a.Verdict, a.Reason)
			}
			tried := map[string]int{}
			for id, v := range p.evaluations() {
				name := v.config.String("manner")
				tried[name]++
				switch bad := name != "plain" && name != "careful" && name != "children"; {
				case !v.Scored:
					t.Errorf("%s, %s: missing data: %s", id, name, v.Error)
				case bad && (v.Score != 0 || v.Pass || v.Outcome.Gradable()):
					t.Errorf("%s, %s: %s with score %g", id, name, v.Outcome, v.Score)
				case !bad && (v.Outcome != agent.OK || v.Score != truth(v)):
					t.Errorf("%s, %s: %s with score %g, want %g (%s)", id, name, v.Outcome, v.Score, truth(v), v.Error)
				}
			}
			for _, m := range hostile {
				if tried[m.name] == 0 {
					t.Errorf("no variant of the manner %s was tried: the trial shows less than it should", m.name)
				}
			}
			p.nothingLeft()
		})
	}
}

// TestBrokenProgram gives the run a program that fails for every config.
func TestBrokenProgram(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ first, says string }{
		"crashes":      {"exit 3", "exit code 3"},
		"says garbage": {"echo nonsense; continue", "nonsense"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := written(t, script{sandbox: "auto", timeout: "1h", first: c.first})
			r := p.do(7, p.night()...)
			if !strings.Contains(r.stderr, c.says) {
				t.Errorf("the message does not say what the program did: %s", r.stderr)
			}
			if o := decodeOutcome(t, r); o.Exit != 7 || o.Agents[0].Verdict != archive.Undecided {
				t.Errorf("the run says %+v", o)
			}
			if n := len(p.mustLook().evaluations); n > 40 {
				t.Errorf("%d evaluations were spent on a program that never worked", n)
			}
			if text := p.do(0, "report", "--workspace", p.root).stdout; !strings.Contains(text, "exit 7") {
				t.Errorf("the report does not say how the run ended:\n%s", text)
			}
			p.nothingLeft()
		})
	}
}

// TestOutage lets the program report infrastructure failures for a while. The report must
// equal that of a run without failures.
func TestOutage(t *testing.T) {
	t.Parallel()
	fails := func(calls string) string {
		return `n=$(wc -l <"$TRIAL_CALLS"); case $((n)) in ` + calls + `) echo "{\"id\":\"$id\",\"outcome\":\"infrastructure\",\"error\":\"502\"}"; continue ;; esac`
	}
	calm := countedAfter(t, fails("0"))
	want := calm.undisturbed()
	p := countedAfter(t, fails("100|101|102|103"))
	o := decodeOutcome(t, p.do(0, p.night()...))
	// Two processes may count the same number of calls, so there may be more than four
	// failures.
	if n := len(p.calls()); n <= want.evaluations || n > want.evaluations+8 {
		t.Errorf("%d calls for %d evaluations and an outage of about four calls", n, want.evaluations)
	}
	for id, v := range p.evaluations() {
		if !v.Scored || v.Score != truth(v) {
			t.Errorf("%s: scored %t %g, want %g", id, v.Scored, v.Score, truth(v))
		}
	}
	if diff := cmp.Diff(want.outcome.Agents, o.Agents); diff != "" {
		t.Errorf("the outage moved something:\n%s", diff)
	}
}

// TestLastingOutage ends a run with a permanent outage. The resumed run must give the same
// report as a run without the outage.
func TestLastingOutage(t *testing.T) {
	t.Parallel()
	if os.Getenv("EVOLVE_TRIALS") == "" {
		t.Skip("EVOLVE_TRIALS is not set: a run takes minutes to give up")
	}
	const down = `if [ -e "$TRIAL_CALLS.down" ] && [ $(wc -l <"$TRIAL_CALLS") -gt 60 ]; then echo "{\"id\":\"$id\",\"outcome\":\"infrastructure\",\"error\":\"502\"}"; continue; fi`
	want := countedAfter(t, down).undisturbed()
	p := countedAfter(t, down)
	if err := os.WriteFile(p.log+".down", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.do(7, p.night()...); !strings.Contains(r.stderr, "failures in a row") {
		t.Errorf("the message does not say why the run ended: %s", r.stderr)
	}
	if err := os.Remove(p.log + ".down"); err != nil {
		t.Fatal(err)
	}
	m := p.mark(p.mustLook())
	p.do(0, p.night("--resume")...)
	p.intact([]mark{m}, want)
	p.paid([]mark{m})
}
