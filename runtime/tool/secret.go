package tool

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Secret reports whether a path names a file that holds credentials. It recognises variants
// that file systems and readers treat as the same name: letter case, compatibility forms,
// characters that look like a dot, a slash or a Latin letter, invisible characters, and
// dots and spaces at the end of a part.
func Secret(p string) bool {
	return secretPath(fold(p)) || secretPath(strings.ToLower(p))
}

func secretPath(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		part = strings.TrimRight(part, ". \t")
		if part, _, _ = strings.Cut(part, ":"); part == "" { // an alternate stream of a file counts as the file
			continue
		}
		switch {
		case part == ".env" || strings.HasPrefix(part, ".env.") || part == ".envrc",
			part == ".netrc" || part == "_netrc" || part == ".npmrc" || part == ".pypirc" || part == ".git-credentials",
			part == ".pgpass" || part == ".htpasswd",
			part == ".ssh" || part == ".aws" || part == ".gnupg" || part == ".kube" || part == ".docker",
			strings.HasPrefix(part, "id_rsa") || strings.HasPrefix(part, "id_ed25519") ||
				strings.HasPrefix(part, "id_ecdsa") || strings.HasPrefix(part, "id_dsa"),
			strings.HasPrefix(part, "credentials"):
			return true
		}
		switch path.Ext(part) {
		case ".env", ".pem", ".key", ".p8", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx":
			return true
		}
	}
	return false
}

// fold returns a form of a path that is the same for all paths that look alike.
func fold(p string) string {
	p = norm.NFKC.String(p)
	p = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.IsControl(r) {
			return -1
		}
		if l, ok := lookAlike(r); ok {
			return l
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(p))
	// ſ and K (Kelvin) are folded only after decomposition, so a second pass is needed.
	return strings.ToLower(norm.NFKC.String(p))
}

// lookAlike returns the character that r looks like, if NFKC does not replace r with that
// character.
func lookAlike(r rune) (rune, bool) {
	switch r {
	case '\u2215', '\u2044', '\u29f8', '\u2571', '\u27cb', '\uff0f', '\\', '\u2216', '\u29f5', '\u29f9', '\ufe68', '\uff3c':
		return '/', true
	case '\u2024', '\u00b7', '\u2027', '\u22c5', '\u3002', '\uff61', '\u06d4', '\u0701', '\u0702', '\ua4f8', '\ufe52', '\uff0e', '\u30fb':
		return '.', true
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212':
		return '-', true
	case '\u0430', '\u0410', '\u0251', '\u03b1', '\u0391': // Cyrillic and Greek a
		return 'a', true
	case '\u0441', '\u0421', '\u03f2':
		return 'c', true
	case '\u0501', '\u0257':
		return 'd', true
	case '\u0435', '\u0415', '\u0395', '\u03b5', '\u04bd', '\u212e', '\u1d07':
		return 'e', true
	case '\u0456', '\u0406', '\u03b9', '\u0399', '\u0131', '\u04cf':
		return 'i', true
	case '\u043a', '\u041a', '\u03ba', '\u039a':
		return 'k', true
	case '\u043d', '\u041d', '\u03b7', '\u039d', '\u0578', '\u0274':
		return 'n', true
	case '\u043e', '\u041e', '\u03bf', '\u039f', '\u0585':
		return 'o', true
	case '\u0440', '\u0420', '\u03c1', '\u03a1':
		return 'p', true
	case '\u0433', '\u1d26':
		return 'r', true
	case '\u0455', '\u0405':
		return 's', true
	case '\u0442', '\u0422', '\u03c4', '\u03a4':
		return 't', true
	case '\u0475', '\u0474', '\u03bd', '\u1d20', '\u2228', '\u22c1':
		return 'v', true
	case '\u0445', '\u0425', '\u03c7', '\u03a7':
		return 'x', true
	case '\u0443', '\u0423', '\u03b3', '\u03a5':
		return 'y', true
	case '\uff3f', '\u2017':
		return '_', true
	}
	return 0, false
}
