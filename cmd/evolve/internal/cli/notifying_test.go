package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/reports/model"
	"evolve/runtime/policy"
)

// TestHeartbeatOfRun checks the signals for each way in which a run ends, and the webhook
// call for a failure.
func TestHeartbeatOfRun(t *testing.T) {
	for _, c := range []struct {
		name string
		end  error
		want string
	}{
		{"done", nil, "/beat/start /beat"},
		{"proposals await", exit.Silent(exit.Awaiting), "/beat/start /beat"},
		{"locked", &archive.LockedError{PID: 1}, "/beat/start /beat/fail /hook"},
		{"interrupted", night.ErrInterrupted, "/beat/start"},
		{"unexpected", errors.New("x"), "/beat/start /beat/fail /hook"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				got = append(got, r.URL.Path)
			}))
			defer server.Close()
			root := t.TempDir()
			settings := fmt.Sprintf("budgte: 1\nheartbeat: %s/beat\nnotify: {channels: [{kind: webhook, url: %s/hook}]}\n", server.URL, server.URL)
			if err := os.WriteFile(filepath.Join(root, workspace.SettingsFile), []byte(settings), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // a failure is reported only once
				if err := told(quietShell(t), root, func(*teller) error { return c.end }); !errors.Is(err, c.end) {
					t.Errorf("the error became %v", err)
				}
			}
			first := strings.Join(got, " ")
			if again := strings.Fields(strings.ReplaceAll(c.want, " /hook", "")); first != c.want+" "+strings.Join(again, " ") {
				t.Errorf("it asked %s, want %s", first, c.want)
			}
		})
	}
}

// quietShell returns a shell without a terminal, an environment or signals.
func quietShell(t *testing.T) *shell {
	var out bytes.Buffer
	return newShell(t.Context(), Process{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Now: func() time.Time { return time.Unix(1e9, 0) },
		Sleep: func(context.Context, time.Duration) error { return nil }, Release: func() {},
	})
}

// TestBudgetAndFallEvents checks which budgets and falls are reported, and until when.
func TestBudgetAndFallEvents(t *testing.T) {
	guard := func(used float64) policy.Stat {
		return policy.Stat{Saturation: policy.Saturation{Kind: policy.Kind("provider"), Name: "openai"}, Budgets: []policy.BudgetStat{
			{Scope: "day", Used: policy.Usage{USD: used, Calls: 10}, Limit: policy.Budget{USD: 5, Calls: 100}},
		}}
	}
	con := &console{place: "/srv/ws"}
	s := batch.Summary{Run: archive.Run{ID: "3-ab", Agents: []string{"aide"}, Guards: []policy.Stat{guard(4.4)}}, Plans: []archive.AgentPlan{{Agent: "aide", Champion: "abc"}}}
	if got := budgetEvents(con, s); len(got) != 0 {
		t.Errorf("at 88 %% it tells %+v", got)
	}
	s.Run.Guards[0] = guard(4.6)
	budgets := budgetEvents(con, s)
	if len(budgets) != 1 || budgets[0].Title != "the budget of provider openai per day is nearly used up: $4.60 of $5.00 spent" {
		t.Fatalf("at 92 %% it tells %+v", budgets)
	}
	fall := &model.Watch{Agent: "aide", Fall: &model.Fall{Moved: model.Moved{Difference: -.2, Lo: -.3, Hi: -.1}}}
	r := model.Report{Volatile: model.Volatile{Agents: []model.VolatileAgent{{Watch: fall}}}}
	falls := fallEvents(con, s, r)
	if len(falls) != 1 || falls[0].Subject != "aide/abc" || !strings.HasPrefix(falls[0].Title, "aide: the champion's score has fallen by 20.0 points") {
		t.Fatalf("it tells of the fall %+v", falls)
	}
	fall.Adopted = &model.AdoptedWatch{Proposal: "P1", Worse: true, Command: "evolve rollback P1"}
	if falls := fallEvents(con, s, r); len(falls) != 2 || falls[1].Subject != "aide/P1" || falls[1].Commands[0] != "evolve rollback P1 --workspace /srv/ws" {
		t.Errorf("it tells of the adoption %+v", falls)
	}
	teller := &teller{run: s.Run, agents: map[string]bool{"aide": true}, holds: map[string]bool{budgets[0].Key(): true}}
	for key, over := range map[string]bool{
		budgets[0].Key(): false, "budget/guard/x": true, "budget/run/1-x": false, "fell/aide/abc": true, "fell/other/abc": false,
		"failed/1-x": false, "failed/exit-2-x": true, "awaits/P9": true,
	} {
		kind, subject, _ := strings.Cut(key, "/")
		if teller.over(kind, subject) != over {
			t.Errorf("over %s is %v", key, !over)
		}
	}
	teller.run = archive.Run{} // nothing was seen
	if teller.over("awaits", "P9") {
		t.Error("a failed start ends what awaits")
	}
}
