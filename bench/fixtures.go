package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// HasFiles reports whether the task has files to lay out. A task without files needs no
// working directory.
func (f Fixtures) HasFiles() bool {
	return len(f.Files) > 0 || f.Dir != ""
}

// ForAgent returns the part of the task that an agent may see, with the earlier turns
// prepended to its messages; for a script, the goal is its first message. Answer,
// graders, split, tags, source and the id in the suite, which may reveal the split, are
// omitted. The id that the agent sees is derived from the visible content only, so it is
// the same on every night. The caller sets Files, from [LayOut].
func (t *Task) ForAgent() agent.Task {
	messages := t.Messages
	if len(t.Fixtures.Turns) > 0 {
		messages = slices.Concat(t.Fixtures.Turns, t.Messages)
	}
	goal := t.Goal
	if len(t.Turns) > 0 {
		goal = t.Turns[0].User
	}
	return agent.Task{
		ID:       t.alias(messages),
		Domain:   t.Domain,
		Goal:     goal,
		Messages: messages,
		Input:    t.Input,
		Memories: t.Fixtures.Memories,
	}
}

// alias returns the task id that agents see: the first 128 bits, in hexadecimal, of a
// hash over the task's visible text and the files given in the task's suite line.
func (t *Task) alias(messages []agent.Message) string {
	h := sha256.New()
	for _, text := range []string{"evolve task 1", t.Domain, t.Goal, string(t.Input)} {
		writePart(h, []byte(text))
	}
	fmt.Fprintf(h, "%d,", len(messages))
	for _, m := range messages {
		writePart(h, []byte(m.Role))
		writePart(h, []byte(m.Content))
	}
	for _, u := range t.Turns {
		writePart(h, []byte("turn"))
		writePart(h, []byte(u.User))
	}
	if t.User != nil {
		writePart(h, []byte("user"))
		writePart(h, []byte(t.User.text()))
	}
	for _, p := range slices.Sorted(maps.Keys(t.Fixtures.Files)) {
		writePart(h, []byte(p))
		writePart(h, []byte(t.Fixtures.Files[p]))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// LayOut writes the fixtures of a task into workdir, an empty directory, and returns the
// paths written, sorted. A file of the task replaces the file with the same path in the
// task's fixture folder, which is read from suiteDir. LayOut reads nothing outside
// suiteDir and writes nothing outside workdir, whatever the paths and links are. Without
// files it does nothing. An error is a fault of the host or the suite, never of the
// agent.
func LayOut(t *Task, suiteDir, workdir string) ([]string, error) {
	if !t.Fixtures.HasFiles() {
		return nil, nil
	}
	content, err := t.layout(suiteDir)
	if err != nil {
		return nil, fmt.Errorf("fixtures of task %q: %w", t.ID, err)
	}
	root, err := os.OpenRoot(workdir)
	if err != nil {
		return nil, fmt.Errorf("working directory of task %q: %w", t.ID, err)
	}
	defer root.Close()
	paths := slices.Sorted(maps.Keys(content))
	for _, p := range paths {
		if err := writeFixture(root, content[p]); err != nil {
			return nil, fmt.Errorf("write the fixtures of task %q: %w", t.ID, err)
		}
	}
	return paths, nil
}

// layout returns the files to write, keyed by path.
func (t *Task) layout(suiteDir string) (map[string]folderFile, error) {
	var own folder
	if t.Fixtures.Dir != "" {
		if own = folderOf(t, suiteDir); own.err != nil {
			return nil, fmt.Errorf("folder %s %w", foreign.Quote(t.Fixtures.Dir), own.err)
		}
	}
	if err := checkLayout(t.Fixtures.Files, own.files); err != nil {
		return nil, err
	}
	content := make(map[string]folderFile, len(own.files)+len(t.Fixtures.Files))
	for _, f := range own.files {
		content[f.path] = f
	}
	for p, text := range t.Fixtures.Files {
		if problem := PathProblem(p); problem != "" {
			return nil, fmt.Errorf("path %s %s", foreign.Quote(p), problem)
		}
		content[p] = folderFile{path: p, data: []byte(text)}
	}
	return content, nil
}

// folderOf reads the fixture folder of a task that has one.
func folderOf(t *Task, suiteDir string) folder {
	if problem := PathProblem(t.Fixtures.Dir); problem != "" {
		return folder{err: errors.New(problem)}
	}
	root, err := os.OpenRoot(suiteDir)
	if err != nil {
		return folder{err: fmt.Errorf("cannot be read: %w", err)}
	}
	defer root.Close()
	return readFolder(root.FS(), t.Fixtures.Dir)
}

func writeFixture(root *os.Root, f folderFile) error {
	if dir := path.Dir(f.path); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	mode := os.FileMode(0o644)
	if f.executable {
		mode = 0o755
	}
	out, err := root.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := out.Write(f.data); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
