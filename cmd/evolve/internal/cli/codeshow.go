package cli

import (
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/exit"
	"evolve/patch/diff"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// codeView is `evolve code show --json`.
type codeView struct {
	Target     string `json:"target"`
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	// Uncommitted describes the tracked files that differ from the commit.
	Uncommitted string      `json:"uncommitted,omitempty"`
	Blocks      []codeBlock `json:"blocks"`
	// Skipped names marked files that are not searched, with the reasons.
	Skipped []string       `json:"skipped,omitempty"`
	Metric  string         `json:"metric,omitempty"`
	Unit    string         `json:"unit,omitempty"`
	Better  metrics.Better `json:"better,omitempty"`
	// Base is the mean value of the code as it is on the search cases; nil when it was not
	// scored yet.
	Base *codeBase `json:"base"`
	// Noise is how far values of the code as it is differ between starts of the scoring
	// command; nil if they do not.
	Noise *metrics.Noise `json:"noise,omitempty"`
	// Best is the best version so far; nil when nights found none that is better. Unsearched
	// reports that no night has searched the code as it is.
	Best       *codeBest `json:"best"`
	Unsearched bool      `json:"unsearched,omitempty"`
	// Open are the proposals of versions that wait, but that of Best where it was made for the
	// code as it is.
	Open []codeOpen `json:"open,omitempty"`
	// Refused are the versions that the latest night confirmed and whose gates refused them.
	Refused []codeRefused `json:"refused,omitempty"`
	// Version is the one that was named.
	Version *codeVersion `json:"version,omitempty"`

	noun string // for what versions are scored on
}

type codeBlock struct {
	Block string `json:"block"`
	File  string `json:"file"`
	// Line is that of the mark, Lines the number of lines between the marks.
	Line  int `json:"line"`
	Lines int `json:"lines"`
}

type codeBase struct {
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
	// Ref is that of its commit in the target's repository; empty if there is none.
	Ref string `json:"ref,omitempty"`
	// Equal is the number of other versions with equal values on the search cases.
	Equal int `json:"equal_values,omitempty"`
	// LeftOut is why a night kept it out of the confirmation; empty if none did.
	LeftOut string `json:"left_out,omitempty"`
	// Proposal is the one that it was made of, and State what became of that; empty for none.
	Proposal string                `json:"proposal,omitempty"`
	State    archive.ProposalState `json:"state,omitempty"`
	// Waits is why the draft of the proposal waits for its gates, and Unproposed why a
	// confirmed version has no proposal; empty where it does not apply.
	Waits      string `json:"waits,omitempty"`
	Unproposed string `json:"unproposed,omitempty"`
	// Confirmed reports that the confirmation showed it to be better, and Ruling what it
	// showed at all, as in a report; empty if the version did not enter it.
	Confirmed bool        `json:"confirmed"`
	Ruling    stats.State `json:"ruling,omitempty"`
	// Gain is the difference in the metric in the confirmation, Score that of the scores,
	// which decides; nil without a confirmation, and Gain where tasks score the versions.
	// Against is the waiting version that both are over; empty: the code as it is.
	Gain    *stats.Gain `json:"gain,omitempty"`
	Score   *codeScore  `json:"score,omitempty"`
	Against string      `json:"against,omitempty"`
	// Further are the differences in the other metrics in the confirmation.
	Further []stats.Further `json:"further,omitempty"`
	Search  *codeMeans      `json:"search"`
	Holdout *codeMeans      `json:"holdout"`
}

// codeScore is a difference of scores with the interval of its claim.
type codeScore struct {
	Difference float64     `json:"difference"`
	Lo         float64     `json:"lo"`
	Hi         float64     `json:"hi"`
	Of         stats.Claim `json:"of"`
}

// codeVersion is one version in full.
type codeVersion struct {
	Variant archive.Variant `json:"variant"`
	// Ref is that of the commit in the target's repository; empty if there is none.
	Ref string `json:"ref,omitempty"`
	// Equal are the numbers of other versions with equal values on the search cases.
	Equal []int `json:"equal_values,omitempty"`
	// Diff is against the code as it is, escaped.
	Diff string `json:"diff"`
	// Lineage has the version first, without texts.
	Lineage []codeStep `json:"lineage"`
	// Hunks are those of Diff.
	Hunks []coding.Hunk `json:"hunks,omitempty"`
	// Values are those of the code that it was compared with (a) and its own (b).
	Values codeValues `json:"values"`
}

// codeStep is one version of a lineage.
type codeStep struct {
	Variant   agent.ConfigID   `json:"variant"`
	Number    int              `json:"number"`
	Operator  string           `json:"operator"`
	Author    string           `json:"author,omitempty"`
	Rationale string           `json:"rationale,omitempty"`
	Parents   []agent.ConfigID `json:"parents,omitempty"`
	// LeftOut is why later nights leave it out; empty if they do not.
	LeftOut string `json:"left_out,omitempty"`
	// Diff is that from the first parent, escaped.
	Diff string `json:"diff,omitempty"`
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

// view returns what is known of a target's code.
func (b *codeBook) view() (*codeView, error) {
	v := &codeView{Target: b.Target.Name, Repository: b.Target.Repo, Commit: b.Commit(), Uncommitted: b.Uncommitted(), Blocks: []codeBlock{}, Skipped: b.Skipped(), noun: b.Cases()}
	for _, k := range b.Blocks {
		v.Blocks = append(v.Blocks, codeBlock{k.Name, k.File, k.Line, strings.Count(k.Text, "\n")})
	}
	mean, kind, cases, err := b.baseMean()
	if err != nil {
		return nil, err
	}
	if cases > 0 {
		v.Base = &codeBase{mean, cases}
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
	r, err := b.record([]agent.ConfigID{best.ID})
	if err != nil {
		return v, err
	}
	values := r.values(r.champion, best.ID)
	v.Best = &codeBest{Variant: best.ID, Number: best.Number, Ref: b.Ref(b.id, best.Variant), LeftOut: best.Out, Confirmed: best.ConfirmedBy != "", Search: values.Search, Holdout: values.Holdout}
	equal, err := b.equal(best.ID)
	if err != nil {
		return v, err
	}
	v.Best.Equal = len(equal)
	if r := best.Ruling; r != nil {
		i, of := r.Shown()
		v.Best.Further = r.Further
		v.Best.Ruling, v.Best.Gain, v.Best.Score = r.State, r.Metric, &codeScore{r.Difference, i.Lo, i.Hi, of}
		if r.Reference != nil {
			v.Best.Against = r.Reference.Words()
		}
	}
	for p, err := range b.archive.Proposals(b.ctx) {
		if err != nil {
			return v, err
		}
		if id, ok := p.VariantOf(b.Target.Name); ok && id == best.ID {
			v.Best.Proposal, v.Best.State, v.Best.Waits = p.ID, p.State, ""
			if p.State == archive.Drafted {
				v.Best.Waits = p.Patch.Waits
			}
		}
	}
	if best.ConfirmedBy != "" && v.Best.Proposal == "" {
		v.Best.Unproposed, err = b.unproposed(best.ConfirmedBy)
	}
	return v, err
}

// versionView returns a version with its diff, lineage and values.
func (b *codeBook) versionView(v archive.Variant) (*codeVersion, error) {
	files, err := b.Change(b.Current(), v.Config)
	if err != nil {
		return nil, fmt.Errorf("v%d: %w", v.Number, err)
	}
	parts := b.Parts(v.Config)
	r, err := b.record([]agent.ConfigID{v.ID}, append(coding.HunkVersions(parts), b.Current().ID())...)
	if err != nil {
		return nil, err
	}
	equal, err := b.equal(v.ID)
	if err != nil {
		return nil, err
	}
	lineage, err := b.steps(v, false)
	return &codeVersion{
		Variant: v, Ref: b.Ref(b.id, v), Equal: equal, Diff: diff.Render(files, diffContext), Lineage: lineage,
		Hunks: coding.Hunks(parts, b.Current().ID(), v.ID, r.searchValues()), Values: r.values(r.champion, v.ID),
	}, err
}

// diffContext is the number of unchanged lines around a change.
const diffContext = 3

// steps returns the lineage of a version, with the diff of each step if it is wanted.
func (b *codeBook) steps(v archive.Variant, diffs bool) ([]codeStep, error) {
	line, err := ancestors(b.ctx, b.archive, v)
	if err != nil {
		return nil, err
	}
	left, err := b.leftOut()
	if err != nil {
		return nil, err
	}
	var out []codeStep
	for i, v := range line {
		s := codeStep{Variant: v.ID, Number: v.Number, Operator: v.Operator, Author: v.Author, Rationale: v.Rationale, Parents: v.Parents, LeftOut: left[v.ID].Reason}
		if diffs && i+1 < len(line) {
			files, err := b.Change(line[i+1].Config, v.Config)
			if err != nil {
				return nil, fmt.Errorf("v%d: %w", v.Number, err)
			}
			s.Diff = diff.Render(files, diffContext)
		}
		out = append(out, s)
	}
	return out, nil
}

func printCode(con *console, v *codeView) {
	con.filled("", "%s  %s at %.12s", text.Visible(v.Target), text.Visible(v.Repository), v.Commit)
	if v.Uncommitted != "" {
		con.filled("  warning  ", "%s", v.Uncommitted)
	}
	if v.Base == nil {
		con.filled("  metric   ", "not known: the code as it is was not scored yet; the next night scores it")
	} else {
		con.printf("  metric   %s, %s is better\n", text.Visible(v.Metric), v.Better)
		con.filled("  base     ", "%s, the mean of %s", withUnit(v.Base.Mean, v.Unit), count(v.Base.Cases, "search "+v.noun))
	}
	if v.Noise.Any() {
		con.filled("  chance   ", "%s", v.Noise.Words(v.Unit))
	}
	switch best := v.Best; {
	case best == nil && v.Unsearched:
		con.filled("  best     ", "no night has searched the code at %.12s", v.Commit)
	case best == nil:
		con.filled("  best     ", "no night found a version that is better than the code as it is")
	default:
		con.filled("  best     ", "v%d%s%s", best.Number, howConfirmed(best, v.noun), best.became())
		if best.Equal > 0 {
			con.printf("           and %s with equal values\n", count(best.Equal, "version"))
		}
		if best.LeftOut != "" && best.Proposal == "" {
			con.filled("           not confirmed: ", "%s", text.Visible(best.LeftOut))
		}
		printBest(con, v, "search", best.Search)
		printConfirmed(con, v)
		if best.Ref != "" {
			con.printf("           git show %s\n", exit.ShellQuote(best.Ref))
		}
	}
	printOpen(con, v.Open)
	for _, f := range v.Refused {
		by := "no gate judged it"
		if f.Proposal != "" {
			by = fmt.Sprintf("by the gate %s of %s", text.Quote(f.Gate), f.Proposal)
		}
		con.filled("  refused  ", "v%d, %s: %s", f.Number, by, text.Visible(f.Reason))
	}
	con.printf("\nblocks\n")
	for _, k := range v.Blocks {
		con.printf("  %s  %s:%d, %s\n", text.Visible(k.Block), text.Visible(k.File), k.Line, count(k.Lines, "line"))
	}
	for _, words := range v.Skipped {
		con.filled("  ", "%s", words)
	}
	if v.Best != nil {
		con.printf("\n  %s\n", con.command(fmt.Sprintf("evolve code show %s v%d", exit.ShellQuote(v.Target), v.Best.Number)))
	}
}

// became returns what became of the version's proposal; empty for none.
func (b *codeBest) became() string {
	switch {
	case b.Unproposed != "":
		return "; " + text.Visible(b.Unproposed)
	case b.Proposal == "":
		return ""
	case b.Waits != "":
		return "; " + b.Proposal + " waits for its gates: " + text.Visible(b.Waits)
	case b.State == archive.Drafted:
		return "; " + b.Proposal + " waits for its gates"
	}
	return ", " + b.Proposal + " is " + strings.ReplaceAll(string(b.State), "_", " ")
}

// howConfirmed describes what the confirmation showed of a version; empty if it did not enter it.
func howConfirmed(best *codeBest, noun string) string {
	switch {
	case best.Confirmed:
		return ", confirmed on held-out " + noun + "s"
	case best.Ruling != "":
		return ", not confirmed on held-out " + noun + "s: " + model.StateText(best.Ruling)
	}
	return ""
}

// printConfirmed shows the best version on held-out cases: the difference in the metric with
// its interval, and that of the scores.
func printConfirmed(con *console, v *codeView) {
	best := v.Best
	if best.Gain == nil {
		printBest(con, v, "held-out", best.Holdout)
		return
	}
	words, _ := strings.CutPrefix(best.Gain.Words(), best.Gain.Title()+" ")
	con.filled("           ", "%s, the means of %s%s", words, strings.Replace(best.Gain.Size(), "case", "held-out case", 1), orElse(", against "+best.Against, "", best.Against != ""))
	if s := best.Score; s != nil {
		con.filled("           ", "score %s points %s for %s, which decides", number.Points(s.Difference), number.Interval(s.Lo, s.Hi), strings.Replace(s.Of.Words(), "task", v.noun, 1))
	}
	printFurther(con, "           ", best.Further)
}

func printBest(con *console, v *codeView, side string, m *codeMeans) {
	if m != nil {
		con.filled("           ", "%s → %s, the means of %s", figure(m.A), withUnit(m.B, v.Unit), count(m.Cases, side+" "+v.noun))
	}
}

func printCodeVersion(con *console, b *codeBook, view *codeView) {
	v := view.Version
	con.printf("v%d of %s  %s\n", v.Variant.Number, text.Visible(view.Target), v.Variant.ID.Short())
	printMeans(con, "search", v.Values, v.Values.Search)
	printFurther(con, "            ", v.Values.Further.Search)
	printMeans(con, "held-out", v.Values, v.Values.Holdout)
	printFurther(con, "            ", v.Values.Further.Holdout)
	if v.Values.Holdout == nil {
		con.filled("  ", "it did not enter the confirmation: there are no values of held-out %ss", view.noun)
	}
	if v.Ref != "" {
		con.printf("  commit    git show %s\n", exit.ShellQuote(v.Ref))
	}
	if len(v.Equal) > 0 {
		con.filled("  equal     ", "%s on search %ss", versionsNamed(v.Equal), view.noun)
	}
	if why := v.Lineage[0].LeftOut; why != "" {
		con.filled("  left out of later nights: ", "%s", text.Visible(why))
	}
	con.printf("\nlineage, the version first\n")
	for _, s := range v.Lineage {
		printStep(con, b, s)
	}
	con.printf("\ndiff against the code as it is\n")
	printCodeDiff(con, v.Diff)
	if len(v.Hunks) > 0 {
		con.printf("\n")
		con.filled("", "hunks by themselves: mean change of %s on search %ss, an estimate", text.Visible(v.Values.Metric), view.noun)
		for _, h := range v.Hunks {
			con.filled("  ", "%s", cell(h.Text, 74))
			con.filled("      ", "%s", h.Describe(v.Values.Unit))
		}
	}
	if len(v.Values.Cases) == 0 {
		con.printf("\nno values are recorded\n")
		return
	}
	con.printf("\n%s by %s\n", text.Visible(orElse(v.Values.Metric, "values", v.Values.Metric != "")), view.noun)
	printValues(con, v.Values, "base", fmt.Sprintf("v%d", v.Variant.Number))
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
		con.filled("      ", "%s", text.Visible(s.Rationale))
	}
	if s.LeftOut != "" {
		con.filled("      left out of later nights: ", "%s", text.Visible(s.LeftOut))
	}
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

// codeLineage is `evolve code lineage --json`.
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

// codeComparison is `evolve code compare --json`.
type codeComparison struct {
	Target string         `json:"target"`
	A      agent.ConfigID `json:"a"`
	B      agent.ConfigID `json:"b"`
	Values codeValues     `json:"values"`
	// Diff is from A to B, escaped.
	Diff string `json:"diff"`
	// Scores is the comparison of scores, in the form of `evolve compare`.
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
			con.filled("            ", "%g %% interval for new %ss: %s", 100*h.Metric.Level, b.Cases(), h.Metric.Bounds())
		}
		if len(view.Values.Cases) == 0 {
			con.filled("  ", "no night scored both on the same code")
		}
		if c := view.Scores.Search; c != nil {
			con.printf("\nscores, from which the verdicts are made\n")
			printDifference(con, b.Cases(), "search", *c)
		}
		if h := view.Scores.Holdout; h != nil {
			printHoldout(con, b.Cases(), *h)
		}
		con.printf("\ndiff\n")
		printCodeDiff(con, view.Diff)
		if len(view.Values.Cases) > 0 {
			con.printf("\n%s by %s\n", text.Visible(orElse(view.Values.Metric, "values", view.Values.Metric != "")), b.Cases())
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
	r, err := b.record([]agent.ConfigID{one.ID, two.ID})
	if err != nil {
		return nil, err
	}
	scores, err := compareVariants(b.ctx, b.archive, one, two, b.basis(r.runs))
	return &codeComparison{Target: b.Target.Name, A: one.ID, B: two.ID, Values: r.values(one.ID, two.ID), Diff: diff.Render(files, diffContext), Scores: scores}, err
}
