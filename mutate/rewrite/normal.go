package rewrite

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// fileHeader and statementHeader are the beginnings of the files in which declarations and
// statements, respectively, are parsed.
const (
	fileHeader      = "package p;"
	statementHeader = "package p;func _(){"
)

// Normal returns the normal form of a text: its tokens without comments or layout, with
// the names that a function declares for itself numbered in the order of their first use.
// Two Go texts of declarations or of statements have the same normal form if they differ
// only in comments, layout and these names. Other texts, and texts above 64 KiB, are
// returned unchanged.
func Normal(text string) string {
	if len(text) > mostText {
		return text
	}
	if s := normalGo(text); s != "" {
		return s
	}
	return text
}

// Size returns the number of syntax nodes in Go declarations or statements. For other texts
// it returns the number of words.
func Size(text string) int {
	_, tree := parsed(text)
	if tree == nil {
		return len(strings.Fields(text))
	}
	n := 0
	for _, d := range tree.Decls {
		ast.Inspect(d, func(x ast.Node) bool {
			switch x.(type) {
			case nil, *ast.Comment, *ast.CommentGroup:
				return false
			}
			n++
			return true
		})
	}
	if len(tree.Decls) == 1 {
		if f, ok := tree.Decls[0].(*ast.FuncDecl); ok && f.Name.Name == "_" && int(f.Pos()) < len(statementHeader) {
			n -= wrapping
		}
	}
	return n
}

// wrapping is the number of nodes in the function that wraps statements: the function, its
// name, its type with the list of parameters, and its body.
const wrapping = 5

// parsed parses a text as declarations or as statements, and returns the header that this
// requires; tree is nil if the text is neither.
func parsed(text string) (header string, tree *ast.File) {
	if len(text) > mostText || nesting([]byte(text)) > mostNesting {
		return "", nil
	}
	for _, h := range []string{fileHeader, statementHeader} {
		source := h + text
		if h == statementHeader {
			source += "\n}"
		}
		f, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
		if err != nil || len(f.Decls) == 0 || h == statementHeader && len(f.Decls) != 1 || depth(f) > mostDepth {
			continue
		}
		return h, f
	}
	return "", nil
}

// normalGo returns the normal form of a Go text; it returns "" for other texts.
func normalGo(text string) string {
	header, tree := parsed(text)
	if tree == nil {
		return ""
	}
	return tokens(text, len(header), tree)
}

// tokens returns the tokens of a parsed text, which begins at offset start in the tree.
func tokens(text string, start int, tree *ast.File) string {
	names := locals(tree)
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	var b strings.Builder
	numbers := map[*local]int{}
	pending := token.ILLEGAL // a comma or semicolon that the next token may make superfluous
	for {
		pos, tok, lit := s.Scan()
		closes := tok == token.RPAREN || tok == token.RBRACE || tok == token.RBRACK || tok == token.EOF
		if pending != token.ILLEGAL && !closes {
			b.WriteString(pending.String() + " ")
		}
		pending = token.ILLEGAL
		switch {
		case tok == token.EOF:
			return strings.TrimSuffix(b.String(), " ")
		case tok == token.COMMA || tok == token.SEMICOLON:
			pending = tok
			continue
		case tok == token.IDENT:
			at := token.Pos(1 + start + file.Offset(pos)) // the tree's file has base 1
			if l := names[at]; l != nil {
				if numbers[l] == 0 {
					numbers[l] = len(numbers) + 1
				}
				lit = "$" + itoa(numbers[l])
			}
			b.WriteString(lit)
		case lit != "":
			b.WriteString(lit)
		default:
			b.WriteString(tok.String())
		}
		b.WriteByte(' ')
	}
}

// local is a name that a function declares for itself.
type local struct{ _ byte } // not empty, so that each local has its own address

// scopes resolves names to locals.
type scopes struct {
	uses  map[token.Pos]*local
	stack []map[string]*local
}

// locals returns the local to which each use of a local name refers, by position.
func locals(tree *ast.File) map[token.Pos]*local {
	s := &scopes{uses: map[token.Pos]*local{}}
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			s.node(d)
			continue
		}
		s.open()
		s.fields(f.Recv, true)
		s.fields(f.Type.TypeParams, true)
		s.function(f.Type, f.Body)
		s.close()
	}
	return s.uses
}

func (s *scopes) open()  { s.stack = append(s.stack, map[string]*local{}) }
func (s *scopes) close() { s.stack = s.stack[:len(s.stack)-1] }

// declare adds a name to the innermost scope; it does not add names at package level,
// because these stay as they are.
func (s *scopes) declare(id *ast.Ident) {
	if len(s.stack) == 0 || id.Name == "_" {
		return
	}
	l := &local{}
	s.stack[len(s.stack)-1][id.Name] = l
	s.uses[id.Pos()] = l
}

