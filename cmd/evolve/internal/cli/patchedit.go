package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/gates/review"
	"evolve/patch/diff"
	"evolve/runtime/wholefile"
)

// editFiles lets a person edit copies of the target's committed files in a separate folder,
// and returns the changes as a diff.
func editFiles(sh *shell, c *cli.Context, t review.Target) (string, error) {
	editor := sh.Env.Get("VISUAL")
	if editor == "" {
		editor = sh.Env.Get("EDITOR")
	}
	if editor == "" {
		return "", exit.Errorf(exit.Usage, "set VISUAL or EDITOR, or submit a diff", "no editor is set")
	}
	rev := &review.Reviewer{Targets: []review.Target{t}, Env: sh.Env}
	ground, err := rev.Survey(t.Name)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "evolve-edit-")
	if err != nil {
		return "", fmt.Errorf("creating the folder for the copies: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var files []diff.File
	var copies []string
	for _, name := range c.Args().Slice() {
		name = filepath.ToSlash(filepath.Clean(name))
		if !filepath.IsLocal(name) {
			return "", exit.Errorf(exit.Usage, "give paths relative to the root of the repository", "%q is outside the repository", name)
		}
		old, err := ground.File(name)
		if err != nil {
			return "", err
		}
		place := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			return "", fmt.Errorf("creating the folder for the copies: %w", err)
		}
		if old != nil {
			if err := os.WriteFile(place, old, 0o600); err != nil {
				return "", fmt.Errorf("copying %s: %w", name, err)
			}
		}
		files, copies = append(files, diff.File{Path: name, Old: old}), append(copies, place)
	}
	// As in git, VISUAL or EDITOR may hold a program together with its flags.
	cmd := exec.CommandContext(c.Context, "sh", append([]string{"-c", editor + ` "$@"`, "editor"}, copies...)...)
	cmd.Dir, cmd.Env = dir, sh.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = sh.stdin, unfolded(sh.stderr), unfolded(sh.stderr)
	if err := cmd.Run(); err != nil {
		return "", exit.Errorf(exit.Usage, "nothing was proposed", "the editor failed: %w", err)
	}
	var changed []diff.File
	for i, f := range files {
		if f.New, err = readCopy(copies[i]); err != nil {
			return "", fmt.Errorf("reading the edited %s: %w", f.Path, err)
		}
		if (f.Old == nil) != (f.New == nil) || string(f.Old) != string(f.New) {
			changed = append(changed, f)
		}
	}
	if len(changed) == 0 {
		return "", exit.Errorf(exit.Usage, "save your changes in the editor", "nothing was changed")
	}
	return string(diff.Unified(changed)), nil
}

// readCopy reads an edited file; it returns nil if the file was removed.
func readCopy(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no longer a regular file")
	}
	data, err := wholefile.Read(path, diff.MaxFile)
	if errors.As(err, new(*wholefile.TooLargeError)) {
		return nil, fmt.Errorf("it is larger than %d bytes", diff.MaxFile)
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, err
}
