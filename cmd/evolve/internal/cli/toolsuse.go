package cli

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/runtime/experience"
	"evolve/runtime/text"
)

// toolUseView is what the turns in use have shown of a tool.
type toolUseView struct {
	experience.Advice
	Signatures []experience.Signature `json:"signatures,omitempty"`
	Capsules   []capsuleView          `json:"capsules"`
}

// capsuleView is a capsule with what follows from it. Rate is nil while no call was judged.
type capsuleView struct {
	experience.Capsule
	Rate *float64 `json:"rate"`
	// Usefulness is that in the capsule's domain, by the calls in all.
	Usefulness float64 `json:"usefulness"`
	// P50, P95 and P99 are percentiles of the kept latencies; 0 without any.
	P50 time.Duration `json:"p50_ns"`
	P95 time.Duration `json:"p95_ns"`
	P99 time.Duration `json:"p99_ns"`
}

// toolsUse shows what the turns of an agent in use have shown of its tools.
func toolsUse(sh *shell, c *cli.Context) error {
	w, a, err := sh.loadAgent(c, c.Args().First())
	if err != nil {
		return err
	}
	var e experience.Experience
	err = wire.LookIfThere(w.Root, func(store *archive.Archive) (err error) {
		e, err = store.Experience(c.Context, a.ID)
		return err
	})
	if err != nil {
		return err
	}
	views := []toolUseView{}
	for _, name := range e.Tools() {
		v := toolUseView{Advice: e.Advice(name), Signatures: e.SignaturesOf(name)}
		for _, capsule := range e.Capsules {
			if capsule.Tool == name {
				v.Capsules = append(v.Capsules, capsuleViewOf(&e, capsule))
			}
		}
		views = append(views, v)
	}
	if sh.json {
		return sh.printJSON(map[string]any{"agent": a.ID, "turns": e.Turns, "tools": views})
	}
	if len(views) == 0 {
		return sh.result(nil, "no turn of %s in use has called a tool\n", a.ID)
	}
	printToolUse(sh.console, views)
	return nil
}

func capsuleViewOf(e *experience.Experience, c experience.Capsule) capsuleView {
	v := capsuleView{Capsule: c, Usefulness: e.Usefulness(c.Tool, c.Method, c.Domain), P50: c.Percentile(.5), P95: c.Percentile(.95), P99: c.Percentile(.99)}
	if rate, ok := c.Rate(); ok {
		v.Rate = &rate
	}
	return v
}

func printToolUse(con *console, views []toolUseView) {
	con.printf("%-24s %-12s %-14s %6s %5s %8s %8s %6s  %s\n", "tool", "method", "domain", "calls", "ok", "p50", "p95", "useful", "last failure")
	for _, v := range views {
		for _, c := range v.Capsules {
			rate, last := "-", ""
			if c.Rate != nil {
				rate = fmt.Sprintf("%.0f%%", 100**c.Rate)
			}
			if n := len(c.Failures); n > 0 {
				f := c.Failures[n-1]
				last = string(f.Outcome) + " " + text.Visible(oneLine(f.Cause, 60))
			}
			con.printf("%-24s %-12s %-14s %6d %5s %8s %8s %6.2f  %s\n", cell(c.Tool, 24), cell(c.Method, 12), cell(c.Domain, 14),
				c.Calls, rate, latency(c.P50), latency(c.P95), c.Usefulness, last)
		}
	}
	printSignatures(con, views)
	for _, v := range views {
		if v.Remedy != experience.Retain || v.Warning != "" {
			con.printf("\n%s  %s: %s\n", text.Visible(v.Tool), v.Remedy, text.Visible(v.Reason))
		}
		if v.Warning != "" {
			con.printf("  %s\n", text.Visible(v.Warning))
		}
	}
}

// shownSignatures is the maximum number of groups of equal failures of a tool that are
// printed; the JSON has all.
const shownSignatures = 3

// printSignatures prints the groups of failures that occurred more than once.
func printSignatures(con *console, views []toolUseView) {
	between := "\n"
	for _, v := range views {
		for _, s := range v.Signatures[:min(len(v.Signatures), shownSignatures)] {
			if s.Count < 2 {
				continue
			}
			name := s.Tool
			if s.Method != "" {
				name += " " + s.Method
			}
			con.printf("%s%s  %d × %s in %s: %s\n", between, text.Visible(name), s.Count, s.Outcome, text.Visible(s.Domain), text.Visible(s.Message))
			between = ""
		}
	}
}

// latency returns a measured latency, or "-".
func latency(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return d.Round(time.Millisecond).String()
}
