package clitest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// disguises returns the encodings in which a secret may appear.
func disguises(secret string) []string {
	out := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret))}
	// In Base64 the characters at either end depend on the adjacent text, so both ends are
	// left out.
	for shift := range 3 {
		text := strings.TrimRight(base64.StdEncoding.EncodeToString(append(make([]byte, shift), secret...)), "=")
		text = text[4 : len(text)-4]
		out = append(out, text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	return out
}

// zstdMagic begins every zstd frame; the archive stores transcripts in such frames.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// unpacked returns data followed by the content of each zstd frame in it.
func unpacked(data []byte) []byte {
	all := bytes.Clone(data)
	for at := 0; ; at += len(zstdMagic) {
		next := bytes.Index(data[at:], zstdMagic)
		if next < 0 {
			return all
		}
		at += next
		r, err := zstd.NewReader(bytes.NewReader(data[at:]), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(r, 16<<20)) // an error is expected, because other data follows the frame
		r.Close()
		all = append(append(all, '\n'), text...)
	}
}

// scriptNowhere requires that none of the files and folders contain a secret in any
// encoding. With ! it requires the opposite, so that a script can show that the search
// works.
func scriptNowhere(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args[0]) < 12 {
		ts.Fatalf("usage: nowhere SECRET PATH…")
	}
	found, files := "", 0
	look := func(name string, data []byte) {
		files++
		for _, form := range disguises(args[0]) {
			if bytes.Contains(data, []byte(form)) {
				found += fmt.Sprintf("%s holds %q\n", name, form)
			}
		}
	}
	for _, path := range args[1:] {
		if path == "stdout" || path == "stderr" {
			look(path, []byte(ts.ReadFile(path)))
			continue
		}
		ts.Check(filepath.WalkDir(ts.MkAbs(path), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(name)
			look(name, unpacked(data))
			return err
		}))
	}
	switch {
	case files == 0:
		ts.Fatalf("there is no file to search")
	case neg && found == "":
		ts.Fatalf("the secret is in none of %d files", files)
	case !neg && found != "":
		ts.Fatalf("%s", found)
	}
}
