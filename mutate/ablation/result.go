package ablation

import (
	"fmt"
	"strings"

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
	// Loss is by how much the winner is believed, by the model of an agent with chance, to be better than the small config, Gain by
	// how much it is believed to be better than the champion, on the search tasks.
	Loss, Gain Belief
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
	// Shown says that it counts as shown ([Belief]). What is not shown by itself stays only
	// where all that could go was together shown to matter.
	Shown bool
	// Untried says that the evaluations ended before the config without it was compared with the
	// small one: there is no difference to show.
	Untried bool
	// Evaluations of the config without it, that it was compared by.
	Evaluations int
}

// Result says what is known so far; of an unfinished minimisation too.
func (a *Ablation) Result() Result {
	a.learn()
	c := a.choice
	r := Result{Winner: a.winnerID, Small: c.id, Config: c.config.Clone(), Evaluations: a.spent, Done: a.done, Loss: c.loss, Gain: c.gain}
	r.Seen = a.evidence.scored(c.id)
	for k, p := range a.params {
		gone, names := a.gone(k)
		if gone {
			r.Reverted = append(r.Reverted, p.Name)
			continue
		}
		r.Reverted = append(r.Reverted, names...)
	}
	singles := a.singles()
	for i, b := range a.differences(c, singles).list {
		k := a.units[singles[i].units[0]].param
		e := Effect{Param: a.params[k].Name, Shown: b.shown(), Evaluations: a.evidence.scored(singles[i].id)}
		switch {
		case !a.exact:
			var measured bool
			b, e.Evaluations, measured = a.beside(singles[i].id)
			e.Untried = !measured
		case a.seenEffects != nil:
			seen, tried := a.seenEffects[k]
			e.Shown, e.Untried = tried && seen.Mean > rounding, !tried
			if tried {
				b, e.Evaluations = seen.Belief, seen.evaluations
			}
		default:
			e.Untried = !b.Measured
		}
		if !e.Untried {
			e.Difference, e.Lo, e.Hi = b.Mean, b.Lo, b.Hi
		}
		r.Effects = append(r.Effects, e)
	}
	r.Reason = a.reason(r)
	return r
}

// gone reports whether nothing of a changed parameter is left, otherwise which of its
// pieces went.
func (a *Ablation) gone(param int) (all bool, names []string) {
	units := a.of(param)
	for _, i := range units {
		if a.choice.back[i] {
			names = append(names, a.name(i))
		}
	}
	if len(names) == len(units) {
		return true, nil
	}
	_, active := a.choice.config[a.params[param].Name]
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

// reason tells what the list of what went back and of what stays does not: what was lost, and
// what was not found out.
func (a *Ablation) reason(r Result) string {
	if len(a.units) < 2 {
		return "the winner changes one thing only"
	}
	var parts []string
	if loss, n, ok := a.lossSeen(); ok && r.Small != r.Winner {
		parts = append(parts, fmt.Sprintf("what is left scored %+.1f points [%+.1f, %+.1f] beside what the search had found, at %d evaluations each",
			-100*loss.Mean, -100*loss.Hi, -100*loss.Lo, n))
	}
	if !r.Done {
		parts = append(parts, "it was cut short")
	}
	untried, unshown := 0, 0
	for _, e := range r.Effects {
		switch {
		case e.Untried:
			untried++
		case e.Lo <= 0:
			unshown++
		}
	}
	switch {
	case untried == 0 && unshown > 0 && a.cut:
		parts = append(parts, "the evaluations ended before every change that stays was shown to matter by itself")
	case untried > 0 && r.Evaluations == 0:
		parts = append(parts, "the evaluations of the search decided it")
	case untried > 0:
		parts = append(parts, fmt.Sprintf("the evaluations ended before %d of the %d changed parameters that stay had been tried singly", untried, len(r.Effects)))
	}
	return strings.Join(parts, "; ")
}

// lossSeen is what the winner was seen to score more than what is left of it, and at how many
// evaluations of each.
func (a *Ablation) lossSeen() (loss Belief, evaluations int, ok bool) {
	if a.exact {
		return a.choice.loss, a.evidence.scored(a.choice.id), a.seenEffects != nil
	}
	b, n, ok := a.beside(a.winnerID)
	b.Mean, b.Lo, b.Hi = -b.Mean, -b.Hi, -b.Lo
	return b, n, ok
}
