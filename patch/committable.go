package patch

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Uncommittable returns the reason why a repository in the workspace cannot commit a file,
// in words that follow the file's name, or "" if it can. Git commits a link itself rather
// than its target, and a folder with its own repository belongs to that repository. name is
// relative to root and separated by slashes; a file that does not exist counts as
// committable.
func Uncommittable(root, name string) string {
	at := ""
	for part := range strings.SplitSeq(path.Clean(name), "/") {
		at = path.Join(at, part)
		full := filepath.Join(root, filepath.FromSlash(at))
		info, err := os.Lstat(full)
		switch {
		case err != nil:
			return ""
		case info.Mode()&fs.ModeSymlink != 0 && at == name:
			return "is a link, whose target would not be committed"
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Sprintf("is reached through the link %s, whose target would not be committed", at)
		case info.IsDir():
			if _, err := os.Lstat(filepath.Join(full, ".git")); err == nil {
				return fmt.Sprintf("lies in %s, which is another repository", at)
			}
		}
	}
	return ""
}
