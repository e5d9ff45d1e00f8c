package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/text"
)

// pricesOf are the guards that a proposal's variant breaks, in words with both figures; none
// where it is no trade.
func pricesOf(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) ([]string, error) {
	if p.Run == "" || p.Kind != archive.KindConfig {
		return nil, nil
	}
	result, err := resultBehind(ctx, a, p)
	if errors.As(err, new(*archive.AuditError)) { // no claim is made from it either
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range result.Finalist {
		if f.Variant != p.Variant || f.Ruling == nil {
			continue
		}
		for _, g := range f.Ruling.Guards {
			if g.Broken() {
				out = append(out, g.Sentence())
			}
		}
	}
	return out, nil
}

// claimWords describes what is known of a variant, and whether it breaks a guard.
func claimWords(c stats.Claim, prices []string) string {
	words := claims[c]
	if words != "" && len(prices) > 0 {
		words += ", and breaks a guard"
	}
	return words
}

// grounds are the lines before a decision on a config: what was shown of it with its
// interval, and both figures of each guard that it breaks.
func grounds(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) ([]string, error) {
	prices, err := pricesOf(ctx, a, p)
	if err != nil || p.Run == "" || p.Kind != archive.KindConfig {
		return nil, err
	}
	result, err := resultBehind(ctx, a, p)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range result.Finalist {
		if f.Variant != p.Variant || f.Ruling == nil || claims[f.Ruling.Claim] == "" {
			continue
		}
		i, _ := f.Ruling.Shown()
		out = append(out, fmt.Sprintf("%s: %+.1f points [%+.1f, %+.1f]", claims[f.Ruling.Claim], 100*f.Ruling.Difference, 100*i.Lo, 100*i.Hi))
	}
	for _, price := range prices {
		out = append(out, "it breaks a guard: "+price)
	}
	return out, nil
}

func printGrounds(out io.Writer, lines []string) {
	for _, line := range lines {
		_, _ = fmt.Fprintf(out, "  %s\n", text.Visible(line))
	}
}
