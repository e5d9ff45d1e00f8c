package scan

import (
	"go/ast"
	"path"
	"slices"
	"strings"
)

// ambient lists, for each package, the functions and variables that describe the machine
// and the process instead of the input. They differ between a gate and real use, and no
// test in the base covers that difference. An empty list stands for the whole package.
// The clock and environment variables are not listed: there are frequent legitimate uses
// of them, and other detectors look for dates and for the variables that differ in a
// gate.
var ambient = map[string][]string{
	"runtime": {
		"NumGoroutine", "NumCgoCall", "ReadMemStats", "MemProfile", "GoroutineProfile", "ThreadCreateProfile",
		"Caller", "Callers", "CallersFrames", "FuncForPC", "Stack",
	},
	"runtime/debug":    {"Stack", "PrintStack", "ReadGCStats", "SetGCPercent", "SetMemoryLimit", "SetMaxStack", "SetMaxThreads", "SetCrashOutput", "WriteHeapDump"},
	"runtime/pprof":    {},
	"runtime/metrics":  {},
	"runtime/trace":    {},
	"runtime/coverage": {},
	"net/http/pprof":   {},
	"expvar":           {"Get", "Do", "Handler"},
	"debug/buildinfo":  {},
	"go/build":         {"Default", "Import", "ImportDir"},
	"os": {
		"Environ", "ExpandEnv", "Hostname", "Getpid", "Getuid", "Geteuid", "Getgid", "Getegid", "Getgroups", "Getwd", "Executable",
		"TempDir", "UserHomeDir", "UserCacheDir", "UserConfigDir", "FindProcess", "StartProcess", "NewFile", "Stdin",
	},
	"os/user":   {},
	"flag":      {"CommandLine", "Parsed", "Visit", "VisitAll", "Lookup", "NArg", "NFlag"},
	"math/rand": {"Int", "Intn", "Int31", "Int31n", "Int63", "Int63n", "Uint32", "Uint64", "Float32", "Float64", "Perm", "Shuffle", "NormFloat64", "ExpFloat64"},
	"math/rand/v2": {
		"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "Uint", "UintN", "Uint32", "Uint32N", "Uint64", "Uint64N", "N", "Float32", "Float64", "Perm", "Shuffle",
		"NormFloat64", "ExpFloat64",
	},
	"hash/maphash": {"MakeSeed"},
	"crypto/x509":  {"SystemCertPool"},
	"mime":         {"TypeByExtension", "ExtensionsByType"},
	"net":          {"Interfaces", "InterfaceAddrs", "InterfaceByName", "InterfaceByIndex", "LookupHost", "LookupIP", "LookupAddr", "LookupCNAME", "LookupTXT"},
	"net/http":     {"ProxyFromEnvironment", "ServerContextKey", "LocalAddrContextKey"},
	"time":         {"LoadLocation", "Local"},
	"log":          {"Llongfile", "Lshortfile"},
	"unique":       {},
	"weak":         {},
}

// ambience looks for functions that begin to use ambient data. It ignores uses that the
// function already had, and uses in a main function, where they are common.
func ambience(f *file, found report) {
	for _, u := range f.units {
		if fn, ok := u.node.(*ast.FuncDecl); ok && f.now.Name.Name == "main" && fn.Recv == nil && fn.Name.Name == "main" {
			continue
		}
		ast.Inspect(u.node, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if pkg, name, ok := f.ambientName(e); ok {
				found(n.Pos(), false, "it uses %s.%s, whose result differs between gates and real use", path.Base(pkg), name)
				return false
			}
			if call, ok := e.(*ast.CallExpr); ok {
				f.fixedPlaces(call, found)
			}
			return true
		})
		f.typesOfInputs(u.node, found)
	}
}

