package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// Host is the machine on which nights are scheduled.
type Host struct {
	// Env is the environment for systemctl and crontab, as NAME=value.
	Env []string
	// Systemctl and Crontab are the paths of the programs; each is empty if the program is
	// missing.
	Systemctl, Crontab string
	// UserUnits is the folder of the user's units; it is empty if the user has no home
	// folder. SystemUnits is the folder of the system's units.
	UserUnits, SystemUnits string
}

// The errors that can occur when a schedule is installed or removed.
var (
	// ErrNone reports that neither systemd nor a crontab can be used here.
	ErrNone = errors.New("neither systemd nor crontab can be used here")
	// ErrOther reports that the workspace is already scheduled by another program.
	ErrOther = errors.New("the workspace is already scheduled")
)

// run runs a program in the C locale, because its messages are recognized in that language,
// and returns its standard output.
func (h Host) run(ctx context.Context, stdin, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(append([]string{}, h.Env...), "LC_ALL=C")
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// systemctl runs systemctl for the user or for the system.
func (h Host) systemctl(ctx context.Context, system bool, args ...string) error {
	if h.Systemctl == "" {
		return fmt.Errorf("systemctl: %w", exec.ErrNotFound)
	}
	if !system {
		args = append([]string{"--user"}, args...)
	}
	_, err := h.run(ctx, "", h.Systemctl, args...)
	return err
}

// HasSystemd reports whether systemd is running and accepts commands.
func (h Host) HasSystemd(ctx context.Context, system bool) bool {
	if h.units(system) == "" {
		return false
	}
	return h.systemctl(ctx, system, "show", "--property=Version") == nil
}

func (h Host) units(system bool) string {
	if system {
		return h.SystemUnits
	}
	return h.UserUnits
}

// crontab reads the user's crontab; it returns "" if there is none.
func (h Host) crontab(ctx context.Context) (string, error) {
	if h.Crontab == "" {
		return "", nil
	}
	text, err := h.run(ctx, "", h.Crontab, "-l")
	if err == nil {
		return text, nil
	}
	// Implementations differ in how they report that a user has no crontab.
	for _, none := range []string{"no crontab for", "No such file or directory"} {
		if errors.As(err, new(*exec.ExitError)) && strings.Contains(err.Error(), none) {
			return "", nil
		}
	}
	return "", err
}

func (h Host) setCrontab(ctx context.Context, text string) error {
	if text == "" {
		_, err := h.run(ctx, "", h.Crontab, "-r")
		return err
	}
	_, err := h.run(ctx, text, h.Crontab, "-")
	return err
}

// Find returns every schedule of a workspace on this machine.
func (h Host) Find(ctx context.Context, workspace string) ([]Installed, error) {
	var found []Installed
	for _, system := range []bool{false, true} {
		in, ok, err := readUnits(h.units(system), Name(workspace))
		if err != nil {
			return nil, err
		}
		if in.System, in.unit = system, Name(workspace); ok {
			found = append(found, in)
		}
	}
	if in, ok, err := h.instance(workspace); err != nil {
		return found, err
	} else if ok {
		found = append(found, in)
	}
	text, err := h.crontab(ctx)
	if err != nil {
		return found, err
	}
	from, to, err := block(text, workspace)
	if err != nil {
		return found, err
	}
	if from < to {
		in := parseBlock(text[from:to])
		in.parts = []Part{{Text: text[from:to]}}
		found = append(found, in)
	}
	return found, nil
}

// readUnits reads the units with the given name in a folder; ok is false if there is no
// timer.
func readUnits(dir, name string) (in Installed, ok bool, err error) {
	if dir == "" {
		return in, false, nil
	}
	var texts []Part
	for _, suffix := range []string{".service", ".timer"} {
		path := filepath.Join(dir, name+suffix)
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			texts = append(texts, Part{})
			continue
		}
		if err != nil {
			return in, false, err
		}
		texts = append(texts, Part{path, string(data)})
	}
	if texts[1].File == "" {
		return in, false, nil
	}
	in = parseUnits(texts[0].Text, texts[1].Text)
	for _, p := range texts {
		if p.File != "" {
			in.parts, in.Files = append(in.parts, p), append(in.Files, p.File)
		}
	}
	return in, true, nil
}

// writeUnits writes files below a folder, and creates the folder if it does not exist.
func writeUnits(dir string, parts []Part) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range parts {
		if err := renameio.WriteFile(filepath.Join(dir, filepath.Base(p.File)), []byte(p.Text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
