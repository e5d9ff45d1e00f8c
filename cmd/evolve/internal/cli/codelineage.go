package cli

import (
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/patch/diff"
	"evolve/reports/model"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// codeStep is one version in a lineage.
type codeStep struct {
	Variant   agent.ConfigID `json:"variant"`
	Number    int            `json:"number"`
	Operator  string         `json:"operator"`
	Author    string         `json:"author,omitempty"`
	Rationale string         `json:"rationale,omitempty"`
	// Addressed lists the locations, in Rationale and in the lines that Diff adds, where
	// the text addresses a reviewer.
	Addressed []string         `json:"addressed_to_reviewers,omitempty"`
	Parents   []agent.ConfigID `json:"parents,omitempty"`
	// LeftOut is the reason why later nights leave the version out; it is empty if they do
	// not leave it out.
	LeftOut string `json:"left_out,omitempty"`
	// History lists what happened to the version.
	History []codeAct `json:"history,omitempty"`
	// Diff is the diff from the first parent to this version, escaped for display.
	Diff string `json:"diff,omitempty"`
}

// codeLineage is the output of `evolve code lineage --json`.
type codeLineage struct {
	Target  string     `json:"target"`
	Lineage []codeStep `json:"lineage"`
}

func showCodeLineage(sh *shell, b *codeBook, name string) error {
	v, err := b.named(name)
	if err != nil {
		return err
	}
	steps, err := b.steps(v, true)
	if err != nil {
		return err
	}
	return sh.show(codeLineage{b.Target.Name, steps}, func() {
		for i, s := range steps {
			if i > 0 {
				sh.printf("\n")
			}
			printStep(sh.console, b, s)
			if s.Diff != "" {
				printCodeDiff(sh.console, s.Diff)
			}
		}
	})
}

// steps returns the lineage of a version, with the diff of each step if diffs is set.
func (b *codeBook) steps(v archive.Variant, diffs bool) ([]codeStep, error) {
	line, err := ancestors(b.ctx, b.archive, v)
	if err != nil {
		return nil, err
	}
	left, err := b.leftOut()
	if err != nil {
		return nil, err
	}
	histories, err := b.histories()
	if err != nil {
		return nil, err
	}
	var out []codeStep
	for i, v := range line {
		s := codeStep{Variant: v.ID, Number: v.Number, Operator: v.Operator, Author: v.Author, Rationale: v.Rationale, Addressed: addressedIn(v), Parents: v.Parents, LeftOut: left[v.ID].Reason, History: histories[v.ID]}
		if diffs && i+1 < len(line) {
			files, err := b.Change(line[i+1].Config, v.Config)
			if err != nil {
				return nil, fmt.Errorf("v%d: %w", v.Number, err)
			}
			s.Diff = diff.Render(files, diffContext)
			s.Addressed = append(s.Addressed, model.AddressedFiles(files)...)
		}
		out = append(out, s)
	}
	return out, nil
}

// printStep prints a step of a lineage.
func printStep(con *console, b *codeBook, s codeStep) {
	made := text.Visible(s.Operator)
	if s.Author != "" {
		made += " by " + text.Visible(s.Author)
	}
	for _, p := range s.Parents[min(1, len(s.Parents)):] {
		made += fmt.Sprintf(" with v%d", b.numberOf(p))
	}
	con.printf("  v%d  %s\n", s.Number, made)
	if s.Rationale != "" {
		con.printf("      %s\n", text.Visible(s.Rationale))
	}
	con.printAddressed("      ", s.Addressed)
	if s.LeftOut != "" {
		con.printf("      left out of later nights: %s\n", text.Visible(s.LeftOut))
	}
	printHistory(con, "      ", 10, s.History)
}

// printCodeDiff prints an escaped diff.
func printCodeDiff(con *console, escaped string) {
	if escaped == "" {
		con.printf("  none\n")
	}
	for line := range strings.Lines(escaped) {
		con.printf("  %s", line)
	}
}

// diffContext is the number of unchanged lines shown around a change.
const diffContext = 3
