package schedule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The packages of evolve install the user units evolve@.service and evolve@.timer. An
// instance of these units is named after the path of its workspace, escaped as by
// systemd-escape.
const packagedUnit = "evolve@"

// instance finds the enabled timer of the packaged units for a workspace. The timer counts
// as installed since the creation of the link that enables it.
func (h Host) instance(workspace string) (in Installed, ok bool, err error) {
	if h.UserUnits == "" {
		return in, false, nil
	}
	name := packagedUnit + escapePath(workspace)
	link := filepath.Join(h.UserUnits, "timers.target.wants", name+".timer")
	info, err := os.Lstat(link)
	if errors.Is(err, fs.ErrNotExist) {
		return in, false, nil
	}
	var texts [2]string
	if err == nil {
		texts, err = readInstance(link, filepath.Join(h.UserUnits, name+".timer.d"))
	}
	if err != nil {
		return in, false, err
	}
	in = parseUnits(texts[0], texts[1])
	if in.Workspace == "%f" {
		in.Workspace = workspace
	}
	in.packaged, in.unit, in.Since = true, name, info.ModTime()
	return in, true, nil
}

// readInstance reads the timer to which a link leads, followed by a person's additions to
// the timer, and the service in the same folder.
func readInstance(link, added string) (texts [2]string, err error) {
	timer, err := filepath.EvalSymlinks(link)
	if err != nil {
		return texts, err
	}
	paths := []string{filepath.Join(filepath.Dir(timer), packagedUnit+".service"), timer}
	more, err := os.ReadDir(added)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return texts, err
	}
	for _, e := range more {
		if strings.HasSuffix(e.Name(), ".conf") {
			paths = append(paths, filepath.Join(added, e.Name()))
		}
	}
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return texts, err
		}
		texts[min(i, 1)] += string(data)
	}
	return texts, nil
}

// escapePath escapes an absolute path for use in the name of a unit.
func escapePath(path string) string {
	path = strings.Trim(filepath.Clean(path), "/")
	if path == "" {
		return "-"
	}
	var s strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c == '/':
			s.WriteByte('-')
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == ':', c == '_', c == '.' && i > 0:
			s.WriteByte(c)
		default:
			fmt.Fprintf(&s, `\x%02x`, c)
		}
	}
	return s.String()
}
