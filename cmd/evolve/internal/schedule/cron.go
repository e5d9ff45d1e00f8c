package schedule

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"evolve/runtime/text"
)

// LogFile is the file, below a workspace, that collects the output of nights started by
// cron.
const LogFile = ".evolve/night.log"

// mostCron is the length of the longest command that every cron accepts, in bytes.
const mostCron = 998

// Crontab renders the lines for a night in a crontab, between two marks. The second line
// runs when the machine starts, and makes up for a night that was missed.
func Crontab(n Night) (string, error) {
	log := text.ShellQuote(filepath.Join(n.Workspace, filepath.FromSlash(LogFile)))
	lines := beginMark + n.Since.UTC().Format(time.RFC3339) + " " + n.Workspace + "\n"
	for _, start := range []struct {
		when  string
		flags []string
	}{
		{fmt.Sprintf("%d %d * * *", n.At.Minute, n.At.Hour), nil},
		{"@reboot", []string{"--catch-up"}},
	} {
		command := cronLine("PATH=" + text.ShellQuote(n.Path) + " " + shellWords(append(n.words(), start.flags...)) +
			" >>" + log + ` 2>&1 || echo "evolve run ended with exit code $?, see "` + log)
		if len(command) > mostCron {
			return "", fmt.Errorf("a command in a crontab can have at most %d bytes, but this one has %d: %s", mostCron, len(command), command)
		}
		lines += start.when + " " + command + "\n"
	}
	return lines + endMark + n.Workspace + "\n", nil
}

// The marks around the lines of a workspace; each mark ends with the workspace's path.
const (
	beginMark = "# evolve begin "
	endMark   = "# evolve end "
)

// block finds the lines of a workspace in a crontab, including the marks. If there are
// none, the offsets from and to are equal. block fails if only one of the marks is
// present.
func block(crontab, workspace string) (from, to int, err error) {
	at, begun := 0, false
	for line := range strings.Lines(crontab) {
		text := strings.TrimSuffix(line, "\n")
		_, path, _ := strings.Cut(strings.TrimPrefix(text, beginMark), " ")
		switch {
		case strings.HasPrefix(text, beginMark) && path == workspace && !begun:
			from, begun = at, true
		case text == endMark+workspace && begun:
			return from, at + len(line), nil
		case strings.HasPrefix(text, beginMark) && begun, text == endMark+workspace:
			return 0, 0, markError(workspace)
		}
		at += len(line)
	}
	if begun {
		return 0, 0, markError(workspace)
	}
	return 0, 0, nil
}

func markError(workspace string) error {
	return fmt.Errorf("the lines of %s in the crontab are not enclosed in both marks, %q and %q", workspace, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
}

// replaceBlock replaces the lines of a workspace in a crontab with the given lines, or adds
// the given lines at the end if the workspace has none. If the parameter lines is empty, it
// removes the workspace's lines. All other bytes are left unchanged.
func replaceBlock(crontab, workspace, lines string) (string, error) {
	from, to, err := block(crontab, workspace)
	if err != nil {
		return "", err
	}
	if from == to {
		if from, to = len(crontab), len(crontab); lines != "" && crontab != "" && !strings.HasSuffix(crontab, "\n") {
			lines = "\n" + lines
		}
	}
	return crontab[:from] + lines + crontab[to:], nil
}

var daily = regexp.MustCompile(`^(\d{1,2}) (\d{1,2}) \* \* \* (.+)$`)

// parseBlock parses lines rendered by [Crontab]. The fields for parts that a person has
// changed beyond recognition stay empty.
func parseBlock(lines string) Installed {
	in := Installed{Kind: Cron}
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		if stamp, ok := strings.CutPrefix(line, beginMark); ok {
			stamp, _, _ = strings.Cut(stamp, " ")
			in.Since, _ = time.Parse(time.RFC3339, stamp)
		}
		if m := daily.FindStringSubmatch(line); m != nil {
			in.setAt(fmt.Sprintf("%02s:%02s", m[2], m[1]))
			if words := parseCronLine(m[3]); len(words) > 1 {
				in.setCommand(words[1:])
			}
		}
	}
	return in
}
