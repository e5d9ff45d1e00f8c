package cli

import (
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/reports/number"
)

// learnedView is the output of `evolve memory propose --json`.
type learnedView struct {
	Agents []learnedAgent `json:"agents"`
}

// learnedAgent describes what was proposed for one agent.
type learnedAgent struct {
	Agent    string       `json:"agent"`
	Proposal string       `json:"proposal,omitempty"`
	State    string       `json:"state,omitempty"`
	New      bool         `json:"new"`
	Memories []memoryView `json:"memories"`
	Left     int          `json:"left,omitempty"`
	Secret   int          `json:"secret,omitempty"`
	Copied   int          `json:"copied,omitempty"`
}

func memoryPropose(sh *shell, c *cli.Context) error {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	agents, err := proposing(c, w)
	if err != nil {
		return err
	}
	v := learnedView{Agents: []learnedAgent{}}
	err = sh.Lender(w.Root, "evolve memory propose")(c.Context, func(store *archive.Archive) error {
		rev := sh.Reviewer(w, review.Opened(store))
		for _, a := range agents {
			learned, err := rev.ProposeMemories(c.Context, a.ID, "", sh.Scrub(w))
			if err != nil {
				return err
			}
			one := learnedAgent{Agent: a.ID, New: learned.New, Memories: []memoryView{}, Left: learned.Left, Secret: learned.Secret, Copied: learned.Copied}
			if p := learned.Proposal; p != nil {
				one.Proposal, one.State = p.ID, string(p.State)
				added, _ := review.Remembered(*p)
				for _, m := range added {
					one.Memories = append(one.Memories, memoryView{Memory: m})
				}
			}
			v.Agents = append(v.Agents, one)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return sh.show(v, func() {
		for _, one := range v.Agents {
			printLearned(sh, one)
		}
	})
}

// proposing returns the agent that the command names or, if it names none, all built-in
// agents.
func proposing(c *cli.Context, w *workspace.Workspace) ([]*workspace.Agent, error) {
	if name := c.Args().First(); name != "" {
		a, err := namedAgent(w, name)
		return []*workspace.Agent{a}, err
	}
	var out []*workspace.Agent
	for i := range w.Agents {
		if w.Agents[i].Adapter.Kind == workspace.KindBuiltin {
			out = append(out, &w.Agents[i])
		}
	}
	return out, nil
}

func printLearned(sh *shell, one learnedAgent) {
	if one.Proposal == "" {
		sh.printf("%s: nothing to propose\n", one.Agent)
	} else {
		sh.printf("%s: %s %s %s with %s: %s\n", one.Agent, one.Proposal, orElse("is new,", "waits,", one.New), archive.ProposalState(one.State).Name(),
			memories(len(one.Memories)), sh.command("evolve show "+one.Proposal))
	}
	for _, left := range []struct {
		n   int
		why string
	}{
		{one.Left, "more can be proposed once this proposal is decided"}, {one.Secret, "left out for containing what looks like a credential"}, {one.Copied, "left out for containing part of a reference answer"},
	} {
		if left.n > 0 {
			sh.printf("  %d %s\n", left.n, left.why)
		}
	}
}

func memories(n int) string { return number.Plural(n, "memory", "memories") }
