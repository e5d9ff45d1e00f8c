package rewrite

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	foreign "evolve/runtime/text"
)

// Limits of foreign source.
const (
	mostText    = 64 << 10 // bytes of a block
	mostFile    = 1 << 20  // bytes of a file
	mostPackage = 8 << 20  // bytes of all files
	mostNesting = 256      // of brackets
	mostDepth   = 1000     // of syntax trees
)

// Source is the Go package that contains a block.
type Source struct {
	// Files holds all files of the package, keyed by path. Tests, and files of another
	// package in the same folder, are ignored.
	Files map[string][]byte
	// Importer returns the declarations of imported packages. If it is nil, or does not
	// find a package, only package math is known: existing code that uses other packages is
	// kept, but no new code uses them.
	Importer types.Importer
	// Go is the language version of the module, such as "go1.21"; empty means the newest.
	Go string
}

// Site is a block in a file: the byte offsets of the text between its two marker lines.
type Site struct {
	File       string
	Start, End int
}

// Rewriter changes the texts of one block. A Rewriter does not change after New, so several
// goroutines can use it if its importer's packages allow that.
type Rewriter struct {
	name     string // of the package
	version  string // of the language
	packages map[string]*types.Package
	// incomplete reports whether a package was not found. Types that depend on that package
	// are then unknown, which matters only to the type checker.
	incomplete bool

	// before and after are the parts of a unit around the block's text: a unit is a file
	// that consists of before, the text, and after. The unit begins with the imports.
	before, after string
	imports       int // the offset where the imports end
	// statements reports whether the block is within a function. If it is, the block is
	// in a list of statements. In that case, open is the offset in the unit at which the
	// list begins, and shut is the number of bytes from the end of the list to the end of
	// the unit.
	statements bool
	open, shut int

	// context holds the declarations outside the block with empty function bodies, and
	// whole holds the same declarations with their bodies. Positions up to pad belong to
	// these declarations.
	context, whole []*ast.File
	pad            int
	// base is the package with the base's text; own holds the names that this text declares
	// in the block. Units are checked against the objects of base. base is nil if units
	// must be checked with the context.
	base *types.Package
	own  map[string]bool

	// known and knownWhole are the problems that the base has outside the block: known in
	// a check with context, and knownWhole in a check with whole. tolerated are the
	// problems inside the block; the base has such problems only if a package was not
	// found.
	known, knownWhole, tolerated map[string]bool

	needs    []string        // names of imports that only the block uses
	math     string          // the name under which the file imports package math
	exports  []string        // package-level declarations in the block
	mentions *functions      // names in the bodies of functions outside the block
	purity   *purity         // purity of the functions outside the block
	values   map[string]bool // names of the package-level functions and variables
	computed map[string]bool // variables outside the block whose initial values are computed
	most     int             // the limit of Size
}

// New parses and type-checks a package, and returns a Rewriter for a block in it.
func New(s Source, at Site) (*Rewriter, error) {
	data, ok := s.Files[at.File]
	switch {
	case !ok:
		return nil, fmt.Errorf("there is no file %s", foreign.Quote(at.File))
	case at.Start < 0 || at.End < at.Start || at.End > len(data):
		return nil, errors.New("the block is not within its file")
	case at.End-at.Start > mostText:
		return nil, fmt.Errorf("the block has %d bytes; the limit for rewriting is %d", at.End-at.Start, mostText)
	}
	r := &Rewriter{version: s.Go, pad: 1, tolerated: map[string]bool{}}
	files, own, err := r.parse(s.Files, at.File)
	if err != nil {
		return nil, err
	}
	if err := r.locate(own, data, at); err != nil {
		return nil, err
	}
	r.load(files, s.Importer)
	r.survey(files, own, at)
	text := strings.ReplaceAll(string(data[at.Start:at.End]), "\r\n", "\n")
	unit, reason := r.parseUnit(text)
	if reason != "" {
		return nil, errors.New("the block " + reason)
	}
	v, problems := r.check(unit, r.context, true)
	r.known = outside(problems)
	for _, p := range problems {
		if !p.inside {
			continue
		}
		if r.tolerated[p.text] = true; !r.incomplete || strings.HasPrefix(p.text, unusedVariable) {
			return nil, fmt.Errorf("the block does not type-check: %s", foreign.OneLine(foreign.Clip(p.text, 300, foreign.Mark)))
		}
	}
	_, problems = r.check(unit, r.whole, false)
	r.knownWhole = outside(problems)
	r.base, r.own = v.pkg, map[string]bool{}
	for _, d := range unit.tree.Decls {
		for name := range declaredBy(d) {
			r.own[name] = true
		}
	}
	if v, problems = r.check(unit, r.context, true); slices.ContainsFunc(problems, func(p problem) bool { return !r.accepted(p, r.known) }) {
		r.base = nil // the block cannot be checked without the declarations around it
		v, _ = r.check(unit, r.context, true)
	}
	r.exports = v.exports()
	r.most = 3*unit.size + 100
	return r, nil
}

