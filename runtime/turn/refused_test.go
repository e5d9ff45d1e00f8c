package turn

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
)

// limited returns the built-in agent with a scripted model, subject to policies.
func limited(t *testing.T, m model.Model, tools map[string]policy.Settings) *Agent {
	t.Helper()
	guard, err := policy.New(policy.Options{Book: policy.Book{Tools: tools}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(Options{ID: "clerk", Model: m, Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestASharedLimitIsNoScore tests that if earlier calls have used up a tool's limit, an
// evaluation is missing and names the policy, while a person's turn continues without the
// tool.
func TestASharedLimitIsNoScore(t *testing.T) {
	for name, c := range map[string]struct {
		settings policy.Settings
		spent    bool
		outcome  agent.Outcome
	}{
		"budget of the run":   {policy.Settings{PerRun: policy.Budget{Calls: 1}}, true, agent.Infrastructure},
		"budget of the agent": {policy.Settings{PerAgent: policy.Budget{Calls: 1}}, true, agent.Infrastructure},
		"budget of the day":   {policy.Settings{PerDay: policy.Budget{Calls: 1}}, true, agent.Infrastructure},
		"rate":                {policy.Settings{RateCalls: 1, RatePer: time.Hour, RateWait: time.Millisecond}, false, agent.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			seen := []model.Request{}
			a := limited(t, scripted{replies: []model.Reply{calls("get_time", `{}`), {Answer: "noon"}}, seen: &seen}, map[string]policy.Settings{"get_time": c.settings})
			task := agent.Task{Goal: "what time is it"}
			if r := a.Run(t.Context(), agent.Request{Task: task}); r.Outcome != agent.OK {
				t.Fatalf("the first: %s %s", r.Outcome, r.Error)
			}
			seen = seen[:0]
			r := a.Run(t.Context(), agent.Request{Task: task})
			if r.Outcome != c.outcome || !r.Outcome.Missing() || r.Refused == nil || r.Refused.Spent != c.spent || !strings.HasPrefix(r.Refused.Policy, "tool get_time: ") || r.Error != r.Refused.Policy {
				t.Errorf("the second: %s %q %+v", r.Outcome, r.Error, r.Refused)
			}
			seen = seen[:0]
			if r := a.Run(t.Context(), agent.Request{Task: task, Live: true}); r.Outcome != agent.OK || r.Refused != nil {
				t.Errorf("a person's: %s %q %+v", r.Outcome, r.Error, r.Refused)
			}
		})
	}
}

// TestAModelsLimitsAreNoScore tests how a model's policies affect an evaluation.
func TestAModelsLimitsAreNoScore(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		spent   bool
		after   time.Duration
		outcome agent.Outcome
	}{
		"budget":  {&model.Error{Outcome: agent.BudgetExceeded, Err: &policy.BudgetError{Scope: "day", What: "usd", Limit: "5"}}, true, 0, agent.Infrastructure},
		"breaker": {&model.Error{Outcome: agent.Infrastructure, Err: &policy.CircuitOpenError{RetryAfter: time.Second}}, false, time.Second, agent.Infrastructure},
		"rate":    {&model.Error{Outcome: agent.RateLimited, Err: &policy.RateLimitedError{RetryAfter: time.Minute}}, false, time.Minute, agent.RateLimited},
		"provider's own": {
			&model.Error{Outcome: agent.RateLimited, Err: &policy.Failure{Outcome: agent.RateLimited, Retry: true, RetryAfter: time.Minute, Err: errors.New("429")}},
			false, time.Minute, agent.RateLimited,
		},
		"no credit": {
			&model.Error{Outcome: agent.Infrastructure, Err: &policy.Failure{Outcome: agent.RateLimited, Err: errors.New("402")}}, false, 0, agent.Infrastructure,
		},
	} {
		seen := []model.Request{}
		a := limited(t, scripted{err: c.err, seen: &seen}, nil)
		r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "say it"}})
		if r.Outcome != c.outcome || !r.Outcome.Missing() || r.Refused == nil || r.Refused.Spent != c.spent || r.Refused.RetryAfter != c.after {
			t.Errorf("%s: %s %q %+v", name, r.Outcome, r.Error, r.Refused)
		}
		last := r.Transcript.Events[len(r.Transcript.Events)-1]
		if last.Outcome != c.outcome {
			t.Errorf("%s: the transcript ends with %+v", name, last)
		}
		seen = seen[:0]
		if c.outcome == agent.RateLimited {
			if r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "say it"}, Live: true}); r.Outcome != c.outcome {
				t.Errorf("%s, a person's: %s %q", name, r.Outcome, r.Error)
			}
		}
	}
	seen := []model.Request{}
	a := limited(t, scripted{err: &model.Error{Outcome: agent.BudgetExceeded, Err: errors.New("the prompt is too long")}, seen: &seen}, nil)
	if r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "say it"}}); r.Outcome != agent.BudgetExceeded || r.Refused != nil {
		t.Errorf("a prompt that is too long is the config's: %s %+v", r.Outcome, r.Refused)
	}
}

