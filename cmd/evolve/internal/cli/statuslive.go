package cli

import (
	"fmt"
	"strings"
	"time"

	"evolve/runtime/policy"
	"evolve/runtime/text"
)

// shownLive is the maximum number of tools and providers that the status names.
const shownLive = 5

// printLiveLimits prints which tools and providers were held back by limits or breakers in
// live turns.
func printLiveLimits(con *console, list []policy.Saturation) {
	var lines []string
	for _, s := range list {
		if words := liveWords(s); words != "" {
			lines = append(lines, words)
		}
	}
	if len(lines) == 0 {
		return
	}
	con.printf("\nlimits  that held back live turns in the last 7 days\n")
	for _, l := range lines[:min(len(lines), shownLive)] {
		con.printf("          %s\n", l)
	}
	if more := len(lines) - shownLive; more > 0 {
		con.printf("          and %d more\n", more)
	}
}

// liveWords describes how limits held back the calls to a tool or provider; it returns ""
// if no calls were held back.
func liveWords(s policy.Saturation) string {
	var parts []string
	for _, w := range []struct {
		waited time.Duration
		limit  string
	}{{s.RateWait, "rate"}, {s.QueueWait, "concurrency"}} {
		if w.waited >= time.Second {
			parts = append(parts, fmt.Sprintf("waited %s because of its %s limit", w.waited.Round(time.Second), w.limit))
		}
	}
	if s.Opened > 0 {
		parts = append(parts, fmt.Sprintf("breaker opened %s", count(s.Opened, "time")))
	}
	if n := s.Refused(); n > 0 {
		parts = append(parts, fmt.Sprintf("%s refused", count(int(n), "call")))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s, %s: %s", s.Kind, text.Visible(text.Clip(s.Name, 80)), count(int(s.Calls), "call"), strings.Join(parts, ", "))
}
