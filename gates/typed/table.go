package typed

import "strings"

// What is compared about the calls to a guard.
const (
	// whole compares the receiver and the arguments by their values.
	whole = iota
	// strength compares the algorithm, in whatever way it is called.
	strength
	// itself means that the call's presence and its receiver are compared.
	itself
	// chosen compares only the arguments at the positions that the rule lists.
	chosen
	// constant compares only one fact: whether the first text among the arguments is a
	// constant.
	constant
	// anchors compares the ends at which a pattern is anchored.
	anchors
)

// rule is one kind of guard. names holds the full names of objects: a package, the type of
// a method or field, and the object's name. A name that ends in "*" stands for all names
// with that beginning.
type rule struct {
	what  string
	names []string
	count int
	args  []int
	// kept reports whether a missing guard of this kind is a finding if no other guard of
	// the kind replaces it. If kept is false, as for the mode of a new file, only a change
	// is a finding.
	kept bool
	// opens reports whether the object bypasses a guard, so that every new use of the
	// object is a finding.
	opens bool
	// anyOrder reports whether it does not matter which calls precede the guard.
	anyOrder bool
}

// locks lists the names of the methods that mark a type as a lock. They are the names
// that the lock types in package sync use.
var locks = map[string]bool{"Lock": true, "RLock": true, "TryLock": true, "TryRLock": true, "Unlock": true, "RUnlock": true}

const lockRule = "a lock"

