package schedule

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Kind is a kind of scheduler that starts the nightly runs.
type Kind string

// The kinds of schedulers that start the nightly runs. A schedule of the kind Kubernetes is
// only printed, not installed.
const (
	Systemd    Kind = "systemd"
	Cron       Kind = "cron"
	Kubernetes Kind = "kubernetes"
)

// Kinds lists every kind.
func Kinds() []Kind { return []Kind{Systemd, Cron, Kubernetes} }

// Night describes the command that is started every night.
type Night struct {
	// Program is the absolute path of evolve, and Workspace is the absolute path of the
	// workspace.
	Program, Workspace string
	At                 At
	// Limits are flags for `evolve run`.
	Limits []string
	// Path is the search path for programs. Neither cron nor systemd has a shell's search
	// path.
	Path string
	// User is the user who runs a system unit; it is empty in a user's own schedule.
	User string
	// Zone is the name of the time zone, for Kubernetes, which otherwise uses UTC; it is
	// empty if unknown.
	Zone string
	// Since is when the schedule was installed. Nights before that were not due.
	Since time.Time
}

// words returns the words of the command line.
func (n Night) words() []string {
	return slices.Concat([]string{n.Program, "run", "--workspace", n.Workspace}, n.Limits, []string{"--quiet"})
}

// Check returns an error if a path cannot be written on a line of a unit or a crontab.
func (n Night) Check() error {
	for _, path := range []string{n.Program, n.Workspace, n.Path} {
		if !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) {
			return fmt.Errorf("the path %q contains a character that cannot be used in a schedule", path)
		}
	}
	if !filepath.IsAbs(n.Program) || !filepath.IsAbs(n.Workspace) {
		return errors.New("a schedule needs absolute paths")
	}
	return nil
}

// unsafeInNames matches characters that the name of a unit or a CronJob cannot contain.
var unsafeInNames = regexp.MustCompile(`[^a-z0-9]+`)

// Name returns the name of a workspace's schedule. It differs for each folder, and is valid
// for a unit and for a CronJob.
func Name(workspace string) string {
	base := unsafeInNames.ReplaceAllString(strings.ToLower(filepath.Base(workspace)), "-")
	base = strings.Trim(base[:min(len(base), 24)], "-")
	sum := sha256.Sum256([]byte(workspace))
	return strings.ReplaceAll(fmt.Sprintf("evolve-%s-%x", base, sum[:4]), "--", "-")
}

// LimitsUntil returns the flags that end a night at a time of day. A missed night that is
// run later in the day has only as much time as a night that began on time, so it never
// extends into the next night.
func LimitsUntil(at, until At) []string {
	return []string{"--until", until.String(), "--budget-time", length(at.before(until))}
}

// LimitsBefore returns the flag that limits the time of a missed night. When such a night
// is run later, it gets no more time than a night that began on time. It is for
// workspaces whose evolve.yaml sets the time of day at which nights end.
func LimitsBefore(at, until At) []string {
	return []string{"--budget-time", length(at.before(until))}
}

// length renders a duration in whole minutes.
func length(d time.Duration) string {
	h, m := d/time.Hour, d%time.Hour/time.Minute
	if m == 0 {
		return fmt.Sprintf("%dh", h)
	}
	return fmt.Sprintf("%dh%dm", h, m)
}

// SearchPath returns the absolute folders of a search path without duplicates.
func SearchPath(path string) string {
	var kept []string
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && !slices.Contains(kept, dir) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}
