package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
)

// Watch compares the scores of an agent's active config, over the nights up to a run, with
// its past scores and with the prediction made at its adoption.
type Watch struct {
	Agent string `json:"agent"`
	// Nights is the number of nights that were compared.
	Nights int `json:"nights"`
	// Level is an upper bound on the probability that an agent that does not change causes
	// an alarm within Window nights.
	Level  float64 `json:"level"`
	Window int     `json:"window"`
	// Fall is a fall in the config's scores; it is nil if there is none.
	Fall *Fall `json:"fall,omitempty"`
	// Adopted compares the latest adoption with its prediction; it is nil if there is no
	// adoption to compare.
	Adopted *AdoptedWatch `json:"adopted,omitempty"`
	// Changed is a change made by hand since the night before; it is nil if there is none.
	Changed *ActiveChange `json:"changed,omitempty"`
}

// Moved is a difference between the scores of later and of earlier nights, on the tasks
// that were measured in both.
type Moved struct {
	Before     float64 `json:"before"`
	After      float64 `json:"after"`
	Difference float64 `json:"difference"`
	// Lo and Hi are the bounds of the difference; each bound by itself holds at Level.
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	// Exact reports whether repeating an evaluation gives the same score.
	Exact        bool `json:"exact,omitempty"`
	Tasks        int  `json:"tasks"`
	BeforeRuns   int  `json:"before_runs"`
	AfterRuns    int  `json:"after_runs"`
	BeforeNights int  `json:"before_nights"`
	AfterNights  int  `json:"after_nights"`
	// Night is the standard deviation of the shift that all scores in a night share.
	Night float64 `json:"night_sd,omitempty"`
}

// Fall is a fall in the active config's scores, with the changes that preceded it.
type Fall struct {
	Moved
	ActiveChange
}

// ActiveChange describes the changes between two nights.
type ActiveChange struct {
	BeforeRun string    `json:"before_run"`
	AfterRun  string    `json:"after_run"`
	Last      time.Time `json:"last"`
	Since     time.Time `json:"since"`
	Params    []string  `json:"params,omitempty"`
	Files     bool      `json:"files,omitempty"`
	Models    bool      `json:"models,omitempty"`
	Evolve    bool      `json:"evolve,omitempty"`
	// Learned reports whether the experience from live turns differs between the nights.
	Learned  bool   `json:"learned,omitempty"`
	Proposal string `json:"proposal,omitempty"`
	// Commit is the first commit between the nights that changed the agent's folder or, for
	// Models, evolve.yaml.
	Commit *Commit `json:"commit,omitempty"`
	// Further lists later commits that also changed the folder or evolve.yaml, and Unlisted
	// is the number of such commits that are in neither Commit nor Further.
	Further  []Commit `json:"further,omitempty"`
	Unlisted int      `json:"unlisted,omitempty"`
	// Acts are people's actions, other than commits, between the nights, and Candidates
	// is the number of changes that may have caused a difference in the scores.
	Acts       []Act  `json:"acts,omitempty"`
	Candidates int    `json:"candidates,omitempty"`
	Versioned  bool   `json:"versioned,omitempty"`
	Command    string `json:"command,omitempty"`
}

// Commit names a commit.
type Commit struct {
	// Repository is the folder of the commit's repository, relative to the workspace; it is
	// empty for the repository of the workspace.
	Repository string    `json:"repository,omitempty"`
	Hash       string    `json:"hash"`
	Subject    string    `json:"subject"`
	Time       time.Time `json:"time"`
}

// AdoptedWatch compares an adoption with its prediction.
type AdoptedWatch struct {
	Moved
	Proposal string    `json:"proposal"`
	Since    time.Time `json:"since"`
	// Predicted is the claimed gain with its interval; it is nil if nothing was measured.
	Predicted *Predicted `json:"predicted,omitempty"`
	// Worse reports whether the adopted config is worse than the config that it replaced.
	// Below reports whether the adopted config's gain on tasks like these is below the
	// predicted interval; Upper is the upper bound of that gain.
	Worse bool    `json:"worse,omitempty"`
	Below bool    `json:"below,omitempty"`
	Upper float64 `json:"upper"`
	// Crossed is the first night whose evidence against the adoption still holds; it is nil
	// if there is no such night before this one.
	Crossed *Crossed `json:"crossed,omitempty"`
	// RestoredBy is this night's proposal to restore the config that was replaced; it is
	// empty if there is none.
	RestoredBy string `json:"restored_by,omitempty"`
	// Command is the command that rolls the adoption back; it is empty unless a rollback is
	// recommended and possible.
	Command string `json:"command,omitempty"`
}