// rules are the kinds of guards. Code also works without them, but not safely.
var rules = []rule{
	{what: "a comparison of secrets", kept: true, names: []string{"crypto/hmac.Equal", "crypto/subtle.*", "golang.org/x/crypto/bcrypt.*", "golang.org/x/crypto/argon2.*"}},
	{what: "a signature check", kept: true, names: []string{
		"crypto/ed25519.Verify*", "crypto/ecdsa.Verify*", "crypto/rsa.Verify*", "crypto/x509.Certificate.*", "golang.org/x/crypto/ssh.PublicKey.Verify",
	}},
	{what: "cryptographically secure randomness", kept: true, names: []string{"crypto/rand.*"}},
	{what: "a digest", kept: true, anyOrder: true, count: strength, names: []string{"crypto/sha1.*", "crypto/sha256.*", "crypto/sha512.*", "crypto/sha3.*", "crypto/md5.*"}},
	{what: "cryptography", kept: true, names: []string{
		"crypto/hmac.*", "crypto/aes.*", "crypto/cipher.*", "crypto/des.*", "crypto/rc4.*",
		"crypto/ecdsa.*", "crypto/ed25519.*", "crypto/rsa.*", "crypto/ecdh.*", "crypto/hkdf.*", "crypto/pbkdf2.*", "golang.org/x/crypto/*",
	}},
	{what: "transport security", kept: true, count: whole, names: []string{
		"crypto/tls.Config.MinVersion", "crypto/tls.Config.MaxVersion", "crypto/tls.Config.CipherSuites", "crypto/tls.Config.RootCAs", "crypto/tls.Config.ClientAuth",
		"crypto/tls.Config.ClientCAs", "crypto/tls.Config.VerifyPeerCertificate", "crypto/tls.Config.VerifyConnection", "crypto/tls.Config.ServerName",
		"golang.org/x/crypto/ssh.ClientConfig.HostKeyCallback",
	}},
	{what: "a way around transport security", opens: true, names: []string{"crypto/tls.Config.InsecureSkipVerify", "golang.org/x/crypto/ssh.InsecureIgnoreHostKey"}},
	{what: "escaping", kept: true, count: itself, names: []string{
		"html/template.Template.*", "html/template.New", "html/template.Must", "html/template.Parse*", "html.EscapeString", "html/template.HTMLEscape*", "html/template.JSEscape*",
		"net/url.QueryEscape", "net/url.PathEscape", "regexp.QuoteMeta",
	}},
	{what: "a way around escaping", opens: true, names: []string{
		"html/template.HTML", "html/template.JS", "html/template.URL", "html/template.CSS", "html/template.HTMLAttr", "html/template.JSStr", "html/template.Srcset",
	}},
	{what: "a limit on input", kept: true, names: []string{
		"io.LimitReader", "io.LimitedReader.N", "io.CopyN", "net/http.MaxBytesReader", "net/http.MaxBytesHandler", "bufio.Scanner.Buffer", "net/http.Server.MaxHeaderBytes",
	}},
	{what: "confinement of a path to its folder", kept: true, names: []string{
		"path/filepath.IsLocal", "path/filepath.Localize", "path/filepath.EvalSymlinks", "io/fs.ValidPath", "os.OpenRoot", "os.OpenInRoot", "github.com/cyphar/filepath-securejoin.*",
	}},
	{what: "confinement of a path to its folder", kept: true, count: itself, names: []string{"os.Root.*", "path/filepath.Clean", "path.Clean"}},
	{what: "a time limit", kept: true, count: chosen, args: []int{1}, names: []string{
		"context.WithTimeout", "context.WithDeadline", "context.WithTimeoutCause", "context.WithDeadlineCause", "net/http.TimeoutHandler",
	}},
	{what: "a time limit", kept: true, names: []string{
		"net.Conn.SetDeadline", "net.Conn.SetReadDeadline", "net.Conn.SetWriteDeadline", "net/http.ResponseController.Set*", "net.DialTimeout", "net/http.Server.ReadTimeout",
		"net/http.Server.ReadHeaderTimeout", "net/http.Server.WriteTimeout", "net/http.Server.IdleTimeout", "net/http.Client.Timeout", "net.Dialer.Timeout",
		"net/http.Transport.TLSHandshakeTimeout", "net/http.Transport.ResponseHeaderTimeout", "os/exec.Cmd.WaitDelay",
	}},
	{what: "the mode of a file", anyOrder: true, count: chosen, args: []int{2}, names: []string{"os.WriteFile", "github.com/google/renameio/v2.WriteFile", "os.Root.WriteFile"}},
	{what: "the mode of a file", anyOrder: true, count: chosen, args: []int{1, 2}, names: []string{"os.OpenFile", "os.Root.OpenFile"}},
	{what: "the mode of a file", anyOrder: true, count: chosen, args: []int{1}, names: []string{"os.Mkdir", "os.MkdirAll", "os.Root.Mkdir", "os.Root.MkdirAll"}},
	{what: "the mode of a file", count: chosen, args: []int{1}, names: []string{"os.Chmod", "os.Root.Chmod"}},
	{what: "the mode of a file", count: chosen, args: []int{0}, names: []string{"os.File.Chmod", "syscall.Umask"}},
	{what: "the mode of a file", anyOrder: true, count: itself, names: []string{"os.Create", "os.CreateTemp", "os.Root.Create"}},
	{what: "settings of a cookie", kept: true, names: []string{"net/http.Cookie.Secure", "net/http.Cookie.HttpOnly", "net/http.Cookie.SameSite"}},
	{what: "strict decoding", kept: true, count: itself, names: []string{"encoding/json.Decoder.DisallowUnknownFields", "encoding/xml.Decoder.Strict", "gopkg.in/yaml.v3.Decoder.KnownFields"}},
	{what: "a constant query", count: constant, names: []string{
		"database/sql.DB.Query*", "database/sql.DB.Exec*", "database/sql.DB.Prepare*", "database/sql.Tx.Query*", "database/sql.Tx.Exec*", "database/sql.Tx.Prepare*",
		"database/sql.Conn.Query*", "database/sql.Conn.Exec*", "database/sql.Conn.Prepare*",
	}},
	{what: "the program to run", count: chosen, args: []int{0}, names: []string{"os/exec.Command"}},
	{what: "the program to run", count: chosen, args: []int{1}, names: []string{"os/exec.CommandContext"}},
	{what: "the anchors of a pattern", count: anchors, names: []string{"regexp.MustCompile", "regexp.Compile", "regexp.MatchString", "regexp.Match"}},
	{what: "synchronization between goroutines", kept: true, count: itself, names: []string{
		"sync/atomic.*", "sync.Once.Do", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues", "sync.WaitGroup.Wait", "sync.Cond.Wait", "golang.org/x/sync/errgroup.Group.Wait",
		"golang.org/x/sync/errgroup.Group.SetLimit", "golang.org/x/sync/semaphore.Weighted.Acquire", "sync.Map.LoadOrStore", "sync.Map.CompareAndSwap",
	}},
	{what: "a flush of a file to disk", kept: true, count: itself, names: []string{"os.File.Sync"}},
}

