package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// The sort orders of a list of variants.
const (
	byNumber = "number"
	byScore  = "score"
)

func variantOrders() []string { return []string{byNumber, byScore} }

// variantScore is a variant's score on the search tasks on which it was evaluated.
type variantScore struct {
	// Mean is the mean over tasks. Lo and Hi are the bounds of its interval at Level, with
	// clusters as units.
	Mean  float64 `json:"mean"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	// Tasks is the number of tasks, and Clusters is the number of independent clusters of
	// tasks.
	Tasks       int `json:"tasks"`
	Clusters    int `json:"clusters"`
	Evaluations int `json:"evaluations"`
}

// scoreLevel is the confidence level of the interval of a variant's score.
const scoreLevel = .95

// variantScores returns the scores of an agent's variants on search tasks, over all runs.
// tasks maps the ids of the tasks in the agent's suites to the tasks, which have clusters
// and weights; any task that is not in the map is its own cluster.
func variantScores(ctx context.Context, a *archive.Archive, agentID string, tasks map[string]*bench.Task) (map[agent.ConfigID]*variantScore, error) {
	scored := map[agent.ConfigID]map[string][]float64{}
	for r, err := range a.Runs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the runs: %w", err)
		}
		for e, err := range a.Evaluations(ctx, r.ID, agentID) {
			if err != nil {
				return nil, fmt.Errorf("reading the evaluations: %w", err)
			}
			if !e.Scored || e.Cached || e.Stage == bench.StageAA || e.Split == bench.Holdout {
				continue
			}
			if scored[e.Variant] == nil {
				scored[e.Variant] = map[string][]float64{}
			}
			scored[e.Variant][e.Task] = append(scored[e.Variant][e.Task], e.Score)
		}
	}
	out := map[agent.ConfigID]*variantScore{}
	for id, byTask := range scored {
		out[id] = meanScore(byTask, tasks)
	}
	return out, nil
}

// meanScore returns the score of a variant, given its scores by task. It compares the score
// on every task with one half, so the interval is that of a difference within [−½, ½]; see
// [stats.CompareEven].
func meanScore(byTask map[string][]float64, tasks map[string]*bench.Task) *variantScore {
	var pairs []stats.Pair
	runs := 0
	for task, scores := range byTask {
		pair := stats.Pair{Task: task, Cluster: task, Weight: 1, B: scores, A: slices.Repeat([]float64{.5}, len(scores))}
		if t := tasks[task]; t != nil {
			pair.Cluster, pair.Weight = t.Unit(), t.Importance()
		}
		pairs, runs = append(pairs, pair), runs+len(scores)
	}
	c := stats.CompareEven(pairs, scoreLevel)
	return &variantScore{
		Mean: c.MeanB, Lo: max(0, .5+c.Lo), Hi: min(1, .5+c.Hi), Level: scoreLevel,
		Tasks: c.Tasks, Clusters: c.Clusters, Evaluations: runs,
	}
}

// sortByScore sorts variants by their scores, the best first. If two scores are equal, the
// variant with the higher lower bound comes first. Variants without a score come last.
func sortByScore(list []archive.Variant, scores map[agent.ConfigID]*variantScore) {
	slices.SortStableFunc(list, func(a, b archive.Variant) int {
		one, two := scores[a.ID], scores[b.ID]
		switch {
		case one == nil && two == nil:
			return 0
		case one == nil:
			return 1
		case two == nil:
			return -1
		}
		return cmp.Or(cmp.Compare(two.Mean, one.Mean), cmp.Compare(two.Lo, one.Lo), cmp.Compare(a.Number, b.Number))
	})
}

// printScored prints variants with their scores.
func printScored(con *console, list []archive.Variant, scores map[agent.ConfigID]*variantScore) {
	con.printf("mean score on search tasks, with its 95 %% interval; the best of many variants tends to look better\nthan it is, and only `evolve run` can confirm an improvement\n")
	for _, v := range list {
		score := fmt.Sprintf("%-24s", "not evaluated")
		if s := scores[v.ID]; s != nil {
			score = fmt.Sprintf("%s [%s, %s]  %3s", number.Score(s.Mean), number.Score(s.Lo), number.Score(s.Hi), number.Plural(s.Tasks, "task"))
		}
		con.printf("v%-5d  %s  %s  %s\n", v.Number, score, text.Visible(model.OperatorName(v.Operator)), text.Visible(v.Rationale))
		con.printAddressed("       ", addressedIn(v))
	}
}
