package scrub

import "strings"

// fileTriggers returns triggers for words in files whose credentials have no names of their
// own.
func fileTriggers() []trigger {
	return []trigger{
		{"login ", netrc},
		{"login\n", netrc},
		{":5432:", pgpass},
		{":5433:", pgpass},
		{":6432:", pgpass},
		{":*:", pgpass},
		{"kind", manifest},
	}
}

// netrc removes the password from a "login … password" entry.
func netrc(s *scan, _, end int) {
	user := s.blank(end)
	word := s.blank(s.token(user))
	if word == s.token(user) || !strings.HasPrefix(s.text[word:], "password") {
		return
	}
	at := word + len("password")
	from := s.blank(at)
	if to := s.token(from); from > at && !placeholder(s.text[from:to]+" ") {
		s.remove(from, to)
	}
}

// blank returns the end of the white space at i, which may be escaped, but reads at most 16
// bytes.
func (s *scan) blank(i int) int {
	for stop := i + 16; i < stop && i < len(s.text); {
		switch b := s.text[i]; {
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			i++
		case b == '\\' && i+1 < len(s.text) && strings.IndexByte("nrt", s.text[i+1]) >= 0:
			i += 2
		default:
			return i
		}
	}
	return i
}

// token returns the end of the word at i. A word ends before white space, a double
// quotation mark, a backslash or a backquote, and after 256 bytes at the latest.
func (s *scan) token(i int) int {
	stop := min(len(s.text), i+256)
	for i < stop && s.text[i] > ' ' && s.text[i] != '"' && s.text[i] != '\\' && s.text[i] != '`' {
		i++
	}
	return i
}

// pgpass removes the password, the fifth field of host:port:database:user:password.
func pgpass(s *scan, start, end int) {
	if s.back(start, 1, dotted|other) == start {
		return
	}
	stop := s.token(end)
	fields := strings.SplitN(s.text[end:stop], ":", 3)
	if len(fields) < 3 || fields[0] == "" || fields[1] == "" || len(fields[2]) < 3 || strings.ContainsAny(fields[0]+fields[1], "/@") {
		return
	}
	s.remove(stop-len(fields[2]), stop)
}

const (
	// maxManifest limits the distance between the data of a manifest and the line that
	// states its kind, in bytes.
	maxManifest = 32 << 10
	secretKind  = "secret"
)

// manifest removes the data of a Kubernetes Secret, in YAML or JSON.
func manifest(s *scan, start, end int) {
	if start < s.manifest {
		return
	}
	if q := s.quote(end); q >= 0 {
		end = q
	}
	sep, at := s.separator(s.gap(end))
	at = s.gap(at)
	if q := s.quote(at); q >= 0 {
		at = q
	}
	stop := s.runFrom(at, alnum)
	if sep != ":" || lowered(s.text[at:min(stop, at+16)]) != secretKind {
		return
	}
	from, to := max(start-maxManifest, s.manifest, 0), min(len(s.text), stop+maxManifest)
	if i := strings.LastIndex(s.text[from:start], "\n---"); i >= 0 {
		from += i
	}
	if i := strings.Index(s.text[stop:to], "\n---"); i >= 0 {
		to = stop + i
	}
	s.manifest = to
	for _, name := range []string{"data", "stringData"} {
		for i := from; i < to; {
			n := strings.Index(s.text[i:to], name)
			if n < 0 {
				break
			}
			i = s.entries(i+n, i+n+len(name), to)
		}
	}
}

// entries removes the values of the mapping whose name is at [start, end), and returns the
// position at which to continue.
func (s *scan) entries(start, end, limit int) int {
	if start > 0 && word.has(s.text[start-1]) && !s.starts(start) {
		return end
	}
	i := end
	if q := s.quote(i); q >= 0 {
		i = q
	}
	sep, at := s.separator(s.gap(i))
	if sep != ":" {
		return end
	}
	open := s.blank(at)
	flow := open < limit && s.text[open] == '{'
	indent := s.indent(start)
	if flow {
		at = open + 1
	}
	for at < limit {
		i := s.spaces(at)
		if i < limit && s.text[i] == '}' || !flow && s.indent(i) <= indent {
			return i
		}
		if q := s.quote(i); q >= 0 {
			i = q
		}
		i = s.runFrom(i, dotted)
		if q := s.quote(i); q >= 0 {
			i = q
		}
		if sep, i = s.separator(s.gap(i)); sep != ":" {
			return i
		}
		v := value{start: s.gap(i), sep: sep}
		s.extent(&v)
		if v.end <= v.start {
			return max(v.start, at+1)
		}
		if v.quoted || !placeholder(s.text[v.start:v.end]) {
			s.remove(v.start, v.end)
		}
		at = v.end
		if v.quoted {
			at += v.level + 1
		}
	}
	return at
}

// spaces returns the end of the white space, escaped line feeds and commas at i.
func (s *scan) spaces(i int) int {
	for i < len(s.text) && (strings.IndexByte(" \t\r\n,", s.text[i]) >= 0 || s.text[i] == '\\' && i+1 < len(s.text) && s.text[i+1] == 'n') {
		if s.text[i] == '\\' {
			i++
		}
		i++
	}
	return i
}

// indent returns the number of spaces, up to 64, that directly precede i.
func (s *scan) indent(i int) int {
	n := 0
	for n < 64 && i-n > 0 && s.text[i-n-1] == ' ' {
		n++
	}
	return n
}
