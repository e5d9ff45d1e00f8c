package patch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// driverList caches the names of the filter drivers.
type driverList struct {
	mu    sync.Mutex
	names []string
	read  bool
}

// filters returns the names of the filter drivers for which the settings that native git
// reads contain commands.
func (r *Repository) filters(ctx context.Context) ([]string, error) {
	r.drivers.mu.Lock()
	defer r.drivers.mu.Unlock()
	if r.drivers.read {
		return r.drivers.names, nil
	}
	out, err := r.config(ctx, r.dir, "-z", "--name-only", "--get-regexp", `^filter\..*\.(clean|smudge|process)$`)
	if err != nil {
		return nil, err
	}
	var names []string
	for key := range strings.SplitSeq(out, "\x00") {
		if dot := strings.LastIndexByte(key, '.'); dot > len("filter.") {
			names = append(names, key[len("filter."):dot])
		}
	}
	slices.Sort(names)
	r.drivers.names, r.drivers.read = slices.Compact(names), true
	return r.drivers.names, nil
}

// withoutDrivers returns the environment that disables filter drivers for one run of native
// git. Otherwise their commands would run on every file that git examines, and could write
// content that no gate has checked.
func withoutDrivers(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	var env []string
	n := 0
	set := func(key, value string) {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	for _, name := range names {
		for _, key := range []string{"clean", "smudge", "process"} {
			set("filter."+name+"."+key, "")
		}
		set("filter."+name+".required", "false")
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// rewritingAttributes are the attributes with which git changes more than the line
// endings of a file when it writes the file to a working tree.
var rewritingAttributes = []string{"filter", "ident", "working-tree-encoding"}

// attributes returns git's attributes for paths relative to dir. The result maps each path
// to its attributes, and each attribute to its value.
func (r *Repository) attributes(ctx context.Context, dir string, names, paths []string) (map[string]map[string]string, error) {
	with := *r
	with.input = strings.Join(paths, "\x00") + "\x00"
	out, err := with.native(ctx, dir, append([]string{"check-attr", "-z", "--stdin"}, names...)...)
	if err != nil {
		return nil, fmt.Errorf("reading git's attributes: %w", err)
	}
	found := map[string]map[string]string{}
	fields := strings.Split(out, "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		path, name, value := fields[i], fields[i+1], fields[i+2]
		if found[path] == nil {
			found[path] = map[string]string{}
		}
		found[path][name] = value
	}
	return found, nil
}

// rewritten lists the paths, relative to dir, that git would write with content that
// differs from the committed content, each with the attribute that causes it.
func (r *Repository) rewritten(ctx context.Context, dir string, paths []string) ([]string, error) {
	names, err := r.filters(ctx)
	if err != nil {
		return nil, err
	}
	attributes, err := r.attributes(ctx, dir, rewritingAttributes, paths)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, path := range paths {
		for _, name := range rewritingAttributes {
			value := attributes[path][name]
			switch {
			case value == "" || value == "unspecified" || value == "unset":
			case name == "filter" && !slices.Contains(names, value): // git has no command for this filter
			default:
				out = append(out, fmt.Sprintf("%s (%s=%s)", path, name, value))
			}
		}
	}
	return out, nil
}

// unfiltered returns those of the paths, relative to dir, that no filter driver processes.
func (r *Repository) unfiltered(ctx context.Context, dir string, paths []string) ([]string, error) {
	names, err := r.filters(ctx)
	if err != nil || len(names) == 0 || len(paths) == 0 {
		return paths, err
	}
	attributes, err := r.attributes(ctx, dir, []string{"filter"}, paths)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(names, attributes[p]["filter"]) }), nil
}
