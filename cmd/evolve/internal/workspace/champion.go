package workspace

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"

	"evolve/runtime/agent"
)

// The files in an agent's folder that store its champion.
const (
	ConfigFile   = "config.yaml"
	StrategyFile = "STRATEGY.md"
	// strategyParam is the text parameter that is stored in StrategyFile.
	strategyParam = "strategy"
)

const configHeader = `# The champion of this agent: the values of its parameters that are active now.
# Written by evolve approve. A parameter that is left out has its default value.
`

// storesStrategy reports whether a parameter is stored in STRATEGY.md. For a built-in agent
// the strategy is stored there even if it is fixed, in which case it is not a text
// parameter.
func storesStrategy(a *Agent, space agent.Space) bool {
	p, ok := space.Lookup(strategyParam)
	return ok && (p.Kind == agent.Text || a.Adapter.Kind == KindBuiltin)
}

// ChampionFiles returns the files, by slash-separated path in the workspace, that make c
// the champion of a: loading the workspace with them returns c. A nil content means that
// the file is removed. c must be a config of a.Space.
func ChampionFiles(a *Agent, c agent.Config) map[string][]byte {
	dir := path.Join("agents", a.ID)
	files := map[string][]byte{}
	stores := storesStrategy(a, a.Space)
	var b bytes.Buffer
	b.WriteString(configHeader)
	for _, p := range a.Space.Params {
		v, ok := c[p.Name]
		if !ok || stores && p.Name == strategyParam {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", yamlWord(p.Name), yamlValue(v))
	}
	files[path.Join(dir, ConfigFile)] = b.Bytes()
	if stores {
		if strategy := c.String(strategyParam); strategy != "" {
			files[path.Join(dir, StrategyFile)] = []byte(strategy + "\n")
		} else if a.hasStrategy {
			files[path.Join(dir, StrategyFile)] = nil
		}
	}
	return files
}

// readChampion reads the agent's config.yaml and STRATEGY.md into a config of the space.
// If the files have issues, it reports them and returns false.
func readChampion(c *collector, root string, a *Agent, space agent.Space) (agent.Config, bool) {
	return readChampionIn(c, root, path.Join("agents", a.ID), a, space)
}

// readChampionIn is like readChampion, but reads the files from a slash-separated folder
// below root.
func readChampionIn(c *collector, root, dir string, a *Agent, space agent.Space) (agent.Config, bool) {
	before := c.total
	raw := map[string]any{}
	names, place := map[string]*yaml.Node{}, map[string]*yaml.Node{}
	cs := &source{file: path.Join(dir, ConfigFile), errs: c}
	stores := storesStrategy(a, space)
	if data, ok := cs.read(root, maxYAML, false); ok {
		if n := cs.parse(data); n != nil && isMapping(cs, n, "") {
			readValues(cs, n, raw, names, place)
		}
	}
	if n := place[strategyParam]; n != nil && stores {
		cs.bad(n, "", "the strategy belongs in %s, not here", StrategyFile)
		delete(raw, strategyParam)
	}
	ss := &source{file: path.Join(dir, StrategyFile), errs: c}
	if data, ok := ss.read(root, maxText, false); ok {
		a.hasStrategy = true
		strategy := strings.TrimSuffix(string(data), "\n")
		switch {
		case stores:
			raw[strategyParam] = strategy
		case strategy != "":
			ss.fail("sets the text parameter %q, but the space has no such parameter", strategyParam)
		}
	}
	config, problems := space.Parse(raw)
	for _, p := range problems {
		if _, ok := space.Lookup(p.Param); !ok {
			hint := didYouMean(p.Param, space.Names())
			cs.bad(names[p.Param], hint, "%s", p)
			continue
		}
		if p.Param == strategyParam && stores {
			ss.fail("%s", p.Text)
		} else {
			cs.bad(place[p.Param], "", "%s", p)
		}
	}
	return config, c.total == before
}

// readValues reads pairs of a parameter and a value. It stores the values in raw, and the
// positions of the names and of the values in names and place.
func readValues(s *source, n *yaml.Node, raw map[string]any, names, place map[string]*yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, ok := keyName(n.Content[i])
		if names[name] != nil || !ok {
			continue // already reported
		}
		v := n.Content[i+1]
		names[name], place[name] = n.Content[i], v
		switch v.Kind {
		case yaml.ScalarNode:
			if isNull(v) {
				s.bad(v, "", "parameter %q has no value", name)
				continue
			}
			raw[name] = scalarValue(v)
		case yaml.SequenceNode:
			list := []string{}
			for j, item := range v.Content {
				var member string
				if (text{to: &member}).take(s, item, fmt.Sprintf("item %d of %q", j+1, name)) {
					list = append(list, member)
				}
			}
			raw[name] = list
		case yaml.MappingNode:
			s.bad(v, "", "parameter %q must have one value or a list, not a mapping", name)
		}
	}
}

// ReadChampion reads the champion files of the agent a from below root. root need not be
// the workspace from which a was loaded, because a gate also reads back the files of a
// proposal.
func ReadChampion(root string, a *Agent) (agent.Config, error) {
	return ReadChampionIn(root, path.Join("agents", a.ID), a)
}

// ReadChampionIn is like [ReadChampion], but reads the files from a slash-separated folder
// below root, such as a folder in an exported tree.
func ReadChampionIn(root, dir string, a *Agent) (agent.Config, error) {
	var c collector
	scratch := *a
	config, ok := readChampionIn(&c, root, dir, &scratch, a.Known)
	if !ok {
		return nil, c.err()
	}
	return config, nil
}
