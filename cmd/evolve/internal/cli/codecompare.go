package cli

import (
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/patch/diff"
	"evolve/reports/model"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// codeComparison is the output of `evolve code compare --json`.
type codeComparison struct {
	Target string         `json:"target"`
	A      agent.ConfigID `json:"a"`
	B      agent.ConfigID `json:"b"`
	Values codeValues     `json:"values"`
	// Diff is the diff from A to B, escaped for display.
	Diff string `json:"diff"`
	// Addressed lists the locations, in the lines that Diff adds, where the text addresses
	// a reviewer.
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
	// Scores is the comparison of scores, in the format of `evolve compare`.
	Scores compareView `json:"scores"`
}

func compareCode(sh *shell, b *codeBook, first, second string) error {
	one, err := b.version(first)
	if err != nil {
		return err
	}
	two, err := b.version(second)
	if err != nil {
		return err
	}
	if one.ID == two.ID {
		return exit.Misuse(fmt.Errorf("%s and %s are the same version", text.Quote(first), text.Quote(second)))
	}
	view, err := b.comparison(one, two)
	if err != nil {
		return err
	}
	return sh.show(view, func() {
		con := sh.console
		con.printf("v%d → v%d of %s\n", one.Number, two.Number, text.Visible(view.Target))
		printMeans(con, "search", view.Values, view.Values.Search)
		printFurther(con, "            ", view.Values.Further.Search)
		printMeans(con, "held-out", view.Values, view.Values.Holdout)
		printFurther(con, "            ", view.Values.Further.Holdout)
		if h := view.Scores.Holdout; h != nil && h.Metric != nil && h.Metric.Interval != nil {
			con.printf("            %g %% interval for new %ss: %s\n", 100*h.Metric.Level, b.Cases(), h.Metric.Bounds())
		}
		if len(view.Values.Cases) == 0 {
			con.printf("  no night scored both versions on the same code\n")
		}
		if c := view.Scores.Search; c != nil {
			con.printf("\nscores, on which the verdicts are based\n")
			printDifference(con, "search", wordsOfDifference(b.Cases(), *c))
		}
		if h := view.Scores.Holdout; h != nil {
			printHoldout(con, wordsOfHoldout(b.Cases(), *h))
		}
		con.printf("\ndiff\n")
		printCodeDiff(con, view.Diff)
		con.printAddressed("  ", view.Addressed)
		if len(view.Values.Cases) > 0 {
			printValues(con, view.Values, fmt.Sprintf("v%d", one.Number), fmt.Sprintf("v%d", two.Number))
		}
	})
}

// comparison compares two versions.
func (b *codeBook) comparison(one, two archive.Variant) (*codeComparison, error) {
	files, err := b.Change(one.Config, two.Config)
	if err != nil {
		return nil, err
	}
	r, err := b.record(one.ID, two.ID)
	if err != nil {
		return nil, err
	}
	scores, err := compareVariants(b.ctx, b.archive, one, two, b.basis(r.runs))
	return &codeComparison{Target: b.Target.Name, A: one.ID, B: two.ID, Values: r.values(one.ID, two.ID), Diff: diff.Render(files, diffContext), Addressed: model.AddressedFiles(files), Scores: scores}, err
}
