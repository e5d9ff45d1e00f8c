package scaffold

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed all:_workspace
var tree embed.FS

const root = "_workspace"

// realNames maps the embedded name of a file to its real name. Under its real name, a
// go.mod would exclude its folder from the embedding module, and a .gitignore would affect
// this project's own repository.
var realNames = map[string]string{
	"go.mod.txt":    "go.mod",
	"gitignore.txt": ".gitignore",
}

// Files returns the files of the default workspace by their real names, which are
// slash-separated paths.
func Files() map[string][]byte { return filesIn(tree, root) }

// filesIn returns the files below a folder, by their real names.
func filesIn(tree embed.FS, root string) map[string][]byte {
	files := map[string][]byte{}
	err := fs.WalkDir(tree, root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		dir, base := path.Split(strings.TrimPrefix(name, root+"/"))
		files[dir+cmp.Or(realNames[base], base)], err = tree.ReadFile(name)
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("reading the embedded files: %v", err))
	}
	return files
}
