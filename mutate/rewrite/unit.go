package rewrite

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// unit is a file that can be checked because it completes a text of the block: it
// contains the imports, and either the block's declarations or the function around its
// statements.
type unit struct {
	source  string
	at, end int // the text
	set     *token.FileSet
	file    *token.File
	tree    *ast.File
	size    int // of the text
}

// parseUnit parses a text of the block. If the text does not consist of whole declarations
// or statements, or exceeds a limit, parseUnit returns the reason.
func (r *Rewriter) parseUnit(text string) (*unit, string) {
	switch {
	case len(text) > mostText:
		return nil, "is larger than " + strconv.Itoa(mostText>>10) + " KiB"
	case nesting([]byte(text)) > mostNesting:
		return nil, "nests brackets more than " + strconv.Itoa(mostNesting) + " levels deep"
	}
	u := &unit{at: len(r.before)}
	u.end = u.at + len(text)
	gap := ""
	if r.statements && !strings.HasSuffix(text, "\n") {
		gap = "\n"
	}
	u.source = r.before + text + gap + r.after
	u.set = token.NewFileSet()
	u.set.AddFile("", 1, r.pad) // the positions of a unit begin after the positions of the context
	tree, err := parser.ParseFile(u.set, "block.go", u.source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		reason := err.Error()
		if list := scanner.ErrorList(nil); errors.As(err, &list) && len(list) > 0 {
			reason = list[0].Msg
		}
		return nil, "does not parse: " + reason
	}
	u.tree, u.file = tree, u.set.File(tree.FileStart)
	if depth(tree) > mostDepth {
		return nil, "has expressions or statements more than " + strconv.Itoa(mostDepth) + " levels deep"
	}
	declarations := 0
	for _, d := range tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			if u.offset(d.Pos()) >= r.imports {
				return nil, "has import declarations"
			}
			continue
		}
		declarations++
		if !r.statements {
			continue
		}
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			return nil, "is not a list of statements"
		}
		l, ok := innermost(f, u.file, u.at, u.end)
		if !ok || l != (reach{r.open, len(u.source) - r.shut}) {
			return nil, "is not a list of whole statements"
		}
	}
	if declarations == 0 || r.statements && declarations > 1 {
		return nil, "does not consist of whole declarations or statements"
	}
	u.walk(func(ast.Node, []ast.Node) bool { u.size++; return true })
	return u, ""
}

// offset returns the offset of a position in the unit.
func (u *unit) offset(p token.Pos) int { return u.file.Offset(p) }

// covers reports whether a node is within the text.
func (u *unit) covers(n ast.Node) bool {
	return u.offset(n.Pos()) >= u.at && u.offset(n.End()) <= u.end
}

// walk calls f for every node of the text, with the node's ancestors, nearest last. It
// skips comments. If f returns false, walk skips the node's children.
func (u *unit) walk(f func(n ast.Node, parents []ast.Node) bool) {
	var parents []ast.Node
	for _, d := range u.tree.Decls {
		if u.offset(d.End()) <= u.at {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n.(type) {
			case nil:
				parents = parents[:len(parents)-1]
				return false
			case *ast.Comment, *ast.CommentGroup:
				return false
			}
			if u.covers(n) {
				if !f(n, parents) {
					return false
				}
			} else if u.offset(n.Pos()) >= u.end || u.offset(n.End()) <= u.at {
				return false
			}
			parents = append(parents, n)
			return true
		})
	}
}

// text returns the source of a node, without the comments in it.
func (u *unit) text(n ast.Node) string {
	from, to := n.Pos(), n.End()
	i := sort.Search(len(u.tree.Comments), func(i int) bool { return u.tree.Comments[i].End() > from })
	if i == len(u.tree.Comments) || u.tree.Comments[i].Pos() >= to {
		return u.source[u.offset(from):u.offset(to)]
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, u.set, n); err != nil {
		return u.source[u.offset(from):u.offset(to)]
	}
	return b.String()
}

// line returns the number, from 1, of the line in the text that contains the given offset
// of the unit.
func (u *unit) line(offset int) int { return 1 + strings.Count(u.source[u.at:offset], "\n") }

// view is a type-checked unit, with its types.
type view struct {
	*unit
	r    *Rewriter
	info types.Info
	pkg  *types.Package

	mentions *functions // names in the bodies of all functions of the package
	purity   *purity    // of these functions
	// The set still contains the functions that must not change: those that initialise
	// the package, use goto, or are recursive.
	still    map[*ast.FuncDecl]bool
	computed map[string]bool // variables whose initial value is computed
}

