package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/text"
)

// The bounds on the fixtures of one task.
const (
	maxFixtureFiles = 4096
	maxFixtureBytes = 64 << 20
)

// PathProblem returns the reason why p is not a slash-separated relative path inside its
// folder, phrased to follow the path, or "" if p is such a path.
func PathProblem(p string) string {
	switch {
	case p == "":
		return "is empty"
	case !utf8.ValidString(p):
		return "is not valid UTF-8"
	case hasControl(p):
		return "has a control character"
	case strings.Contains(p, `\`):
		return "has a backslash"
	case strings.HasPrefix(p, "/"):
		return "is absolute"
	case len(p) > 1024:
		return "is longer than 1024 bytes"
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "..":
			return "leads outside its folder"
		case part == "" || part == ".":
			return "has a path element that is empty or a dot"
		case len(part) > 255:
			return "has a path element longer than 255 bytes"
		}
	}
	return ""
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		// Format characters (Cf) include those that change the text direction.
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
}

// folder is the content of a fixture folder.
type folder struct {
	files  []folderFile // sorted by path
	digest string       // SHA-256 over paths, modes and contents
	err    error        // phrased to follow the folder's name
}

type folderFile struct {
	path       string
	executable bool
	size       int
	data       []byte
}

// readFolder reads all files in a fixture folder; exceeding the bounds is an error. It
// accepts only regular files and folders, because a link could point anywhere.
func readFolder(fsys fs.FS, dir string) folder {
	var f folder
	if fsys == nil {
		f.err = errors.New("cannot be read: this suite has no folder")
		return f
	}
	if info, err := fs.Stat(fsys, dir); err != nil {
		f.err = fmt.Errorf("cannot be read: %w", plain(err))
		return f
	} else if !info.IsDir() {
		f.err = errors.New("is not a folder")
		return f
	}
	total := 0
	err := fs.WalkDir(fsys, dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("cannot be read: %w", plain(err))
		}
		if d.IsDir() {
			return nil
		}
		rel := strings.TrimPrefix(p, dir+"/")
		if problem := PathProblem(rel); problem != "" {
			return fmt.Errorf("has a file whose path %s %s", text.Quote(rel), problem)
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("has %s, which is neither a file nor a folder", text.Quote(rel))
		}
		info, err := d.Info()
		if err != nil {
			return fmt.Errorf("cannot be read: %w", plain(err))
		}
		total += int(min(info.Size(), maxFixtureBytes+1))
		if total > maxFixtureBytes || len(f.files) == maxFixtureFiles {
			return errTooMuch
		}
		data, err := fs.ReadFile(fsys, p)
		if err != nil {
			return fmt.Errorf("cannot be read: %w", plain(err))
		}
		f.files = append(f.files, folderFile{rel, info.Mode()&0o111 != 0, len(data), data})
		return nil
	})
	if err != nil {
		return folder{err: err}
	}
	slices.SortFunc(f.files, func(a, b folderFile) int { return strings.Compare(a.path, b.path) })
	h := sha256.New()
	for _, file := range f.files {
		mode := "file"
		if file.executable {
			mode = "program"
		}
		writePart(h, []byte(file.path))
		writePart(h, []byte(mode))
		writePart(h, file.data)
	}
	f.digest = hex.EncodeToString(h.Sum(nil))
	return f
}

var errTooMuch = fmt.Errorf("has more than %d files or %d MB", maxFixtureFiles, maxFixtureBytes>>20)

// checkLayout returns an error for fixtures that exceed the bounds or in which a path is
// both a file and a folder.
func checkLayout(files map[string]string, own []folderFile) error {
	total, count := 0, len(files)
	isFile := make(map[string]bool, len(files)+len(own))
	for p, content := range files {
		total += len(content)
		isFile[p] = true
	}
	for _, f := range own {
		if !isFile[f.path] {
			total += f.size
			count++
			isFile[f.path] = true
		}
	}
	if total > maxFixtureBytes || count > maxFixtureFiles {
		return fmt.Errorf("the fixtures have more than %d files or %d MB", maxFixtureFiles, maxFixtureBytes>>20)
	}
	var clash []string
	for p := range isFile {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if isFile[d] {
				clash = append(clash, d)
			}
			if d == "/" {
				break
			}
		}
	}
	if len(clash) > 0 {
		return fmt.Errorf("fixture path %s is both a file and a folder", text.Quote(slices.Min(clash)))
	}
	return nil
}
