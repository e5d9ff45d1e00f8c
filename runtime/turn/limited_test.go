package turn

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
)

// degrading is a model that asks a provider and, once the budget for that provider is
// spent, asks another.
type degrading struct{ guard *policy.Engine }

func (d degrading) Next(ctx context.Context, _ *model.Request) (model.Reply, error) {
	reply := model.Reply{Answer: "noon"}
	for _, name := range []string{"big", "small"} {
		applied, err := d.guard.Do(ctx, policy.Call{Kind: policy.Provider, Name: name, Agent: "clerk"}, func(context.Context, int) (policy.Spent, error) {
			return policy.Spent{}, nil
		})
		reply.Provider, reply.Applied = name, append(reply.Applied, applied)
		if err == nil {
			break
		}
	}
	return reply, nil
}

// TestPoliciesNameTheirProvider tests that each record of policies names the provider to
// which the policies applied, even if a budget led to another provider.
func TestPoliciesNameTheirProvider(t *testing.T) {
	guard, err := policy.New(policy.Options{Book: policy.Book{Providers: map[string]policy.Settings{"big": {PerRun: policy.Budget{Calls: 1}}}}})
	if err != nil {
		t.Fatal(err)
	}
	a := limited(t, degrading{guard}, nil)
	for _, want := range [][]string{{"big"}, {"big", "small"}} {
		r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "what time is it"}, Live: true})
		var got []string
		for _, e := range kinds(r, agent.EventPolicy) {
			var applied policy.Applied
			if err := json.Unmarshal(e.Data, &applied); err != nil || applied.Name != e.Name || applied.Kind != policy.Provider {
				t.Errorf("%s: %+v, %v", e.Name, applied, err)
			}
			got = append(got, e.Name)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("policies of %v, want %v\n%s", got, want, story(r))
		}
	}
}

// TestLimitersReachTheTranscript tests that events are recorded for a wait in a queue, a
// refusal by the remote service that a retry overcame, and an open breaker.
func TestLimitersReachTheTranscript(t *testing.T) {
	for name, c := range map[string]struct {
		settings policy.Settings
		before   time.Duration // the time that another call takes beforehand
		replies  []error
		want     string
	}{
		"queued": {policy.Settings{Concurrency: 1}, 3 * time.Second, nil, "limited lm  queued for 3s: providers.lm.concurrency"},
		"retried": {
			policy.Settings{},
			0,
			[]error{&policy.Failure{Outcome: agent.RateLimited, Retry: true, RetryAfter: time.Second, Err: errors.New("status 429")}},
			"limited lm rate_limited rate limited by the remote service, retry after 1s",
		},
		"breaker": {
			policy.Settings{BreakerCalls: 1, BreakerFailures: 1, BreakerOpen: time.Minute, BreakerProbes: 1, Attempts: 2, Backoff: time.Second},
			0,
			[]error{&policy.Failure{Outcome: agent.Execution, Retry: true, Err: errors.New("down")}},
			"limited lm circuit_open circuit open, retry after",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				guard, err := policy.New(policy.Options{Book: policy.Book{Providers: map[string]policy.Settings{"lm": c.settings}}})
				if err != nil {
					t.Fatal(err)
				}
				call := policy.Call{Kind: policy.Provider, Name: "lm", Agent: "other", Repeatable: true}
				go func() {
					_, _ = guard.Do(t.Context(), call, func(context.Context, int) (policy.Spent, error) {
						time.Sleep(c.before)
						return policy.Spent{}, nil
					})
				}()
				synctest.Wait()
				r := limited(t, answering{guard, c.replies}, nil).Run(t.Context(), agent.Request{Task: agent.Task{Goal: "what time is it"}, Live: true})
				if !strings.Contains(story(r), c.want) {
					t.Error(story(r))
				}
			})
		})
	}
}

// answering is a model behind policies. Its provider fails as scripted and then answers.
type answering struct {
	guard *policy.Engine
	fails []error
}

func (a answering) Next(ctx context.Context, _ *model.Request) (model.Reply, error) {
	applied, err := a.guard.Do(ctx, policy.Call{Kind: policy.Provider, Name: "lm", Agent: "clerk", Repeatable: true}, func(_ context.Context, n int) (policy.Spent, error) {
		if n <= len(a.fails) {
			return policy.Spent{}, a.fails[n-1]
		}
		return policy.Spent{}, nil
	})
	return model.Reply{Answer: "noon", Provider: "lm", Applied: []policy.Applied{applied}}, err
}
