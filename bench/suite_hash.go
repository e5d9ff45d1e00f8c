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

// hashSuite returns a hash over all tasks in the order of the file, with their assigned
// splits, and over the files that [FilesHash] covers for each task.
func hashSuite(tasks []Task, folders map[string]folder, files fs.FS) string {
	all := sha256.New()
	programs := map[string]string{} // each file is read only once for tasks whose graders have the same commands
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

// BindJudges records the identity of the models that the suite's judges use, and adds it to
// the suite's hash.
func (s *Suite) BindJudges(identity string) {
	all := sha256.New()
	writePart(all, []byte(s.Hash))
	writePart(all, []byte(identity))
	s.Judges, s.Hash = identity, hex.EncodeToString(all.Sum(nil))
}

// commandRules is the version of the rules that turn the output of a command grader into a
// score. It is increased when the same output would get a different score, so that scores
// from older rules are not reused. Since version 2, two cases are errors of the grader
// instead of scores: exit code 1 with text on standard error and no verdict, and a last
// line that is not a verdict.
const commandRules = 2

// gradedByPrograms reports whether a task, or one of its turns, has a command grader.
func (t *Task) gradedByPrograms() bool {
	return slices.ContainsFunc(t.Steps(), func(step *Task) bool {
		return slices.ContainsFunc(step.Graders, func(g GraderSpec) bool { return g.Type == "command" })
	})
}

// HashTask returns the SHA-256, in hexadecimal, of everything that could change an
// evaluation of a task: what the agent sees, the files, the graders and, if there are
// command graders, the version of their scoring rules. Weight, tags, source, cluster and
// split are excluded, so paid evaluations stay valid when a split is assigned or weights
// change. filesHash is the task's [FilesHash].
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

// FilesHash returns a hash of the paths, modes and contents of a task's fixture folder, and
// of the files in the suite's folder that the command lines of its graders name, such as
// scripts. It returns "" if the task has neither. A fixture folder that cannot be read
// counts as absent; [LayOut] then fails.
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

// programFiles returns the SHA-256, in hexadecimal, of those files in a suite's folder
// that graders' command lines name; words lists the words of these command lines. It
// returns "" if there are no such files.
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

// hashFile adds the name and content of a regular file to a hash. It reports whether the
// file exists and could be read.
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

// argvOf returns the command line of a grader that is a program, or nil for any other
// grader.
func argvOf(spec GraderSpec) []string {
	var c struct {
		Argv []string `json:"argv"`
	}
	if spec.Type != "command" || json.Unmarshal(spec.Raw, &c) != nil {
		return nil
	}
	return c.Argv
}

// writePart writes a part, prefixed with its length, so that different lists of parts never
// give the same bytes.
func writePart(h hash.Hash, data []byte) {
	fmt.Fprintf(h, "%d:", len(data))
	h.Write(data)
}

// canonicalTask returns the task as JSON in which the keys of all objects are sorted,
// including the objects in the task's raw JSON parts.
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

// CanonicalJSON sorts the keys of a raw JSON value and leaves its numbers as written.
// Invalid JSON is returned unchanged.
func CanonicalJSON(raw json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return raw
	}
	return encode(v)
}

// encode returns v as JSON without a trailing newline and without HTML escaping. Encoding
// fails only if a raw part is invalid JSON; v is then formatted as text.
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
