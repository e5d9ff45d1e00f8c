//go:build unix

package wholefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"evolve/runtime/wholefile"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("five"), []byte("12345"), 0o600), os.Symlink("five", at("link")), os.Symlink("/dev/zero", at("endless")),
		syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tt := range []struct {
		name string
		most int64
		want error
	}{
		{"five", 5, nil},
		{"link", 5, nil},
		{"five", 4, &wholefile.TooLargeError{}},
		{"endless", 5, wholefile.ErrIrregular},
		{"pipe", 5, wholefile.ErrIrregular},
		{"folder", 5, syscall.EISDIR},
		{"none", 5, fs.ErrNotExist},
	} {
		data, err := wholefile.Read(at(tt.name), tt.most)
		inside, errInside := data, err
		if tt.name != "endless" { // endless is a link that leads out of the root
			inside, errInside = wholefile.ReadIn(root, tt.name, tt.most)
		}
		for _, got := range []struct {
			data []byte
			err  error
		}{{data, err}, {inside, errInside}} {
			var large *wholefile.TooLargeError
			if tt.want == nil && (got.err != nil || string(got.data) != "12345") || tt.want != nil && got.data != nil ||
				errors.As(tt.want, &large) && !errors.As(got.err, &large) || large == nil && !errors.Is(got.err, tt.want) {
				t.Errorf("%s, at most %d bytes: %q, %v", tt.name, tt.most, got.data, got.err)
			}
		}
	}
}
