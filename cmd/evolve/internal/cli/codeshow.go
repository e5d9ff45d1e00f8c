package cli

import (
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// codeView is the output of `evolve code show --json`.
type codeView struct {
	Target     string `json:"target"`
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	// Uncommitted describes the tracked files that differ from Commit.
	Uncommitted string      `json:"uncommitted,omitempty"`
	Blocks      []codeBlock `json:"blocks"`
	// Skipped names marked files that are not searched, with the reasons.
	Skipped []string       `json:"skipped,omitempty"`
	Metric  string         `json:"metric,omitempty"`
	Unit    string         `json:"unit,omitempty"`
	Better  metrics.Better `json:"better,omitempty"`
	// Base is the mean value of the present code; it is nil if the code has not been
	// scored yet.
	Base *codeBase `json:"base"`
	// Noise describes how much the values of the present code differ between starts of the
	// scoring command; it is nil if they do not differ.
	Noise *metrics.Noise `json:"noise,omitempty"`
	// Best is the best version so far; it is nil if no night has found a better version.
	// Unsearched reports whether no night has searched the present code.
	Best       *codeBest `json:"best"`
	Unsearched bool      `json:"unsearched,omitempty"`
	// Open holds the waiting proposals of versions, except the proposal of Best if that
	// proposal was made for the present code.
	Open []codeOpen `json:"open,omitempty"`
	// Refused holds the versions that the latest night confirmed but that gates refused.
	Refused []codeRefused `json:"refused,omitempty"`
	// Version is the version that was named on the command line.
	Version *codeVersion `json:"version,omitempty"`

	noun   string // noun for the items on which versions are scored
	folder string // the repository's folder, relative to the workspace
}

type codeBlock struct {
	Block string `json:"block"`
	File  string `json:"file"`
	// Line is the number of the line with the mark, and Lines is the number of lines
	// between the marks.
	Line  int `json:"line"`
	Lines int `json:"lines"`
}

// codeBase holds the means of the present code on the search cases and on the held-out
// cases. Holdout is nil if there are no values on held-out cases.
type codeBase struct {
	codeMean
	Holdout *codeMean `json:"holdout,omitempty"`
}

type codeMean struct {
	Mean  float64 `json:"mean"`
	Cases int     `json:"cases"`
}

// codeRefused is a confirmed version that a gate refused.
type codeRefused struct {
	Number int `json:"number"`
	stats.Refusal
}

type codeBest struct {
	Variant agent.ConfigID `json:"variant"`
	Number  int            `json:"number"`
	// Ref is the ref of the version's commit in the target's repository; it is empty if
	// there is none.
	Ref string `json:"ref,omitempty"`
	// Equal is the number of other versions with equal values on the search cases.
	Equal int `json:"equal_values,omitempty"`
	// LeftOut is the reason why a night kept the version out of the confirmation; it is
	// empty if no night did.
	LeftOut string `json:"left_out,omitempty"`
	// Proposal is the version's proposal, and State is the proposal's state. Both are empty
	// if there is none.
	Proposal string                `json:"proposal,omitempty"`
	State    archive.ProposalState `json:"state,omitempty"`
	// Waits is the reason why the draft of the proposal waits for its gates, and Unproposed
	// is the reason why a confirmed version has no proposal. Each is empty if it does not
	// apply.
	Waits      string `json:"waits,omitempty"`
	Unproposed string `json:"unproposed,omitempty"`
	codeConfirmed
	// History lists what happened to the version.
	History []codeAct  `json:"history,omitempty"`
	Search  *codeMeans `json:"search"`
	Holdout *codeMeans `json:"holdout"`
}

func showCode(sh *shell, b *codeBook, name string) error {
	view, err := b.view()
	if err != nil {
		return err
	}
	if name != "" {
		v, err := b.version(name)
		if err != nil {
			return err
		}
		if view.Version, err = b.versionView(v); err != nil {
			return err
		}
	}
	return sh.show(view, func() {
		if view.Version != nil {
			printCodeVersion(sh.console, b, view)
			return
		}
		printCode(sh.console, view)
	})
}

// view returns the known facts about a target's code.
func (b *codeBook) view() (*codeView, error) {
	v := &codeView{Target: b.Target.Name, Repository: b.Target.Repo, Commit: b.Commit(), Uncommitted: b.Uncommitted(), Blocks: []codeBlock{}, Skipped: b.Skipped(), noun: b.Cases(), folder: b.workspace.Rel(b.Target.Repo)}
	for _, k := range b.Blocks {
		v.Blocks = append(v.Blocks, codeBlock{k.Name, k.File, k.Line, strings.Count(k.Text, "\n")})
	}
	base, kind, err := b.base()
	if err != nil {
		return nil, err
	}
	if base != nil {
		v.Base = base
		v.Metric, v.Unit, v.Better = kind.Metric, kind.Unit, kind.Better
	}
	v.Noise = b.Noise()
	if v.Refused, err = b.refused(); err != nil {
		return v, err
	}
	best, ok, err := b.best()
	if err != nil {
		return v, err
	}
	if err := b.fillOpen(v, best.ID); err != nil || !ok {
		return v, err
	}
	v.Best, err = b.bestView(best)
	return v, err
}

// bestView returns the best version with its values, and with its history.
func (b *codeBook) bestView(best night.Best) (*codeBest, error) {
	r, err := b.record(best.ID)
	if err != nil {
		return nil, err
	}
	values := r.values(r.champion, best.ID)
	equal, err := b.equal(b.ID(), best.ID)
	if err != nil {
		return nil, err
	}
	v := &codeBest{Variant: best.ID, Number: best.Number, Ref: b.Ref(b.id, best.Variant), Equal: len(equal), LeftOut: best.Out, Search: values.Search, Holdout: values.Holdout}
	if v.codeConfirmed, err = b.confirmed(b.ID(), best.ID, idsOf(equal)); err != nil {
		return nil, err
	}
	histories, err := b.histories()
	if err != nil {
		return nil, err
	}
	v.History = histories[best.ID]
	for _, a := range v.History {
		if a.Act == actProposed {
			v.Proposal, v.State, v.Waits = a.Proposal, a.state, a.Reason
		}
	}
	if v.Confirmed && v.Proposal == "" {
		v.Unproposed, err = b.unproposed(best.ConfirmedBy)
	}
	return v, err
}

func printCode(con *console, v *codeView) {
	con.printf("%s  %s at %.12s\n", text.Visible(v.Target), text.Visible(v.Repository), v.Commit)
	if v.Uncommitted != "" {
		con.printf("  warning  %s\n", v.Uncommitted)
	}
	if v.Base == nil {
		con.printf("  metric   not known: the current code has not been scored yet; the next night scores it\n")
	} else {
		con.printf("  metric   %s, %s is better\n", text.Visible(v.Metric), v.Better)
		con.printf("  base     %s\n", v.Base.words(v))
	}
	if v.Noise.Any() {
		con.printf("  chance   %s\n", v.Noise.Words(v.Unit))
	}
	switch best := v.Best; {
	case best == nil && v.Unsearched:
		con.printf("  best     no night has searched the code at %.12s\n", v.Commit)
	case best == nil:
		con.printf("  best     no night found a version that is better than the code as it is\n")
	default:
		con.printf("  best     v%d%s\n", best.Number, best.standing(v.noun))
		if best.Equal > 0 {
			con.printf("           and %s with equal values\n", count(best.Equal, "version"))
		}
		printBest(con, v, "search", best.Search)
		if !best.print(con, "           ", best.whose(), v.noun) {
			printBest(con, v, "held-out", best.Holdout)
		}
		printHistory(con, "  ", 9, best.History)
		if best.Ref != "" {
			con.printf("           %s\n", text.GitShow(v.folder, best.Ref))
		}
	}
	printOpen(con, v)
	for _, f := range v.Refused {
		by := "no gate judged it"
		if f.Proposal != "" {
			by = fmt.Sprintf("by the gate %s of %s", text.Quote(f.Gate), f.Proposal)
		}
		con.printf("  refused  v%d, %s: %s\n", f.Number, by, text.Visible(f.Reason))
	}
	con.printf("\nblocks\n")
	for _, k := range v.Blocks {
		con.printf("  %s  %s:%d, %s\n", text.Visible(k.Block), text.Visible(k.File), k.Line, count(k.Lines, "line"))
	}
	for _, words := range v.Skipped {
		con.printf("  %s\n", words)
	}
	if v.Best != nil {
		con.printf("\n  %s\n", con.command(fmt.Sprintf("evolve code show %s v%d", text.ShellQuote(v.Target), v.Best.Number)))
	}
}

func printBest(con *console, v *codeView, side string, m *codeMeans) {
	if m != nil {
		con.printf("           %s%s → %s, the means of %s\n", v.Best.whose(), figure(m.A), withUnit(m.B, v.Unit), count(m.Cases, side+" "+v.noun))
	}
}

// words describes the means of the present code.
func (b *codeBase) words(v *codeView) string {
	mean := func(m codeMean, side string) string {
		return fmt.Sprintf("%s, the mean of %s", withUnit(m.Mean, v.Unit), count(m.Cases, side+" "+v.noun))
	}
	words := mean(b.codeMean, "search")
	if b.Holdout != nil {
		words += "; " + mean(*b.Holdout, "held-out")
	}
	return words
}

// whose returns the label of the two means. The label names the unchanged code and the
// version.
func (b *codeBest) whose() string { return fmt.Sprintf("base → v%d: ", b.Number) }

// standing describes whether the best version is confirmed and, if not, why not.
func (b *codeBest) standing(noun string) string {
	switch {
	case b.Confirmed && b.Unproposed != "":
		return ", confirmed on held-out " + noun + "s; " + text.Visible(b.Unproposed)
	case b.Confirmed:
		return ", confirmed on held-out " + noun + "s"
	}
	return " (not confirmed: " + text.Visible(orElse(b.Unconfirmed, "the reason was not recorded", b.Unconfirmed != "")) + ")"
}

// idsOf returns the ids of versions.
func idsOf(list []archive.Variant) []agent.ConfigID {
	out := make([]agent.ConfigID, len(list))
	for i, v := range list {
		out[i] = v.ID
	}
	return out
}
