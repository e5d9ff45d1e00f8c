package toolwriter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/authored"
	"evolve/runtime/memory"
	"evolve/runtime/model"
)

// Limits on an answer, in tokens and in bytes.
const (
	maxReply     = 6000
	maxAnswer    = authored.MaxManifest + 8<<10
	maxRationale = 600
	maxReason    = 500
)

// Writer requests tools from the model of one route.
type Writer struct {
	Model model.Model
	// Route is the route hint for the model.
	Route string
}

// Reply is the result of a request.
type Reply struct {
	// Draft is nil if the model had no draft or its answer was refused. Reason is then the
	// reason, a line of bounded length that may quote the answer.
	Draft     *authored.Definition
	Rationale string
	Reason    string
	// Malformed reports whether a retry that includes the reason may help.
	Malformed bool
	Usage     agent.Usage
}

// Write requests one draft. An error is the context's error or an infrastructure failure;
// it does not depend on the material.
func (w Writer) Write(ctx context.Context, m Material, seed int64) (Reply, error) {
	answer, none, err := model.Ask(ctx, w.Model, m.request(w.Route, seed))
	out := Reply{Usage: answer.Usage, Reason: none}
	if err != nil {
		return out, fmt.Errorf("asking for a tool: %w", err)
	}
	if none != "" {
		return out, nil
	}
	if def, rationale, wrong := m.read(answer.Answer); wrong != nil {
		out.Reason, out.Malformed = memory.Cut("the answer "+wrong.Error(), maxReason), true
	} else {
		out.Draft, out.Rationale = &def, rationale
	}
	return out, nil
}

// read parses an answer. An error is the reason why the answer is invalid, in words that
// follow "the answer". If the answer is a new version of the tool, read adds those tests of
// the tool that the version must still pass.
func (m Material) read(answer string) (def authored.Definition, rationale string, err error) {
	if len(answer) > maxAnswer {
		return def, "", fmt.Errorf("is too long: %d bytes, but at most %d are allowed", len(answer), maxAnswer)
	}
	before, rest, fenced := strings.Cut(answer, "```json")
	end := strings.LastIndex(rest, "\n```")
	switch {
	case !fenced:
		return def, "", errors.New("has no block that begins with ```json")
	case end < 0:
		return def, "", errors.New("has a block that does not end with ```")
	case strings.TrimSpace(rest[end+len("\n```"):]) != "":
		return def, "", errors.New("has text after the draft")
	}
	if rationale = memory.Line(before, maxRationale); rationale == "" {
		return def, "", errors.New("gives no rationale")
	}
	if def, err = authored.ParseDraft([]byte(rest[:end])); err != nil {
		return def, "", fmt.Errorf("has an invalid draft: %w", err)
	}
	if def.Name != m.Tool.Name {
		return def, rationale, nil
	}
	if string(def.Draft()) == string(m.Tool.Draft()) {
		return def, "", errors.New("repeats the tool word for word")
	}
	def.Tests = append(def.Tests, m.kept(def)...)
	if def, err = authored.ParseDraft(def.Draft()); err != nil {
		return def, "", fmt.Errorf("has a draft that becomes invalid once the tests of the version in use are added: %w", err)
	}
	return def, rationale, nil
}

// kept returns the tests of the version in use that a new version lacks but must still
// pass. These are the tests that expect a value and not a referral, because the boundary of
// the tool may change.
func (m Material) kept(def authored.Definition) []authored.Test {
	names := map[string]bool{}
	for _, t := range def.Tests {
		names[t.Name] = true
	}
	var out []authored.Test
	for _, t := range m.Tool.Tests {
		if len(t.Want) == 0 || bytes.HasPrefix(t.Want, []byte(`{"refer":`)) || has(def.Tests, t) {
			continue
		}
		for n := 1; names[t.Name]; n++ {
			t.Name = fmt.Sprintf("in use %d", n)
		}
		names[t.Name] = true
		out = append(out, t)
	}
	return out
}

// has reports whether one of the tests makes the same call as t and expects the same
// result.
func has(tests []authored.Test, t authored.Test) bool {
	for _, other := range tests {
		if bytes.Equal(other.Args, t.Args) && bytes.Equal(other.Want, t.Want) {
			return true
		}
	}
	return false
}
