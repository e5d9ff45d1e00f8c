package ablation

import (
	"fmt"
	"slices"
	"strings"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Result is a winner made small.
type Result struct {
	Winner agent.ConfigID
	// Small is what is left of the winner, the winner itself when nothing could go.
	Small  agent.ConfigID
	Config agent.Config
	// Reverted names what went back to the champion's value: parameters, and members of
	// subsets or lines of texts where the rest of a parameter stays.
	Reverted []string
	// Effects of the parameters that are left, in the order of the space.
	Effects []Effect
	// Loss is the difference of the small config over the winner, Gain that of the winner
	// over the champion, each at 95 % on the search tasks that were seen, clusters as units.
	Loss, Gain stats.Comparison
	// Seen counts the scored evaluations of the small config, Evaluations those asked for.
	Seen, Evaluations int
	// Done says that nothing was left to ask for.
	Done bool
	// Reason says in words what was found.
	Reason string
}

// Effect is what one parameter does by itself: the score of the small config less that of
// the small config without it, with its 95 % interval, clusters as units, in score units.
type Effect struct {
	Param              string
	Difference, Lo, Hi float64
	// Evaluations of the config without it.
	Evaluations int
}

// Result says what is known so far; of an unfinished minimisation too, as every step that
// it took stands by itself.
func (a *Ablation) Result() Result {
	r := Result{
		Winner: a.winnerID, Small: a.smallID, Config: a.small.Clone(), Evaluations: a.spent, Done: a.phase == finished,
		Loss: stats.Compare(a.evidence.pairs(a.winnerID, "", a.smallID, a.spots), twoSided),
		Gain: stats.Compare(a.evidence.pairs(a.championID, "", a.winnerID, a.spots), twoSided),
	}
	r.Seen = a.evidence.scored(a.smallID)
	kept := 0
	for k, p := range a.params {
		gone, names := a.gone(k)
		switch {
		case gone:
			r.Reverted = append(r.Reverted, p.Name)
		default:
			kept++
			r.Reverted = append(r.Reverted, names...)
		}
	}
	for _, s := range a.single {
		c := stats.Compare(a.evidence.pairs(s.id, "", a.smallID, a.spots), twoSided)
		if c.Tasks > 0 {
			r.Effects = append(r.Effects, Effect{s.param, c.Difference, c.Lo, c.Hi, a.evidence.scored(s.id)})
		}
	}
	r.Reason = a.reason(r, kept)
	return r
}

// gone reports whether nothing of a changed parameter is left, otherwise which of its
// pieces went.
func (a *Ablation) gone(param int) (all bool, names []string) {
	units := a.of(param)
	for _, i := range units {
		if a.back[i] {
			names = append(names, a.name(i))
		}
	}
	if len(names) == len(units) {
		return true, nil
	}
	_, active := a.small[a.params[param].Name]
	return !active, names
}

// story says what a config under trial has set back.
func (a *Ablation) story(config agent.Config) string {
	var names []string
	for _, p := range a.params {
		now, before := config[p.Name], a.winner[p.Name]
		if !(agent.Config{"": now}).Equal(agent.Config{"": before}) {
			names = append(names, p.Name)
		}
	}
	return "set back: " + strings.Join(names, ", ")
}

func (a *Ablation) reason(r Result, kept int) string {
	all := len(a.params)
	if len(a.units) < 2 {
		return "the winner changes one thing only"
	}
	var parts []string
	if len(r.Reverted) == 0 {
		parts = append(parts, fmt.Sprintf("nothing could be shown to be dispensable: all %d changed parameters stay", all))
	} else {
		beside := fmt.Sprintf("what is left scores %+.3f (95 %% interval %+.3f to %+.3f) beside the winner", r.Loss.Difference, r.Loss.Lo, r.Loss.Hi)
		if a.exact {
			beside = fmt.Sprintf("what is left scores %+.3f beside the winner on the search tasks", r.Loss.Difference)
		}
		parts = append(parts, fmt.Sprintf("%d of %d changed parameters stay, back went %s", kept, all, strings.Join(r.Reverted, ", ")), beside)
	}
	if r.Gain.Tasks > 0 {
		parts = append(parts, fmt.Sprintf("the winner's gain over the champion there is %+.3f", r.Gain.Difference))
	}
	parts = append(parts, fmt.Sprintf("%d smaller configs tried with %d evaluations", a.tests, r.Evaluations))
	switch {
	case !r.Done:
		parts = append(parts, "it was cut short")
	case a.cut:
		parts = append(parts, "the budget ended before everything was tried")
	}
	return strings.Join(slices.Compact(parts), "; ")
}