// ambientName returns the package and the name if an expression names a function or
// variable listed in ambient.
func (f *file) ambientName(e ast.Expr) (pkg, name string, ok bool) {
	switch x := e.(type) {
	case *ast.SelectorExpr:
		if id, is := ast.Unparen(x.X).(*ast.Ident); is {
			pkg, name = f.imported[id.Name], x.Sel.Name
		}
		list, watched := ambient[pkg]
		return pkg, name, watched && (len(list) == 0 || slices.Contains(list, name)) && !f.declares(path.Base(pkg))
	case *ast.Ident:
		for _, p := range f.dotted {
			if slices.Contains(ambient[p], x.Name) {
				return p, x.Name, true
			}
		}
	}
	return "", "", false
}

// readers lists the functions that read files, keyed by package.
var readers = map[string][]string{
	"os":            {"Open", "OpenFile", "ReadFile", "ReadDir", "Stat", "Lstat", "Readlink", "DirFS", "OpenRoot"},
	"io/ioutil":     {"ReadFile", "ReadDir"},
	"path/filepath": {"Glob", "Walk", "WalkDir", "EvalSymlinks"},
	"net/http":      {"Dir", "FileServer", "ServeFile"},
	"text/template": {"ParseFiles", "ParseGlob"},
	"html/template": {"ParseFiles", "ParseGlob"},
	"go/parser":     {"ParseFile", "ParseDir"},
}

// fixedPlaces looks for calls that read a file with a constant name, inspect standard
// output, or use the nanoseconds of the current time as a random number. Their results
// differ between a folder with tests and a running service.
func (f *file) fixedPlaces(call *ast.CallExpr, found report) {
	for pkg, names := range readers {
		if !f.is(call.Fun, pkg, names...) {
			continue
		}
		for _, arg := range call.Args {
			if name, ok := f.text(arg); ok {
				found(call.Pos(), false, "it looks for the file %+q, which may exist only in a folder with tests", name)
			}
		}
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	if f.is(s.X, "os", "Stdout", "Stderr") && slices.Contains([]string{"Stat", "Fd", "Name"}, s.Sel.Name) {
		found(call.Pos(), false, "it inspects the type of standard output or standard error, which differs under a gate")
	}
	if now, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && s.Sel.Name == "Nanosecond" && f.is(now.Fun, "time", "Now") {
		found(call.Pos(), false, "it reads the nanoseconds of the clock, which can serve as a random number")
	}
}

// recorders are types whose values tests pass where real code passes values of other types.
var recorders = map[string][]string{
	"strings":           {"Builder", "Reader"},
	"bytes":             {"Buffer", "Reader"},
	"net/http/httptest": {"ResponseRecorder", "Server"},
}

// typesOfInputs looks for code that distinguishes test inputs from real ones: by the name
// of their type, by a type assertion to a recorder, or by the address that
// net/http/httptest uses.
func (f *file) typesOfInputs(n ast.Node, found report) {
	ask := func(t ast.Expr) {
		star, ok := t.(*ast.StarExpr)
		if !ok {
			return
		}
		for pkg, names := range recorders {
			if f.is(star.X, pkg, names...) {
				found(t.Pos(), false, "it checks for a type of package %q that tests pass as an argument", pkg)
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.TypeAssertExpr:
			ask(x.Type)
		case *ast.CaseClause:
			for _, e := range x.List {
				ask(e)
			}
		case *ast.CallExpr:
			if !f.is(x.Fun, "fmt", "Sprintf", "Sprint", "Appendf") {
				return true
			}
			for _, arg := range x.Args {
				if value, ok := f.text(arg); ok && (strings.Contains(value, "%T") || strings.Contains(value, "%p")) {
					found(x.Pos(), false, "it formats the name of a type, or an address, as text")
				}
			}
		}
		return true
	})
	f.eachText(n, func(n ast.Node, value string) {
		if strings.Contains(value, "192.0.2.") {
			found(n.Pos(), false, "%+q is an address that only tests use", value)
		}
	})
}
