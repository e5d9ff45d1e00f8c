package experience

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/text"
)

// The weight of a referral blends count and recency: a new referral weighs 1 and a very old
// one oldWeight; half of the difference is lost in each referralHalfLife. The age is
// measured at the time of the last turn.
const (
	oldWeight        = .25
	referralHalfLife = 30 * 24 * time.Hour
)

// thresholds determine which axes form a cluster and which clusters are more than noise.
type thresholds struct {
	linked float64 // minimum mean similarity, in [0,1], between the axes of two clusters to be merged
	weight float64 // minimum weight of the referrals in a group
	share  float64 // minimum share of that weight in the weight of all referrals, in [0,1]
}

// tuned returns the best thresholds of a grid search. Of all the thresholds that warned
// about at most 5 % of the tools with one cause, these warned about the most tools with two
// causes. Each tool was examined after each of up to fifty simulated referrals (see
// TestFalseAlarmsOfCohesion).
func tuned() thresholds { return thresholds{linked: .1, weight: 2.5, share: .15} }

const (
	// clusteredReferrals and clusteredAxes limit the work: only the newest referrals of a
	// tool and its heaviest axes are clustered.
	clusteredReferrals, clusteredAxes = 200, 40
	// shownAxes is the number of axes of a cluster that a warning lists.
	shownAxes = 3
	// An outcome counts as repeated if at least repeatedCalls calls and a share of at least
	// repeatedShare of the judged calls have it.
	repeatedCalls, repeatedShare = 3, .2
	// healthyCalls and healthyRate are the minimum number of judged calls and the minimum
	// success rate of a tool in good health.
	healthyCalls, healthyRate = 10, .8
	// scattered is the minimum number of referrals that count as a pattern although they
	// form no group.
	scattered = 8
)

// Cluster is a set of boundary axes that occur together in a tool's referrals.
type Cluster struct {
	// Axes are sorted.
	Axes []string `json:"axes"`
	// Referrals is the number of referrals that belong to the cluster. Weight is the sum
	// of their weights, each in [.25, 1] depending on its age. Share is Weight as a share
	// of the weight of all the tool's referrals, in (0,1].
	Referrals int     `json:"referrals"`
	Weight    float64 `json:"weight"`
	Share     float64 `json:"share"`
	// Group reports whether the cluster is heavy enough to be more than noise: its weight
	// is at least 2.5 and its share at least .15.
	Group bool `json:"group,omitempty"`
	// First and Last are the times of the cluster's first and last stored referral. Cause
	// is the cause of the last referral that has one.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Cause string    `json:"cause,omitempty"`
}

// Remedy is an action that advice recommends for a tool.
type Remedy string

// The remedies.
const (
	// Split the tool, because it is called for several kinds of tasks for which it is not
	// made.
	Split Remedy = "split"
	// Recompose the tool together with other tools, because all of them lack the same
	// thing or because the tool's answers are repeatedly of little use.
	Recompose Remedy = "recompose"
	// Tighten the tool's description or its parameters, because the tool is called for
	// tasks that it is not meant for.
	Tighten Remedy = "tighten"
	// Retain the tool as it is.
	Retain Remedy = "retain"
)

// Advice is a recommendation to the builders of a tool, with the evidence for it: clusters,
// dates, and counts over all methods and domains.
type Advice struct {
	Tool   string `json:"tool"`
	Remedy Remedy `json:"remedy"`
	// Reason is one sentence.
	Reason string `json:"reason"`
	// Warning is the result of [Experience.CohesionWarning]. Even a tool that should be
	// retained may have a warning.
	Warning string `json:"warning,omitempty"`
	Calls   int    `json:"calls"`
	// Judged is the number of calls that [Capsule.Judged] counts plus the number of calls
	// that ended with a referral. Succeeded is the number of calls that [Capsule.Success]
	// counts.
	Judged    int `json:"judged"`
	Succeeded int `json:"succeeded"`
	// Referrals is the sum of [Capsule.ReferralCount]. Weak and Invalid count the outcomes
	// low_utility and contract_violation, respectively.
	Referrals int `json:"referrals"`
	Weak      int `json:"low_utility"`
	Invalid   int `json:"contract_violations"`
	// Adaptive reports whether the outcome low_utility is repeated: the calls went well but
	// helped little.
	Adaptive bool `json:"adaptive_failure,omitempty"`
	// Clusters is the result of [Experience.Clusters].
	Clusters []Cluster `json:"clusters,omitempty"`
	// Shared lists the other tools that have an axis in common with this tool: the axis
	// is in one of their groups and in one of this tool's groups.
	Shared []string `json:"shared_with,omitempty"`
	// First and Last are the times of the first and last stored referral.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
}

