package nightly

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/decide"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// confirm evaluates the finalists beside the champion on every holdout task, in
// complete blocks, decides, and drafts a proposal for a winner.
func (n *night) confirm(ctx context.Context, rec *mutate.Recommendation) error {
	finalists := better(rec, n.plan.Finalists)
	if len(finalists) == 0 && !n.result.SearchDone {
		n.result.Reason = "the search was cut short before anything looked better than the champion"
		return nil
	}
	if len(finalists) == 0 {
		d := stats.Decide(nil, n.level())
		n.result.Verdict, n.result.Reason, n.result.Detectable = d.Verdict, d.Sentence, finite(n.plan.Detectable)
		return nil
	}
	arms := make([]arm, 0, 1+len(finalists))
	arms = append(arms, arm{n.plan.Champion, n.agent.Champion})
	for _, f := range finalists {
		arms = append(arms, arm{f.Variant, f.Config})
	}
	first, err := n.expose(ctx, finalists)
	if err != nil {
		return err
	}
	jobs := n.blocks(arms, first)
	evals, ended := n.batch(ctx, "confirm", jobs)
	evals = evals[:n.complete(evals, len(arms))]
	if n.result.Blocks == 0 {
		n.result.Reason = "not one block of the confirmation was complete"
		return ended
	}
	n.decide(evals, arms, finalists)
	if n.result.Verdict != archive.Adopt {
		return ended
	}
	if err := n.propose(ctx); err != nil {
		return err
	}
	return ended
}

// arm is one of the configs that are compared.
type arm struct {
	id     agent.ConfigID
	config agent.Config
}

// better lists the finalists whose estimate on the search tasks is above the
// champion's: the holdout is opened for nobody else.
func better(rec *mutate.Recommendation, most int) []mutate.Estimate {
	var out []mutate.Estimate
	for _, f := range rec.Finalists {
		if len(out) < most && f.Score > rec.Champion.Score && f.Variant != rec.Champion.Variant {
			out = append(out, f)
		}
	}
	return out
}

// expose enters the opening of the holdout in its ledger, before it happens, and
// returns the first repeat number that no earlier opening has used.
func (n *night) expose(ctx context.Context, finalists []mutate.Estimate) (first int, err error) {
	for e, err := range n.o.Archive.Exposures(ctx, n.agent.ID) {
		if err != nil {
			return 0, fmt.Errorf("reading the holdout's ledger: %w", err)
		}
		if e.Run == n.run.ID {
			return e.FirstRepeat, nil // a resumed run goes on with its own
		}
		first = max(first, e.FirstRepeat+e.Repeats)
	}
	exposure := archive.Exposure{
		Agent: n.agent.ID, Run: n.run.ID, SuiteHash: n.plan.SuiteHash, Tasks: len(n.sides.holdout),
		FirstRepeat: first, Repeats: n.plan.Repeats, Time: n.o.Now(),
	}
	for _, f := range finalists {
		exposure.Variants = append(exposure.Variants, f.Variant)
	}
	if err := n.o.Archive.Expose(ctx, exposure); err != nil {
		return 0, fmt.Errorf("%w: entering the holdout's ledger: %w", bench.ErrRecorder, err)
	}
	return first, nil
}

// blocks lists the jobs block by block; within a task the order of the arms is
// random, so that drift during the night favours nobody. A job's place in the
// list is block·(tasks·arms) + task·arms + a random place of its arm.
func (n *night) blocks(arms []arm, first int) []bench.Job {
	rng := rand.New(rand.NewPCG(uint64(n.run.Seed), 0xc0f1))
	jobs := make([]bench.Job, 0, n.plan.Repeats*len(n.sides.holdout)*len(arms))
	for block := range n.plan.Repeats {
		for _, t := range n.sides.holdout {
			for _, a := range rng.Perm(len(arms)) {
				jobs = append(jobs, bench.Job{
					Variant: arms[a].id, Config: arms[a].config, Task: t, Repeat: first + block,
					Stage: bench.StageConfirm, Seq: seqConfirm + int64(len(jobs)),
				})
			}
		}
	}
	return jobs
}

// complete counts the complete blocks and returns how many evaluations they hold.
// Missing data (the infrastructure failed it) leaves a block complete.
func (n *night) complete(evals []bench.Evaluation, arms int) int {
	size := arms * len(n.sides.holdout)
	n.result.Blocks = 0
	for start := 0; start+size <= len(evals); start += size {
		for _, e := range evals[start : start+size] {
			if e.Task == "" {
				return start
			}
		}
		n.result.Blocks++
	}
	return n.result.Blocks * size
}

// decide compares every finalist with the champion and stores the verdict.
func (n *night) decide(evals []bench.Evaluation, arms []arm, finalists []mutate.Estimate) {
	candidates := make([]stats.Finalist, len(finalists))
	gathered := make([]*pairs, len(finalists))
	place := make(map[agent.ConfigID]int, len(finalists))
	for i, f := range finalists {
		gathered[i] = newPairs(n.sides.holdout)
		place[f.Variant] = i
	}
	for i := 0; i < len(evals); i += len(arms) {
		group := evals[i : i+len(arms)]
		var champion bench.Evaluation
		for _, e := range group {
			if e.Variant == n.plan.Champion {
				champion = e
			}
		}
		for _, e := range group {
			if k, ok := place[e.Variant]; ok {
				gathered[k].add(champion, e)
			}
		}
	}
	for i, f := range finalists {
		candidates[i] = stats.Finalist{Variant: string(f.Variant), Pairs: gathered[i].list()}
	}
	d := stats.Decide(candidates, n.level())
	n.result.Verdict, n.result.Reason, n.result.Detectable = d.Verdict, d.Sentence, finite(d.Detectable)
	if d.Winner >= 0 {
		n.result.Winner = finalists[d.Winner].Variant
	}
	for i, r := range d.Rulings {
		f := finalists[i]
		n.result.Finalist = append(n.result.Finalist, archive.Finalist{
			Variant: f.Variant, Comparison: r.Comparison, SearchDifference: finite(f.Score - n.result.Search.Champion.Score),
			Adjusted: r.Adjusted, Accepted: r.Accepted, Reason: r.Reason,
		})
	}
}

// propose drafts the proposal of the winner and hands it on.
func (n *night) propose(ctx context.Context) error {
	for _, f := range n.result.Finalist {
		if f.Variant != n.result.Winner {
			continue
		}
		v, err := n.o.Archive.Variant(ctx, n.agent.ID, f.Variant)
		if err != nil {
			return fmt.Errorf("reading the winner: %w", err)
		}
		digest, err := evidence(n.plan, f)
		if err != nil {
			return err
		}
		p, err := n.o.Propose(ctx, n.agent, decide.Draft{Run: n.run.ID, Variant: v, Evidence: digest, Rationale: n.result.Reason})
		if err != nil {
			return fmt.Errorf("making the proposal: %w", err)
		}
		n.result.Proposals = append(n.result.Proposals, p.ID)
	}
	return nil
}

// evidence is the digest of what speaks for a variant: the comparison and the
// hashes of everything it was measured on.
func evidence(p *archive.AgentPlan, f archive.Finalist) (string, error) {
	raw, err := json.Marshal(struct {
		Agent, Suite, Split, Space string
		Champion                   agent.ConfigID
		Finalist                   archive.Finalist
	}{p.AgentHash, p.SuiteHash, p.SplitHash, p.SpaceHash, p.Champion, f})
	if err != nil {
		return "", fmt.Errorf("hashing the evidence: %w", err)
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