// Crossed is the night in which the evidence against an adoption reached the level, with its
// figures.
type Crossed struct {
	Run        string    `json:"run"`
	Night      time.Time `json:"night"`
	Difference float64   `json:"difference"`
	Lo         float64   `json:"lo"`
	Hi         float64   `json:"hi"`
	Worse      bool      `json:"worse,omitempty"`
	Below      bool      `json:"below,omitempty"`
	Upper      float64   `json:"upper"`
}

// Predicted is a claimed gain with its interval.
type Predicted struct {
	Difference float64     `json:"difference"`
	Lo         float64     `json:"lo"`
	Hi         float64     `json:"hi"`
	Of         stats.Claim `json:"of,omitempty"`
}

// WatchOf returns a run's record of how its agent's active config compares with the past;
// it returns nil if there is nothing to report.
func WatchOf(ctx context.Context, src interface {
	Proposal(ctx context.Context, id string) (archive.ProposalRecord, error)
}, r archive.AgentResult,
) (*Watch, error) {
	w := r.Watch
	if w == nil || w.Fall == nil && w.Adopted == nil && w.Changed == nil {
		return nil, nil
	}
	out := &Watch{Agent: r.Agent, Nights: w.Nights, Level: stats.WatchLevel, Window: stats.WatchNights}
	if f := w.Fall; f != nil {
		out.Fall = &Fall{moved(f.Shift), change(r.Agent, f.ActiveChange)}
	}
	if w.Changed != nil {
		c := change(r.Agent, *w.Changed)
		out.Changed = &c
	}
	a := w.Adopted
	if a == nil {
		return out, nil
	}
	out.Adopted = &AdoptedWatch{Moved: moved(a.Shift), Proposal: a.Proposal, Since: a.Since, Worse: a.Worse, Below: a.Below, Upper: a.Upper}
	if c := a.Crossed; c != nil {
		out.Adopted.Crossed = &Crossed{Run: c.Run, Night: c.Night, Difference: c.Difference, Lo: c.Lo, Hi: c.Hi, Worse: c.Worse, Below: c.Below, Upper: c.Upper}
	}
	if a.Claim != stats.NoClaim {
		out.Adopted.Predicted = &Predicted{a.Predicted, a.PredictedLo, a.PredictedHi, a.Claim}
	}
	p, err := src.Proposal(ctx, a.Proposal)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return nil, fmt.Errorf("reading an adoption: %w", err)
	}
	if err == nil && p.State == archive.Adopted && a.Unchanged && out.Adopted.rollback() {
		out.Adopted.Command = "evolve rollback " + p.ID
	}
	for _, id := range r.Proposals {
		restores, err := src.Proposal(ctx, id)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return nil, fmt.Errorf("reading a proposal: %w", err)
		}
		if err == nil && p.Champion != "" && restores.Variant == p.Champion {
			out.Adopted.RestoredBy = id
		}
	}
	return out, nil
}

func (b *builder) watch() (err error) {
	b.volatile.Watch, err = WatchOf(b.ctx, b.src, b.result)
	return err
}

func moved(s stats.Shift) Moved {
	return Moved{
		Before: s.Before, After: s.After, Difference: s.Difference, Lo: s.Lo, Hi: s.Hi, Level: s.Level, Exact: s.Exact, Tasks: s.Tasks,
		BeforeRuns: s.BeforeRuns, AfterRuns: s.AfterRuns, BeforeNights: s.BeforeNights, AfterNights: s.AfterNights, Night: s.Night,
	}
}

func change(agentID string, c archive.ActiveChange) ActiveChange {
	out := ActiveChange{
		BeforeRun: c.BeforeRun, AfterRun: c.AfterRun, Last: c.Last, Since: c.Since, Params: c.Params, Files: c.Files, Models: c.Models, Evolve: c.Evolve,
		Learned: c.Learned, Proposal: c.Proposal, Versioned: c.Versioned, Unlisted: c.Unlisted,
	}
	for _, a := range c.Acts {
		out.Acts = append(out.Acts, Act{a.Kind, clip(a.ID, 60), clip(a.What, 120), a.By, a.Time, a.Commit, a.Live})
	}
	for _, k := range c.Further {
		out.Further = append(out.Further, *commitOf(k))
	}
	if c.Commit != nil {
		out.Commit = commitOf(*c.Commit)
	}
	out.Candidates = out.candidates()
	out.Command = out.command(agentID)
	return out
}