// ruleOf returns the rule for the guard with the given name.
func ruleOf(name string) (rule, bool) {
	for _, r := range rules {
		if named(r.names, name) {
			return r, true
		}
	}
	return rule{}, false
}

// named reports whether a list contains a name, or contains the beginning of the name
// followed by a star.
func named(list []string, name string) bool {
	for _, n := range list {
		begin, star := strings.CutSuffix(n, "*")
		if n == name || star && strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}

// ambient lists the objects that describe the machine, process and user, or that tests use.
// Their results differ between gates and real use.
var ambient = []string{
	"os.Environ", "os.ExpandEnv", "os.Hostname", "os.Getpid", "os.Getppid", "os.Getuid", "os.Geteuid", "os.Getgid", "os.Getegid", "os.Getgroups", "os.Executable",
	"os.SameFile", "os.FindProcess", "os.File.Fd", "io/fs.FileInfo.Sys",
	"runtime.NumCPU", "runtime.GOMAXPROCS", "runtime.NumGoroutine", "runtime.NumCgoCall", "runtime.Caller", "runtime.Callers", "runtime.CallersFrames", "runtime.FuncForPC",
	"runtime.Stack", "runtime.ReadMemStats", "runtime.Version", "runtime.GOROOT", "runtime.MemProfile", "runtime.GoroutineProfile", "runtime/debug.ReadBuildInfo",
	"runtime/debug.Stack", "runtime/debug.PrintStack", "runtime/debug.ReadGCStats", "runtime/debug.SetGCPercent", "runtime/debug.SetMemoryLimit", "runtime/pprof.*",
	"runtime/metrics.*", "runtime/trace.*", "debug/buildinfo.*", "time.LoadLocation", "time.Time.Zone", "time.Time.IsDST", "time.Time.ZoneBounds",
	"os/user.*", "net.Interfaces", "net.InterfaceAddrs", "net.InterfaceByName", "net.InterfaceByIndex", "testing.*", "plugin.*",
	"syscall.Get*", "syscall.Environ", "syscall.Uname", "syscall.Sysinfo", "syscall.Stat*", "syscall.Fstat*", "syscall.Lstat*", "syscall.Syscall*", "syscall.RawSyscall*",
	"golang.org/x/sys/unix.Get*", "golang.org/x/sys/unix.Environ", "golang.org/x/sys/unix.Uname", "golang.org/x/sys/unix.Sysinfo", "golang.org/x/sys/unix.Stat*",
	"golang.org/x/sys/unix.Fstat*", "golang.org/x/sys/unix.Lstat*", "golang.org/x/sys/unix.Ioctl*", "golang.org/x/sys/unix.Sched*", "golang.org/x/sys/unix.Syscall*",
	"golang.org/x/sys/unix.RawSyscall*", "golang.org/x/sys/windows.Get*", "golang.org/x/term.*", "reflect.Value.MethodByName", "reflect.Type.MethodByName",
}

// settings are the objects through which a program reads what its environment provides:
// arguments, variables, standard input, folders, and the local time zone. Package main may
// use them.
var settings = []string{
	"os.Getwd", "os.TempDir", "os.UserHomeDir", "os.UserCacheDir", "os.UserConfigDir", "time.Local", "time.Time.Local",
	"os.Getenv", "os.LookupEnv", "os.Args", "os.Stdin", "flag.Lookup", "flag.Parsed", "flag.Visit", "flag.VisitAll", "flag.Args", "flag.Arg", "flag.NArg", "flag.NFlag",
	"flag.CommandLine", "flag.FlagSet.Lookup", "flag.FlagSet.Visit", "flag.FlagSet.VisitAll",
}

// plain lists functions that only compute. A call to such a function may move from one
// side of a guard to the other without being a finding.
var plain = []string{"errors.*", "fmt.Errorf", "fmt.Sprint*", "strings.*", "strconv.*", "bytes.*", "slices.*", "maps.*", "sort.*", "unicode*", "math*", "cmp.*", "time.*", "error.Error", "context.Context.Err", "context.Cause", "len", "cap", "append", "make", "new", "panic", "min", "max", "string", "copy", "clear", "delete"}
