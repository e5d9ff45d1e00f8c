package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestNotifySettings checks that the notification settings are read despite mistakes
// elsewhere in the file, but not if they contain mistakes themselves.
func TestNotifySettings(t *testing.T) {
	const set = "heartbeat: https://hc.example.org/x\nnotify: {channels: [{kind: program, argv: [x]}]}\n"
	for _, c := range []struct {
		name, content string
		channels      int
		bad           bool
	}{
		{"sound", set, 1, false},
		{"none", "budget: {usd: 1}\n", 0, false},
		{"a mistake elsewhere", set + "budgte: {usd: many}\n", 1, false},
		{"a secret elsewhere", set + "mcp: {x: {argv: [AKIAIOSFODNN7EXAMPLE]}}\n", 1, false},
		{"a mistake in it", "notify: {channels: [{kind: program}]}\n", 0, true},
		{"a syntax error", set + "a: [\n", 0, true},
		{"a list", "- a\n", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, SettingsFile), []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			n, err := NotifySettings(dir)
			if (err != nil) != c.bad || !c.bad && (len(n.Channels) != c.channels || len(n.Events) != len(EventKinds())) {
				t.Errorf("got %+v, %v", n, err)
			}
		})
	}
	if _, err := NotifySettings(t.TempDir()); !errors.As(err, new(*Errors)) {
		t.Errorf("no file: %v", err)
	}
}