// define adds the names that a short variable declaration newly declares.
func (s *scopes) define(list []ast.Expr) {
	for _, x := range list {
		id, ok := x.(*ast.Ident)
		if !ok {
			s.node(x)
			continue
		}
		if len(s.stack) > 0 && s.stack[len(s.stack)-1][id.Name] != nil {
			s.use(id)
			continue
		}
		s.declare(id)
	}
}

func (s *scopes) use(id *ast.Ident) {
	for i := len(s.stack) - 1; i >= 0; i-- {
		if l := s.stack[i][id.Name]; l != nil {
			s.uses[id.Pos()] = l
			return
		}
	}
}

// fields resolves the types of parameters and, if declare is true, declares the parameters'
// names.
func (s *scopes) fields(list *ast.FieldList, declare bool) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		if declare {
			for _, n := range f.Names {
				s.declare(n)
			}
		}
		s.node(f.Type)
	}
}

func (s *scopes) function(t *ast.FuncType, body *ast.BlockStmt) {
	s.fields(t.Params, true)
	s.fields(t.Results, true)
	if body == nil {
		return
	}
	s.labels(body)
	for _, x := range body.List {
		s.node(x)
	}
}

// labels declares the labels in a body. Their names are stored with a leading colon,
// because labels have a separate name space.
func (s *scopes) labels(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt:
			l := &local{}
			s.stack[len(s.stack)-1][":"+n.Label.Name] = l
			s.uses[n.Label.Pos()] = l
		}
		return true
	})
}

// node resolves the names in a node.
func (s *scopes) node(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			s.use(n)
		case *ast.SelectorExpr:
			s.node(n.X)
			return false
		case *ast.KeyValueExpr:
			if _, field := n.Key.(*ast.Ident); !field { // most likely a field of a struct
				s.node(n.Key)
			}
			s.node(n.Value)
			return false
		case *ast.StructType:
			s.fields(n.Fields, false)
			return false
		case *ast.InterfaceType:
			s.fields(n.Methods, false)
			return false
		case *ast.FuncType:
			s.fields(n.Params, false)
			s.fields(n.Results, false)
			return false
		case *ast.FuncLit:
			s.open()
			s.function(n.Type, n.Body)
			s.close()
			return false
		case *ast.BlockStmt:
			s.open()
			for _, x := range n.List {
				s.node(x)
			}
			s.close()
			return false
		case *ast.IfStmt:
			s.open()
			s.optional(n.Init)
			s.node(n.Cond)
			s.node(n.Body)
			s.optional(n.Else)
			s.close()
			return false
		case *ast.ForStmt:
			s.open()
			s.optional(n.Init)
			if n.Cond != nil {
				s.node(n.Cond)
			}
			s.optional(n.Post)
			s.node(n.Body)
			s.close()
			return false
		case *ast.RangeStmt:
			s.node(n.X)
			s.open()
			for _, x := range []ast.Expr{n.Key, n.Value} {
				switch {
				case x == nil:
				case n.Tok == token.DEFINE:
					s.define([]ast.Expr{x})
				default:
					s.node(x)
				}
			}
			s.node(n.Body)
			s.close()
			return false
		case *ast.SwitchStmt:
			s.open()
			s.optional(n.Init)
			if n.Tag != nil {
				s.node(n.Tag)
			}
			s.node(n.Body)
			s.close()
			return false
		case *ast.TypeSwitchStmt:
			s.open()
			s.optional(n.Init)
			s.node(n.Assign)
			s.node(n.Body)
			s.close()
			return false
		case *ast.CaseClause:
			s.open()
			for _, x := range n.List {
				s.node(x)
			}
			for _, x := range n.Body {
				s.node(x)
			}
			s.close()
			return false
		case *ast.CommClause:
			s.open()
			s.optional(n.Comm)
			for _, x := range n.Body {
				s.node(x)
			}
			s.close()
			return false
		case *ast.AssignStmt:
			for _, x := range n.Rhs {
				s.node(x)
			}
			if n.Tok == token.DEFINE {
				s.define(n.Lhs)
			} else {
				for _, x := range n.Lhs {
					s.node(x)
				}
			}
			return false
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				s.spec(spec)
			}
			return false
		case *ast.LabeledStmt:
			s.node(n.Stmt)
			return false
		case *ast.BranchStmt:
			if n.Label != nil {
				s.use(&ast.Ident{NamePos: n.Label.NamePos, Name: ":" + n.Label.Name})
			}
			return false
		}
		return true
	})
}

func (s *scopes) optional(n ast.Stmt) {
	if n != nil {
		s.node(n)
	}
}

// spec resolves the names that a declaration uses and declares those that it introduces.
func (s *scopes) spec(spec ast.Spec) {
	switch x := spec.(type) {
	case *ast.ValueSpec:
		if x.Type != nil {
			s.node(x.Type)
		}
		for _, v := range x.Values {
			s.node(v)
		}
		for _, n := range x.Names {
			s.declare(n)
		}
	case *ast.TypeSpec:
		s.declare(x.Name)
		s.open()
		s.fields(x.TypeParams, true)
		s.node(x.Type)
		s.close()
	}
}
