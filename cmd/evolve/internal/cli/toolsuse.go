package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/reports/number"
	"evolve/runtime/experience"
	"evolve/runtime/text"
)

// toolUseView holds what an agent's live turns have shown about a tool.
type toolUseView struct {
	experience.Advice
	Signatures []experience.Signature `json:"signatures,omitempty"`
	Capsules   []capsuleView          `json:"capsules"`
}

// capsuleView is a capsule with the figures derived from it. Rate is nil while no call has
// been judged.
type capsuleView struct {
	experience.Capsule
	Rate *float64 `json:"rate"`
	// Usefulness is the usefulness of the tool in the capsule's domain, based on all calls.
	Usefulness float64 `json:"usefulness"`
	// P50, P95 and P99 are percentiles of the stored latencies; they are 0 if no latencies
	// are stored.
	P50 time.Duration `json:"p50_ns"`
	P95 time.Duration `json:"p95_ns"`
	P99 time.Duration `json:"p99_ns"`
}

// toolsUse shows what an agent's live turns have shown about its tools.
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
		return sh.printJSON(map[string]any{"agent": a.ID, "turns": e.Turns, "tools": views, "learnings": notNull(e.AllLearnings()), "limits": append([]experience.Limit{}, e.Limits()...)})
	}
	if len(views) == 0 {
		return sh.result(nil, "no live turn of %s has called a tool\n", a.ID)
	}
	printToolUse(sh.console, views, sh.width())
	printLearnings(sh.console, e.AllLearnings())
	printLimits(sh.console, e.Limits())
	return nil
}

// shownLearnings is the maximum number of learnings that are printed; the JSON output has
// all of them.
const shownLearnings = 12

// printLearnings prints which tools are to be preferred and avoided in each domain. The
// learnings for all domains apply to domains without calls, and are printed only if there
// are no other learnings.
func printLearnings(con *console, all []experience.Learning) {
	list := slices.DeleteFunc(slices.Clone(all), func(l experience.Learning) bool { return l.Domain == experience.Global })
	if len(list) == 0 {
		list = all
	}
	if len(list) > 0 {
		con.printf("\nlearned\n")
	}
	for _, l := range list[:min(len(list), shownLearnings)] {
		tool := strings.TrimSpace(l.Tool + " " + l.Method)
		con.printf("  %s %s in %s: %s of %s succeeded, confidence %s\n",
			l.Advised, text.Visible(tool), text.Visible(l.Domain), number.Share(l.Rate), text.Count(l.Calls, "call"), number.Score(l.Confidence))
	}
	if more := len(list) - shownLearnings; more > 0 {
		con.printf("  and %d more\n", more)
	}
}

// printLimits prints the limits to the conclusions that can be drawn from the turns.
func printLimits(con *console, limits []experience.Limit) {
	if len(limits) > 0 {
		con.printf("\nlimits\n")
	}
	for _, l := range limits {
		con.printf("  %s\n", text.Visible(l.String()))
	}
}

func capsuleViewOf(e *experience.Experience, c experience.Capsule) capsuleView {
	v := capsuleView{Capsule: c, Usefulness: e.Usefulness(c.Tool, c.Method, c.Domain), P50: c.Percentile(.5), P95: c.Percentile(.95), P99: c.Percentile(.99)}
	if rate, ok := c.Rate(); ok {
		v.Rate = &rate
	}
	return v
}

// printToolUse prints a table of the capsules or, if a line of the table would be longer
// than width, a paragraph for each capsule. A width of 0 means no limit.
func printToolUse(con *console, views []toolUseView, width int) {
	const row = "%-24s %-12s %-14s %6s %5s %8s %8s %6s  %s"
	table := []string{fmt.Sprintf(row, "tool", "method", "domain", "calls", "ok", "p50", "p95", "useful", "last failure")}
	var paragraphs []string
	fits := width == 0 || text.Width(table[0]) <= width
	for _, v := range views {
		for _, c := range v.Capsules {
			rate, last, useful := "-", "", number.Score(c.Usefulness)
			if c.Rate != nil {
				rate = number.Share(*c.Rate)
			}
			if n := len(c.Failures); n > 0 {
				f := c.Failures[n-1]
				last = string(f.Outcome) + " " + text.Visible(oneLine(f.Cause, 60))
			}
			tool, method, domain := cell(c.Tool, 24), cell(c.Method, 12), cell(c.Domain, 14)
			line := fmt.Sprintf(row, tool, method, domain, strconv.Itoa(c.Calls), rate, latency(c.P50), latency(c.P95), useful, last)
			table, fits = append(table, line), fits && (width == 0 || text.Width(line) <= width)
			if last != "" {
				last = ", last failure " + last
			}
			if c.Method == "" {
				method = ""
			}
			paragraphs = append(paragraphs, fmt.Sprintf("%s %s %s: %s, ok %s, p50 %s, p95 %s, useful %s%s",
				tool, method, domain, text.Count(c.Calls, "call"), rate, latency(c.P50), latency(c.P95), useful, last))
		}
	}
	if fits {
		con.printf("%s\n", strings.Join(table, "\n"))
	}
	for _, p := range paragraphs {
		if !fits {
			con.printf("%s\n", strings.Join(strings.Fields(p), " "))
		}
	}
	printSignatures(con, views)
	for _, v := range views {
		if v.Remedy != experience.Retain || v.Warning != "" || v.Referrals > 0 {
			con.printf("\n")
			con.printf("%s  %s: %s\n", text.Visible(v.Tool), v.Remedy, text.Visible(v.Reason))
		}
		if v.Warning != "" {
			con.printf("  %s\n", text.Visible(v.Warning))
		}
	}
}

// shownSignatures is the maximum number of groups of equal failures that are printed for a
// tool; the JSON output has all groups.
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
			con.printf("%s", between)
			con.printf("%s  %d × %s in %s: %s\n", text.Visible(name), s.Count, s.Outcome, text.Visible(s.Domain), text.Visible(s.Message))
			between = ""
		}
	}
}

// latency formats a measured latency; 0 becomes "-".
func latency(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return d.Round(time.Millisecond).String()
}
