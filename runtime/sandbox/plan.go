package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The private folders, which are held in memory and disappear with the program.
const (
	homeFolder = "/home/evolve"
	tmpFolder  = "/tmp"
)

// kind is the kind of a piece of the root that a program sees.
type kind string

const (
	readOnly kind = "read-only" // Source at Path, read-only throughout
	writable kind = "writable"  // Source at Path
	device   kind = "device"    // the device Source at Path
	private  kind = "private"   // an empty folder of at most Size bytes
	hidden   kind = "hidden"    // an empty read-only folder, if the folder exists
	link     kind = "link"      // a symbolic link to Source
	file     kind = "file"      // a file with the text Source
	layer    kind = "layer"     // Source at Path, under a layer of at most Size bytes
)

// piece describes a path in the root and what the program sees there.
type piece struct {
	Kind   kind   `json:"kind"`
	Path   string `json:"path"`
	Source string `json:"source,omitempty"`
	Size   int64  `json:"size,omitempty"`
}

// settings are patterns for the files below /etc that programs need to find libraries,
// names, certificates and the time. Keys, passwords and the settings of services are not
// included.
var settings = []string{
	"alternatives", "ca-certificates.conf", "crypto-policies", "gai.conf", "host.conf", "hosts", "java*-openjdk", "ld-musl-*.path",
	"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "localtime", "mime.types", "nsswitch.conf", "perl", "pki/ca-trust",
	"pki/java", "pki/tls/cert.pem", "pki/tls/certs", "pki/tls/openssl.cnf", "protocols", "python3*", "resolv.conf", "services",
	"ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "timezone",
}

// masked are the files in /proc that hold details about the whole machine and that no
// program needs. A program that runs as user 0 could otherwise read some of them.
var masked = []string{
	"kcore", "key-users", "keys", "kmsg", "kpagecgroup", "kpagecount", "kpageflags", "latency_stats", "pagetypeinfo", "sched_debug",
	"slabinfo", "timer_list", "vmallocinfo",
}

// scratch is the default size of a private folder, in bytes.
const scratch = 1 << 30

// layout lists the pieces of the root for a program, parents before children.
func layout(s Spec, prog program) ([]piece, error) {
	size := cmp.Or(int64(s.Limits.Scratch), scratch)
	pieces := []piece{
		{Kind: private, Path: tmpFolder, Size: size},
		{Kind: private, Path: homeFolder, Size: size},
		{Kind: private, Path: "/dev/shm", Size: 256 << 20},
		{Kind: link, Path: "/dev/fd", Source: "/proc/self/fd"},
		{Kind: link, Path: "/dev/stdin", Source: "/proc/self/fd/0"},
		{Kind: link, Path: "/dev/stdout", Source: "/proc/self/fd/1"},
		{Kind: link, Path: "/dev/stderr", Source: "/proc/self/fd/2"},
		{Kind: file, Path: "/etc/passwd", Source: fmt.Sprintf("evolve:x:%d:%d:evolve:%s:/bin/sh\n", os.Getuid(), os.Getgid(), homeFolder)},
		{Kind: file, Path: "/etc/group", Source: fmt.Sprintf("evolve:x:%d:\n", os.Getgid())},
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		pieces = append(pieces, piece{Kind: device, Path: "/dev/" + name, Source: "/dev/" + name})
	}
	pieces, err := ofHost(pieces)
	if err != nil {
		return nil, err
	}
	if pieces, err = inPlace(pieces, readOnly, prog.needs...); err != nil {
		return nil, err
	}
	// Hidden folders come after the paths that a program merely needs and before those that
	// are explicitly shown to it.
	for _, path := range s.Hidden {
		switch real, err := filepath.EvalSymlinks(path); {
		case err == nil:
			pieces = append(pieces, piece{Kind: hidden, Path: real})
		case !errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("hiding %s: %w", path, err)
		}
	}
	if _, moved := s.host(s.Dir); !moved {
		if pieces, err = inPlace(pieces, readOnly, s.Dir); err != nil {
			return nil, err
		}
	}
	if pieces, err = inPlace(pieces, readOnly, s.ReadOnly...); err != nil {
		return nil, err
	}
	if pieces, err = inPlace(pieces, writable, s.Writable...); err != nil {
		return nil, err
	}
	moved, err := moved(s)
	return arrange(append(pieces, moved...)), err
}

