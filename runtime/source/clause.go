package source

import (
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Bounds on esbuild's input: the fragments of one file, and the bytes of each.
const (
	maxFragments = 200
	maxFragment  = 4 << 10
	// maxAlone bounds how many fragments are verified one by one.
	maxAlone = 40
)

// fragment is one import statement, export … from, or call that loads a module,
// rewritten from its tokens: names, braces, commas, stars and one string.
type fragment struct {
	code        string
	path        string // the string's contents as in the source
	form        Form
	typeOnly    bool
	conditional bool
}

// piece keeps a fragment for esbuild.
func (r *scriptReader) piece(f fragment) {
	if len(r.pieces) >= maxFragments {
		r.Truncated = true
		return
	}
	if len(f.code) <= maxFragment && f.path != "" {
		r.pieces = append(r.pieces, f)
	}
}

// clause parses an import or export statement up to the string that names the module. A
// statement without a module exports names of its own.
func (r *scriptReader) clause(i int, form Form) {
	var b strings.Builder
	var names []string
	typeOnly, inner, typed := false, 0, 0
	for n := range maxAhead {
		t := r.at(i + n)
		prev := r.at(i + n - 1)
		switch {
		case t.kind == text:
			if n == 1 || prev.is("from") {
				r.piece(fragment{
					code: b.String() + r.source[t.at:t.end] + ";", path: t.text, form: form,
					typeOnly: typeOnly || inner > 0 && inner == typed,
				})
				return
			}
			b.WriteString(r.source[t.at:t.end])
		case t.is("type") && n == 1 && (r.at(i+2).is("{") || r.at(i+2).is("*") || r.at(i+2).kind == word && !r.at(i+2).is("from")):
			typeOnly = true // omitted, because esbuild discards such imports
			continue
		case t.is("type") && (prev.is("{") || prev.is(",")) && r.at(i+n+1).kind == word && !r.at(i+n+1).is("as"):
			typed++
			continue
		case t.kind == word:
			if prev.is("{") || prev.is(",") || prev.is("type") {
				inner++
				names = append(names, t.text)
			}
			b.WriteString(t.text)
		case t.is("{"), t.is("}"), t.is(","), t.is("*"):
			if t.is("}") && form == ReExport && !r.at(i+n+1).is("from") {
				for _, name := range names {
					r.shared[name] = true
				}
				return
			}
			b.WriteString(t.text)
		default:
			return
		}
		if b.Len() > maxFragment {
			return
		}
		b.WriteByte(' ')
	}
}

// judge verifies the fragments with esbuild, together if they are valid together and
// one by one otherwise, and adds the verified imports.
func judge(s *Summary, pieces []fragment) {
	if len(pieces) == 0 {
		return
	}
	var all strings.Builder
	plain := true
	for _, f := range pieces {
		all.WriteString(f.code)
		all.WriteByte('\n')
		plain = plain && !strings.Contains(f.path, `\`)
	}
	together, ok := resolve(all.String())
	ok = ok && plain
	alone := 0
	for _, f := range pieces {
		found := together[loaded{f.form.kind(), f.path}]
		name := f.path
		if !ok {
			if alone++; alone > maxAlone {
				s.Truncated = true
				return
			}
			names, fine := resolve(f.code)
			found = fine && len(names) == 1
			for l := range names {
				name = l.path // with its escapes decoded
			}
		}
		if found {
			s.add(Import{Path: name, Form: f.form, TypeOnly: f.typeOnly, Conditional: f.conditional})
		}
	}
}

// loaded is one module that esbuild was asked to find.
type loaded struct {
	kind api.ResolveKind
	path string
}

func (f Form) kind() api.ResolveKind {
	switch f {
	case Dynamic:
		return api.ResolveJSDynamicImport
	case Require:
		return api.ResolveJSRequireCall
	}
	return api.ResolveJSImportStatement
}

// resolve runs esbuild over statements and returns the modules that it requests, none
// of which it gets; false when the statements are invalid. It reads and writes no
// files.
func resolve(code string) (map[loaded]bool, bool) {
	found := map[loaded]bool{}
	result := api.Build(api.BuildOptions{
		Stdin:    &api.StdinOptions{Contents: code, Sourcefile: "imports.ts", Loader: api.LoaderTS},
		LogLevel: api.LogLevelSilent,
		Bundle:   true,
		// Otherwise esbuild drops the import of an unused name.
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true}}`,
		Platform:    api.PlatformNeutral,
		Plugins: []api.Plugin{{Name: "imports", Setup: func(b api.PluginBuild) {
			b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
				found[loaded{a.Kind, a.Path}] = true
				return api.OnResolveResult{Path: a.Path, External: true}, nil
			})
		}}},
	})
	return found, len(result.Errors) == 0
}