// problem is an error of the type checker.
type problem struct {
	text   string
	pos    token.Pos
	inside bool // in the unit
}

// check type-checks a unit together with the declarations around it. If survey is true, it
// also sets the fields of the view that describe the functions of the package.
func (r *Rewriter) check(u *unit, context []*ast.File, survey bool) (*view, []problem) {
	v := &view{unit: u, r: r, pkg: types.NewPackage(r.name, r.name)}
	v.info = types.Info{
		Types:  map[ast.Expr]types.TypeAndValue{},
		Defs:   map[*ast.Ident]types.Object{},
		Uses:   map[*ast.Ident]types.Object{},
		Scopes: map[ast.Node]*types.Scope{},
	}
	var problems []problem
	conf := types.Config{
		Importer:                 r,
		GoVersion:                r.version,
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
		Error: func(err error) {
			var e types.Error
			if !errors.As(err, &e) {
				return
			}
			p := problem{e.Msg, e.Pos, int(e.Pos) >= u.file.Base()}
			if p.inside && u.offset(p.pos) < r.imports {
				return // the error is an import of a package that was not found
			}
			problems = append(problems, p)
		},
	}
	checker := types.NewChecker(&conf, u.set, v.pkg, &v.info)
	if alone := r.alone(u); alone != nil && survey {
		for _, name := range r.base.Scope().Names() {
			if !r.own[name] {
				v.pkg.Scope().Insert(r.base.Scope().Lookup(name))
			}
		}
		_ = checker.Files([]*ast.File{alone.tree}) // the errors are collected as problems
		v.info.Scopes[u.tree] = v.info.Scopes[alone.tree]
		for f, method := range alone.methods {
			v.info.Defs[f] = v.info.Defs[method]
		}
	} else {
		_ = checker.Files(append(slices.Clip(slices.Clone(context)), u.tree))
	}
	if survey {
		own := valueNames(u.tree.Decls)
		values := func(name string) bool { return own[name] || r.values[name] }
		v.mentions = functionsIn(u.tree.Decls, r.mentions)
		v.computed = computed(u.tree.Decls, values)
		maps.Copy(v.computed, r.computed)
		v.purity = purityOf(functionsOf(u.tree.Decls), r.math, values, r.purity)
		v.still = map[*ast.FuncDecl]bool{}
		for _, d := range u.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				v.still[f] = f.Recv == nil && f.Name.Name == "init" || jumps(f.Body) || v.mentions.recursive(f.Name.Name)
			}
		}
	}
	return v, problems
}

// alone is the file of a unit that is checked without the declarations around it, because
// their objects are already in the package's scope. In that file, each method is replaced
// by a function with the receiver as its first parameter, because the checker accepts
// methods only together with their types.
type alone struct {
	tree    *ast.File
	methods map[*ast.Ident]*ast.Ident // the names of the functions that replace methods, by the names of the methods
}

// alone returns the file of a unit that is checked alone. It returns nil if the unit
// declares types or methods of generic types, because the unit must then be checked with
// everything around it.
func (r *Rewriter) alone(u *unit) *alone {
	if r.base == nil {
		return nil
	}
	tree := *u.tree
	a := &alone{&tree, map[*ast.Ident]*ast.Ident{}}
	tree.Decls = nil
	for _, d := range u.tree.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.TYPE {
				return nil
			}
		case *ast.FuncDecl:
			if d.Recv == nil {
				break
			}
			if len(d.Recv.List) != 1 || d.Type.TypeParams != nil {
				return nil
			}
			recv := ast.Unparen(d.Recv.List[0].Type)
			if p, ok := recv.(*ast.StarExpr); ok {
				recv = ast.Unparen(p.X)
			}
			base, ok := recv.(*ast.Ident)
			if !ok {
				return nil
			}
			f, signature, params := *d, *d.Type, *d.Type.Params
			params.List = append([]*ast.Field{d.Recv.List[0]}, params.List...)
			params.List = namedFields(params.List)
			signature.Params = &params
			f.Recv, f.Type = nil, &signature
			f.Name = &ast.Ident{NamePos: d.Name.NamePos, Name: base.Name + "·" + d.Name.Name}
			a.methods[d.Name] = f.Name
			tree.Decls = append(tree.Decls, &f)
			continue
		}
		tree.Decls = append(tree.Decls, d)
	}
	return a
}

