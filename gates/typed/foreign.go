package typed

import (
	"go/ast"
	"go/types"
	"strings"

	"evolve/gates/syntax"
)

// foreignFields and foreignCalls are the fields and calls that provide input from people
// and machines outside the program.
var (
	foreignFields = []string{
		"net/http.Request.URL", "net/http.Request.Form", "net/http.Request.PostForm", "net/http.Request.Header", "net/http.Request.Host", "net/http.Request.RequestURI",
		"net/http.Request.Body", "net/http.Response.Body", "net/http.Response.Header", "archive/zip.File.Name", "archive/zip.FileHeader.Name", "archive/tar.Header.Name",
		"archive/tar.Header.Linkname", "mime/multipart.FileHeader.Filename",
	}
	foreignCalls = []string{
		"net/http.Request.FormValue", "net/http.Request.PostFormValue", "net/http.Request.PathValue", "net/http.Request.Cookie", "net/http.Request.Referer",
		"net/http.Request.UserAgent", "mime/multipart.Part.FileName", "mime/multipart.Part.FormName",
	}
	// cleaners are functions whose results can do no harm, even if their arguments are
	// untrusted.
	cleaners = []string{
		"path/filepath.Base", "path.Base", "path/filepath.Localize", "strconv.*", "net/url.PathEscape", "net/url.QueryEscape", "html.EscapeString", "html/template.HTMLEscape*", "html/template.JSEscape*", "html/template.URLQueryEscaper",
		"len", "cap", "regexp.QuoteMeta", "time.*", "crypto/sha256.*", "encoding/hex.*", "path/filepath.Ext", "path.Ext",
	}
	// decoders are functions that fill the variable to which their argument points.
	decoders = []string{"encoding/json.Unmarshal", "encoding/json.Decoder.Decode", "encoding/xml.Unmarshal", "encoding/xml.Decoder.Decode", "encoding/gob.Decoder.Decode", "gopkg.in/yaml.v3.Unmarshal"}
	// bounds are functions that check or ensure that a path stays inside its folder.
	bounds = []string{"path/filepath.IsLocal", "path/filepath.Localize", "io/fs.ValidPath", "os.OpenRoot", "os.OpenInRoot", "strings.HasPrefix", "path/filepath.Rel", "os.Root.*"}
)

// decoded returns the variables that a decoder fills with bytes from a request or a
// response.
func (r *reading) decoded() map[*types.Var]bool {
	out := map[*types.Var]bool{}
	w := &wary{reading: r, decoded: out}
	for _, name := range r.order {
		ast.Inspect(r.parts[name].node, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || !named(decoders, nameOf(r.callee(call.Fun))) {
				return true
			}
			to, from := call.Args[len(call.Args)-1], call.Fun
			if len(call.Args) > 1 {
				from = call.Args[0]
			} else if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				from = s.X
			}
			u, ok := ast.Unparen(to).(*ast.UnaryExpr)
			if !ok || !w.foreign(from) {
				return true
			}
			if id, ok := ast.Unparen(u.X).(*ast.Ident); ok {
				if v, ok := r.object(id).(*types.Var); ok {
					out[v] = true
				}
			}
			return true
		})
	}
	return out
}

// foreign reports whether a value is, or is derived from, input from outside the program,
// as far as this is visible within one function.
func (w *wary) foreign(e ast.Expr) bool { return w.follow(e, deepest) }

func (w *wary) follow(e ast.Expr, deep int) bool {
	if deep == 0 || e == nil || w.info.Types[e].Value != nil {
		return false
	}
	some := func(list ...ast.Expr) bool {
		for _, e := range list {
			if w.follow(e, deep-1) {
				return true
			}
		}
		return false
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := w.object(x).(*types.Var)
		if !ok || global(v) || v.IsField() {
			return false
		}
		if w.decoded[v] {
			return true
		}
		for _, d := range w.defined[v] {
			if d.from != e && w.follow(d.from, deep-1) {
				return true
			}
		}
	case *ast.SelectorExpr:
		if name, ok := w.fieldName(x); ok && named(foreignFields, name) {
			return true
		}
		return w.info.Selections[x] != nil && some(x.X)
	case *ast.CallExpr:
		name := nameOf(w.callee(x.Fun))
		switch {
		case named(foreignCalls, name):
			return true
		case named(cleaners, name):
			return false
		}
		return some(x.Args...) || some(x.Fun)
	case *ast.BinaryExpr:
		return some(x.X, x.Y)
	case *ast.IndexExpr:
		return some(x.X)
	case *ast.SliceExpr:
		return some(x.X)
	case *ast.StarExpr:
		return some(x.X)
	case *ast.UnaryExpr:
		return some(x.X)
	case *ast.TypeAssertExpr:
		return some(x.X)
	}
	return false
}

// bounded reports whether the function calls any of bounds, which keep a path inside its
// folder.
func (w *wary) bounded() bool {
	return syntax.Contains(w.part.node, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && named(bounds, nameOf(w.callee(call.Fun)))
	})
}

// weakened returns findings for functions whose names indicate that they allow or refuse
// something, if a condition that such a function has in the base is missing or changed.
func (p *pair) weakened() []Finding {
	var out []Finding
	for _, name := range p.is.order {
		old := p.pairs[name]
		if old == "" || p.was == nil || !checkName.MatchString(name[strings.LastIndex(name, ".")+1:]) {
			continue
		}
		now, had := p.is.parts[name], p.was.parts[old]
		if now.body == nil || had.body == nil {
			continue
		}
		have := map[string]int{}
		for _, c := range conditions(now.body) {
			have[c]++
		}
		for _, c := range conditions(had.body) {
			if have[c]--; have[c] < 0 {
				path, line := p.is.place(now.decl.Name)
				out = append(out, Finding{Path: path, Line: line, Why: "in a function that allows or refuses something, a condition is missing or changed: " + plainText(c)})
				break
			}
		}
	}
	return out
}

// conditions returns the source of what a function's decisions depend on: the conditions of
// its if statements, and the unary and binary expressions that it returns.
func conditions(body *ast.BlockStmt) []string {
	var out []string
	ast.Inspect(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.IfStmt:
			out = append(out, "if "+shown(x.Cond))
		case *ast.ReturnStmt:
			for _, e := range x.Results {
				switch e := ast.Unparen(e).(type) {
				case *ast.BinaryExpr, *ast.UnaryExpr:
					out = append(out, "return "+shown(e))
				}
			}
		}
		return true
	})
	return out
}
