package schedule

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Part is a file of a schedule. File is empty if the part is only some lines of another
// file.
type Part struct {
	File string `json:"file,omitempty"`
	Text string `json:"text"`
}

// header begins each file that evolve writes.
const header = "# `evolve schedule install` wrote this file; `evolve schedule remove` deletes it.\n"

// Units renders the service and the timer of a night; their names do not include the
// folder. A night ends an hour before the next is due: it finishes the evaluations under
// way, and has half an hour for its report. Exit code 3 means that proposals await a
// decision, 5 that another run holds the archive, and 130 that a signal stopped
// the night.
func Units(n Night) (service, timer Part) {
	name, user := Name(n.Workspace), ""
	if n.User != "" {
		user = "User=" + n.User + "\n"
	}
	service = Part{name + ".service", fmt.Sprintf(`%s[Unit]
Description=the night of %s (evolve)

[Service]
Type=oneshot
%sEnvironment=%s
ExecStart=%s
SuccessExitStatus=3 5 130
KillMode=mixed
TimeoutStartSec=23h
TimeoutStopSec=30min
`, header, unitText(n.Workspace), user, unitWord("PATH="+n.Path), unitCommand(n.words()))}
	timer = Part{name + ".timer", fmt.Sprintf(`%s[Unit]
Description=start of the night of %s (evolve)

[Timer]
OnCalendar=*-*-* %s:00
Persistent=true
RandomizedDelaySec=0
AccuracySec=1s

[Install]
WantedBy=timers.target

[X-Evolve]
Since=%s
`, header, unitText(n.Workspace), n.At, n.Since.UTC().Format(time.RFC3339))}
	return service, timer
}

var (
	onCalendar = regexp.MustCompile(`(?m)^OnCalendar=\*-\*-\* (\d\d:\d\d):00$`)
	since      = regexp.MustCompile(`(?m)^Since=(\S+)$`)
	execStart  = regexp.MustCompile(`(?m)^ExecStart=(.+)$`)
)

// parseUnits parses units rendered by [Units]. What a person has changed beyond
// recognition stays empty.
func parseUnits(service, timer string) Installed {
	in := Installed{Kind: Systemd}
	if m := onCalendar.FindStringSubmatch(timer); m != nil && strings.Count(timer, "OnCalendar=") == 1 {
		in.setAt(m[1])
	}
	if m := since.FindStringSubmatch(timer); m != nil {
		in.Since, _ = time.Parse(time.RFC3339, m[1])
	}
	if m := execStart.FindStringSubmatch(service); m != nil {
		in.setCommand(parseUnitCommand(m[1]))
	}
	return in
}
