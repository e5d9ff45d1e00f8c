package cli

import "github.com/urfave/cli/v2"

// The groups of commands in the help text.
const (
	groupStart  = "start"
	groupNight  = "every night and morning"
	groupBehind = "look at the details"
	groupKeep   = "keep house"
)

// commands returns the table of all commands.
func (sh *shell) commands() []*cli.Command {
	group := func(name string, list ...*cli.Command) []*cli.Command {
		for _, c := range list {
			c.Category = name
		}
		return list
	}
	var all []*cli.Command
	for _, g := range [][]*cli.Command{
		group(groupStart, initCommand(sh), demoCommand(sh), doctorCommand(sh), helpCommand(sh), completionCommand(sh)),
		group(groupNight, runCommand(sh), scheduleCommand(sh), statusCommand(sh), reportCommand(sh), proposalsCommand(sh), showCommand(sh),
			diffCommand(sh), reviewCommand(sh), decisionCommand(sh, approving()), decisionCommand(sh, rejecting()), decisionCommand(sh, rollingBack()),
			adoptCommand(sh), requestsCommand(sh)),
		group(groupBehind, variantsCommand(sh), lineageCommand(sh), compareCommand(sh), viewCommand(sh), codeCommand(sh), proposeCommand(sh), patchCommand(sh), agentCommand(sh), toolsCommand(sh), feedbackCommand(sh), memoryCommand(sh), autonomyCommand(sh), benchCommand(sh)),
		group(groupKeep, auditCommand(sh), archiveCommand(sh), notifyCommand(sh), workerCommand(sh), hubCommand(sh)),
	} {
		all = append(all, g...)
	}
	return all
}
