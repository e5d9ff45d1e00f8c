package cli

import (
	"fmt"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/patch/diff"
	"evolve/reports/model"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// codeVersion describes one version in full detail.
type codeVersion struct {
	Variant archive.Variant `json:"variant"`
	// Ref is the ref of the version's commit in the target's repository; it is empty if
	// there is none.
	Ref string `json:"ref,omitempty"`
	// Equal holds the numbers of other versions with equal values on the search cases.
	Equal []int `json:"equal_values,omitempty"`
	// Base is the code against which the version was measured, and to which the version's
	// diff, hunks and values refer.
	Base codeBaseline `json:"base"`
	codeConfirmed
	// History lists what happened to the version.
	History []codeAct `json:"history,omitempty"`
	// Diff is the diff from Base to the version, escaped for display. Addressed lists the
	// locations, in the lines that Diff adds, where the text addresses a reviewer.
	Diff      string   `json:"diff"`
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
	// Lineage starts with the version; its steps have no diffs.
	Lineage []codeStep `json:"lineage"`
	// Small describes the reduction of a finalist to this version; it is nil for other
	// versions.
	Small *codeSmall `json:"made_small,omitempty"`
	// Hunks holds the hunks of Diff.
	Hunks []coding.Hunk `json:"hunks,omitempty"`
	// Values holds the values of Base (a) and of the version (b).
	Values codeValues `json:"values"`
}

// codeSmall is the reduction of a finalist to a smaller version.
type codeSmall struct {
	// From is the number of the finalist.
	From int `json:"from"`
	// Found describes what remains of the finalist, and whether there were enough
	// evaluations to try removing all parts.
	Found string `json:"found,omitempty"`
}

// versionView returns a version with its diff, lineage and values.
func (b *codeBook) versionView(v archive.Variant) (*codeVersion, error) {
	r, err := b.recordOf(v)
	if err != nil {
		return nil, err
	}
	base, err := b.baseline(r.codeState, v.ID)
	if err != nil {
		return nil, err
	}
	out := &codeVersion{Variant: v, Ref: b.Ref(b.id, v), Base: base}
	files, err := base.code.Change(base.config, v.Config)
	if err != nil {
		return nil, fmt.Errorf("v%d: %w", v.Number, err)
	}
	out.Diff, out.Addressed = diff.Render(files, diffContext), model.AddressedFiles(files)
	parts := base.code.Parts(base.config, v.Config)
	if r, err = b.read(r.codeState, append(coding.HunkVersions(parts), v.ID)...); err != nil {
		return nil, err
	}
	out.Hunks, out.Values = coding.Hunks(parts, base.Variant, v.ID, r.searchValues()), r.values(r.champion, v.ID)
	equal, err := b.equal(r.hash, v.ID)
	if err != nil {
		return nil, err
	}
	for _, other := range equal {
		out.Equal = append(out.Equal, other.Number)
	}
	if out.codeConfirmed, err = b.confirmed(r.hash, v.ID, idsOf(equal)); err != nil {
		return nil, err
	}
	if out.Small, err = b.madeSmall(r.hash, v.ID); err != nil {
		return nil, err
	}
	out.Lineage, err = b.steps(v, false)
	if err == nil {
		out.History = out.Lineage[0].History
	}
	return out, err
}

// madeSmall describes how the latest night that reduced a finalist to the given version,
// on the given state of the code, did so. It returns nil if no night did, or if the
// finalist was left unchanged.
func (b *codeBook) madeSmall(hash string, id agent.ConfigID) (*codeSmall, error) {
	for n, err := range b.nights(hash) {
		if err != nil {
			return nil, err
		}
		for _, a := range n.Minimised() {
			if a.Small == id && a.Winner != id {
				return &codeSmall{From: b.numberOf(a.Winner), Found: b.smallWords(a)}, nil
			}
		}
	}
	return nil, nil
}

// smallWords describes the result of reducing a finalist.
func (b *codeBook) smallWords(a archive.Ablation) string {
	if b.Own() == "" {
		return stats.OfCases(a.Reason)
	}
	return a.Reason
}

func printCodeVersion(con *console, b *codeBook, view *codeView) {
	v := view.Version
	con.printf("v%d of %s  %s\n", v.Variant.Number, text.Visible(view.Target), v.Variant.ID.Short())
	con.printf("  base      %s\n", v.Base.describe())
	printMeans(con, "search", v.Values, v.Values.Search)
	printFurther(con, "            ", v.Values.Further.Search)
	printMeans(con, "held-out", v.Values, v.Values.Holdout)
	printFurther(con, "            ", v.Values.Further.Holdout)
	v.printConfirmed(con, view.noun)
	printHistory(con, "  ", 10, v.History)
	if v.Ref != "" {
		con.printf("  commit    %s\n", text.GitShow(view.folder, v.Ref))
	}
	if len(v.Equal) > 0 {
		con.printf("  equal     %s on search %ss\n", versionsNamed(v.Equal), view.noun)
	}
	if why := v.Lineage[0].LeftOut; why != "" {
		con.printf("  left out of later nights: %s\n", text.Visible(why))
	}
	con.printf("\nlineage, starting with this version\n")
	for i, s := range v.Lineage {
		if i == 0 {
			s.LeftOut, s.History = "", nil // shown above
		}
		printStep(con, b, s)
	}
	con.printf("\ndiff against the base, %s\n", v.Base.name())
	printCodeDiff(con, v.Diff)
	con.printAddressed("  ", v.Addressed)
	if v.Small != nil {
		con.printf("\n")
		con.printf("reduced from v%d%s\n", v.Small.From, orElse(": "+text.Visible(v.Small.Found), "", v.Small.Found != ""))
	}
	if len(v.Hunks) > 0 {
		con.printf("\n")
		con.printf("estimated effect of each hunk by itself: mean change in %s on search %ss\n", text.Visible(v.Values.Metric), view.noun)
		for _, h := range v.Hunks {
			con.printf("  %s\n", cell(h.Title(), 74))
			con.printf("      %s\n", h.Describe(v.Values.Unit))
		}
	}
	if len(v.Values.Cases) == 0 {
		con.printf("\nno values are recorded\n")
		return
	}
	printValues(con, v.Values, "base", fmt.Sprintf("v%d", v.Variant.Number))
}

// printConfirmed prints what the confirmation found about a version.
func (v *codeVersion) printConfirmed(con *console, noun string) {
	if v.Values.Holdout == nil && v.Gain != nil { // the version was measured against a waiting version
		con.printf("  held-out\n")
		v.print(con, "            ", "", noun)
	}
	switch {
	case v.Confirmed:
		con.printf("  confirmed on held-out %ss\n", noun)
	case v.Unconfirmed != "":
		con.printf("  not confirmed: %s\n", text.Visible(v.Unconfirmed))
	}
	if v.Values.Holdout == nil && !v.entered {
		con.printf("  the version did not enter the confirmation: there are no values on held-out %ss\n", noun)
	}
}
