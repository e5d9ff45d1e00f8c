package scan

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"evolve/gates/syntax"
)

// foreignVariables looks for assignments to variables of other packages. Such assignments
// change the behaviour of the whole program, including the tests and the values with which
// they compare.
func foreignVariables(f *file, found report) {
	f.each(func(n ast.Node) {
		for _, l := range written(n) {
			pkg, name := f.foreign(l)
			switch {
			case pkg == "" || (pkg == "os" && (name == "Args" || name == "Stdout" || name == "Stderr")) || pkg == "flag":
			case pkg == "testing":
				found(n.Pos(), true, "a variable of package testing is modified")
			default:
				found(n.Pos(), false, "%+q of package %+q is modified for the whole program", name, pkg)
			}
		}
	})
}

// written lists the expressions to which a statement assigns.
func written(n ast.Node) []ast.Expr {
	switch x := n.(type) {
	case *ast.AssignStmt:
		if x.Tok != token.DEFINE {
			return x.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{x.X}
	case *ast.RangeStmt:
		if x.Tok == token.ASSIGN && x.Value != nil {
			return []ast.Expr{x.Key, x.Value}
		} else if x.Tok == token.ASSIGN {
			return []ast.Expr{x.Key}
		}
	}
	return nil
}

// foreign returns the exported variable of another package that an assignment to e changes;
// both results are "" if there is none.
func (f *file) foreign(e ast.Expr) (pkg, name string) {
	for {
		switch x := root(e).(type) {
		case *ast.SelectorExpr:
			if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
				if p, ok := f.imported[id.Name]; ok && ast.IsExported(x.Sel.Name) && !f.declares(id.Name) {
					return p, x.Sel.Name
				}
				return "", ""
			}
			e = x.X
		default:
			return "", ""
		}
	}
}

// declares reports whether a changed function declares a variable or parameter with the
// given name, which hides an import or a package-level variable of that name.
func (f *file) declares(name string) bool {
	for _, u := range f.units {
		fn, ok := u.node.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if syntax.Contains(fn, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Field:
				return slices.ContainsFunc(x.Names, func(i *ast.Ident) bool { return i.Name == name })
			case *ast.AssignStmt:
				return x.Tok.String() == ":=" && slices.ContainsFunc(x.Lhs, func(e ast.Expr) bool {
					i, ok := e.(*ast.Ident)
					return ok && i.Name == name
				})
			case *ast.ValueSpec:
				return slices.ContainsFunc(x.Names, func(i *ast.Ident) bool { return i.Name == name })
			}
			return false
		}) {
			return true
		}
	}
	return false
}

// rawCalls are functions that make any system call by its number, so they can do everything
// that the other functions in their packages can do.
var rawCalls = []string{"Syscall", "Syscall6", "Syscall9", "SyscallN", "RawSyscall", "RawSyscall6", "SyscallNoError", "RawSyscallNoError"}

// unsafety looks for ways to bypass the type system and access the hidden state of a
// package.
func unsafety(f *file, found report) {
	f.each(func(n ast.Node) {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return
		}
		id, ok := s.X.(*ast.Ident)
		switch {
		case ok && f.imported[id.Name] == "unsafe":
			found(n.Pos(), false, "%+q of package unsafe bypasses the type system", s.Sel.Name)
		case f.is(n, "reflect", "NewAt") || s.Sel.Name == "UnsafeAddr" || s.Sel.Name == "UnsafePointer":
			found(n.Pos(), false, "%+q accesses unexported state of a package", s.Sel.Name)
		case f.is(n, "syscall", rawCalls...) || f.is(n, "golang.org/x/sys/unix", rawCalls...):
			found(n.Pos(), false, "%+q can make any system call by its number", s.Sel.Name)
		}
	})
}

// reaching lists the packages that give access to things outside the process. An entry that
// ends in "..." stands for every package below a folder.
var reaching = []string{"plugin", "syscall", "os/exec", "net", "net/rpc", "net/smtp", "debug/elf", "golang.org/x/sys/..."}

// watched are the packages whose functions this scan looks for by name.
var watched = []string{"os", "testing", "flag", "runtime", "syscall", "reflect", "unsafe", "log", "time", "debug", "plugin"}

// newImports looks for packages that give access to things outside the process and that the
// patch imports into a package for the first time. It also looks for import names that
// would make a reader, and this scan, mistake one package for another.
func newImports(f *file, found report) {
	for _, u := range f.units {
		i, ok := u.node.(*ast.ImportSpec)
		if !ok {
			continue
		}
		p := importPath(i)
		reaches := slices.ContainsFunc(reaching, func(r string) bool {
			prefix, folder := strings.CutSuffix(r, "...")
			return p == r || (folder && strings.HasPrefix(p, prefix))
		})
		switch {
		case reaches && !f.pkg.had[p]:
			found(i.Pos(), false, "%+q is new in this package and gives access outside the process", p)
		case i.Name != nil && i.Name.Name == ".":
			found(i.Pos(), false, "the file imports all names of %+q without a qualifier", p)
		case i.Name != nil && packageName(p) != i.Name.Name && slices.Contains(watched, i.Name.Name):
			found(i.Pos(), false, "%+q is imported as %s, the name of another package", p, i.Name.Name)
		}
	}
}

// clients looks for functions that begin to connect to other machines. In a test there is
// no machine to connect to, and an ignored error does not make the test fail.
func clients(f *file, found report) {
	f.each(func(n ast.Node) {
		switch {
		case f.is(n, "net/http", "Get", "Head", "Post", "PostForm", "DefaultClient", "DefaultTransport", "NewRequest", "NewRequestWithContext"):
		case f.is(n, "net", "Dial", "DialTimeout", "DialTCP", "DialUDP", "DialUnix", "Dialer", "Listen", "ListenPacket"):
		case f.is(n, "crypto/tls", "Dial", "DialWithDialer", "Dialer"), f.is(n, "net/smtp", "SendMail", "Dial"):
		default:
			return
		}
		found(n.Pos(), false, "it connects to other machines, which are not available to tests")
	})
}
