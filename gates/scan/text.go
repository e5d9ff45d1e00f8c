package scan

import (
	"go/ast"
	"go/token"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// hiddenCharacters looks anywhere in the file for characters that make a reader see
// something other than what the compiler sees. Control characters, which move the cursor of
// a terminal, and bidirectional overrides are fatal; other invisible characters have
// legitimate uses in texts.
func hiddenCharacters(f *file, found report) {
	had := map[rune]int{}
	for _, r := range string(f.Old) {
		had[r]++
	}
	tf := f.set.File(f.now.Package)
	source := string(f.New)
	for i, r := range source {
		if r < 0x80 && r >= ' ' && r != 0x7f || r == '\n' || r == '\t' || (r == '\r' && strings.HasPrefix(source[i:], "\r\n")) || (r == 0xfeff && i == 0) {
			continue
		}
		fatal, hidden := hides(r)
		if !hidden {
			continue
		}
		if had[r] > 0 {
			had[r]--
			continue
		}
		found(tf.Pos(i), fatal, "the character %U is invisible or looks like another character", r)
	}
}

// farSpaces is the number of consecutive blanks beyond which the rest of a line counts as
// pushed out of sight.
const farSpaces = 60

// farRight looks for code that follows so many blanks that no window shows it. It ignores a
// file that already has such lines.
func farRight(f *file, found report) {
	if len(pushed(f.Old)) > 0 {
		return
	}
	tf := f.set.File(f.now.Package)
	for _, at := range pushed(f.New) {
		found(tf.Pos(at), false, "there is text after more than %d spaces or tabs in a row", farSpaces)
	}
}

// pushed lists the offsets of text that follows more than farSpaces blanks on a line with
// other text before them.
func pushed(text []byte) []int {
	var out []int
	blanks, begun := 0, false
	for i, c := range text {
		switch c {
		case '\n', '\r':
			blanks, begun = 0, false
		case ' ', '\t':
			blanks++
		default:
			if begun && blanks > farSpaces {
				out = append(out, i)
			}
			blanks, begun = 0, true
		}
	}
	return out
}

// hides reports whether a reader cannot recognise a character for what it is, and whether
// that is fatal.
func hides(r rune) (fatal, hidden bool) {
	switch {
	case r < ' ' || (r >= 0x7f && r < 0xa0):
		return true, true // controls
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return true, true // bidirectional embeddings, overrides and isolates
	case r == 0x200d || r >= 0xfe00 && r <= 0xfe0f:
		return false, false // joiners, including those in emoji
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return false, true
	case r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x2800 || r == 0x180e:
		return false, true // invisible letters and symbols
	case unicode.Is(unicode.Zs, r) && r != ' ':
		return false, true
	case r >= 0xe0100 && r <= 0xe01ef:
		return false, true
	}
	return false, false
}

// similar maps Cyrillic, Greek and Armenian letters to the Latin letters that they resemble
// in common fonts (a hand-picked part of Unicode Technical Standard 39).
var similar = strings.NewReplacer(
	"\u0430", "a", "\u0435", "e", "\u043e", "o", "\u0440", "p", "\u0441", "c", "\u0443", "y", "\u0445", "x", "\u0456", "i", "\u0458", "j", "\u0455", "s", "\u0501", "d", "\u04bb", "h", "\u051b", "q", "\u051d", "w",
	"\u0410", "A", "\u0412", "B", "\u0415", "E", "\u041a", "K", "\u041c", "M", "\u041d", "H", "\u041e", "O", "\u0420", "P", "\u0421", "C", "\u0422", "T", "\u0425", "X", "\u0406", "I", "\u0408", "J", "\u0405", "S", "\u0423", "Y",
	"\u03bf", "o", "\u03bd", "v", "\u03c1", "p", "\u03b9", "i", "\u03ba", "k", "\u0391", "A", "\u0392", "B", "\u0395", "E", "\u0396", "Z", "\u0397", "H", "\u0399", "I", "\u039a", "K", "\u039c", "M", "\u039d", "N",
	"\u039f", "O", "\u03a1", "P", "\u03a4", "T", "\u03a5", "Y", "\u03a7", "X", "\u0578", "n", "\u057d", "u", "\u0585", "o", "\u0566", "q", "\u0261", "g", "\u0131", "i", "\u01c0", "l",
)

// lookAlikes looks for identifiers that are not ASCII but look as if they were ASCII.
// Greek in a formula is legitimate, so a name is not reported if only some of its letters
// resemble Latin letters.
func lookAlikes(f *file, found report) {
	f.each(func(n ast.Node) {
		id, ok := n.(*ast.Ident)
		if !ok || ascii(id.Name) {
			return
		}
		seems := similar.Replace(norm.NFKC.String(id.Name))
		switch {
		case ascii(seems) && (len(seems) > 1 || token.IsIdentifier(seems) && !unicode.Is(unicode.Greek, []rune(id.Name)[0])):
			found(n.Pos(), true, "the name %+q looks like %q but is a different name", id.Name, seems)
		case strings.ContainsFunc(id.Name, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Armenian, unicode.Cherokee) }) &&
			strings.ContainsFunc(id.Name, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) }):
			found(n.Pos(), false, "the name %+q mixes alphabets", id.Name)
		}
	})
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}