// source is a parsed file.
type source struct {
	path string
	tree *ast.File
	file *token.File
}

// parse parses those files that belong to the same package as the file at the given path
// (own). It returns all of them and, separately, the file at own, which contains the
// block.
func (r *Rewriter) parse(files map[string][]byte, own string) (all []source, block source, err error) {
	set, total := token.NewFileSet(), 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		if name != own && (strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go")) {
			continue
		}
		quoted := foreign.Quote(name)
		if total += len(data); len(data) > mostFile || total > mostPackage {
			return nil, block, fmt.Errorf("file %s or its package is too large", quoted)
		}
		if nesting(data) > mostNesting {
			return nil, block, fmt.Errorf("file %s nests brackets more than %d levels deep", quoted, mostNesting)
		}
		tree, err := parser.ParseFile(set, name, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, block, fmt.Errorf("file %s does not parse: %s", quoted, foreign.OneLine(foreign.Clip(err.Error(), 300, foreign.Mark)))
		}
		if depth(tree) > mostDepth {
			return nil, block, fmt.Errorf("file %s has expressions or statements more than %d levels deep", quoted, mostDepth)
		}
		f := source{name, tree, set.File(tree.FileStart)}
		if name == own {
			block = f
		}
		all = append(all, f)
	}
	r.name = block.tree.Name.Name
	r.pad = set.Base()
	all = slices.DeleteFunc(all, func(f source) bool { return f.tree.Name.Name != r.name })
	return all, block, nil
}

// locate determines the kind of the block, and the parts of a unit before and after the
// block's text.
func (r *Rewriter) locate(own source, data []byte, at Site) error {
	offset := own.file.Offset
	whole, cut := 0, ast.Decl(nil)
	for _, d := range own.tree.Decls {
		start, end := offset(d.Pos()), offset(d.End())
		switch {
		case end <= at.Start || start >= at.End:
		case start < at.Start || end > at.End:
			cut = d
		default:
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				return errors.New("the block has import declarations")
			}
			whole++
		}
	}
	var b strings.Builder
	b.WriteString("package " + r.name + "\n")
	for _, spec := range own.tree.Imports {
		name := ""
		if spec.Name != nil {
			if name = spec.Name.Name; name == "." {
				return errors.New("the file has a dot import")
			}
		}
		b.WriteString("import " + name + " " + spec.Path.Value + "\n")
	}
	r.imports = b.Len()
	clean := func(from, to int) string { return strings.ReplaceAll(string(data[from:to]), "\r\n", "\n") }
	if cut == nil {
		if whole == 0 {
			return errors.New("the block has no declaration")
		}
		r.before = b.String()
		return nil
	}
	f, ok := cut.(*ast.FuncDecl)
	if !ok || whole > 0 || f.Body == nil || offset(f.Body.Lbrace) >= at.Start || offset(f.Body.Rbrace) < at.End {
		return errors.New("the block must consist of whole declarations, or of whole statements of one function")
	}
	start, end := offset(f.Pos()), offset(f.End())
	b.WriteString(clean(start, at.Start))
	r.before, r.after, r.statements = b.String(), clean(at.End, end), true
	l, ok := innermost(f, own.file, at.Start, at.End)
	if !ok {
		return errors.New("the block ends within a statement, or contains no statement")
	}
	r.open = r.imports + len(clean(start, l.open))
	r.shut = len(clean(l.shut, end))
	return nil
}

