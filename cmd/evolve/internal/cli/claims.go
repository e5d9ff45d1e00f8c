package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render"
	"evolve/runtime/text"
)

// pricesOf describes the guards that a proposal's variant breaks, each with the figures of
// the champion and of the variant. It returns none if the proposal is not a trade.
func pricesOf(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) ([]string, error) {
	r, err := rulingOn(ctx, a, p)
	if errors.As(err, new(*archive.AuditError)) { // no claim is based on such a ruling either
		return nil, nil
	}
	return prices(r), err
}

// prices describes the guards that a ruling found broken.
func prices(r *stats.Ruling) (out []string) {
	if r == nil {
		return nil
	}
	for _, g := range r.Guards {
		if g.Broken() {
			out = append(out, g.Sentence())
		}
	}
	return out
}

// claimWords describes the known facts about a variant, and whether it breaks a guard.
func claimWords(c stats.Claim, prices []string) string {
	words := claims[c]
	if words != "" && len(prices) > 0 {
		words += ", and breaks a guard"
	}
	return words
}

// grounds returns the lines that precede a decision on a config. They contain the
// improvement that was shown for the config, with its interval, and what gets worse or more
// expensive with it. For a level of autonomy they contain the present figures.
func grounds(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, now time.Time) ([]string, error) {
	out, err := shownOf(ctx, a, p, now)
	if err != nil {
		return nil, err
	}
	price, err := priceOf(ctx, a, p)
	return append(out, price...), err
}

// shownOf returns the lines of grounds without those about the price.
func shownOf(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, now time.Time) (out []string, err error) {
	if p.Autonomy != nil {
		f, err := a.Conduct(ctx, p.Agent, now)
		if err != nil {
			return nil, err
		}
		return levelGrounds(p.Autonomy.To, f), nil
	}
	r, err := rulingOn(ctx, a, p)
	if r == nil || err != nil {
		return nil, err
	}
	if words := claims[r.Claim]; words != "" {
		i, _ := r.Shown()
		out = append(out, words+": "+number.Points(r.Difference)+" points "+number.Interval(i.Lo, i.Hi))
	}
	return out, nil
}

// priceOf returns the lines about what gets worse or more expensive with a proposal's
// variant, as in the decision box of its night. If the night's verdict is about another
// variant, the lines name the guards that the proposal's variant breaks.
func priceOf(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) ([]string, error) {
	r, err := rulingOn(ctx, a, p)
	if errors.As(err, new(*archive.AuditError)) {
		return nil, nil
	}
	if r == nil || err != nil {
		return nil, err
	}
	measured, volatile, err := model.Judged(ctx, a, p.RulingRun(), p.Agent)
	if err != nil {
		return nil, err
	}
	if h := measured.Headline; h != nil && h.Variant.ID == p.Variant {
		return render.Price(measured, volatile), nil
	}
	return breaking(prices(r)), nil
}

// breaking returns one line for each of the guards that a variant breaks.
func breaking(guards []string) (out []string) {
	for _, g := range guards {
		out = append(out, "the variant breaks a guard: "+g)
	}
	return out
}

func printGrounds(out io.Writer, lines []string) {
	for _, line := range lines {
		_, _ = fmt.Fprintf(out, "  %s\n", text.Visible(line))
	}
}
