package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// ErrUnstored means that inputs of a ruling other than the evaluations are not stored,
// because the result was written by an older version of evolve.
var ErrUnstored = errors.New("the evidence for the ruling is not stored")

// ErrGone means that evaluations on which a ruling rests are no longer stored.
var ErrGone = errors.New("evaluations that the ruling rests on were removed")

// Recompute recomputes the ruling on a finalist in a stored result from the stored
// evaluations, and returns it. If it differs from the stored ruling, the error is an
// *archive.AuditError that names the differences. ErrUnstored and ErrGone mean that the
// ruling cannot be recomputed.
func Recompute(ctx context.Context, a *archive.Archive, r archive.AgentResult, f archive.Finalist) (stats.Ruling, error) {
	if r.Grounds == nil || f.Judged == nil || f.Ruling == nil {
		return stats.Ruling{}, ErrUnstored
	}
	differs := func(format string, args ...any) error { return contradiction(r, f.Variant, format, args...) }
	of := Of{Agent: r.Agent, Variant: f.Variant, Against: r.Grounds.Against, Runs: f.Runs}
	list, err := completed(ctx, a, of, r.Grounds.Tasks)
	if err != nil {
		return stats.Ruling{}, err
	}
	if len(list) < f.Judged.Blocks {
		if gone, err := removed(ctx, a, f.Runs); err != nil || gone {
			return stats.Ruling{}, errors.Join(ErrGone, err)
		}
		return stats.Ruling{}, differs("the ruling was computed from %d complete blocks, but %d are stored", f.Judged.Blocks, len(list))
	}
	list = list[:max(0, f.Judged.Blocks)]
	rule := stats.Rule{Alpha: f.Judged.Alpha, Fixed: r.Grounds.Fixed, Cap: f.Judged.Projected, Reference: r.Reference}.Of(r.Grounds.Metric)
	if rule.Alpha <= 0 || rule.Alpha >= 1 {
		return stats.Ruling{}, differs("the significance level of the ruling is %g, which is not between 0 and 1", rule.Alpha)
	}
	judge := func(list []block, rule stats.Rule) stats.Ruling {
		e := newFor(*r.Grounds)
		e.take(list, "")
		return e.Judge(string(f.Variant), rule)
	}
	if p := f.Ruling.Proof; p != nil && p.Blocks < f.Ruling.Blocks {
		if !slices.ContainsFunc(prefixes(list), func(upTo []block) bool {
			if len(upTo) < p.Blocks {
				return false
			}
			then := judge(upTo, rule)
			return then.Proof != nil && *then.Proof == *p
		}) {
			return stats.Ruling{}, differs("no stored interim analysis reproduces the first proof")
		}
		rule.Proof = p
	}
	now := judge(list, rule)
	if r.Grounds.Wording != stats.Wording { // the same ruling in the wording of another version
		now.Reason = f.Ruling.Reason
	}
	if what := unlike(f.Ruling, now); len(what) > 0 {
		return now, differs("the ruling differs from the one computed from the stored evaluations: %s", strings.Join(what, ", "))
	}
	if f.Reason != now.Reason || f.Accepted != (now.State == stats.Proven) || len(unlike(f.Comparison, now.Comparison)) > 0 {
		return now, differs("its stored reason, acceptance or comparison does not match its ruling")
	}
	return now, nil
}

// contradiction returns an *archive.AuditError about a variant of a result.
func contradiction(r archive.AgentResult, v agent.ConfigID, format string, args ...any) error {
	return &archive.AuditError{Subject: fmt.Sprintf("run %s, agent %s, variant %s", r.Run, r.Agent, v.Short()), Reason: fmt.Sprintf(format, args...)}
}

// prefixes returns every prefix of a list of blocks, the shortest first; each holds the
// blocks that were available at one interim analysis.
func prefixes(list []block) [][]block {
	out := make([][]block, len(list))
	for i := range list {
		out[i] = list[:i+1]
	}
	return out
}

// unlike returns the JSON fields in which two records differ, with both values if they are
// short.
func unlike(was, is any) []string {
	var one, two map[string]json.RawMessage
	for _, side := range []struct {
		from any
		to   *map[string]json.RawMessage
	}{{was, &one}, {is, &two}} {
		raw, err := json.Marshal(side.from)
		if err == nil {
			err = json.Unmarshal(raw, side.to)
		}
		if err != nil {
			return []string{err.Error()}
		}
	}
	names := map[string]bool{}
	for name := range one {
		names[name] = true
	}
	for name := range two {
		names[name] = true
	}
	var out []string
	for name := range names {
		if bytes.Equal(one[name], two[name]) {
			continue
		}
		if a, b := string(one[name]), string(two[name]); len(a)+len(b) < 48 && a != "" && b != "" {
			name += " " + a + " instead of " + b
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// removed reports whether retention removed evaluations of any of the given runs, or
// whether a repair could not save the whole archive.
func removed(ctx context.Context, a *archive.Archive, runs []string) (bool, error) {
	for _, id := range runs {
		r, err := a.Run(ctx, id)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil || r.Removed != nil && r.Removed.Evaluations > 0 {
			return err == nil, err
		}
	}
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil || e.Kind == archive.LedgerRepaired {
			return err == nil, err
		}
	}
	return false, nil
}
