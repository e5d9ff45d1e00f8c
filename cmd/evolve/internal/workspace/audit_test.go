package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAuditSettings checks that paths are resolved when the setting is read.
func TestAuditSettings(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, c := range []struct {
		yaml string
		want Audit
	}{
		{"", Audit{}},
		{"audit: {sign: ~/.ssh/k, allowed_signers: keys/signers}", Audit{"/home/kim/.ssh/k", filepath.Join(root, "keys", "signers")}},
		{"audit: {sign: /etc/k, allowed_signers: ../signers}", Audit{"/etc/k", filepath.Join(filepath.Dir(root), "signers")}},
	} {
		if err := os.WriteFile(filepath.Join(root, SettingsFile), []byte(c.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := AuditSettings(root, "/home/kim"); got != c.want || err != nil {
			t.Errorf("%s: %+v, %v", c.yaml, got, err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, SettingsFile), []byte("audit: {key: k}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := AuditSettings(root, ""); err == nil {
		t.Error("an unknown key is read")
	}
}
