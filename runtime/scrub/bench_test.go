package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// texts returns the texts of the benchmarks, keyed by name. Each text is about a megabyte
// long.
func texts() map[string]string {
	const size = 1 << 20
	fill := func(part string) string { return strings.Repeat(part, size/len(part)+1)[:size] }
	var hints []string
	for _, t := range triggers() {
		hints = append(hints, t.word)
	}
	slices.Sort(hints)
	return map[string]string{
		"ordinary": fill("2026-11-21T10:00:00Z an ordinary line of a program's log with 42 numbers in it, about a cache\n"),
		"dense":    fill("2026-11-21T10:00:00Z level=info token=12 key: page pass: ok tokens=300 secret: none session=ended auth: no\n"),
		"hostile":  fill(strings.Join(hints, " ")),
		"joined":   fill(strings.Join(hints, "")),
		"openings": fill(`password="x'://a:-----BEGIN PRIVATE KEY-----\"token: '{"kind":"Secret","data":{`),
		"encoded":  fill(noise(48<<10) + "\n"),
		"readable": fill(base64.StdEncoding.EncodeToString([]byte("an ordinary line of a program's log, in base64 ")) + "\n"),
		"hex":      fill(hex.EncodeToString([]byte("an ordinary line of a program's log, in base 16")) + " "),
		"unseen":   fill("an ordi\u200bnary line with s\u00adk-" + long(12) + "\u200d" + long(12) + `\u200b and \\\\` + "\n"),
		"secrets":  fill(`2026-11-21T10:00:00Z login {"password": "hunter2", "token": "ghp_` + long(36) + "\"}\n"),
	}
}

// noise returns random bytes encoded in base64.
func noise(n int) string {
	data := make([]byte, n)
	r := rand.New(rand.NewPCG(3, 5))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return base64.StdEncoding.EncodeToString(data)
}

// naive returns the expressions that a naive scanner would run over the whole text: those
// from the table of issuers, and a single expression for the names of credentials.
func naive() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, f := range issuers() {
		var class strings.Builder
		for b := range 128 {
			if f.of.has(byte(b)) {
				fmt.Fprintf(&class, `\x%02x`, b)
			}
		}
		all = append(all, regexp.MustCompile(fmt.Sprintf(`%s[%s]{%d,}`, regexp.QuoteMeta(f.prefix), class.String(), f.min)))
	}
	return append(all, regexp.MustCompile(`(?i)(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?key|token)["']?\s{0,9}[=:]\s{0,9}["']?[^\s"',;&]{8,}`))
}

func BenchmarkString(b *testing.B) {
	s := New([]string{"opensesame", long(40)}) // one value is long enough to be searched for across line breaks
	all := texts()
	for _, name := range []string{"ordinary", "dense", "hostile", "joined", "openings", "encoded", "readable", "hex", "unseen", "secrets"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(all[name])))
			for b.Loop() {
				s.String(all[name])
			}
		})
	}
}

func BenchmarkNaive(b *testing.B) {
	all, rules := texts(), naive()
	for _, name := range []string{"ordinary", "dense"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(all[name])))
			for b.Loop() {
				text := all[name]
				for _, r := range rules {
					text = r.ReplaceAllString(text, Mark)
				}
			}
		})
	}
}

// BenchmarkStart measures the cost up to the point at which the first text is scrubbed.
func BenchmarkStart(b *testing.B) {
	for name, text := range map[string]string{"new": "", "first text": "a text"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if s := New([]string{"opensesame"}); text != "" {
					s.String(text)
				}
			}
		})
	}
}
