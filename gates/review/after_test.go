//go:build unix

package review

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"evolve/archive"
)

func TestAfter(t *testing.T) {
	dir := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "WORD=passed"}
	for name, c := range map[string]struct {
		argv          []string
		most          time.Duration
		says, problem string
	}{
		"ends well":             {[]string{"sh", "-c", "pwd; echo $WORD"}, time.Minute, dir + "\npassed\n", ""},
		"fails":                 {[]string{"sh", "-c", "echo no >&2; exit 3"}, time.Minute, "no\n", "exit status 3"},
		"is not there":          {[]string{"no-such-program"}, time.Minute, "", "executable file not found"},
		"leaves a service":      {[]string{"sh", "-c", "sleep 3 & echo started"}, time.Minute, "started\n", ""},
		"does not end":          {[]string{"sh", "-c", "echo waiting; sleep 600"}, 300 * time.Millisecond, "waiting\n", "it did not finish within 300ms and was stopped"},
		"nor do its children":   {[]string{"sh", "-c", "sleep 600 & wait"}, 300 * time.Millisecond, "", "it did not finish within 300ms and was stopped"},
		"has much to say":       {[]string{"sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x"}, time.Minute, strings.Repeat("x", programOutput), ""},
		"reads what is not its": {[]string{"cat"}, time.Minute, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			done := runProgram(t.Context(), c.argv, dir, env, c.most)
			if done.Output != c.says || (done.Problem == "") != (c.problem == "") || !strings.Contains(done.Problem, c.problem) {
				t.Errorf("%.200q, %q", done.Output, done.Problem)
			}
			if strings.Contains(strings.Join(c.argv, " "), "600") && time.Since(start) > time.Minute {
				t.Error("it was waited for")
			}
		})
	}
}

func TestAfterInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if done := runProgram(ctx, []string{"sleep", "600"}, t.TempDir(), nil, time.Minute); done.Problem == "" {
		t.Errorf("%+v", done)
	}
}

// TestAfterIsNoted checks that the ledger records the result of the operator's program,
// whatever bytes the program's output contains.
func TestAfterIsNoted(t *testing.T) {
	a := archive.OpenMemory()
	if _, err := a.NewProposal(t.Context(), archive.ProposalRecord{}); err != nil {
		t.Fatal(err)
	}
	s := &session{&Reviewer{Now: func() time.Time { return time.Unix(0, 0) }}, a}
	in := archive.Intent{Proposal: "P1", Action: "approve", Stage: archive.IntentDone, By: "Robin"}
	done := After{Argv: []string{"restart"}, Output: "\x1b[31m\xff", Problem: "exit status 3"}
	if err := s.noteAfter(t.Context(), in, done); err != nil {
		t.Fatal(err)
	}
	for e, err := range a.Ledger(t.Context(), 1) {
		var told After
		if err != nil || e.Kind != AfterKind || e.Subject != "P1" || e.Actor != "Robin" || json.Unmarshal(e.Data, &told) != nil || told.Problem != done.Problem {
			t.Errorf("%+v %v", e, err)
		}
	}
	if _, _, err := a.VerifyLedger(t.Context()); err != nil {
		t.Error(err)
	}
}