func commitOf(k archive.CommitBrief) *Commit {
	return &Commit{Repository: k.Repository, Hash: k.Hash, Subject: clip(k.Subject, MaxReason), Time: k.Time}
}

// Short returns the beginning of the commit's hash.
func (c Commit) Short() string { return c.Hash[:min(12, len(c.Hash))] }

// rollback reports whether a rollback is recommended. A rollback is recommended if
// tonight shows the adopted config to be worse than the config that it replaced. It is
// also recommended if tonight shows no gain and one of two conditions is met: tonight's
// gain is below the prediction, or an earlier night whose evidence still holds showed
// that the adopted config was worse or below the prediction.
func (a AdoptedWatch) rollback() bool {
	return a.Worse || a.Lo <= 0 && (a.Below || a.Crossed != nil)
}

// Disappoints reports whether the adopted config is worse than the config that it replaced
// or below the prediction, according to tonight's evidence or to evidence from an earlier
// night that still holds. It also returns true if this night proposes to restore the config
// that was replaced.
func (a AdoptedWatch) Disappoints() bool {
	return a.Worse || a.Below || a.Crossed != nil || a.RestoredBy != ""
}

// Alarm is a sentence with which every page about the agent begins, and a command that
// belongs to it. The sentence contains untrusted text.
type Alarm struct{ Text, Command string }

// Alarms lists the alarms, which a person should read first.
func (w *Watch) Alarms() []Alarm {
	var out []Alarm
	if w == nil {
		return nil
	}
	if f := w.Fall; f != nil {
		words := "the champion's score has fallen by " + number.Size(f.Difference) + " points since " + day(f.Since) + " " + f.bounds() + ": " + f.ActiveChange.cause()
		out = append(out, Alarm{words, f.Command})
	}
	if a := w.Adopted; a != nil && a.Disappoints() {
		command := a.Command
		if command == "" && a.RestoredBy != "" {
			command = "evolve show " + a.RestoredBy
		}
		out = append(out, Alarm{a.words(), command})
	}
	return out
}

// Row returns the text of a row that describes those findings that are not alarms, or "" if
// there are none.
func (w *Watch) Row() string {
	if w == nil {
		return ""
	}
	var parts []string
	if a := w.Adopted; a != nil && !a.Disappoints() {
		parts = append(parts, a.words())
	}
	if c := w.Changed; c != nil && w.Fall == nil {
		parts = append(parts, "changed by hand since the night of "+day(c.Last)+": "+c.what())
	}
	return strings.Join(parts, "; ")
}

func (m Moved) bounds() string {
	if m.Exact {
		return "(exact on " + number.Plural(m.Tasks, "task") + ")"
	}
	return number.Interval(m.Lo, m.Hi)
}

// words returns a description of how an adoption compares with its prediction.
func (a AdoptedWatch) words() string {
	words := a.Proposal
	seen := number.Points(a.Difference)
	if a.Disappoints() {
		words += " disappoints: " + seen + " points " + a.bounds() + " since its adoption"
		if p := a.Predicted; p != nil {
			words += ", predicted " + number.Points(p.Difference) + " " + number.Interval(p.Lo, p.Hi)
		}
		switch {
		case a.Worse:
			words += "; on the same tasks it scores below the config that it replaced"
		case !a.Below && a.Crossed != nil:
			words += a.Crossed.words()
		case a.RestoredBy != "":
			words += "; this night confirmed that the config that it replaced is better"
		case a.rollback():
			words += "; it gains at most " + number.Points(a.Upper) + " on tasks like these, and is not shown to gain anything"
		default:
			words += "; it gains at most " + number.Points(a.Upper) + " on tasks like these, which is still a gain"
		}
		if a.RestoredBy != "" {
			words += "; " + a.RestoredBy + " restores that config"
		}
		return words
	}
	if a.Predicted == nil {
		return words + ": " + seen + " points " + a.bounds() + " since its adoption; no gain had been predicted"
	}
	after := " points of " + number.Points(a.Predicted.Difference) + ", after " + number.Plural(a.AfterNights, "night")
	if a.Difference < a.Predicted.Lo {
		return words + ": " + seen + after + "; chance may explain that, " + a.bounds()
	}
	return words + " as predicted: " + seen + after
}

