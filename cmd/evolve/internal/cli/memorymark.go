package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/runtime/agent"
	"evolve/runtime/scrub"
	"evolve/runtime/text"
)

// maxMemoryReason limits the reason for a retraction, in characters.
const maxMemoryReason = 300

// memoryMark retracts or restores a memory: the person who names the memory makes the
// proposal and approves it.
func memoryMark(sh *shell, c *cli.Context, verb string) error {
	if err := mayDecide(sh, c, verb, verb == "retract"); err != nil {
		return err
	}
	w, a, err := ownerOf(sh, c, c.Args().First())
	if err != nil {
		return err
	}
	reason := strings.TrimSpace(c.String("reason"))
	if err := discreet(sh, w, reason); err != nil {
		return err
	}
	if _, err := sh.Notary(w.Root); err != nil {
		return err
	}
	d := approving()
	d.name = "memory " + verb
	word := review.Decision{Reason: reason}
	if word.By, err = decider(sh, c, w.Root); err != nil {
		return err
	}
	mark := reason
	if verb == "restore" {
		mark = ""
	}
	p, err := sh.Reviewer(w, nil).Mark(a.ID, c.Args().First(), mark)
	if err != nil {
		return err
	}
	if word.Initial, err = founding(sh, w, d, p); err != nil {
		return err
	}
	if !c.Bool("yes") {
		if _, err := sh.mustAsk("evolve memory audit TOPIC"); err != nil { // the proposal has no id yet
			return err
		}
		if err := confirm(c.Context, sh, p, p.Title, nil, nil, word.Initial); err != nil {
			return err
		}
	} else if !sh.quiet {
		printFounding(sh.stderr, word.Initial)
	}
	// Another command may have changed the memories in the meantime, so they are read
	// again. No other command can mark a memory until this command is done.
	release, err := sh.Alone(filepath.Join(w.StateDir(), "patches", "claims", "memories"), "the memory of agents", "evolve memory "+verb)
	if err != nil {
		return err
	}
	defer release()
	if p, err = sh.Reviewer(w, nil).Mark(a.ID, c.Args().First(), mark); err != nil {
		return err
	}
	lend := sh.Lender(w.Root, "evolve memory "+verb)
	if err := lend(c.Context, func(store *archive.Archive) (err error) {
		p, err = sh.Reviewer(w, review.Opened(store)).ProposeMark(c.Context, p)
		return err
	}); err != nil {
		return err
	}
	done, err := pronounce(c.Context, sh, w, approving(), p, word)
	if err != nil {
		// The proposal was made by this command, and no person has seen it.
		return errors.Join(err, sh.Reviewer(w, lend).Withdraw(c.Context, p.ID, "the command that made the proposal did not complete"))
	}
	if sh.json {
		view := viewOf(done.Proposal)
		view.After = done.after
		return sh.printJSON(view)
	}
	p = done.Proposal
	sh.printf("%s: commit %s\n", text.Visible(p.Title), wire.Abbreviated(p.AdoptedCommit))
	if verb == "retract" {
		sh.printf("  to undo it    %s\n", sh.command(restoreCommand(a, c.Args().First())))
	}
	printFollowing(sh.console, done)
	return nil
}

// discreet refuses a reason that is too long or that looks like a credential, because the
// reason is stored.
func discreet(sh *shell, w *workspace.Workspace, reason string) error {
	if len([]rune(reason)) > maxMemoryReason {
		return exit.Errorf(exit.Usage, "shorten it", "--reason is longer than %d characters", maxMemoryReason)
	}
	if scrub.Line([]byte(reason)) > 0 || sh.Scrub(w)(reason) != reason {
		return exit.Errorf(exit.Usage, "leave the credential out: the reason is committed", "--reason contains what looks like a credential")
	}
	return nil
}

// ownerOf returns the agent that a command names, or the agent that has the memory. A
// shared memory belongs to the first agent that has it.
func ownerOf(sh *shell, c *cli.Context, id string) (*workspace.Workspace, *workspace.Agent, error) {
	if id == "" {
		return nil, nil, exit.Errorf(exit.Usage, "`evolve memory search QUERY` prints the ids", "the ID of a memory is missing")
	}
	w, err := sh.load(c)
	if err != nil {
		return nil, nil, err
	}
	if c.String("agent") != "" {
		a, err := oneAgent(c, w, c.String("agent"))
		return w, a, err
	}
	var owners []*workspace.Agent
	for i := range w.Agents {
		a := &w.Agents[i]
		if a.Adapter.Kind == workspace.KindBuiltin && slices.ContainsFunc(a.Memories, func(m agent.Memory) bool { return m.ID == id }) {
			owners = append(owners, a)
		}
	}
	if len(owners) == 1 || len(owners) > 1 && sharedMemory(w, id) {
		return w, owners[0], nil
	}
	a, err := oneAgent(c, w, "")
	return w, a, err
}
