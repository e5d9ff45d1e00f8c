package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"slices"

	"evolve/runtime/text"
)

// hashSuite returns a hash over all tasks in the order of the file, with the splits as
// assigned.
func hashSuite(tasks []Task, folders map[string]folder) string {
	all := sha256.New()
	for i := range tasks {
		writePart(all, canonicalTask(tasks[i]))
		writePart(all, []byte(folders[tasks[i].Fixtures.Dir].digest))
	}
	return hex.EncodeToString(all.Sum(nil))
}

// BindJudges sets the identity of the models behind the suite's judges, which its hash
// covers from then on.
func (s *Suite) BindJudges(identity string) {
	all := sha256.New()
	writePart(all, []byte(s.Hash))
	writePart(all, []byte(identity))
	s.Judges, s.Hash = identity, hex.EncodeToString(all.Sum(nil))
}

// HashTask returns the SHA-256, in hexadecimal, over everything that could change an
// evaluation of a task: what the agent sees, the fixtures and the graders. Weight, tags,
// source, cluster and split are excluded, so that paid evaluations stay valid when a
// split is assigned or weights change. fixtureHash is the task's [FixtureHash].
func HashTask(t *Task, fixtureHash string) string {
	seen := *t
	seen.Weight, seen.Tags, seen.Source, seen.Cluster, seen.Split = 0, nil, nil, "", ""
	one := sha256.New()
	writePart(one, canonicalTask(seen))
	writePart(one, []byte(fixtureHash))
	return hex.EncodeToString(one.Sum(nil))
}

// FixtureHash returns the SHA-256, in hexadecimal, over the paths, modes and contents of
// a task's fixture folder. It returns "" when the task has none or the folder cannot be
// read; [LayOut] fails in the latter case.
func FixtureHash(t *Task, suiteDir string) string {
	if t.Fixtures.Dir == "" {
		return ""
	}
	return folderOf(t, suiteDir).digest
}

// writePart prefixes each part with its length, so that different lists of parts never
// give the same bytes.
func writePart(h hash.Hash, data []byte) {
	fmt.Fprintf(h, "%d:", len(data))
	h.Write(data)
}

// canonicalTask returns the task as JSON with sorted keys throughout, including the raw
// parts.
func canonicalTask(t Task) []byte {
	if len(t.Input) > 0 {
		t.Input = CanonicalJSON(t.Input)
	}
	t.Graders = canonicalGraders(t.Graders)
	t.Turns = slices.Clone(t.Turns)
	for i := range t.Turns {
		t.Turns[i].Graders = canonicalGraders(t.Turns[i].Graders)
	}
	return encode(t)
}

func canonicalGraders(list []GraderSpec) []GraderSpec {
	graders := make([]GraderSpec, len(list))
	for i, g := range list {
		if len(g.Raw) > 0 {
			g.Raw = CanonicalJSON(g.Raw)
		}
		graders[i] = g
	}
	return graders
}

// CanonicalJSON sorts the keys of a raw value and keeps its numbers as written. Invalid
// JSON is returned unchanged.
func CanonicalJSON(raw json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return raw
	}
	return encode(v)
}

// encode returns v as JSON without a newline and without escaping for HTML. Encoding
// fails only for raw parts that are invalid JSON; v is then formatted as text.
func encode(v any) []byte {
	out, err := text.Marshal(v)
	if err != nil {
		return []byte(fmt.Sprintf("%q", fmt.Sprint(v)))
	}
	return out
}

// WriteSuite writes tasks as suite lines.
func WriteSuite(w io.Writer, tasks []Task) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range tasks {
		if err := enc.Encode(&tasks[i]); err != nil {
			return fmt.Errorf("write task %q: %w", tasks[i].ID, err)
		}
	}
	return nil
}