// Tools returns the sorted names of the tools that have calls, and [AllTools] if there are
// referrals that concern no tool.
func (e *Experience) Tools() []string {
	var out []string
	for _, c := range e.Capsules {
		if c.Domain == Global {
			out = append(out, c.Tool)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Clusters returns the clusters of a tool's referrals, the heaviest first. The similarity
// of two axes is the weight of the referrals that name both, divided by the weight of the
// referrals that name at least one of them (a weighted Jaccard index). Clusters with a mean
// similarity of at least .1 are merged, the most similar first. A referral belongs only to
// the heaviest cluster that it touches, so a word that accompanies the true cause adds
// nothing to another cluster; a referral that names none of the tool's 40 heaviest axes
// belongs to no cluster. Axes with the same words ("exchange rate", "exchange rates") count
// as one. Different words with the same meaning that never occur together end up in
// different clusters. An axis that every referral names holds all axes together in one
// cluster.
func (e *Experience) Clusters(tool string) []Cluster {
	return clusters(e.referrals(tool), e.Updated, tuned())
}

// CohesionWarning returns a one-line warning if a tool's referrals fall into several
// groups (see [Cluster]). The warning quotes the axes of the groups. If there is no
// warning, it returns an empty text.
func (e *Experience) CohesionWarning(tool string) string {
	return warning(e.Clusters(tool))
}

// warning returns the cohesion warning for a set of clusters.
func warning(all []Cluster) string {
	groups, referrals := groupsOf(all), 0
	if len(groups) < 2 {
		return ""
	}
	parts := make([]string, len(groups))
	for i, c := range groups {
		referrals += c.Referrals
		parts[i] = fmt.Sprintf("%s (%d)", axesText(c.Axes), c.Referrals)
	}
	return fmt.Sprintf("low cohesion: %d referrals fall into %d groups: %s", referrals, len(groups), strings.Join(parts, "; "))
}

// groupsOf returns those of the clusters whose Group is set.
func groupsOf(all []Cluster) []Cluster {
	var out []Cluster
	for _, c := range all {
		if c.Group {
			out = append(out, c)
		}
	}
	return out
}

// axesText quotes the first axes of a cluster.
func axesText(axes []string) string {
	parts := make([]string, len(axes))
	for i, a := range axes {
		parts[i] = quotation(a)
	}
	return list(parts, shownAxes)
}

// Advice returns a recommendation of what to do with a tool. The first rule that applies
// decides:
//
//   - retain: at least ten calls were judged and 80 % of them succeeded;
//   - recompose: the referrals that concern no tool ([AllTools]) form one group;
//   - split: the referrals fall into several groups (see [Cluster]);
//   - recompose: they form one group, and another tool has a group that shares an axis with it;
//   - tighten: they form one group;
//   - recompose: low_utility is repeated, at least three times and in at least a fifth of the
//     judged calls (an adaptive failure);
//   - tighten: contract_violation is repeated as often;
//   - tighten: at least eight stored referrals form no group;
//   - retain.
func (e *Experience) Advice(tool string) Advice {
	referrals := e.referrals(tool)
	a := Advice{Tool: tool, Clusters: clusters(referrals, e.Updated, tuned())}
	a.Warning = warning(a.Clusters)
	if n := len(referrals); n > 0 {
		a.First, a.Last = referrals[0].Time, referrals[n-1].Time
	}
	for _, c := range e.Capsules {
		if c.Domain == Global && c.Tool == clipped(tool) {
			a.Calls += c.Calls
			a.Judged += c.Judged() + c.Outcomes[agent.WrongToolBoundary]
			a.Succeeded += c.Success()
			a.Referrals += c.ReferralCount()
			a.Weak += c.Outcomes[agent.LowUtility]
			a.Invalid += c.Outcomes[agent.ContractViolation]
		}
	}
	groups := groupsOf(a.Clusters)
	a.Shared = e.sharing(a.Tool, groups)
	repeated := func(n int) bool { return n >= repeatedCalls && float64(n) >= repeatedShare*float64(a.Judged) }
	a.Adaptive = repeated(a.Weak)
	switch {
	case a.Judged >= healthyCalls && float64(a.Succeeded) >= healthyRate*float64(a.Judged):
		a.Remedy, a.Reason = Retain, fmt.Sprintf("%d of %d judged calls succeeded", a.Succeeded, a.Judged)
	case len(groups) == 1 && a.Tool == AllTools:
		a.Remedy, a.Reason = Recompose, "its referrals name axes that none of the agent's tools covers: "+axesText(groups[0].Axes)
	case len(groups) > 1:
		a.Remedy, a.Reason = Split, fmt.Sprintf("its referrals fall into %d groups", len(groups))
	case len(groups) == 1 && len(a.Shared) > 0:
		a.Remedy, a.Reason = Recompose, "its referrals name axes that other tools also lack: "+axesText(groups[0].Axes)
	case len(groups) == 1:
		a.Remedy, a.Reason = Tighten, "its referrals name the same axes: "+axesText(groups[0].Axes)
	case a.Adaptive:
		a.Remedy, a.Reason = Recompose, fmt.Sprintf("%d of %d judged calls ended in low_utility", a.Weak, a.Judged)
	case repeated(a.Invalid):
		a.Remedy, a.Reason = Tighten, fmt.Sprintf("%d of %d judged calls ended in contract_violation", a.Invalid, a.Judged)
	case len(referrals) >= scattered:
		a.Remedy, a.Reason = Tighten, fmt.Sprintf("its last %d referrals name axes too scattered to form a group", len(referrals))
	default:
		verb := "show"
		if a.Referrals == 1 {
			verb = "shows"
		}
		a.Remedy, a.Reason = Retain, fmt.Sprintf("%s in %s %s no pattern", text.Count(a.Referrals, "referral"), text.Count(a.Judged, "judged call"), verb)
	}
	return a
}

// sharing returns the other tools that have an axis in common with the given groups of
// axes.
func (e *Experience) sharing(tool string, groups []Cluster) []string {
	var out []string
	if len(groups) == 0 || tool == AllTools {
		return out
	}
	lex := memory.NewLexicon()
	var ours []string
	for _, c := range groups {
		ours = append(ours, terms(lex, c.Axes)...)
	}
	for _, other := range e.Tools() {
		if other == clipped(tool) || other == AllTools {
			continue
		}
		for _, theirs := range groupsOf(e.Clusters(other)) {
			if meet(ours, terms(lex, theirs.Axes)) {
				out = append(out, other)
				break
			}
		}
	}
	return out
}

// referrals returns the newest stored referrals of a tool, over all its methods, oldest
// first.
func (e *Experience) referrals(tool string) []Referral {
	var out []Referral
	for _, c := range e.Capsules {
		if c.Domain == Global && c.Tool == clipped(tool) {
			out = append(out, c.Referrals...)
		}
	}
	slices.SortStableFunc(out, func(a, b Referral) int { return a.Time.Compare(b.Time) })
	return newest(out, clusteredReferrals)
}

// weightOf returns the weight of a referral at the time now, in [.25, 1].
func weightOf(r Referral, now time.Time) float64 {
	age := max(0, now.Sub(r.Time))
	return oldWeight + (1-oldWeight)*math.Exp2(-float64(age)/float64(referralHalfLife))
}

// clusters returns the clusters of referrals at the time now. The referrals are ordered by
// time.
func clusters(referrals []Referral, now time.Time, t thresholds) []Cluster {
	referrals = respelt(referrals)
	weights, total := make([]float64, len(referrals)), 0.
	for i, r := range referrals {
		weights[i] = weightOf(r, now)
		total += weights[i]
	}
	sets := merged(referrals, weights, t.linked)
	touching := make([]float64, len(sets)) // the weight of the referrals that touch each set
	for k, axes := range sets {
		for i, r := range referrals {
			if meet(r.Axes, axes) {
				touching[k] += weights[i]
			}
		}
	}
	order := make([]int, len(sets))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(touching[b], touching[a]) })
	out := make([]Cluster, len(sets))
	for i, r := range referrals {
		for _, k := range order {
			if c := &out[k]; meet(r.Axes, sets[k]) {
				if c.Referrals++; c.Referrals == 1 {
					c.First = r.Time
				}
				c.Last, c.Cause = r.Time, cmp.Or(r.Cause, c.Cause)
				c.Weight += weights[i]
				break
			}
		}
	}
	for k := range out {
		c := &out[k]
		c.Axes, c.Share = sets[k], c.Weight/total
		c.Group = c.Weight >= t.weight && c.Share >= t.share
	}
	out = slices.DeleteFunc(out, func(c Cluster) bool { return c.Referrals == 0 })
	slices.SortStableFunc(out, func(a, b Cluster) int { return cmp.Compare(b.Weight, a.Weight) })
	return out
}

// respelt returns the referrals with each axis spelt like the first axis that has the same
// words.
func respelt(referrals []Referral) []Referral {
	lex, spelling, of := memory.NewLexicon(), map[string]string{}, map[string]string{}
	out := slices.Clone(referrals)
	for i, r := range out {
		axes := make([]string, len(r.Axes))
		for k, a := range r.Axes {
			if of[a] == "" {
				words := terms(lex, []string{a})[0]
				if spelling[words] == "" {
					spelling[words] = a
				}
				of[a] = spelling[words]
			}
			axes[k] = of[a]
		}
		slices.Sort(axes)
		out[i].Axes = slices.Compact(axes)
	}
	return out
}

// terms returns the stems of each axis, sorted and joined. An axis without words stays as
// it is.
func terms(lex *memory.Lexicon, axes []string) []string {
	out := make([]string, len(axes))
	for i, a := range axes {
		words := lex.Terms(nil, a)
		slices.Sort(words)
		if out[i] = strings.Join(slices.Compact(words), " "); out[i] == "" {
			out[i] = a
		}
	}
	return out
}

// merged returns the sets of axes that occur together. Each set is sorted, and the sets are
// in the order of their first axes.
func merged(referrals []Referral, weights []float64, linked float64) [][]string {
	axes, of := heaviest(referrals, weights)
	n := len(axes)
	like := make([][]float64, n) // the similarity of each pair of axes
	for i := range like {
		like[i] = make([]float64, n)
		for j := range i {
			both, either := 0., 0.
			for k, w := range weights {
				a, b := of[i][k], of[j][k]
				if a && b {
					both += w
				}
				if a || b {
					either += w
				}
			}
			like[i][j] = both / either
			like[j][i] = like[i][j]
		}
	}
	sets := make([][]int, n)
	for i := range sets {
		sets[i] = []int{i}
	}
	for {
		best, at, with := linked, -1, -1
		for j := range sets {
			for i := range j {
				if s := mean(like, sets[i], sets[j]); s > best || s == best && at < 0 {
					best, at, with = s, i, j
				}
			}
		}
		if at < 0 {
			break
		}
		sets[at] = append(sets[at], sets[with]...)
		sets = slices.Delete(sets, with, with+1)
	}
	out := make([][]string, len(sets))
	for k, set := range sets {
		for _, i := range set {
			out[k] = append(out[k], axes[i])
		}
		slices.Sort(out[k])
	}
	return out
}

// heaviest returns the axes with the greatest weight, sorted by name, and for each axis and
// each referral whether the referral names the axis.
func heaviest(referrals []Referral, weights []float64) (axes []string, of [][]bool) {
	weight := map[string]float64{}
	for i, r := range referrals {
		for _, a := range r.Axes {
			if weight[a] == 0 {
				axes = append(axes, a)
			}
			weight[a] += weights[i]
		}
	}
	slices.SortFunc(axes, func(a, b string) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), strings.Compare(a, b)) })
	axes = axes[:min(len(axes), clusteredAxes)]
	slices.Sort(axes)
	of = make([][]bool, len(axes))
	for i, a := range axes {
		of[i] = make([]bool, len(referrals))
		for k, r := range referrals {
			of[i][k] = slices.Contains(r.Axes, a)
		}
	}
	return axes, of
}

// mean returns the mean similarity between the axes of two sets.
func mean(like [][]float64, a, b []int) float64 {
	sum := 0.
	for _, i := range a {
		for _, j := range b {
			sum += like[i][j]
		}
	}
	return sum / float64(len(a)*len(b))
}

// meet reports whether two lists have an item in common.
func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}