// namedFields gives the name _ to parameters without a name, because either all parameters
// must have a name or none.
func namedFields(list []*ast.Field) []*ast.Field {
	out := make([]*ast.Field, len(list))
	for i, f := range list {
		c := *f
		if len(c.Names) == 0 {
			c.Names = []*ast.Ident{{NamePos: f.Pos(), Name: "_"}}
		}
		out[i] = &c
	}
	return out
}

// pure reports whether a function of the package has no side effects and uses no computed
// variables.
func (v *view) pure(name string) bool { return v.purity.pure(name, v.mentions, v.computed) }

// global reports whether an object is declared at package level.
func (v *view) global(o types.Object) bool {
	return o.Parent() != nil && (o.Parent() == v.pkg.Scope() || v.r.base != nil && o.Parent() == v.r.base.Scope())
}

// qualifier returns the name of a package for use in a type, or "" for the checked package
// itself.
func (v *view) qualifier(p *types.Package) string {
	if p.Path() == v.pkg.Path() {
		return ""
	}
	return p.Path()
}

// outside returns the set of the keys of the problems outside the unit.
func outside(problems []problem) map[string]bool {
	keys := map[string]bool{}
	for _, p := range problems {
		if !p.inside {
			keys[p.key()] = true
		}
	}
	return keys
}

func (p problem) key() string { return strconv.Itoa(int(p.pos)) + " " + p.text }

// accepted reports whether the base has the same problem; known holds the problems that the
// base has outside the unit.
func (r *Rewriter) accepted(p problem, known map[string]bool) bool {
	if p.inside {
		return r.tolerated[p.text]
	}
	return known[p.key()]
}

// read parses and checks a text of the block; it returns nil if the text is not valid.
func (r *Rewriter) read(text string) *view {
	u, reason := r.parseUnit(text)
	if reason != "" {
		return nil
	}
	v, problems := r.check(u, r.context, true)
	for _, p := range problems {
		if !r.accepted(p, r.known) {
			return nil
		}
	}
	if v.missing(r.exports) {
		return nil
	}
	return v
}

// exports returns the package-level declarations of the text with their signatures,
// sorted.
func (v *view) exports() []string {
	var list []string
	if v.r.statements {
		return nil
	}
	add := func(id *ast.Ident, kind string, typed bool) {
		o := v.info.Defs[id]
		if o == nil {
			return
		}
		s := kind + " " + id.Name
		if typed {
			s += " " + types.TypeString(unnamed(o.Type()), v.qualifier)
		}
		list = append(list, s)
	}
	for _, d := range v.tree.Decls {
		if v.offset(d.End()) <= v.at {
			continue
		}
		switch d := d.(type) {
		case *ast.FuncDecl:
			kind := "func"
			if d.Recv != nil && len(d.Recv.List) > 0 {
				kind = "func (" + types.ExprString(d.Recv.List[0].Type) + ")"
			}
			add(d.Name, kind, true)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name, "type", false)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						add(n, d.Tok.String(), true)
					}
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// unnamed returns a signature without the names of its parameters, and any other type
// unchanged.
func unnamed(t types.Type) types.Type {
	s, ok := t.(*types.Signature)
	if !ok || s.TypeParams().Len() > 0 || s.Params().Len()+s.Results().Len() == 0 {
		return t
	}
	strip := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, strip(s.Params()), strip(s.Results()), s.Variadic())
}

// missing reports whether the text lacks any of the given declarations.
func (v *view) missing(exports []string) bool {
	have := v.exports()
	for _, e := range exports {
		if _, ok := slices.BinarySearch(have, e); !ok {
			return true
		}
	}
	return false
}

// nesting returns how deeply the brackets in a source nest.
func nesting(source []byte) int {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", -1, len(source)), source, nil, 0)
	level, most := 0, 0
	for {
		switch _, tok, _ := s.Scan(); tok {
		case token.EOF:
			return most
		case token.LPAREN, token.LBRACE, token.LBRACK:
			level++
			most = max(most, level)
		case token.RPAREN, token.RBRACE, token.RBRACK:
			level--
		}
	}
}

// depth returns the depth of a syntax tree.
func depth(n ast.Node) int {
	level, most := 0, 0
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			level--
			return false
		}
		level++
		most = max(most, level)
		return true
	})
	return most
}
