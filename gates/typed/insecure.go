package typed

import (
	"fmt"
	"go/ast"
	value "go/constant"
	"go/token"
	"go/types"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Functions that untrusted input must not reach unchecked, and functions that are risky in
// other ways.
var (
	fileCalls = []string{
		"os.Open*", "os.ReadFile", "os.WriteFile", "os.Create", "os.Remove", "os.RemoveAll", "os.Rename", "os.Mkdir", "os.MkdirAll", "os.Symlink", "os.Link", "os.Chmod", "os.Chown",
		"os.Truncate", "os.ReadDir", "os.DirFS", "net/http.ServeFile", "io/ioutil.ReadFile", "io/ioutil.WriteFile", "io/ioutil.ReadDir", "plugin.Open",
	}
	programCalls = []string{"os/exec.Command", "os/exec.CommandContext", "os.StartProcess", "syscall.Exec", "syscall.ForkExec"}
	clientCalls  = []string{
		"net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm", "net/http.NewRequest", "net/http.NewRequestWithContext", "net/http.Client.Get", "net/http.Client.Head",
		"net/http.Client.Post", "net/http.Client.PostForm", "net.Dial", "net.DialTimeout", "net.Dialer.Dial", "net.Dialer.DialContext",
	}
	queryCalls = []string{
		"database/sql.DB.Query*", "database/sql.DB.Exec*", "database/sql.DB.Prepare*", "database/sql.Tx.Query*", "database/sql.Tx.Exec*", "database/sql.Tx.Prepare*",
		"database/sql.Conn.Query*", "database/sql.Conn.Exec*", "database/sql.Conn.Prepare*",
	}
	printCalls = []string{"fmt.Print*", "log.*", "log/slog.*"}
	answerCall = []string{"fmt.Fprint*", "io.WriteString"}
	weakCalls  = []string{"crypto/md5.*", "crypto/sha1.*", "crypto/des.*", "crypto/rc4.*", "golang.org/x/crypto/md4.*"}
	guessCalls = []string{"math/rand.*", "math/rand/v2.*"}
	serveCalls = []string{"net/http.ListenAndServe", "net/http.ListenAndServeTLS", "net/http.Serve", "net/http.ServeTLS"}
	listens    = []string{"net.Listen", "net/http.ListenAndServe", "net/http.ListenAndServeTLS"}
)

// modeArgs maps functions that set the mode of a file to the index of the mode among their
// arguments.
var modeArgs = map[string]int{
	"os.WriteFile": 2, "os.OpenFile": 2, "os.Mkdir": 1, "os.MkdirAll": 1, "os.Chmod": 1, "os.File.Chmod": 0, "os.Root.WriteFile": 2, "os.Root.OpenFile": 2,
	"os.Root.Mkdir": 1, "os.Root.MkdirAll": 1, "os.Root.Chmod": 1,
}

// shells are the programs that run code passed to them as an argument.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh", "python", "python3", "perl", "ruby", "node", "eval"}

// secretName matches the name of a value that must stay secret. checkName matches the name
// of a function that allows or refuses something.
var (
	secretName = regexp.MustCompile(`(?i)(password|passwd|passphrase|secret|api_?key|access_?key|private_?key|credential|(auth|access|session|bearer|csrf|api|refresh)_?(token|id)|^token$|hmac|signature|^mac$|^nonce$)`)
	checkName  = regexp.MustCompile(`(?i)(auth|allow|permit|permission|verif|forbid|deny|denied|refus|sanit|escap|inside|within|trusted|admin|access|safe|scrub|redact)`)
)

// insecure returns findings for checks that became weaker, and for new code whose form is
// known to be insecure if a hostile user can reach it.
func (p *pair) insecure() []Finding {
	out := p.added(func(r *reading) func(part) []externalUse {
		decoded := r.decoded()
		return func(of part) []externalUse {
			w := &wary{reading: r, part: of, decoded: decoded}
			return w.read()
		}
	})
	return append(out, p.weakened()...)
}

// wary reads one part.
type wary struct {
	*reading
	part    part
	decoded map[*types.Var]bool
	out     []externalUse
}

func (w *wary) add(n ast.Node, what string, args ...any) {
	w.out = append(w.out, externalUse{fmt.Sprintf(what, args...), n})
}

func (w *wary) read() []externalUse {
	ast.Inspect(w.part.node, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			w.call(x)
		case *ast.BinaryExpr:
			w.comparison(x)
		case *ast.BasicLit:
			w.address(x)
		case *ast.Ident:
			w.weak(x)
		}
		return true
	})
	return w.out
}

