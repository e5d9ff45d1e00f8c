package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// system lists the folders with the operating system's programs and libraries, which every
// program can see.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}

// program is a file to execute and the paths that it needs.
type program struct {
	path string
	// needs lists files and folders outside the system's folders that belong to the
	// program: the installation of its interpreter, and the links on the way to it.
	needs []string
	// bins are folders that precede those of the system in PATH.
	bins []string
}

// searchPath returns the value of PATH.
func (p program) searchPath() string {
	return strings.Join(append(slices.Clone(p.bins), "/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"), ":")
}

// argv returns the command line with the program's path as its first word, because
// interpreters use it to find their libraries.
func (p program) argv(s Spec) []string {
	return append([]string{p.path}, s.Argv[1:]...)
}

// find resolves the first word of a command and follows links and interpreter lines to
// collect everything that must be visible.
func find(name, dir string) (program, error) {
	path, err := look(name, dir)
	if err != nil {
		return program{}, err
	}
	p := program{path: path}
	p.follow(path, dir, 4)
	return p, nil
}

// look returns the absolute path of the executable file that a word names.
func look(name, dir string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return "", fmt.Errorf("%w: %s", ErrNotFound, name)
		case err != nil:
			return "", err
		case info.IsDir():
			return "", fmt.Errorf("%s is a folder, not a program", name)
		case !info.Mode().IsRegular():
			return "", fmt.Errorf("%s is not a regular file, so it is not a program", name)
		case info.Mode()&0o111 == 0:
			return "", fmt.Errorf("%s is not executable", name)
		}
		return name, nil
	}
	for _, bin := range filepath.SplitList(os.Getenv("PATH")) {
		if path := filepath.Join(bin, name); filepath.IsAbs(bin) && executable(path) {
			if filepath.Base(bin) != "shims" {
				return path, nil
			}
			if path, ok := behindShim(filepath.Dir(bin), name, dir); ok {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%w in PATH: %s", ErrNotFound, name)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// behindShim finds the program that a version manager of the rbenv family (pyenv, nodenv,
// …) would run. The manager's shims are scripts that need the manager's whole folder and
// the user's environment, neither of which is available inside. The version is taken from
// the nearest .<language>-version file, or else from the manager's own version file;
// "system" matches no version.
func behindShim(root, name, dir string) (string, bool) {
	var versions []string
	language := map[string]string{".pyenv": "python", ".nodenv": "node", ".rbenv": "ruby", ".goenv": "go", ".plenv": "perl"}[filepath.Base(root)]
	for d := dir; language != "" && d != ""; d = filepath.Dir(d) {
		if versions = words(filepath.Join(d, "."+language+"-version")); versions != nil || d == filepath.Dir(d) {
			break
		}
	}
	if versions == nil {
		versions = words(filepath.Join(root, "version"))
	}
	for _, v := range versions {
		if path := filepath.Join(root, "versions", filepath.Base(v), "bin", name); executable(path) {
			return path, true
		}
	}
	return "", false
}

func words(path string) []string {
	text, err := beginning(path, 4096)
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

// beginning reads at most the first most bytes of a regular file. It opens the file without
// blocking, because a foreign program may have put a named pipe there.
func beginning(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// follow collects what path needs: every link on the way to the file, the installation
// that contains the file and, if the file is a script, whatever the script's interpreter
// needs.
func (p *program) follow(path, dir string, depth int) {
	for range 40 { // the kernel's limit on links
		p.need(path)
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		p.need(real)
		path = real
	}
	p.interpret(path, dir, depth)
}

// interpret follows the interpreter of the file at path if the file is a script.
func (p *program) interpret(path, dir string, depth int) {
	interpreter := interpreterOf(path)
	if interpreter == "" || depth == 0 {
		return
	}
	if found, err := look(interpreter, dir); err == nil {
		p.follow(found, dir, depth-1)
	}
}

// need makes a file visible, unless it is in a folder of the system. If the file is in the
// bin folder of an installation, the whole installation becomes visible.
func (p *program) need(path string) {
	if under(path, system) {
		return
	}
	bin := filepath.Dir(path)
	if !slices.Contains(p.bins, bin) && filepath.Base(bin) == "bin" {
		p.bins = append(p.bins, bin)
	}
	if root := filepath.Dir(bin); filepath.Base(bin) == "bin" && installation(root) {
		path = root
	}
	if !slices.Contains(p.needs, path) {
		p.needs = append(p.needs, path)
	}
}

// installation reports whether a folder contains one program or language with its
// libraries, rather than a user's own files.
func installation(root string) bool {
	home, err := os.UserHomeDir()
	if root == "/" || err == nil && (root == home || root == filepath.Join(home, ".local") || strings.HasPrefix(home+"/", root+"/")) {
		return false
	}
	for _, mark := range []string{"lib", "lib64", "pyvenv.cfg"} {
		if _, err := os.Stat(filepath.Join(root, mark)); err == nil {
			return true
		}
	}
	return false
}

// interpreterOf returns the program named in a script's first line, or "".
func interpreterOf(path string) string {
	text, err := beginning(path, 256)
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if err != nil || !bytes.HasPrefix(line, []byte("#!")) {
		return ""
	}
	fields := strings.Fields(string(line[2:]))
	if len(fields) == 0 {
		return ""
	}
	if filepath.Base(fields[0]) == "env" {
		for _, word := range fields[1:] {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				return word
			}
		}
	}
	return fields[0]
}

// under reports whether path is one of the folders or lies in one.
func under(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return path == f || strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/")
	})
}