// words returns the reason why an adoption is still a disappointment although tonight's
// evidence by itself would not suffice to show that.
func (c Crossed) words() string {
	shown := "its gain on tasks like these was at most " + number.Points(c.Upper)
	if c.Worse {
		shown = "on the same tasks it scored below the config that it replaced"
	}
	return "; chance alone may explain that, but " + shown + " in the night of " + day(c.Night) + ", with " +
		number.Points(c.Difference) + " points " + number.Interval(c.Lo, c.Hi) + ", and no later night has refuted this finding"
}

// cause returns a phrase that names the changes just before a fall. The scores of two
// nights show the joint effect of the changes between them, not the effect of each change.
func (c ActiveChange) cause() string {
	if c.Candidates == 0 {
		words := "none of your commits changed the agent, so the cause is the provider or the data"
		if !c.Versioned {
			words = "neither its config nor its files changed, so the cause is the provider or the data"
		}
		return words + c.beside(", or ")
	}
	words := c.what() + c.beside("; ")
	if c.Candidates > 1 {
		words += "; any of these may be the cause"
	}
	return words
}

// beside returns a phrase that names the changes that no person caused. The phrase begins
// with the separator.
func (c ActiveChange) beside(separator string) string {
	words := ""
	if c.Learned {
		words += separator + "the experience from its live turns"
	}
	if c.Evolve {
		words += separator + "the new version of evolve"
	}
	return words
}

// what returns a phrase that describes a change: its commits, the parameters and files that
// changed, and people's actions.
func (c ActiveChange) what() string {
	var what []string
	if c.Commit != nil {
		for _, k := range append([]Commit{*c.Commit}, c.Further...) {
			what = append(what, "commit "+k.Short()+" “"+clip(k.Subject, 80)+"” of "+day(k.Time))
		}
		if c.Unlisted > 0 {
			what = append(what, number.Plural(c.Unlisted, "further commit"))
		}
	}
	var names []string
	for _, p := range First(c.Params, 4) {
		names = append(names, clip(p, 40))
	}
	if more := len(c.Params) - len(names); more > 0 {
		names = append(names, number.Count(more)+" more")
	}
	if c.Files {
		names = append(names, "files in its folder")
	}
	if c.Models {
		names = append(names, "its models, servers or policies in evolve.yaml")
	}
	if len(names) > 0 {
		what = append(what, strings.Join(names, ", ")+" changed")
	}
	if c.Commit == nil && c.Versioned && len(names) > 0 {
		what = append(what, "not in any commit")
	}
	acts := c.measured()
	for _, a := range First(acts, shownActs) {
		what = append(what, a.words())
	}
	if more := len(acts) - shownActs; more > 0 {
		what = append(what, number.Count(more)+" further actions by people")
	}
	return strings.Join(what, "; ")
}

// day formats a date without the year, as in "2 Jan".
func day(t time.Time) string { return t.UTC().Format("2 Jan") }

// NamedChange is one of the changes that a watch found, with its description.
type NamedChange struct{ Name, Text, Command string }

// Changes returns the named changes, which the details section of the report shows.
func (w *Watch) Changes() []NamedChange {
	var out []NamedChange
	live := func(c ActiveChange) {
		if c.feedback() {
			out = append(out, NamedChange{"feedback", "it is permanent, and evaluations use it as live turns do", ""})
		}
		if words := c.live(); words != "" {
			out = append(out, NamedChange{"only in live turns", words + "; no evaluation uses it", ""})
		}
	}
	if f := w.Fall; f != nil {
		out = append(out, NamedChange{"before the scores fell", f.ActiveChange.cause(), f.Command})
		live(f.ActiveChange)
	}
	if c := w.Changed; c != nil {
		out = append(out, NamedChange{"changed by hand", c.what(), c.Command})
		if w.Fall == nil || w.Fall.AfterRun != c.AfterRun {
			live(*c)
		}
	}
	return out
}
