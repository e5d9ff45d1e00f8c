package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"evolve/runtime/text"
)

// hashSuite returns a hash over all tasks in the order of the file, with the splits as
// assigned, and over what [FilesHash] covers of each.
func hashSuite(tasks []Task, folders map[string]folder, files fs.FS) string {
	all := sha256.New()
	programs := map[string]string{} // each file is read once
	for i := range tasks {
		t := &tasks[i]
		writePart(all, canonicalTask(*t))
		digest := folders[t.Fixtures.Dir].digest
		if named := t.programWords(); len(named) > 0 && files != nil {
			key := strings.Join(named, "\x00")
			if _, known := programs[key]; !known {
				programs[key] = programFiles(named, files)
			}
			digest += programs[key]
		}
		writePart(all, []byte(digest))
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

// commandRules is the version of the rules by which the output of a command grader becomes a
// score. It is increased when the same output gets another score, so that no score of older
// rules is reused. Since version 2, exit code 1 with a text on standard error and no verdict,
// and a last line that is no verdict, are errors of the grader, not scores.
const commandRules = 2

// gradedByPrograms reports whether a task, or one of its turns, has a command grader.
func (t *Task) gradedByPrograms() bool {
	return slices.ContainsFunc(t.Steps(), func(step *Task) bool {
		return slices.ContainsFunc(step.Graders, func(g GraderSpec) bool { return g.Type == "command" })
	})
}

// HashTask returns the SHA-256, in hexadecimal, over everything that could change an
// evaluation of a task: what the agent sees, the files, the graders and, where one of them is a
// program, the rules of such graders. Weight, tags, source, cluster and split are excluded, so
// that paid evaluations stay valid when a split is assigned or weights change. filesHash is the
// task's [FilesHash].
func HashTask(t *Task, filesHash string) string {
	seen := *t
	seen.Weight, seen.Tags, seen.Source, seen.Cluster, seen.Split = 0, nil, nil, "", ""
	one := sha256.New()
	writePart(one, canonicalTask(seen))
	writePart(one, []byte(filesHash))
	if t.gradedByPrograms() {
		writePart(one, fmt.Appendf(nil, "rules of command graders %d", commandRules))
	}
	return hex.EncodeToString(one.Sum(nil))
}

// FilesHash returns a hash over the paths, modes and contents of a task's fixture folder and
// over the files of the suite's folder that the command lines of its graders name, such as
// scripts. It returns "" when the task has neither. A fixture folder that cannot be read counts
// as none; [LayOut] fails then.
func FilesHash(t *Task, suiteDir string) string {
	digest := ""
	if t.Fixtures.Dir != "" {
		digest = folderOf(t, suiteDir).digest
	}
	if named := t.programWords(); len(named) > 0 {
		if root, err := os.OpenRoot(suiteDir); err == nil {
			digest += programFiles(named, root.FS())
			_ = root.Close()
		}
	}
	return digest
}

// programWords returns the words of the command lines of a task's graders.
func (t *Task) programWords() []string {
	var words []string
	for _, step := range t.Steps() {
		for _, spec := range step.Graders {
			words = append(words, argvOf(spec)...)
		}
	}
	return words
}

// programFiles returns the SHA-256, in hexadecimal, over the files of a suite's folder that
// the command lines of graders name, and "" if they name none.
func programFiles(words []string, files fs.FS) string {
	all, found := sha256.New(), false
	for _, word := range words {
		if name := strings.TrimPrefix(word, "./"); PathProblem(name) == "" && hashFile(all, files, name) {
			found = true
		}
	}
	if !found {
		return ""
	}
	return hex.EncodeToString(all.Sum(nil))
}

// hashFile adds a regular file to a hash, and reports whether there is one.
func hashFile(to io.Writer, files fs.FS, name string) bool {
	if info, err := fs.Stat(files, name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	one := sha256.New()
	if _, err := io.Copy(one, f); err != nil {
		return false
	}
	_, _ = fmt.Fprintf(to, "%q %x\n", name, one.Sum(nil))
	return true
}

// argvOf returns the command line of a grader that is a program; nil for any other.
func argvOf(spec GraderSpec) []string {
	var c struct {
		Argv []string `json:"argv"`
	}
	if spec.Type != "command" || json.Unmarshal(spec.Raw, &c) != nil {
		return nil
	}
	return c.Argv
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
