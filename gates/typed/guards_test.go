package typed

import (
	"strings"
	"testing"
)

// shelf is the guarded type of the probes.
const shelf = `
type Shelf struct {
	mu, other sync.RWMutex
	n         int
	list      map[string]int
}
`

// TestGuards checks which changes of locks, comparisons, digests and other guards are found.
func TestGuards(t *testing.T) {
	locked := "func (s *Shelf) Get(k string) int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\treturn s.list[k]\n}\n"
	check(t, shelf, func(f Findings) []Finding { return f.Guards }, []probe{
		{"as it was", locked, locked, ""},
		{"another name of the receiver", locked, "func (x *Shelf) Get(key string) int {\n\tx.mu.Lock()\n\tdefer x.mu.Unlock()\n\treturn x.list[key]\n}\n", ""},
		{"a lock that goes", locked, "func (s *Shelf) Get(k string) int { return s.list[k] }\n", "a lock is missing: the base has s.mu.Lock()"},
		{"a weaker lock", locked, strings.NewReplacer("Lock", "RLock", "Unlock", "RUnlock").Replace(locked), "a lock changed: now s.mu.RLock(); in the base s.mu.Lock()"},
		{"another lock", locked, strings.ReplaceAll(locked, "s.mu", "s.other"), "a lock changed: now s.other.Lock()"},
		{"a certain lock", locked, "func (s *Shelf) Get(k string) int {\n\tvar mu sync.Mutex\n\tmu.Lock()\n\tdefer mu.Unlock()\n\treturn s.list[k]\n}\n", "a lock changed: now mu.Lock()"},
		{"another lock under its name", locked, strings.Replace(locked, "s.mu.Lock()", "mu := &s.other\n\tmu.Lock()", 1), "a lock changed: now mu.Lock()"},
		{"the lock under another name", locked, "func (s *Shelf) Get(k string) int {\n\tmu := s.mu.Lock\n\tmu()\n\tdefer s.mu.Unlock()\n\treturn s.list[k]\n}\n", "a lock is missing"},
		{"behind the read", locked, "func (s *Shelf) Get(k string) int {\n\tv := s.list[k]\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\treturn v\n}\n", "s.list is read without p.Shelf.mu"},
		{"released too early", locked, "func (s *Shelf) Get(k string) int {\n\ts.mu.Lock()\n\ts.mu.Unlock()\n\treturn s.list[k]\n}\n", "s.list is read without p.Shelf.mu"},
		{"under a condition", locked, strings.Replace(locked, "s.mu.Lock()", "if k != \"\" {\n\t\ts.mu.Lock()\n\t}", 1), "a lock changed"},
		{"into a function of its own", locked, "func (s *Shelf) Get(k string) int { return s.get(k) }\nfunc (s *Shelf) get(k string) int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\treturn s.list[k]\n}\n", ""},
		{"the read into a function of its own", locked, "func (s *Shelf) Get(k string) int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\treturn s.get(k)\n}\nfunc (s *Shelf) get(k string) int { return s.list[k] }\n", ""},
		{"renamed, and the lock goes", locked + "func use() {}", strings.NewReplacer("Get", "Fetch", "\ts.mu.Lock()\n", "").Replace(locked), "a lock is missing"},
		{"a new function without it", locked + strings.Replace(locked, "Get", "Find", 1), locked + strings.Replace(locked, "Get", "Find", 1) + "func (s *Shelf) Has(k string) bool { return s.list[k] > 0 }\n", "s.list is read without p.Shelf.mu, which the base always holds for such an access"},
		{"what is made and not shared yet", locked, locked + "func New() *Shelf {\n\ts := &Shelf{}\n\ts.list = map[string]int{}\n\treturn s\n}\n", ""},
		{"more of the same", locked, strings.Replace(locked, "return", "s.n++\n\treturn", 1), ""},
		{
			"a prefix", "func ok(a, b []byte) bool { return hmac.Equal(a, b) }", "func ok(a, b []byte) bool { return hmac.Equal(a[:4], b[:4]) }",
			"a comparison of secrets changed: now hmac.Equal(a[:4], b[:4]); in the base hmac.Equal(a, b)",
		},
		{"a prefix before", "func ok(a, b []byte) bool { return hmac.Equal(a, b) }", "func ok(a, b []byte) bool {\n\ta = a[:4]\n\treturn hmac.Equal(a, b[:len(a)])\n}", "a comparison of secrets changed"},
		{"a prefix under its name", "func ok(a, b []byte) bool {\n\tc := a\n\treturn hmac.Equal(c, b)\n}", "func ok(a, b []byte) bool {\n\tc := a[:1]\n\treturn hmac.Equal(c, b)\n}", "its value is"},
		{"a plain comparison", "func ok(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }", "func ok(a, b []byte) bool { return string(a) == string(b) }", "a comparison of secrets is missing"},
		{"few random bytes", "package p\nimport \"crypto/rand\"\nfunc key() []byte {\n\tk := make([]byte, 32)\n\trand.Read(k)\n\treturn k\n}", "package p\nimport \"crypto/rand\"\nfunc key() []byte {\n\tk := make([]byte, 32)\n\trand.Read(k[:2])\n\treturn k\n}", "cryptographically secure randomness changed: now rand.Read(k[:2])"},
		{"other random bytes", "package p\nimport \"crypto/rand\"\nfunc key(k []byte) { rand.Read(k) }", "package p\nimport \"math/rand\"\nfunc key(k []byte) { rand.Read(k) }", "cryptographically secure randomness is missing"},
		{"random bytes of a reader", "package p\nimport \"crypto/rand\"\nimport \"io\"\nfunc key(k []byte) { io.ReadFull(rand.Reader, k) }", "package p\nimport \"crypto/rand\"\nimport \"io\"\nfunc key(k []byte) { io.ReadFull(rand.Reader, k[:2]) }", "cryptographically secure randomness changed"},
		{"another digest", "func sum(b []byte) []byte { s := sha256.Sum256(b); return s[:] }", "func sum(b []byte) []byte { s := md5.Sum(b); return s[:] }", "a digest changed: now md5.Sum(b); in the base sha256.Sum256(b)"},
		{"a digest as a value", "var h = hmac.New(sha256.New, nil)", "var h = hmac.New(md5.New, nil)", "changed"},
		{"a mode", "func f() error { return os.WriteFile(\"x\", nil, 0o600) }", "const mode = 0o666\nfunc f() error { return os.WriteFile(\"x\", nil, mode) }", "the mode of a file changed"},
		{"a mode by another call", "func f() { os.OpenFile(\"x\", os.O_CREATE|os.O_EXCL, 0o600) }", "func f() { os.Create(\"x\") }", "the mode of a file changed"},
		{"not exclusively", "func f() { os.OpenFile(\"x\", os.O_CREATE|os.O_EXCL, 0o600) }", "func f() { os.OpenFile(\"x\", os.O_CREATE, 0o600) }", "the mode of a file changed"},
		{"another file", "func f() error { return os.WriteFile(\"x\", nil, 0o600) }", "func f() error { return os.WriteFile(\"y\", nil, 0o600) }", ""},
		{"any certificate", "func f() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS13} }", "func f() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true} }", "a way around transport security"},
		{"any certificate, set later", "func f(c *tls.Config) {}", "func f(c *tls.Config) { c.InsecureSkipVerify = len(c.NextProtos) == 0 }", "a way around transport security"},
		{"an old version", "func f() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS13} }", "func f() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS10} }", "transport security changed"},
		{"without a time limit", "func f() { c := http.Client{Timeout: time.Second}; _ = c }", "func f() { c := http.Client{}; _ = c }", "a time limit is missing"},
		{"a longer one", "func f(c context.Context) { _, g := context.WithTimeout(c, time.Second); g() }", "func f(c context.Context) { _, g := context.WithTimeout(c, time.Hour); g() }", "a time limit changed"},
		{"a larger bound", "func f(r io.Reader) { io.ReadAll(io.LimitReader(r, 10)) }", "func f(r io.Reader) { io.ReadAll(io.LimitReader(r, 1<<40)) }", "a limit on input changed"},
		{"templates of text", "package p\nimport \"html/template\"\nvar t = template.Must(template.New(\"\").Parse(\"\"))", "package p\nimport \"text/template\"\nvar t = template.Must(template.New(\"\").Parse(\"\"))", "escaping is missing"},
		{"a check that is not asked", "func f(p string) error {\n\tif !filepath.IsLocal(p) {\n\t\treturn errors.New(p)\n\t}\n\t_, err := os.Open(p)\n\treturn err\n}", "func f(p string) error {\n\t_ = filepath.IsLocal(p)\n\t_, err := os.Open(p)\n\treturn err\n}", "confinement of a path to its folder changed"},
		{"a check that comes late", "func f(p string) error {\n\tif !filepath.IsLocal(p) {\n\t\treturn errors.New(p)\n\t}\n\t_, err := os.Open(p)\n\treturn err\n}", "func f(p string) error {\n\t_, err := os.Open(p)\n\tif !filepath.IsLocal(p) {\n\t\treturn errors.New(p)\n\t}\n\treturn err\n}", "comes after a call to os.Open"},
		{"an inverted check", "func f(p string) error {\n\tif !filepath.IsLocal(p) {\n\t\treturn errors.New(p)\n\t}\n\treturn nil\n}", "func f(p string) error {\n\tif filepath.IsLocal(p) {\n\t\treturn errors.New(p)\n\t}\n\treturn nil\n}", "confinement of a path to its folder changed"},
		{"a query put together", "func f(d *sql.DB, n string) { d.Query(\"select a from b where c = ?\", n) }", "func f(d *sql.DB, n string) { d.Query(\"select a from b where c = '\" + n + \"'\") }", "a constant query changed"},
		{"another constant query", "func f(d *sql.DB, n string) { d.Query(\"select a from b where c = ?\", n) }", "func f(d *sql.DB, n string) { d.Query(\"select b from b where c = ?\", n) }", ""},
		{"a pattern without its end", "var r = regexp.MustCompile(`^[a-z]+$`)", "var r = regexp.MustCompile(`^[a-z]+`)", "the anchors of a pattern changed"},
		{"decoding what is unknown", "func f(r io.Reader) { d := json.NewDecoder(r); d.DisallowUnknownFields() }", "func f(r io.Reader) { d := json.NewDecoder(r); _ = d }", "strict decoding is missing"},
		{
			"released sooner, behind all that needs it", locked,
			"func (s *Shelf) Get(k string) int {\n\ts.mu.Lock()\n\tv := s.list[k]\n\ts.mu.Unlock()\n\treturn v\n}\n", "",
		},
		{
			"released before a function that needs it", locked + "func (s *Shelf) Sum(k string) int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\treturn s.add(k)\n}\nfunc (s *Shelf) add(k string) int { s.list[k]++; return s.list[k] }\n",
			locked + "func (s *Shelf) Sum(k string) int {\n\ts.mu.Lock()\n\ts.mu.Unlock()\n\treturn s.add(k)\n}\nfunc (s *Shelf) add(k string) int { s.list[k]++; return s.list[k] }\n",
			"s.add(k) is called without p.Shelf.mu, although the base holds that lock there",
		},
		{
			"behind a function that only computes", "func why(err error) error {\n\tif errors.Is(err, os.ErrExist) {\n\t\treturn errors.New(\"there\")\n\t}\n\treturn err\n}\nfunc f(p string, n int) error {\n\tif !filepath.IsLocal(p) {\n\t\treturn why(os.ErrInvalid)\n\t}\n\treturn nil\n}",
			"func why(err error) error {\n\tif errors.Is(err, os.ErrExist) {\n\t\treturn errors.New(\"there\")\n\t}\n\treturn err\n}\nfunc f(p string, n int) error {\n\tif n < 0 {\n\t\treturn why(os.ErrClosed)\n\t}\n\tif !filepath.IsLocal(p) {\n\t\treturn why(os.ErrInvalid)\n\t}\n\treturn nil\n}", "",
		},
		{
			"behind a function that reads", "func get(p string) error { _, err := os.Open(p); return err }\nfunc f(p string) error {\n\tif !filepath.IsLocal(p) {\n\t\treturn os.ErrInvalid\n\t}\n\treturn get(p)\n}",
			"func get(p string) error { _, err := os.Open(p); return err }\nfunc f(p string) error {\n\terr := get(p)\n\tif !filepath.IsLocal(p) {\n\t\treturn os.ErrInvalid\n\t}\n\treturn err\n}",
			"comes after a call to example.org/x/p.get",
		},
		{
			"behind a function that reads what a pointer shows", shelf + "func (s *Shelf) peek() int { return s.n }\nfunc f(s *Shelf, p string) int {\n\tif !filepath.IsLocal(p) {\n\t\treturn 0\n\t}\n\treturn s.peek()\n}",
			shelf + "func (s *Shelf) peek() int { return s.n }\nfunc f(s *Shelf, p string) int {\n\tn := s.peek()\n\tif !filepath.IsLocal(p) {\n\t\treturn 0\n\t}\n\treturn n\n}",
			"comes after a call to",
		},
		{"a folder made later", "func f(p string) { os.Mkdir(p, 0o700); os.Stat(p) }", "func f(p string) { os.Stat(p); os.Mkdir(p, 0o700); os.Stat(p) }", ""},
		{"a mode that is set later", "func f(p string) { os.Chmod(p, 0o600); os.Rename(p, p) }", "func f(p string) { os.Rename(p, p); os.Chmod(p, 0o600); }", "comes after a call to os.Rename"},
		{"the digest by another call", "func sum(b []byte) []byte { s := sha256.Sum256(b); return s[:] }", "func sum(b []byte) []byte { h := sha256.New(); h.Write(b); return h.Sum(nil) }", ""},
		{"a shorter digest", "func sum(b []byte) []byte { s := sha256.Sum256(b); return s[:] }", "func sum(b []byte) []byte { s := sha256.Sum224(b); return s[:] }", "a digest changed"},
		{"a pattern with one end in one choice", "var r = regexp.MustCompile(`^a .|^b$`)", "var r = regexp.MustCompile(`^a .`)", ""},
		{"a pattern with a choice that begins anywhere", "var r = regexp.MustCompile(`^(?:a|b)$`)", "var r = regexp.MustCompile(`^a|b$`)", "the anchors of a pattern changed"},
		{
			"a struct with one field more", "type T struct{ n, m int }\nfunc f(c context.Context, d int) {\n\tt := &T{n: d}\n\t_, g := context.WithTimeout(c, time.Duration(t.n))\n\tg()\n}",
			"type T struct{ n, m int }\nfunc f(c context.Context, d int) {\n\tt := &T{n: d, m: 1}\n\t_, g := context.WithTimeout(c, time.Duration(t.n))\n\tg()\n}", "",
		},
		{
			"a struct with another field", "type T struct{ n, m int }\nfunc f(c context.Context, d int) {\n\tt := &T{n: d}\n\t_, g := context.WithTimeout(c, time.Duration(t.n))\n\tg()\n}",
			"type T struct{ n, m int }\nfunc f(c context.Context, d int) {\n\tt := &T{n: d * 9}\n\t_, g := context.WithTimeout(c, time.Duration(t.n))\n\tg()\n}", "a time limit changed",
		},
		{"a new guard", "func f() {}", "func f(a, b []byte) bool { return hmac.Equal(a, b) }", ""},
		{"an import by another name", "func ok(a, b []byte) bool { return hmac.Equal(a, b) }", "package p\nimport h \"crypto/hmac\"\nfunc ok(a, b []byte) bool { return h.Equal(b, a) }", "a comparison of secrets changed"},
	})
}
