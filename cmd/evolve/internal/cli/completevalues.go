package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench/importer"
	"evolve/bench/sessions"
	"evolve/cmd/evolve/internal/schedule"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
	"evolve/runtime/experience"
)

// choices returns the values of a command's flag if they are a fixed set, and nil for other
// flags.
func choices(command, flag string) []string {
	switch flag {
	case "agent":
		if command == "init" {
			return agentKinds()
		}
	case "log-format":
		return []string{"text", "json"}
	case "sort":
		return variantOrders()
	case "selection":
		return mutate.Selections()
	case "stages":
		return []string{"search", "search,confirm"}
	case "verdict":
		return texts(experience.Verdicts())
	case "action":
		return texts(experience.Actions())
	case "part":
		return []string{"train", "val", "test"}
	case "format":
		switch command {
		case "schedule print":
			return texts(schedule.Kinds())
		case "schedule install": // a CronJob is printed but not installed
			return texts([]schedule.Kind{schedule.Systemd, schedule.Cron})
		case "bench import":
			return texts(importer.Formats())
		case "bench build":
			return texts(sessions.Formats())
		}
	}
	return nil
}

// texts returns named values as strings.
func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// wordsOf returns the words of list as candidates without descriptions.
func wordsOf(list []string) []candidate {
	out := make([]candidate, len(list))
	for i, w := range list {
		out[i].word = w
	}
	return out
}

// ofFlag returns what a flag accepts as its value.
func (s *suggester) ofFlag(f cli.Flag) offer {
	name := f.Names()[0]
	if list := choices(s.command(), name); list != nil {
		return offer{list: wordsOf(list)}
	}
	if name == "agent" {
		name = "AGENT"
	} else {
		name, _ = placeholder(f)
	}
	if name == "ID" { // the id of a task, a change request or an archive
		return offer{}
	}
	return s.values(name)
}

// values returns what can be typed for a placeholder in a usage line, such as AGENT.
func (s *suggester) values(name string) offer {
	switch name {
	case "FILE", "FILE|FOLDER", "PATH":
		return offer{other: "files"}
	case "DIR":
		return offer{other: "folders"}
	case "SHELL":
		return offer{list: wordsOf(shells())}
	case "COMMAND":
		return offer{list: s.helped()}
	}
	root := s.root()
	if root == "" {
		return offer{}
	}
	switch name {
	case "AGENT":
		return offer{list: wordsOf(workspace.AgentNames(root))}
	case "SUITE":
		return offer{list: wordsOf(workspace.SuiteNames(root))}
	case "RUN":
		return offer{list: wordsOf(reports(root))}
	case "ID":
		return offer{list: s.ids(root)}
	}
	return offer{}
}

// helped returns the commands and topics that `evolve help` describes.
func (s *suggester) helped() []candidate {
	commands := s.sh.app().Commands
	path := pathTo(commands, s.line.rest)
	if len(path) < len(s.line.rest) {
		return nil
	}
	if len(path) > 0 {
		commands = path[len(path)-1].Subcommands
	}
	var list []candidate
	for _, c := range commands {
		list = append(list, candidate{c.Name, c.Usage})
	}
	for _, t := range topics {
		if len(path) == 0 && findCommand(commands, t.name) == nil {
			list = append(list, candidate{t.name, t.usage})
		}
	}
	return list
}

// root returns the workspace named on the line, or "" if there is none.
func (s *suggester) root() string {
	for i, word := range s.line.flags {
		name, dir, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !isFlag(word) || name != "workspace" && name != "C" {
			continue
		}
		if !hasValue && i+1 < len(s.line.flags) {
			dir = s.line.flags[i+1]
		}
		if home, ok := strings.CutPrefix(dir, "~/"); ok { // bash expands the ~ later
			dir = filepath.Join(s.sh.Env.Get("HOME"), home)
		}
		return s.sh.abs(dir)
	}
	root, err := workspace.Find(s.sh.dir)
	if err != nil {
		return ""
	}
	return root
}

// reports lists the runs that have a report.
func reports(root string) []string {
	var runs []string
	entries, _ := os.ReadDir(reportsDir(root)) // entries that cannot be read are left out
	for _, e := range entries {
		if run, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			runs = append(runs, run)
		}
	}
	return runs
}

// briefly is the maximum duration of a search for candidates in an archive.
const briefly = 300 * time.Millisecond

// ids lists the records of a workspace to which the command on the line applies.
func (s *suggester) ids(root string) []candidate {
	var list []candidate
	switch command := s.command(); command {
	case "requests show", "requests approve", "requests deny":
		s.glance(root, func(ctx context.Context, a *archive.Archive) error {
			return forEach("change requests", a.Requests(ctx), func(r archive.ChangeRequestRecord) {
				if r.State == archive.RequestOpen {
					list = append(list, candidate{r.ID, r.Agent + ": " + workspace.Shorten(r.Request.Tool, mostAbout)})
				}
			})
		})
	case "show", "diff", "approve", "reject", "rollback", "patch show", "patch review":
		s.glance(root, func(ctx context.Context, a *archive.Archive) error {
			return forEachProposal(ctx, a, func(p archive.ProposalRecord) {
				if completes(command, p) {
					list = append(list, candidate{p.ID, workspace.Shorten(p.Title, mostAbout)})
				}
			})
		})
	}
	return list
}

// mostAbout limits the untrusted text in a candidate's description, in characters.
const mostAbout = 60

// completes reports whether a proposal is offered as an argument of a command, which
// depends on the proposal's state.
func completes(command string, p archive.ProposalRecord) bool {
	switch command {
	case "approve", "reject", "rollback":
		return slices.ContainsFunc(decisionsOn(p), func(next string) bool { return strings.HasPrefix(next, "evolve "+command+" ") })
	case "patch show", "patch review":
		return undecided(p) && p.Patch != nil
	}
	return undecided(p)
}

// glance calls look with the archive of a workspace, provided that the archive can be read
// without waiting.
func (s *suggester) glance(root string, look func(context.Context, *archive.Archive) error) {
	ctx, stop := context.WithTimeout(s.sh.Ctx, briefly)
	defer stop()
	a, err := archive.Glance(wire.ArchiveDir(root), briefly)
	if err == nil {
		_ = errors.Join(look(ctx, a), a.Close()) // if look fails, the values that it has already read still count
	}
}