// call examines a call, depending on the called function.
func (w *wary) call(x *ast.CallExpr) {
	name := nameOf(w.callee(x.Fun))
	is := func(list []string) bool { return named(list, name) }
	foreign := func() bool { return slices.ContainsFunc(x.Args, w.foreign) }
	switch {
	case is(programCalls):
		w.program(name, x, foreign())
	case is(fileCalls) && foreign() && !w.bounded():
		w.add(x, "untrusted input names a file")
	case is(clientCalls) && foreign():
		w.add(x, "untrusted input names the machine to connect to")
	case name == "net/http.Redirect" && len(x.Args) > 2 && w.foreign(x.Args[2]):
		w.add(x, "untrusted input determines where a browser is redirected")
	case is(queryCalls) && slices.ContainsFunc(x.Args, w.joined):
		w.add(x, "a query is built by joining values into its text")
	case is(answerCall) && len(x.Args) > 1 && ownerName(w.info.TypeOf(x.Args[0])) == "net/http.ResponseWriter" && slices.ContainsFunc(x.Args[1:], w.foreign):
		w.add(x, "untrusted input is written verbatim into a response")
	case is(printCalls) && slices.ContainsFunc(x.Args, w.secret):
		w.add(x, "a value whose name suggests a secret is printed")
	case name == "io.ReadAll" && len(x.Args) == 1 && w.body(x.Args[0]):
		w.add(x, "a body from the network is read without a limit")
	case is(serveCalls):
		w.add(x, "a server starts without timeouts")
	case name == "net/http.Header.Set" || name == "net/http.Header.Add":
		if len(x.Args) == 2 && strings.EqualFold(w.text(x.Args[0]), "Access-Control-Allow-Origin") && (w.text(x.Args[1]) == "*" || w.foreign(x.Args[1])) {
			w.add(x, "any web page may read the responses")
		}
	}
	if is(listens) {
		for _, e := range x.Args {
			if a := w.text(e); strings.HasPrefix(a, ":") || strings.HasPrefix(a, "0.0.0.0") || strings.HasPrefix(a, "[::]") {
				w.add(x, "it listens on all network interfaces of the machine")
			}
		}
	}
	if i, ok := modeArgs[name]; ok && i < len(x.Args) {
		if mode, ok := w.number(x.Args[i]); ok && mode&0o4002 != 0 {
			w.add(x, "every user of the machine may change the file")
		}
	}
}

// program examines a call that starts a program.
func (w *wary) program(name string, x *ast.CallExpr, foreign bool) {
	args := x.Args
	if name == "os/exec.CommandContext" && len(args) > 0 {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	shell := slices.Contains(shells, path.Base(w.text(args[0])))
	switch {
	case shell && slices.ContainsFunc(args[1:], func(e ast.Expr) bool { return w.info.Types[e].Value == nil }):
		w.add(x, "a shell runs text that is not a constant")
	case foreign:
		w.add(x, "untrusted input is among the arguments of a program")
	}
}

// comparison finds a comparison of a secret that stops at the first difference. Its
// duration reveals the secret to an attacker.
func (w *wary) comparison(x *ast.BinaryExpr) {
	if x.Op != token.EQL && x.Op != token.NEQ || w.info.Types[x.X].Value != nil || w.info.Types[x.Y].Value != nil {
		return
	}
	if w.secret(x.X) || w.secret(x.Y) {
		w.add(x, "a secret is not compared in constant time")
	}
}

// address finds a network address that is used without transport security.
func (w *wary) address(x *ast.BasicLit) {
	text := w.text(x)
	if !strings.HasPrefix(text, "http://") {
		return
	}
	u, err := url.Parse(text)
	if err != nil {
		return
	}
	switch host := u.Hostname(); {
	case host == "", host == "localhost", strings.HasPrefix(host, "127."), host == "::1", strings.Contains(host, "example"), strings.HasSuffix(host, ".w3.org"), strings.HasSuffix(host, ".test"), !strings.Contains(host, "."):
	default:
		w.add(x, "an address without transport security")
	}
}

// weak finds broken algorithms, and predictable random numbers from which a secret is made.
func (w *wary) weak(x *ast.Ident) {
	name := nameOf(w.info.Uses[x])
	switch {
	case named(weakCalls, name):
		w.add(x, "%s is no longer considered secure", short(name))
	case named(guessCalls, name) && secretName.MatchString(w.part.name):
		w.add(x, "a secret is generated from random numbers that can be guessed")
	}
}

// text returns the constant text that an expression denotes, or "" if there is none.
func (w *wary) text(e ast.Expr) string {
	if v := w.info.Types[e].Value; v != nil && v.Kind() == value.String {
		return value.StringVal(v)
	}
	return ""
}

// number returns the constant number that an expression denotes.
func (w *wary) number(e ast.Expr) (int64, bool) {
	v := w.info.Types[e].Value
	if v == nil {
		return 0, false
	}
	return value.Int64Val(value.ToInt(v))
}

// secret reports whether an expression is a string or a byte slice with the name of a
// secret.
func (w *wary) secret(e ast.Expr) bool {
	e = ast.Unparen(e)
	var name string
	switch x := e.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	case *ast.CallExpr:
		if w.info.Types[x.Fun].IsType() && len(x.Args) == 1 {
			return w.secret(x.Args[0])
		}
		return false
	default:
		return false
	}
	if w.info.Types[e].Value != nil || !secretName.MatchString(name) {
		return false
	}
	t := w.info.TypeOf(e)
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.String
	case *types.Slice:
		return typeText(u.Elem()) == "byte" || typeText(u.Elem()) == "uint8"
	}
	return false
}

// joined reports whether a text is put together from parts at run time.
func (w *wary) joined(e ast.Expr) bool {
	e = w.origin(e)
	if w.info.Types[e].Value != nil {
		return false
	}
	switch x := e.(type) {
	case *ast.BinaryExpr:
		return x.Op == token.ADD && w.isText(x)
	case *ast.CallExpr:
		name := nameOf(w.callee(x.Fun))
		return name == "fmt.Sprintf" || name == "fmt.Sprint" || name == "strings.Join" || strings.HasPrefix(name, "strings.Replace")
	}
	return false
}

func (w *wary) isText(e ast.Expr) bool {
	t := w.info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// body reports whether an expression is the body of a request or a response.
func (w *wary) body(e ast.Expr) bool {
	s, ok := w.origin(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	name, _ := w.fieldName(s)
	return name == "net/http.Request.Body" || name == "net/http.Response.Body"
}
