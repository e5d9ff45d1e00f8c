package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/config"
)

// settings are git's settings files in order of increasing precedence. Includes are not
// followed.
type settings []*config.Config

// get returns the value of a key from the file with the highest precedence among those that
// set it; set is false if no file does.
func (s settings) get(section, key string) (value string, set bool) {
	for _, c := range s {
		if !c.HasSection(section) {
			continue
		}
		if options := c.Section(section).Options; options.Has(key) {
			value, set = options.Get(key), true
		}
	}
	return value, set
}

// parseBool parses a boolean as git does; a key without a value is true.
func parseBool(value string) bool {
	switch strings.ToLower(value) {
	case "false", "no", "off", "0":
		return false
	}
	return true
}

// local returns only the repository's own settings.
func (l layout) local() (settings, error) {
	c, err := readSettings(filepath.Join(l.common, "config"))
	if err != nil {
		return nil, err
	}
	s := settings{c}
	if own, set := s.get("extensions", "worktreeconfig"); set && parseBool(own) {
		if c, err = readSettings(filepath.Join(l.git, "config.worktree")); err != nil {
			return nil, err
		}
		s = append(s, c)
	}
	return s, nil
}

// settings returns the settings that native git would use, in order of increasing
// precedence: the system's settings come first, and the working tree's settings come
// last.
func (r *Repository) settings() (settings, error) {
	env := map[string]string{}
	for _, kv := range r.env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			env[name] = value
		}
	}
	var files []string
	if _, off := env["GIT_CONFIG_NOSYSTEM"]; !off {
		system := "/etc/gitconfig"
		if path, ok := env["GIT_CONFIG_SYSTEM"]; ok {
			system = path
		}
		files = append(files, system)
	}
	home := env["HOME"]
	switch path, ok := env["GIT_CONFIG_GLOBAL"]; {
	case ok:
		files = append(files, path)
	case home != "":
		xdg := env["XDG_CONFIG_HOME"]
		if xdg == "" {
			xdg = filepath.Join(home, ".config")
		}
		files = append(files, filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig"))
	}
	var all settings
	for _, file := range files {
		c, err := readSettings(file)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	local, err := r.local()
	return append(all, local...), err
}

// readSettings reads one settings file; a missing file counts as empty.
func readSettings(path string) (*config.Config, error) {
	c := config.New()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading git's settings: %w", err)
	}
	defer f.Close()
	if err := config.NewDecoder(f).Decode(c); err != nil {
		return nil, fmt.Errorf("reading git's settings (%s): %w", filepath.Base(path), err)
	}
	return c, nil
}
