package cli

import (
	"context"
	"errors"
	"os/user"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/patch"
)

// decider returns the person who decides: the name given with --by or, without --by, the
// git user. If there is neither, it returns an error, because the account of a process is
// not a person. It refuses a name that no decision may have ([review.ParsePerson]).
func decider(sh *shell, c *cli.Context, root string) (string, error) {
	by := c.String("by")
	if !c.IsSet("by") {
		by = whoami(c.Context, sh, root)
	}
	if strings.TrimSpace(by) == "" {
		if _, err := patch.Command(c.Context, root, sh.Env, "--version"); errors.Is(err, patch.ErrNoGit) {
			return "", exit.Errorf(exit.Infrastructure, "install git, or add its folder to PATH; or identify yourself with --by \"Name <mail>\"", "git is not installed, and decisions are recorded under your git user name")
		}
		return "", exit.Errorf(exit.Usage, "identify yourself with --by \"Name <mail>\", or set `git config --global user.name` and user.email", "git has no user configured here, and a decision needs a name")
	}
	_, err := review.ParsePerson(by)
	return by, err
}

// earlyDecider is decider for a command that makes decisions only later. It also refuses the
// id of an agent, as a decision does; w is nil if the workspace cannot be loaded.
func earlyDecider(sh *shell, c *cli.Context, root string, w *workspace.Workspace) (string, error) {
	by, err := decider(sh, c, root)
	if err == nil && w != nil {
		err = sh.Reviewer(w, nil).CheckPerson(by)
	}
	return by, err
}

// whoami returns the git user as "Name <mail>", or "" if git has no name.
func whoami(ctx context.Context, sh *shell, root string) string {
	p := patch.User(ctx, root, sh.Env)
	if p.Name != "" && p.Email != "" {
		return p.Name + " <" + p.Email + ">"
	}
	return p.Name
}

// account returns the name of the process's account, or "" if it is unknown. The name marks
// the origin of a submission, and is never used for a decision.
func account() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
