package tool

import (
	"context"
	"path"
	"strings"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

type readFileArgs struct {
	Path string `json:"path"`
}

func readFile() Tool {
	return define("read_file",
		"The text of one file below the working folder, at most 1 MiB.",
		`{"type":"object","required":["path"],"additionalProperties":false,"properties":{"path":{"type":"string","minLength":1,"maxLength":1000}}}`,
		Essential, []string{"engineering", "operations", "research"},
		func(_ context.Context, env *Env, a readFileArgs) Result {
			if strings.Contains(a.Path, "://") {
				return Refer(Boundary{
					Axes:     []string{"network", "web"},
					Shape:    "reading a page from the network",
					Evidence: "the path is an address: " + foreign.Clip(a.Path, 100),
				})
			}
			text, err := env.Text(a.Path)
			if err != nil {
				return failed(err)
			}
			return OK(text)
		})
}

type listDirectoryArgs struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
}

func listDirectory() Tool {
	return define("list_directory",
		"The files and folders of a folder, one path a line, folders with a slash at the end; recursive on request.",
		`{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string","maxLength":1000},"recursive":{"type":"boolean"}}}`,
		Essential, []string{"engineering", "operations"},
		func(_ context.Context, env *Env, a listDirectoryArgs) Result {
			clean, info, err := env.resolve(a.Path)
			if err != nil {
				return failed(err)
			}
			if !info.IsDir() {
				return failed(refuse(agent.ContractViolation, "is not a folder"))
			}
			files, err := env.Files()
			if err != nil {
				return failed(err)
			}
			var b strings.Builder
			for _, f := range files {
				if !below(f.Path, clean) || (!a.Recursive && path.Dir(f.Path) != clean) {
					continue
				}
				b.WriteString(f.Path)
				if f.Dir {
					b.WriteByte('/')
				}
				b.WriteByte('\n')
			}
			return OK(strings.TrimSuffix(b.String(), "\n"))
		})
}

// below reports whether a path lies in a folder; both must be clean.
func below(p, folder string) bool {
	return folder == "." || strings.HasPrefix(p, folder+"/")
}
