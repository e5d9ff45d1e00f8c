package skill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

const (
	// success is the minimum score at which a task counts as solved.
	success = .999
	// minClusters is the minimum number of different clusters of solved tasks.
	minClusters = 3
	// draftEvery is the minimum time between two drafts for one agent.
	draftEvery = time.Hour
	// copied is the number of consecutive words that count as a copy.
	copied = 5
)

// Trajectory is one evaluation of a task in the search split, solved or not. The caller
// must not pass tasks from any other split, because drafts get into the prompt.
type Trajectory struct {
	TaskID string
	// Cluster is the group of similar tasks that the task belongs to.
	Cluster    string
	Domain     string
	Goal       string
	Answer     string
	Transcript agent.Transcript
	// Score is in [0,1].
	Score float64
}

// Candidate is a draft with the objections to it. It may be proposed only if there are no
// vetoes.
type Candidate struct {
	Definition Definition
	// Solved and Failed count the different tasks of this shape and domain that were solved
	// and that were never solved, respectively. Clusters counts the clusters of the solved
	// tasks.
	Solved, Failed, Clusters int
	Vetoes                   []string
}

// Due reports whether an agent may get another draft at the time now if its last one was
// made at the time last. A zero last means that there was no draft. If the clock was set
// back to before last, no draft is due.
func Due(last, now time.Time) bool {
	return last.IsZero() || now.Sub(last) >= draftEvery
}

// Draft groups trajectories by shape and domain and drafts a skill from each group in
// which a task was solved, the best supported group first. If a draft is [Due], the
// caller proposes at most one of them: the first that has no vetoes.
func Draft(trajectories []Trajectory, existing []Definition) []Candidate {
	groups := map[string]*group{}
	for _, t := range trajectories {
		p, ok := follow(t.Goal, t.Transcript)
		if !ok || !domainForm.MatchString(t.Domain) || !taskForm.MatchString(t.TaskID) {
			continue
		}
		key := t.Domain + " " + p.shape()
		if groups[key] == nil {
			groups[key] = &group{domain: t.Domain, shape: p.shape()}
		}
		groups[key].add(t, p)
	}
	var out []Candidate
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		if g := groups[key]; len(g.solved) > 0 {
			out = append(out, g.candidate(trajectories, existing))
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		return cmp.Or(b.Clusters-a.Clusters, b.Solved-a.Solved, a.Failed-b.Failed)
	})
	return out
}

// group holds the trajectories of one shape in one domain.
type group struct {
	domain, shape string
	solved        []run
	failed        []string // tasks
}

// run is a trajectory that solved its task, with its steps.
type run struct {
	Trajectory
	path path
}

func (g *group) add(t Trajectory, p path) {
	if t.Score >= success {
		g.solved = append(g.solved, run{t, p})
	} else {
		g.failed = append(g.failed, t.TaskID)
	}
}

// candidate drafts the text and collects the vetoes against it.
func (g *group) candidate(all []Trajectory, existing []Definition) Candidate {
	tasks, clusters := map[string]bool{}, map[string]bool{}
	for _, r := range g.solved {
		tasks[r.TaskID] = true
		if r.Cluster != "" {
			clusters[r.Cluster] = true
		}
	}
	failed := map[string]bool{}
	for _, id := range g.failed {
		if !tasks[id] {
			failed[id] = true
		}
	}
	c := Candidate{Solved: len(tasks), Failed: len(failed), Clusters: len(clusters)}
	veto := func(format string, args ...any) { c.Vetoes = append(c.Vetoes, fmt.Sprintf(format, args...)) }
	if c.Clusters < minClusters {
		veto("it solved tasks from %d clusters, but at least %d are needed", c.Clusters, minClusters)
	}
	if 2*c.Failed > c.Solved { // failures on more than a third of the tasks suggest that the successes were luck
		veto("it failed on %d other tasks and solved %d", c.Failed, c.Solved)
	}
	for _, d := range existing {
		if d.Shape == g.shape && (d.Domain == g.domain || d.Domain == globalDomain) {
			veto("skill %s already covers the same sequence of tool calls", d.Name)
		}
	}
	triggers := g.triggers(all)
	if len(triggers) == 0 {
		veto("the goals share no words that distinguish them from other goals, so it is unclear when to use the skill")
	}
	steps := g.generalize()
	if len(steps) == 1 {
		veto("it has only one step, which the tool's own description already covers")
	}
	for i, s := range steps {
		for _, a := range s.arguments {
			if a.from == nowhere {
				veto("argument %s of step %d does not generalise: its values come neither from the goals nor from earlier results", a.key, i+1)
			}
		}
	}
	c.Definition = Definition{
		Name: g.name(), Domain: g.domain, Shape: g.shape, Text: g.text(triggers, steps, c),
		Evidence: slices.Sorted(maps.Keys(tasks)),
	}
	c.Definition.Evidence = c.Definition.Evidence[:min(len(c.Definition.Evidence), maxEvidence)]
	if n := utf8.RuneCountInString(c.Definition.Text); n > MaxText {
		veto("its text would have %d characters, but at most %d are allowed", n, MaxText)
	} else if err := c.Definition.validate(); err != nil {
		veto("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if id := copies(c.Definition.Text, g.solved); id != "" {
		veto("its text copies %d words in a row from the answer to task %s", copied, id)
	}
	return c
}

// copies returns the id of a task whose answer has a sequence of consecutive words in
// common with the text, or "" if there is none. The constant named copied is the length
// of the sequence.
func copies(text string, runs []run) string {
	said := map[string]bool{}
	for piece := range pieces(text) {
		said[piece] = true
	}
	for _, r := range runs {
		for piece := range pieces(r.Answer) {
			if said[piece] {
				return r.TaskID
			}
		}
	}
	return ""
}

// pieces yields every sequence of consecutive words in a text whose length is the constant
// copied.
func pieces(text string) func(yield func(string) bool) {
	var all []string
	memory.EachWord(text, func(w string) { all = append(all, w) })
	return func(yield func(string) bool) {
		for i := copied; i <= len(all); i++ {
			if !yield(strings.Join(all[i-copied:i], " ")) {
				return
			}
		}
	}
}
