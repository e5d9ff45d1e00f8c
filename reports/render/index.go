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

// FileName returns the name of a run's page in the folder of the index, or "" if the
// run's id is no plain name.
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
	Proposals      []string
}

// Index writes the page that links the pages of all runs, which are in the same folder
// under their FileName.
func Index(w io.Writer, runs []model.Summary) error {
	p := struct {
		Title, Policy string
		Style         template.CSS
		Frame         Frame
		Nights        []nightRow
		Metrics       bool // a night has one
	}{Title: "All nights · evolve", Policy: contentPolicy(), Style: template.CSS(css)}
	for _, s := range runs {
		for _, a := range s.Agents {
			r := nightRow{Night: number.Unknown, Run: text.Visible(s.Run), Link: FileName(s.Run), Agent: text.Visible(a.Agent), Proposals: a.Proposals, Interval: number.Unknown, Variant: a.Champion.Name(), Points: say(number.Unknown)}
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
			}
			p.Nights = append(p.Nights, r)
		}
	}
	return execute(w, "index", p)
}

// IndexJSON writes the summaries as JSON.
func IndexJSON(w io.Writer, runs []model.Summary) error {
	return writeJSON(w, "the index", struct {
		Schema string          `json:"schema"`
		Runs   []model.Summary `json:"runs"`
	}{model.IndexSchema, runs})
}
