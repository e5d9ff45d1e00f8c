package reports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Summary is one run in the index.
type Summary struct {
	Run     string           `json:"run"`
	Number  int              `json:"number"`
	State   archive.RunState `json:"state"`
	Started time.Time        `json:"started,omitzero"`
	Agents  []AgentSummary   `json:"agents"`
}

// AgentSummary is the result of a run for one agent.
type AgentSummary struct {
	Agent    string          `json:"agent"`
	Verdict  archive.Verdict `json:"verdict,omitempty"`
	Champion Ref             `json:"champion"`
	Variant  *Ref            `json:"variant,omitempty"`
	Effect   *Effect         `json:"holdout,omitempty"`
	// Claim is the claim that the evidence supports.
	Claim     stats.Claim `json:"claim,omitempty"`
	Proposals []string    `json:"proposals,omitempty"`
}

// Summaries lists all runs, the latest first. It reads only plans and results.
func Summaries(ctx context.Context, src Source) ([]Summary, error) {
	out := []Summary{}
	for run, err := range src.Runs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("listing the runs: %w", err)
		}
		s := Summary{Run: run.ID, Number: run.Number, State: run.State, Started: run.Started, Agents: []AgentSummary{}}
		for _, name := range run.Agents {
			a, err := summarize(ctx, src, run.ID, name)
			if err != nil {
				return nil, fmt.Errorf("reading what run %s found for agent %s: %w", run.ID, name, err)
			}
			s.Agents = append(s.Agents, a)
		}
		out = append(out, s)
	}
	return out, nil
}

func summarize(ctx context.Context, src Source, run, name string) (AgentSummary, error) {
	b := builder{ctx: ctx, src: src, variants: map[agent.ConfigID]archive.Variant{}, out: Agent{Agent: name}}
	a := AgentSummary{Agent: name}
	plan, err := src.Plan(ctx, run, name)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return a, err
	}
	a.Champion = b.ref(plan.Champion)
	res, err := src.Result(ctx, run, name)
	if errors.Is(err, archive.ErrNotFound) {
		return a, nil
	}
	if err != nil {
		return a, err
	}
	a.Verdict, a.Proposals = res.Verdict, res.Proposals
	if i := Leading(res); i >= 0 {
		v, e := b.ref(res.Finalist[i].Variant), estimate(res.Finalist[i])
		a.Variant, a.Effect = &v, &e
		if r := res.Finalist[i].Ruling; r != nil {
			a.Claim = r.Claim
		}
	}
	return a, b.failed
}

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
	Night, Run, Link, Agent, Kind, Verdict, Variant, Interval string
	Points                                                    text
	Proposals                                                 []string
}

// Index writes the page that links the pages of all runs, which are in the same folder
// under their FileName.
func Index(w io.Writer, runs []Summary) error {
	p := struct {
		Title, Policy string
		Style         template.CSS
		Nights        []nightRow
	}{Title: "All nights · evolve", Policy: contentPolicy(), Style: template.CSS(css)}
	for _, s := range runs {
		for _, a := range s.Agents {
			r := nightRow{Night: unknown, Run: Visible(s.Run), Link: FileName(s.Run), Agent: Visible(a.Agent), Proposals: a.Proposals, Interval: unknown, Variant: a.Champion.Name(), Points: say(unknown)}
			if !s.Started.IsZero() {
				r.Night = day(s.Started)
			}
			r.Kind, r.Verdict = string(a.Verdict), strings.ToUpper(string(a.Verdict))
			if a.Verdict == "" {
				r.Kind, r.Verdict = "none", strings.ToUpper(string(s.State))
			}
			if a.Variant != nil && a.Effect != nil {
				r.Variant, r.Points, r.Interval = a.Variant.Name(), judged(*a.Effect, points(a.Effect.Difference)), a.Effect.bounds()
			}
			p.Nights = append(p.Nights, r)
		}
	}
	return execute(w, "index", p)
}

// IndexSchema names the schema of the index as JSON.
const IndexSchema = "evolve.report-index/1"

// IndexJSON writes the summaries as JSON.
func IndexJSON(w io.Writer, runs []Summary) error {
	data, err := json.MarshalIndent(struct {
		Schema string    `json:"schema"`
		Runs   []Summary `json:"runs"`
	}{IndexSchema, runs}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the index: %w", err)
	}
	_, err = w.Write(append(escapeHidden(data), '\n'))
	return err
}
