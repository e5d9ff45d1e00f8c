package harness

import (
	"hash/fnv"
	"math"
	"strings"
)

// dice is a generator of random numbers that depend only on a name and a number, not on the
// version of Go.
type dice uint64

func newDice(name string, n int) dice {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return dice(h.Sum64() ^ uint64(n)*0x9e3779b97f4a7c15)
}

func (d *dice) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1.
func (d *dice) below(n int) int { return int(d.next() % uint64(n)) }

// chance returns true with a probability of n percent.
func (d *dice) chance(n int) bool { return d.below(100) < n }

// The values that are tried for every parameter, simple ones first.
var (
	plainInts   = []int64{0, 1, 2, 3, -1, 7, 10, 12, 16, 64, 99, 100, 101, 255, 256, 1000, 1001, -2, -100, 4096, 65535, 65536, 100000}
	largeInts   = []int64{math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, math.MinInt32 - 1, 1 << 40, 1<<53 + 1, math.MaxInt64, math.MinInt64, 5000000000, -5000000000, math.MaxUint32, math.MaxUint32 + 1}
	plainFloats = []float64{0, 1, -1, 0.5, 1.5, 2.5, -0.5, 0.1, 1.0 / 3, 100, 1e6 + 0.25, 123456789.125, 1e-7, -2.5}
	largeFloats = []float64{1e18, 1e300, math.MaxFloat32 * 2, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
	plainTexts  = []string{
		"", "a", "b", "A", "ab", "abc", "0", "1", "12", "-5", "1.50", " ", "a b", "a,b", "a, b,,c", " a ", "\n", "a\nb\n", "a\r\nb", "key=value", "a:b", "a/b", "../a", "/", "a.b", "\t", "\"a\"", "äöü", "É", "ÀÉ", "Straße", "日本語", "İ", "e\u0301", "𝔘😀", "\xff\xfe", "\x00", "a\u00a0b",
		"the cat and the dog and the bird", "Hello World", "UPPER lower", "9999999999", "5000000000", "1e3", "0x10", "true", "null", "{}", "[]", "<a&b>", "%s%d", "2024-02-29", "12:30", "1h30m", "a@b.example",
	}
)

var words = []string{"a", "cat", "the", "Dog", "12", "é", "long-word", "x=1", "B", "internationalization"}

// long returns a text of n bytes. The texts for all n begin in the same way.
func long(n int) string { return strings.Repeat("abcdefghij", n/10+1)[:n] }

// integer draws an integer. If m.small is set, its absolute value is at most 2000.
func (m *maker) integer() int64 {
	if m.chance(60) && len(m.ints) > 0 {
		return m.bounded(m.ints[m.below(len(m.ints))])
	}
	n := m.anyInteger()
	if len(m.ints) < 3 {
		m.ints = append(m.ints, n)
	}
	return m.bounded(n)
}

func (m *maker) bounded(n int64) int64 {
	if m.small && (n > 2000 || n < -2000) {
		return n % 2000
	}
	return n
}

func (m *maker) anyInteger() int64 {
	switch roll := m.below(100); {
	case roll < 45 && len(m.set.Ints) > 0:
		return m.set.Ints[m.below(len(m.set.Ints))]
	case roll < 80:
		return plainInts[m.below(len(plainInts))]
	case roll < 90:
		return largeInts[m.below(len(largeInts))]
	}
	return int64(m.next()) >> m.below(64)
}

func (m *maker) float() float64 {
	switch roll := m.below(100); {
	case roll < 35 && len(m.set.Floats) > 0:
		return m.set.Floats[m.below(len(m.set.Floats))]
	case roll < 60:
		return plainFloats[m.below(len(plainFloats))]
	case roll < 75:
		return float64(m.integer())
	case roll < 82 && !m.small:
		return largeFloats[m.below(len(largeFloats))]
	}
	return float64(int64(m.next())>>m.below(64)) / float64(int64(1)<<m.below(30))
}

// text draws a text. Texts within one input are often repeated, sometimes slightly changed,
// so that comparisons in the code find matches.
func (m *maker) text() string {
	if m.chance(65) && len(m.texts) > 0 {
		s := m.texts[m.below(len(m.texts))]
		if m.chance(15) {
			return m.mutated(s)
		}
		return s
	}
	s := m.anyText()
	if len(m.texts) < 4 {
		m.texts = append(m.texts, s)
	}
	return s
}

func (m *maker) anyText() string {
	switch roll := m.below(100); {
	case roll < 40 && len(m.set.Strings) > 0:
		s := m.set.Strings[m.below(len(m.set.Strings))]
		if m.chance(40) {
			return m.mutated(s)
		}
		return s
	case roll < 75:
		return plainTexts[m.below(len(plainTexts))]
	case roll < 81:
		return long(m.size(3000))
	case roll < 89: // many words, to exceed limits on the number of words
		var b strings.Builder
		between := []string{" ", ",", "\n", ", ", ";", "\t", "/"}[m.below(7)]
		for i := range 2 + m.size(150) {
			if i > 0 {
				b.WriteString(between)
			}
			b.WriteString(words[m.below(len(words))])
		}
		return b.String()
	}
	return m.mutated(plainTexts[m.below(len(plainTexts))])
}

// size draws a length no greater than most: often a small one, sometimes a number from
// the source or one near a power of two or a power of ten.
func (m *maker) size(most int) int {
	switch roll := m.below(100); {
	case roll < 55:
		return m.below(5)
	case roll < 80 && len(m.set.Ints) > 0:
		if n := m.set.Ints[m.below(len(m.set.Ints))]; n >= 0 && n <= int64(most) {
			return int(n)
		}
	case roll < 90:
		return min(most, []int{8, 9, 10, 11, 16, 17, 33, 64, 65, 100, 101, 129, 257, 1025}[m.below(14)])
	}
	return m.below(12)
}

// mutated returns s with one or two changes.
func (m *maker) mutated(s string) string {
	for range 1 + m.below(2) {
		r := []rune(s)
		at := m.below(len(r) + 1)
		switch m.below(8) {
		case 0:
			s = string(r[:at])
		case 1:
			s = string(r[at:])
		case 2:
			s += string(rune('a' + m.below(26)))
		case 3:
			s = strings.ToUpper(s)
		case 4:
			s = s + s
		case 5:
			s = string(r[:at]) + []string{",", " ", "\n", ":", "=", "/", ".", "-", "é", "x", "0", "\"", ";", "  "}[m.below(14)] + string(r[at:])
		case 6:
			if other := m.set.Strings; len(other) > 0 {
				s += other[m.below(len(other))]
			} else {
				s += plainTexts[m.below(len(plainTexts))]
			}
		case 7:
			s = strings.ToLower(s) + "ß"
		}
		if len(s) > 5000 {
			s = s[:5000]
		}
	}
	return s
}
