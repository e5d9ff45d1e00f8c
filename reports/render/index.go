package render

import (
	"html/template"
	"io"
	"regexp"
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// FileName returns the name of a run's page in the folder of the index, or "" if the run's
// id is not a plain name.
func FileName(run string) string {
	if !plainName.MatchString(run) {
		return ""
	}
	return run + ".html"
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// nightRow is one line of the index page.
type nightRow struct {
	Night, Run, Link, Agent, Kind, Verdict, Variant, Interval, Fall string
	// Metric is the difference in the metric of searched code, with its interval.
	Metric, Points spans
	Proposals      []proposalState
}

// proposalState is the present state of a night's proposal.
type proposalState struct {
	// Kind selects the colours.
	ID, State, Kind string
	// Decided describes the decision, with the person and the reason.
	Decided spans
}

// Index writes the page that links to the pages of all runs. The pages of the runs are in
// the same folder, under the names that [FileName] returns.
func Index(w io.Writer, runs []model.Summary) error {
	p := struct {
		Title, Policy string
		Style         template.CSS
		Frame         Frame
		Nights        []nightRow
		Metrics       bool // a night has one
		// Trends show the champions' scores, and Untold is the number of agents whose trend
		// is left out for lack of room.
		Trends []trendPage
		Untold int
		// History lists the adoptions, rollbacks and falls, and Earlier is the number of
		// earlier events that are left out.
		History []historyRow
		Earlier int
		// At is the time up to which the waiting time of proposals is counted.
		At string
	}{Title: "All nights · evolve", Policy: contentPolicy(), Style: template.CSS(css)}
	var err error
	if p.Trends, p.Untold, err = trendsOf(runs); err != nil {
		return err
	}
	p.History, p.Earlier = historyOf(runs)
	if at := model.Latest(runs); !at.IsZero() {
		p.At = number.Date(at)
	}
	for _, s := range runs {
		for _, a := range s.Agents {
			r := nightRow{Night: number.Unknown, Run: text.Visible(s.Run), Link: FileName(s.Run), Agent: text.Visible(a.Agent), Proposals: proposalStates(a), Interval: number.Unknown, Variant: a.Champion.Name(), Points: say(number.Unknown)}
			if !s.Started.IsZero() {
				r.Night = number.Date(s.Started)
			}
			r.Kind, r.Verdict = string(a.Verdict), strings.ToUpper(string(a.Verdict))
			if a.Verdict == "" {
				r.Kind, r.Verdict = "none", strings.ToUpper(string(s.State))
			}
			if a.Variant != nil && a.Effect != nil {
				if g := a.Metric; g != nil {
					p.Metrics = true
					r.Metric = append(say(foreign(g.Title()), " "), append(judgedGain(g, foreign(g.Change())), say(" "+g.Bounds())...)...)
				}
				r.Variant, r.Points, r.Interval = a.Variant.Name(), judged(*a.Effect, number.Points(a.Effect.Difference)), a.Effect.Bounds()
			}
			if a.Fell != nil {
				r.Fall = "champion fell by " + number.Size(*a.Fell) + " points"
				if !a.FellSince.IsZero() {
					r.Fall = "champion has fallen by " + number.Size(*a.Fell) + " points since " + number.Date(a.FellSince)
				}
			}
			p.Nights = append(p.Nights, r)
		}
	}
	return execute(w, "index", p)
}

// proposalStates returns the present states of a night's proposals. It returns none for a
// night that kept its champion.
func proposalStates(a model.AgentSummary) []proposalState {
	var out []proposalState
	for _, p := range a.States {
		s := proposalState{ID: text.Visible(p.ID), State: text.Visible(p.State.Name()), Kind: "none"}
		switch {
		case p.Awaits():
			s.Kind, s.State = "waits", s.State+", "+number.Plural(p.Days, "day")
			if len(p.Stale) > 0 {
				s.State += ", stale"
			}
		case p.State == model.Adopted:
			s.Kind = "adopt"
		}
		if d := p.Decision; d != nil {
			s.Decided = decidedBy(*d, maxIndexReason)
			if d.Merge != nil && p.State == model.Adopted {
				s.State = "merged"
			}
		}
		out = append(out, s)
	}
	return out
}

// decidedBy describes a decision.
func decidedBy(d model.DecisionBrief, reason int) spans {
	line := say(foreign(d.Action), " by ", clipped(d.By, 80))
	if !d.Time.IsZero() {
		line = append(line, say(" on "+number.Date(d.Time))...)
	}
	if d.Reason != "" {
		line = append(line, say(", “", clipped(d.Reason, reason), "”")...)
	}
	return line
}

// maxIndexReason is the maximum number of characters in a reason in the index.
const maxIndexReason = 120

// IndexJSON writes the summaries as JSON.
func IndexJSON(w io.Writer, runs []model.Summary) error {
	return writeJSON(w, "the index", struct {
		Schema string          `json:"schema"`
		Runs   []model.Summary `json:"runs"`
	}{model.IndexSchema, runs})
}
