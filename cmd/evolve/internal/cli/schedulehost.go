package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/schedule"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
)

// scheduler returns the host on which nights are scheduled, which is this machine.
func (sh *shell) scheduler() schedule.Host {
	h := schedule.Host{Env: sh.Env, Systemctl: findProgram(sh.Env, "systemctl"), Crontab: findProgram(sh.Env, "crontab"), SystemUnits: "/etc/systemd/system"}
	// systemd itself looks for units in this folder.
	if dirs := filepath.SplitList(sh.Env.Get("SYSTEMD_UNIT_PATH")); len(dirs) > 0 && filepath.IsAbs(dirs[0]) {
		h.SystemUnits = dirs[0]
	}
	if config := sh.Env.Get("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		h.UserUnits = filepath.Join(config, "systemd", "user")
	} else if home := sh.Env.Get("HOME"); filepath.IsAbs(home) {
		h.UserUnits = filepath.Join(home, ".config", "systemd", "user")
	}
	// A cron or sudo session does not have the address of the user's systemd.
	if run := fmt.Sprintf("/run/user/%d", os.Getuid()); sh.Env.Get("XDG_RUNTIME_DIR") == "" {
		if _, err := os.Stat(run); err == nil {
			h.Env = append(slices.Clone(h.Env), "XDG_RUNTIME_DIR="+run)
		}
	}
	return h
}

// findProgram returns the path of a program on the search path, or "" if the program is not
// there.
func findProgram(env wire.Environment, name string) string {
	for _, dir := range filepath.SplitList(env.Get("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && filepath.IsAbs(dir) && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// ownProgram returns the path of this program. If the program is on the search path, it
// returns the path there, because a link there remains valid after an update.
func ownProgram(env wire.Environment) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding the program evolve: %w", err)
	}
	if found := findProgram(env, filepath.Base(own)); found != "" {
		a, errA := os.Stat(own)
		b, errB := os.Stat(found)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return found, nil
		}
	}
	return own, nil
}

// plannedNight returns the night that the flags describe. Whatever the flags leave open is
// taken from the installed schedule in found.
func (sh *shell) plannedNight(c *cli.Context, w *workspace.Workspace, o scheduleOptions, found []schedule.Installed) (schedule.Night, error) {
	n := schedule.Night{Workspace: realPath(w.Root), Path: schedule.SearchPath(sh.Env.Get("PATH")), Zone: zoneName(sh.Now()), Since: sh.Now()}
	at, until := o.at, o.until
	if len(found) > 0 && found[0].Daily && !c.IsSet("at") {
		at = found[0].At.String()
	}
	if len(found) > 0 && !c.IsSet("until") {
		until = found[0].Until
	}
	var err error
	if n.Program, err = ownProgram(sh.Env); err != nil {
		return n, err
	}
	if n.At, err = parseTime("at", orElse(at, defaultAt, at != "")); err != nil {
		return n, err
	}
	switch budget := w.Settings.Budget; {
	case until != "":
		end, err := parseTime("until", until)
		if err != nil {
			return n, err
		}
		n.Limits = schedule.LimitsUntil(n.At, end)
	case budget.Time == 0 && budget.Until != "":
		end, err := parseTime("until", budget.Until)
		if err != nil {
			return n, err
		}
		n.Limits = schedule.LimitsBefore(n.At, end)
	}
	if o.system {
		n.User = schedule.Owner(w.Root)
	}
	if err := n.Check(); err != nil {
		return n, exit.Misuse(err)
	}
	return n, nil
}

func parseTime(flag, text string) (schedule.At, error) {
	at, err := schedule.ParseAt(text)
	if err != nil {
		return at, exit.Errorf(exit.Usage, "write the time like 01:30", "--%s %w", flag, err)
	}
	return at, nil
}

// realPath resolves the links in a folder's path, because a workspace has one schedule,
// whichever link leads to it.
func realPath(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// zoneName returns the name of this machine's time zone; it returns "" if the name is not
// known.
func zoneName(now time.Time) string {
	name := now.Location().String()
	if name == "Local" {
		link, _ := os.Readlink("/etc/localtime")
		for dir := link; dir != "." && dir != "/" && dir != ""; dir = filepath.Dir(dir) {
			if filepath.Base(dir) == "zoneinfo" {
				name, _ = filepath.Rel(dir, link)
			}
		}
	}
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return ""
	}
	return name
}

// neededEnv lists the environment variables that are named in a workspace's settings,
// except those that every process has.
func neededEnv(w *workspace.Workspace) []string {
	var names []string
	for _, p := range w.Settings.Providers {
		names = append(names, p.KeyEnv)
	}
	for _, m := range w.Settings.MCP {
		names = append(names, m.Env...)
		for _, v := range m.HeadersEnv {
			names = append(names, v)
		}
	}
	for i := range w.Agents {
		names = append(names, w.Agents[i].Adapter.Env...)
		for _, v := range w.Agents[i].Adapter.HeadersEnv {
			names = append(names, v)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return slices.Contains([]string{"", "PATH", "HOME", "USER", "LOGNAME", "SHELL"}, name)
	})
}
