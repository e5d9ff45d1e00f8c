package patch

import (
	"bytes"
	"context"
	"strings"
)

// lineEnds reports whether git is asked to write a file with CRLF line endings: by its
// attributes or, if these leave it open, by the settings.
func (r *Repository) lineEnds(ctx context.Context, dir, path string) (crlf bool, err error) {
	attributes, err := r.attributes(ctx, dir, []string{"text", "eol", "crlf"}, []string{path})
	if err != nil {
		return false, err
	}
	text, eol := attributes[path]["text"], attributes[path]["eol"]
	if text == "unspecified" { // its former name
		switch attributes[path]["crlf"] {
		case "set":
			text = "set"
		case "unset":
			text = "unset"
		case "input":
			eol = "lf"
		}
	}
	switch {
	case text == "unset":
		return false, nil
	case eol == "crlf" || eol == "lf":
		return eol == "crlf", nil
	}
	setting := func(key string) (string, error) {
		out, err := answer(ctx, dir, r.env, 1, "config", "--includes", "--get", key)
		return strings.ToLower(strings.TrimSpace(out)), err
	}
	auto, err := setting("core.autocrlf")
	if err != nil {
		return false, err
	}
	switch {
	case auto == "input":
		return false, nil
	case auto != "" && truth(auto):
		return true, nil
	case text == "unspecified":
		return false, nil
	}
	eol, err = setting("core.eol")
	return eol == "crlf", err
}

// withCRLF returns text with CRLF line endings as git would write it. It leaves text that
// already contains a CRLF unchanged.
func withCRLF(text []byte) []byte {
	if bytes.Contains(text, []byte("\r\n")) {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
}