// reach is the extent of a list of statements, given by two offsets: the offset of its
// opening brace or colon, and the offset of its closing brace or of the next clause.
type reach struct{ open, shut int }

// innermost returns the innermost list of statements in a function that contains the range
// from start to end. It returns false if a statement crosses start or end, or if no
// statement lies between them.
func innermost(f *ast.FuncDecl, file *token.File, start, end int) (reach, bool) {
	var found reach
	seen, cut := false, false
	consider := func(open, shut token.Pos, list []ast.Stmt) {
		l := reach{file.Offset(open), file.Offset(shut)}
		if l.open >= start || l.shut < end {
			return
		}
		found, seen, cut = l, false, false // lists inside come later
		for _, s := range list {
			if _, empty := s.(*ast.EmptyStmt); empty {
				continue
			}
			from, to := file.Offset(s.Pos()), file.Offset(s.End())
			switch {
			case to <= start || from >= end:
			case from < start || to > end:
				cut = true
			default:
				seen = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		b, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		consider(b.Lbrace, b.Rbrace, b.List)
		for i, c := range b.List {
			shut := b.Rbrace
			if i+1 < len(b.List) {
				shut = b.List[i+1].Pos()
			}
			switch c := c.(type) {
			case *ast.CaseClause:
				consider(c.Colon, shut, c.Body)
			case *ast.CommClause:
				consider(c.Colon, shut, c.Body)
			}
		}
		return true
	})
	return found, seen && !cut
}

// load imports the packages that the files import.
func (r *Rewriter) load(files []source, importer types.Importer) {
	r.packages = map[string]*types.Package{}
	for _, f := range files {
		for _, spec := range f.tree.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil || name == "C" || name == "unsafe" {
				continue
			}
			if _, done := r.packages[name]; done {
				continue
			}
			if importer != nil {
				if p, err := importer.Import(name); err == nil && p != nil && p.Complete() {
					r.packages[name] = p
					continue
				}
			}
			if name == "math" {
				r.packages[name] = mathPackage()
				continue
			}
			r.packages[name], r.incomplete = types.NewPackage(name, guessedName(name)), true
		}
	}
}

// Import implements types.Importer with the packages that were loaded. For an incomplete
// package it also returns an error, which makes the checker accept every name in it.
func (r *Rewriter) Import(name string) (*types.Package, error) {
	switch p := r.packages[name]; {
	case name == "unsafe":
		return types.Unsafe, nil
	case p == nil:
		return nil, errors.New("unknown")
	case !p.Complete():
		return p, errors.New("unknown")
	default:
		return p, nil
	}
}

// guessedName returns the name that a package most likely has.
func guessedName(importPath string) string {
	name := path.Base(importPath)
	if dir := path.Dir(importPath); len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" && dir != "." {
		name = path.Base(dir)
	}
	name, _, _ = strings.Cut(name, ".")
	name = strings.TrimSuffix(strings.TrimPrefix(name, "go-"), "-go")
	return strings.ReplaceAll(name, "-", "")
}

