package gotest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"evolve/gates/beside"
)

// harness returns the location of the package that draws inputs for a module's functions:
// a folder with a random name. The name is stored with the recorded facts about bases, so
// that the package is compiled once for each module instead of for each patch. Without
// layers nothing is stored.
func (t *checker) harness(ctx context.Context, m module) (beside.Harness, error) {
	sources, err := beside.HarnessSources()
	if err != nil {
		return beside.Harness{}, err
	}
	name := t.layout.env.factsFile(m, fmt.Sprintf("%q %q", m.path, sources), "harness")
	word, err := os.ReadFile(name)
	switch {
	case err == nil && isWord(string(word)):
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return beside.Harness{}, err
	default:
		if word = []byte(t.nonces.word()); t.nonces.err != nil {
			return beside.Harness{}, t.nonces.err
		}
	}
	h := beside.Harness{Dir: path.Join(m.dir, string(word)), Path: path.Join(m.path, string(word))}
	if err == nil || !t.lab.layered() {
		return h, nil
	}
	if err := t.compileHarness(ctx, m, h, sources); err != nil {
		return h, err
	}
	return h, errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), renameio.WriteFile(name, word, 0o600))
}

// isWord reports whether a text has the form of a random name.
func isWord(s string) bool {
	return len(s) > 8 && !slices.ContainsFunc([]byte(s), func(c byte) bool { return (c < 'a' || 'z' < c) && (c < '2' || '7' < c) })
}

// compileHarness compiles the harness into the cache of bases. It ignores compile errors,
// because building the calls reports them.
func (t *checker) compileHarness(ctx context.Context, m module, h beside.Harness, sources map[string][]byte) error {
	r := t.layout.baseEnv.keeping()
	scratch, err := t.folder("harness")
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for name, text := range sources {
		files[path.Join(h.Dir, name)] = text
	}
	overlay, err := r.overlay(scratch, "source", files)
	if err != nil {
		return err
	}
	_, err = r.script(ctx, m, scratch, []step{{name: "harness", compiles: true, argv: r.goCommand("build", "-overlay", overlay, h.Path)}})
	return err
}
