package policy

import (
	"strings"
	"time"
)

// The origins of tools that the built-in settings distinguish.
const (
	local    = "local"
	authored = "authored"
	mcp      = "mcp"
)

// class returns the origin without the server's name.
func class(origin string) string {
	name, _, _ := strings.Cut(origin, ":")
	return name
}

// foreign reports whether code from this origin was not written by the operator.
func foreign(kind Kind, origin string) bool { return kind == Tool && origin != local }

// longestTask is the maximum duration of an agent's task, including the time that the
// task waits. The maximum is long because the task has limits of its own.
const longestTask = 24 * time.Hour

// builtIn returns the settings that apply below every layer; doc.go shows them in a table.
func builtIn(kind Kind, origin string) Settings {
	switch {
	case kind == Agent:
		return Settings{Deadline: longestTask, Attempts: 1}
	case kind == Provider:
		return Settings{
			Deadline: 120 * time.Second, Attempts: 4, Backoff: 500 * time.Millisecond, MaxBackoff: 30 * time.Second,
			BreakerCalls: 20, BreakerFailures: .5, BreakerOpen: 30 * time.Second, BreakerProbes: 2,
			RateWait: 60 * time.Second, Concurrency: 16, QueueWait: 60 * time.Second,
		}
	case class(origin) == mcp:
		return Settings{
			Deadline: 8 * time.Second, Attempts: 1, Backoff: 250 * time.Millisecond, MaxBackoff: 2 * time.Second,
			BreakerCalls: 10, BreakerFailures: .5, BreakerSlow: 6 * time.Second, BreakerSlowShare: .8,
			BreakerOpen: 30 * time.Second, BreakerProbes: 1,
			RateCalls: 5, RatePer: time.Second, RateWait: 5 * time.Second, Concurrency: 4, QueueWait: 5 * time.Second,
		}
	case origin == authored:
		return Settings{
			Deadline: 10 * time.Second, Attempts: 1,
			BreakerCalls: 10, BreakerFailures: .5, BreakerOpen: 30 * time.Second, BreakerProbes: 1,
		}
	default: // local
		return Settings{Deadline: 10 * time.Second, Attempts: 1}
	}
}