// survey sets the fields of the Rewriter that depend on the rest of the package.
func (r *Rewriter) survey(files []source, own source, at Site) {
	inBlock := func(d ast.Decl) bool {
		return own.file.Offset(d.End()) > at.Start && own.file.Offset(d.Pos()) < at.End
	}
	var others []ast.Decl
	outsideUses := map[string]bool{}
	for _, f := range files {
		bare, whole := *f.tree, *f.tree
		bare.Decls, whole.Decls = nil, nil
		for _, d := range f.tree.Decls {
			g, general := d.(*ast.GenDecl)
			if general && g.Tok == token.IMPORT {
				bare.Decls, whole.Decls = append(bare.Decls, d), append(whole.Decls, d)
				continue
			}
			if f.tree == own.tree && inBlock(d) {
				continue
			}
			if f.tree == own.tree {
				selected(d, outsideUses)
			}
			others = append(others, d)
			whole.Decls = append(whole.Decls, d)
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				if fn.Recv == nil && (fn.Name.Name == "init" || fn.Name.Name == "_") {
					continue
				}
				bare.Decls = append(bare.Decls, emptied(fn))
				continue
			}
			bare.Decls = append(bare.Decls, d)
		}
		r.context, r.whole = append(r.context, &bare), append(r.whole, &whole)
	}
	if r.statements {
		// The rest of the function around the block is part of every unit.
		if f, err := parser.ParseFile(token.NewFileSet(), "", r.before+r.after, parser.SkipObjectResolution); err == nil {
			for _, d := range f.Decls {
				selected(d, outsideUses)
			}
		}
	}
	insideUses := map[string]bool{}
	for _, d := range own.tree.Decls {
		if g, ok := d.(*ast.GenDecl); inBlock(d) && (!ok || g.Tok != token.IMPORT) {
			selected(d, insideUses)
		}
	}
	for _, spec := range own.tree.Imports {
		importPath, _ := strconv.Unquote(spec.Path.Value) // the parser has checked the path
		name := guessedName(importPath)
		if p := r.packages[importPath]; p != nil {
			name = p.Name()
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if importPath == "math" && name != "_" {
			r.math = name
		}
		if insideUses[name] && !outsideUses[name] && importPath != "C" {
			r.needs = append(r.needs, name)
		}
	}
	r.mentions, r.values = functionsIn(others, nil), map[string]bool{}
	for _, f := range files {
		maps.Copy(r.values, valueNames(f.tree.Decls))
	}
	values := func(name string) bool { return r.values[name] }
	r.computed = computed(others, values)
	r.purity = purityOf(functionsOf(others), r.math, values, nil)
}

// selected adds to names the identifiers on the left of the dot in selectors.
func selected(n ast.Node, names map[string]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				names[x.Name] = true
			}
		}
		return true
	})
}

// emptied returns a function whose body is replaced by one that needs no names and no
// return statement.
func emptied(f *ast.FuncDecl) *ast.FuncDecl {
	c, b := *f, f.Body
	loop := &ast.ForStmt{For: b.Lbrace, Body: &ast.BlockStmt{Lbrace: b.Lbrace, Rbrace: b.Rbrace}}
	c.Body = &ast.BlockStmt{Lbrace: b.Lbrace, List: []ast.Stmt{loop}, Rbrace: b.Rbrace}
	return &c
}

// declaredBy returns the package-level names that a declaration declares, each with the
// token of the declaration's keyword.
func declaredBy(d ast.Decl) map[string]token.Token {
	names := map[string]token.Token{}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = token.FUNC
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[n.Name] = d.Tok
				}
			case *ast.TypeSpec:
				names[s.Name.Name] = d.Tok
			}
		}
	}
	return names
}

// valueNames returns the names of the package-level functions and variables in
// declarations.
func valueNames(decls []ast.Decl) map[string]bool {
	names := map[string]bool{}
	for _, d := range decls {
		for name, tok := range declaredBy(d) {
			if tok == token.FUNC || tok == token.VAR {
				names[name] = true
			}
		}
	}
	return names
}

// computed returns the package-level variables whose initial value needs a call, a function
// or another variable. Using such a variable in a function can create an initialisation
// cycle.
func computed(decls []ast.Decl, values func(string) bool) map[string]bool {
	names := map[string]bool{}
	for _, d := range decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			spec, ok := s.(*ast.ValueSpec)
			if !ok {
				continue
			}
			depends := false
			for _, x := range spec.Values {
				ast.Inspect(x, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.CallExpr, *ast.FuncLit:
						depends = true
					case *ast.Ident:
						depends = depends || values(n.Name)
					}
					return !depends
				})
			}
			for _, n := range spec.Names {
				if depends {
					names[n.Name] = true
				}
			}
		}
	}
	return names
}
