package policy

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestNewRefuses(t *testing.T) {
	one := func(s Settings) map[string]Settings { return map[string]Settings{"x": s} }
	for want, b := range map[string]Book{
		"environment: deadline cannot be -1s":                                  {Environment: Settings{Deadline: -time.Second}},
		"environment: attempts cannot be 101":                                  {Environment: Settings{Attempts: 101}},
		"role x: breaker_failures cannot be 1.5":                               {Roles: one(Settings{BreakerFailures: 1.5})},
		"role x: breaker_slow_share cannot be NaN":                             {Roles: one(Settings{BreakerSlowShare: math.NaN()})},
		"tool x: per_run.usd cannot be +Inf":                                   {Tools: one(Settings{PerRun: Budget{USD: math.Inf(1)}})},
		"tool x: per_day.calls cannot be -1":                                   {Tools: one(Settings{PerDay: Budget{Calls: -1}})},
		"provider x: exhausted cannot be shrug":                                {Providers: one(Settings{Exhausted: "shrug"})},
		`origin "x": there is no such origin`:                                  {Origins: one(Settings{})},
		`origin "mcp:": there is no such origin`:                               {Origins: map[string]Settings{"mcp:": {}}},
		`role "": there is no such role`:                                       {Roles: map[string]Settings{"": {}}},
		"a tool of origin local: a breaker needs":                              {Environment: Settings{BreakerFailures: .5}},
		"a tool of origin local called by x: a breaker needs":                  {Roles: one(Settings{BreakerSlow: time.Second, BreakerSlowShare: .5})},
		"tool x: rate_calls 5 in rate_per 3ns is too high a rate":              {Tools: one(Settings{RateCalls: 5, RatePer: 3})},
		"provider x: a breaker needs":                                          {Providers: one(Settings{BreakerSlow: time.Second})},
		"provider x: rate_calls and rate_per must be set together":             {Providers: one(Settings{RateCalls: 5})},
		"provider x: rate_calls 5 in rate_per 3ns is too high a rate":          {Providers: one(Settings{RateCalls: 5, RatePer: 3})},
		"provider x: max_backoff 30s is shorter than backoff 1m0s":             {Providers: one(Settings{Backoff: time.Minute})},
		"a tool of origin mcp:files: max_backoff 2s is shorter than":           {Origins: map[string]Settings{"mcp:files": {Backoff: time.Minute}}},
		"provider x: degraded_to forms a cycle":                                {Providers: map[string]Settings{"x": {Exhausted: Degrade, DegradedTo: "y"}, "y": {Exhausted: Degrade, DegradedTo: "x"}}},
		"environment: breaker_calls cannot be 100000":                          {Environment: Settings{BreakerCalls: 100000}},
		"environment: per_agent.usd cannot be 1e-12":                           {Environment: Settings{PerAgent: Budget{USD: 1e-12}}},
		"environment: rate_wait cannot be -1ns":                                {Environment: Settings{RateWait: -1}},
		"a tool of origin local: rate_calls and rate_per must be set together": {Environment: Settings{RateCalls: 1}},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := New(Options{Book: b})
			if err == nil || !strings.HasPrefix(err.Error(), "policy: "+want) {
				t.Errorf("error %v", err)
			}
		})
	}
	for name, b := range map[string]Book{
		"nothing": {}, "all layers": book(),
		"half a breaker that one origin completes": {Tools: one(Settings{BreakerFailures: .1})},
	} {
		if _, err := New(Options{Book: b}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestVersion(t *testing.T) {
	v := book().Version()
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(v) || v != book().Version() {
		t.Errorf("version %q and %q", v, book().Version())
	}
	if (Book{}).Version() != (Book{Tools: map[string]Settings{}}).Version() {
		t.Error("a map without entries made another version")
	}
	seen := map[string]string{v: "the book"}
	for name, change := range map[string]func(*Book){
		"environment": func(b *Book) { b.Environment.Attempts++ },
		"origin":      func(b *Book) { b.Origins["local"] = Settings{} },
		"role":        func(b *Book) { b.Roles["clerk"] = Settings{} },
		"tool":        func(b *Book) { b.Tools["grep"] = Settings{PerAgent: Budget{USD: 5}} },
		"provider":    func(b *Book) { delete(b.Providers, "big") },
		"empty":       func(b *Book) { *b = Book{} },
	} {
		b := book()
		change(&b)
		if other, ok := seen[b.Version()]; ok {
			t.Errorf("%s has the version of %s", name, other)
		}
		seen[b.Version()] = name
	}
	if got := (Book{Environment: Settings{BreakerFailures: math.NaN()}}).Version(); got != "invalid" {
		t.Errorf("a NaN has version %q", got)
	}
}