// TestARefusingModelIsNamed tests that if no model is served at an address on this
// machine, the result of an evaluation names the address, and also the limit if a breaker
// opened.
func TestARefusingModelIsNamed(t *testing.T) {
	const address = "127.0.0.1:11434"
	for name, err := range map[string]error{"dial": errors.New("connection refused"), "breaker": &policy.CircuitOpenError{RetryAfter: time.Second}} {
		seen := []model.Request{}
		a := limited(t, scripted{err: &model.Error{Outcome: agent.Infrastructure, Err: err, Refusing: address}, seen: &seen}, nil)
		r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "say it"}})
		if r.Outcome != agent.Infrastructure || r.Refusing != address || (r.Refused != nil) != (name == "breaker") {
			t.Errorf("%s: %s %q %+v", name, r.Outcome, r.Refusing, r.Refused)
		}
	}
}

// queued is a model whose calls wait in a queue of the policies and then take some time.
type queued struct {
	guard *policy.Engine
	took  time.Duration
}

func (q queued) Next(ctx context.Context, _ *model.Request) (model.Reply, error) {
	_, err := q.guard.Do(ctx, policy.Call{Kind: policy.Provider, Name: "lm", Agent: "clerk"}, func(ctx context.Context, _ int) (policy.Spent, error) {
		select {
		case <-time.After(q.took):
		case <-ctx.Done():
		}
		return policy.Spent{}, ctx.Err()
	})
	return model.Reply{Answer: "noon"}, err
}

// TestWaitingIsNotATurnsOwnTime tests that a turn that waits in a queue for longer than
// its own time limit does not time out, and that a turn that uses up the limit by its own
// work does time out.
func TestWaitingIsNotATurnsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard, err := policy.New(policy.Options{Book: policy.Book{Providers: map[string]policy.Settings{"lm": {Concurrency: 1, QueueWait: time.Hour, Deadline: time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		run := func(took time.Duration) agent.Result {
			a, err := New(Options{ID: "clerk", Model: queued{guard, took}})
			if err != nil {
				t.Fatal(err)
			}
			return a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "what time is it"}, Limits: agent.Limits{Timeout: 5 * time.Second}})
		}
		first := make(chan agent.Result)
		go func() { first <- run(4 * time.Second) }()
		synctest.Wait()
		second := make(chan agent.Result)
		go func() { second <- run(3 * time.Second) }()
		if r := <-first; r.Outcome != agent.OK {
			t.Errorf("4 of 5 seconds: %s %s", r.Outcome, r.Error)
		}
		if r := <-second; r.Outcome != agent.OK {
			t.Errorf("4 seconds of waiting and 3 of work within 5: %s %s", r.Outcome, r.Error)
		}
		if r := run(6 * time.Second); r.Outcome != agent.Timeout {
			t.Errorf("6 of 5 seconds: %s %s", r.Outcome, r.Error)
		}
	})
}
