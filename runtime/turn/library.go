package turn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/text"
	"evolve/runtime/tool"
)

// Limits on the library of available tools.
const (
	// maxPicked is the maximum number of tools from servers and agents that are activated
	// for a goal because they fit it. maxListed is the maximum number of further tools that
	// are listed.
	maxPicked = 8
	maxListed = 24
	// maxFound is the maximum number of tools that one query activates.
	maxFound = 3
	// maxRanked limits the number of tools that are ranked for a text, and maxSubject
	// limits the length of that text, in bytes.
	maxRanked  = 100
	maxSubject = 4 << 10
)

// newLibrary returns an index over the names and descriptions of the available tools.
func newLibrary(lex *memory.Lexicon, registry *tool.Registry) *memory.Index {
	var entries []agent.Memory
	for _, name := range registry.Names() {
		if spec, _ := registry.Spec(name); spec.Category == tool.Available {
			entries = append(entries, agent.Memory{ID: name, Text: nameWords(name) + " " + text.Clip(spec.Description, maxSubject)})
		}
	}
	return memory.NewIndex(lex, entries)
}

// nameWords separates the words in a name such as getUser.
func nameWords(name string) string {
	var b strings.Builder
	lower := false
	for _, c := range name {
		if lower && unicode.IsUpper(c) {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
		lower = unicode.IsLower(c) || unicode.IsDigit(c)
	}
	return b.String()
}

// pickTools ranks the available tools for the goal, by their fit and by experience, and
// activates the best of those that come from servers and agents, for this turn only.
// Whether a local tool is active is determined by the config.
func (r *run) pickTools() {
	if r.agent.library == nil {
		return
	}
	type picked struct {
		Tool  string  `json:"tool"`
		Score float64 `json:"score"`
		Why   string  `json:"why,omitempty"`
	}
	var ranked, all []picked
	var texts []string
	r.ranks = map[string]float64{}
	for _, hit := range r.agent.library.Rank(text.Clip(r.goal, maxSubject), maxRanked) {
		score, why := r.weighRank(hit.ID, hit.Score)
		r.ranks[hit.ID] = score
		ranked = append(ranked, picked{hit.ID, score, why})
	}
	slices.SortStableFunc(ranked, func(a, b picked) int { return cmp.Compare(b.Score, a.Score) })
	for _, p := range ranked {
		spec, _ := r.registry.Spec(p.Tool)
		if _, active := r.active[p.Tool]; active || spec.Origin == "local" || len(all) == maxPicked || r.withheld(p.Tool) != "" {
			continue
		}
		r.active[p.Tool] = -1
		shown := fmt.Sprintf("%s %.3f", p.Tool, p.Score)
		if p.Why != "" {
			shown += " (" + p.Why + ")"
		}
		texts = append(texts, shown)
		p.Score = math.Round(1000*p.Score) / 1000
		all = append(all, p)
	}
	if len(all) > 0 {
		r.event(agent.Event{Kind: agent.EventTools, Text: strings.Join(texts, ", "), Data: encode(all)})
	}
}

// specs returns the active tools in the order of registration, the inactive tools that
// could be activated, and the number of inactive tools that were left out. For a language
// model, the inactive tools are only those that fit the goal best, and there are none if
// the model cannot activate tools.
func (r *run) specs() (active, inactive []tool.Spec, more int) {
	for _, name := range r.registry.Names() {
		if r.withheld(name) != "" {
			continue
		}
		spec, _ := r.registry.Spec(name)
		if _, ok := r.active[name]; ok {
			active = append(active, spec)
		} else if spec.Category == tool.Available {
			inactive = append(inactive, spec)
		}
	}
	if !r.agent.language {
		return active, inactive, 0
	}
	if _, ok := r.active["enable_tool"]; !ok {
		return active, nil, 0
	}
	slices.SortStableFunc(inactive, func(a, b tool.Spec) int { return cmp.Compare(r.ranks[b.Name], r.ranks[a.Name]) })
	n := min(len(inactive), maxListed)
	return active, inactive[:n], len(inactive) - n
}

// findTools activates the tools that match a query best and lists the next best ones.
func (r *run) findTools(query string) tool.Result {
	if r.agent.library == nil {
		return tool.Failed(agent.Denied, "tools are activated by name here")
	}
	type found struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	out := struct {
		Active []found  `json:"active"`
		Others []string `json:"others,omitempty"`
	}{Active: []found{}}
	for _, hit := range r.agent.library.Rank(query, maxFound+maxListed) {
		if _, active := r.active[hit.ID]; active || r.withheld(hit.ID) != "" {
			continue
		}
		if len(out.Active) == maxFound {
			out.Others = append(out.Others, hit.ID)
			continue
		}
		spec, _ := r.registry.Spec(hit.ID)
		r.active[hit.ID] = r.steps
		out.Active = append(out.Active, found{hit.ID, text.Clip(spec.Description, maxEventText)})
	}
	if len(out.Active) == 0 {
		return tool.OK("no other tool fits the query")
	}
	return tool.OK(string(encode(out)))
}
