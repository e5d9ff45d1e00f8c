package toolwriter

import (
	"encoding/json"
	"fmt"
	"time"

	_ "embed"

	"evolve/runtime/authored"
	"evolve/runtime/experience"
	"evolve/runtime/memory"
	"evolve/runtime/model"
)

//go:embed task.md
var task string

// Material is the input for a model. All texts in it are untrusted.
type Material struct {
	Tool authored.Definition
	// Advice is a recommendation about the tool, with the clusters of its referrals.
	// Signatures are the kinds of failure of the tool, most frequent first.
	Advice     experience.Advice
	Signatures []experience.Signature
	// Attempts are earlier drafts that were refused, latest first.
	Attempts []Attempt
	// Refused is the reason why the previous answer was refused, such as the output of its
	// tests; it is empty for the first request.
	Refused string
}

// Attempt is an earlier draft that was refused, with the reason.
type Attempt struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
}

// Limits on the material: numbers of items, and lengths of texts in bytes.
const (
	maxGroups   = 6
	maxAxes     = 8
	maxAxis     = 60
	maxFailures = 8
	maxCause    = 200
	maxName     = 100
	maxShared   = 8
	maxTried    = 3
	maxRefused  = 2000
)

// request returns the request to the model. The renderer of [model.Request] encodes each
// entry as a line of JSON that no text can break.
func (m Material) request(route string, seed int64) *model.Request {
	req := &model.Request{
		System:    []model.Section{{Name: "TASK", Text: task}},
		Goal:      "Follow the advice. Answer with the rationale and the draft alone.",
		Remaining: 1,
		Sampling:  model.Sampling{Route: route, Seed: seed, MaxTokens: maxReply},
	}
	text := func(key, v string) { req.Shared = append(req.Shared, model.Shared{From: "evolve", Key: key, Text: v}) }
	add := func(key string, v any) {
		raw, err := json.Marshal(v)
		if err == nil { // values of the types below can always be encoded
			text(key, string(raw))
		}
	}
	text("the tool", string(m.Tool.Draft()))
	add("the advice and its counts of calls", m.advice())
	for i, g := range m.groups() {
		add(fmt.Sprintf("group %d of its referrals", i+1), g)
	}
	for i, f := range m.Signatures[:min(len(m.Signatures), maxFailures)] {
		add(fmt.Sprintf("failure %d", i+1), failure{
			memory.Cut(f.Method, maxName), memory.Cut(f.Domain, maxName), string(f.Outcome), memory.Cut(f.Message, maxCause), f.Count, day(f.First), day(f.Last),
		})
	}
	for i, a := range m.Attempts[:min(len(m.Attempts), maxTried)] {
		add(fmt.Sprintf("earlier draft %d, which was refused: do not repeat it, find out what it lacked", i+1),
			Attempt{memory.Cut(a.Source, authored.MaxSource), memory.Cut(a.Reason, maxRefused)})
	}
	if m.Refused != "" {
		text("why your last answer was refused", memory.Cut(m.Refused, maxRefused))
	}
	return req
}

// advice returns the part of the advice that is shown to the model.
func (m Material) advice() any {
	a := m.Advice
	var shared []string
	for _, name := range a.Shared[:min(len(a.Shared), maxShared)] {
		shared = append(shared, memory.Cut(name, maxName))
	}
	return struct {
		Remedy    experience.Remedy `json:"advice"`
		Reason    string            `json:"reason"`
		Calls     int               `json:"calls"`
		Judged    int               `json:"judged"`
		Succeeded int               `json:"succeeded"`
		Referrals int               `json:"referrals"`
		Weak      int               `json:"low_utility"`
		Invalid   int               `json:"contract_violations"`
		Shared    []string          `json:"tools_that_lack_the_same,omitempty"`
	}{a.Remedy, memory.Cut(a.Reason, maxCause), a.Calls, a.Judged, a.Succeeded, a.Referrals, a.Weak, a.Invalid, shared}
}

// group is the part of a cluster of referrals that is shown to the model.
type group struct {
	Axes      []string `json:"boundary_axes"`
	Referrals int      `json:"referrals"`
	First     string   `json:"first"`
	Last      string   `json:"last"`
	Evidence  string   `json:"last_evidence,omitempty"`
}

// failure is the part of a failure's signature that is shown to the model.
type failure struct {
	Method  string `json:"method,omitempty"`
	Domain  string `json:"domain"`
	Outcome string `json:"outcome"`
	Message string `json:"message"`
	Count   int    `json:"times"`
	First   string `json:"first"`
	Last    string `json:"last"`
}

// groups returns the clusters of the advice that are marked as groups or, if there are
// none, all its clusters, at most maxGroups of them.
func (m Material) groups() []group {
	var out []group
	for _, only := range []bool{true, false} {
		for _, c := range m.Advice.Clusters {
			if only && !c.Group || len(out) == maxGroups {
				continue
			}
			g := group{Referrals: c.Referrals, First: day(c.First), Last: day(c.Last), Evidence: memory.Cut(c.Cause, maxCause)}
			for _, axis := range c.Axes[:min(len(c.Axes), maxAxes)] {
				g.Axes = append(g.Axes, memory.Cut(axis, maxAxis))
			}
			out = append(out, g)
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
