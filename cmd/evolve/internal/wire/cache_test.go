package wire

import (
	"os"
	"path/filepath"
	"testing"
)

// TestUserCache checks that patches can be tested without a writable home: the build cache
// then belongs only to this process.
func TestUserCache(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"home":                  {[]string{"HOME=" + home}, filepath.Join(home, ".cache", "evolve", "patches")},
		"a cache of one's own":  {[]string{"HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "c")}, filepath.Join(home, "c", "evolve", "patches")},
		"a relative one":        {[]string{"HOME=" + home, "XDG_CACHE_HOME=c"}, filepath.Join(home, ".cache", "evolve", "patches")},
		"no home":               {nil, ""},
		"a home that is a file": {[]string{"HOME=" + file}, ""},
	} {
		if got := Environment(c.env).userCache(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