// ofHost appends the parts of the host that every program sees: the system's folders and
// settings, and /dev/null instead of some files in /proc.
func ofHost(pieces []piece) ([]piece, error) {
	for _, name := range masked {
		if _, err := os.Stat("/proc/" + name); err == nil {
			pieces = append(pieces, piece{Kind: device, Path: "/proc/" + name, Source: os.DevNull})
		}
	}
	for _, folder := range system {
		target, err := os.Readlink(folder)
		if err == nil {
			pieces = append(pieces, piece{Kind: link, Path: folder, Source: target})
		} else if real, err := filepath.EvalSymlinks(folder); err == nil {
			pieces = append(pieces, piece{Kind: readOnly, Path: folder, Source: real})
		}
	}
	for _, pattern := range settings {
		found, err := filepath.Glob("/etc/" + pattern)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				pieces = append(pieces, piece{Kind: readOnly, Path: path, Source: real})
			}
		}
	}
	return pieces, nil
}

// inPlace appends paths that the program sees at the same location as on the host.
func inPlace(pieces []piece, k kind, paths ...string) ([]piece, error) {
	for _, path := range paths {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, fmt.Errorf("showing %s: %w", path, err)
		}
		if path = filepath.Clean(path); path != real && !under(path, system) {
			pieces = append(pieces, piece{Kind: link, Path: path, Source: real})
		}
		if real == "/" {
			return nil, fmt.Errorf("showing %s: a sandbox cannot show the whole file system", path)
		}
		pieces = append(pieces, piece{Kind: k, Path: real, Source: real})
	}
	return pieces, nil
}

// moved returns the pieces that are shown at a different location than on the host.
func moved(s Spec) ([]piece, error) {
	var pieces []piece
	for _, v := range s.Shown {
		p := piece{Kind: readOnly, Path: filepath.Clean(v.Path), Source: v.Source}
		if v.Writable {
			p.Kind = writable
		}
		pieces = append(pieces, p)
	}
	for _, l := range s.Layers {
		pieces = append(pieces, piece{Kind: layer, Path: filepath.Clean(l.Path), Source: l.Lower, Size: cmp.Or(l.Size, scratch)})
	}
	for i := range pieces {
		p := &pieces[i]
		real, err := filepath.EvalSymlinks(p.Source)
		if err != nil {
			return nil, fmt.Errorf("showing %s: %w", p.Source, err)
		}
		p.Source = real
		if real == "/" || under("/", []string{p.Path}) || under(p.Path, []string{"/proc"}) {
			return nil, fmt.Errorf("mounting %s at %s: / cannot be mounted at another location, and nothing can be mounted at / or in /proc", real, p.Path)
		}
	}
	return pieces, nil
}

// arrange retains only the last piece for each path, drops superfluous ones, and sorts
// parents before children. Links come last, except that the system's own links, such as
// /bin, come first, because other paths lead through them.
func arrange(pieces []piece) []piece {
	last := map[string]int{}
	var shown []string // folders that show contents of the host
	for i, p := range pieces {
		if j, ok := last[p.Path]; ok && p.Kind == link && pieces[j].Kind != link {
			continue
		}
		last[p.Path] = i
		if p.Kind == readOnly || p.Kind == writable || p.Kind == layer {
			shown = append(shown, p.Path)
		}
	}
	var out []piece
	for i, p := range pieces {
		switch within := under(p.Path, shown); {
		case last[p.Path] != i:
		case p.Kind == link && within: // the path exists already
		case p.Kind == hidden && !within: // not visible anyway
		default:
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b piece) int {
		return cmp.Or(rank(a)-rank(b), strings.Count(a.Path, "/")-strings.Count(b.Path, "/"), strings.Compare(a.Path, b.Path))
	})
	return out
}

func rank(p piece) int {
	switch {
	case p.Kind == link && under(p.Path, system):
		return 0
	case p.Kind == link:
		return 2
	}
	return 1
}
