package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"evolve/cmd/evolve/internal/cli/clitest/fixture"
)

// TestTwentyNightsOfCode runs twenty nights over one target, each on a different day. A
// person approves every proposal. The test fails if the code becomes worse on any night, or
// if the archive grows by more than twice as much in the second ten nights as in the first
// ten. It takes minutes and runs only if EVOLVE_CODE_NIGHT is set.
func TestTwentyNightsOfCode(t *testing.T) {
	if os.Getenv("EVOLVE_CODE_NIGHT") == "" {
		t.Skip("EVOLVE_CODE_NIGHT is not set")
	}
	root, repo := filepath.Join(t.TempDir(), "ws"), t.TempDir()
	if err := fixture.Workspace(root, "tiny"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(repo, "params"): "# evolve:begin factors\na=3\nb=40\nc=9\nd=14\n# evolve:end\n",
		filepath.Join(repo, "check"):  ". ./params\nfor x in \"$a\" \"$b\" \"$c\" \"$d\"; do test \"$x\" -gt -999 && test \"$x\" -lt 999 || exit 1; done\n",
		filepath.Join(repo, "score"): `. ./params
test $# -gt 0 || set -- $(seq -f c%02.0f 60)
abs() { echo $(($1 < 0 ? -($1) : $1)); }
for k; do
	n=$((1${k#c} % 9))
	e=$(($(abs $((a - 20 - n))) + $(abs $((b - 11 + n))) + $(abs $((c - 33))) + $(abs $((d - 2 * n)))))
	echo '{"case":"'$k'","metric":"distance","value":'$((e + 20))',"better":"lower"}'
done
`,
		filepath.Join(root, "evolve.yaml"): "budget: {evaluations: 400}\nconfirm: {finalists: 1}\nkeep: {nights: 5}\nbackup: {keep: 0}\npatches: {targets: [{name: curve, repo: " + repo +
			", allow: [params], test: [sh, check], score: [sh, score]}]}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sh := func(line string) string {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = repo
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return string(out)
	}
	sh("git init --quiet && git add --all && git -c user.name=t -c user.email=t@example.org commit --quiet -m start")
	start := time.Now()
	evolve := func(night int, args ...string) string {
		var stdout, stderr bytes.Buffer
		code := Run(context.Background(), Process{
			Args: append(args, "--workspace", root), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
			Env: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, Dir: root,
			Now:   func() time.Time { return start.AddDate(0, 0, night).Add(time.Since(start)) },
			Sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }, Release: func() {},
		})
		if code != 0 {
			t.Fatalf("night %d: evolve %v: exit %d\n%s%s", night, args, code, &stdout, &stderr)
		}
		return stdout.String()
	}
	value := func() (sum int) {
		for line := range strings.Lines(sh("sh score")) {
			var v struct{ Value int }
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			sum += v.Value
		}
		return sum
	}
	size := func() (bytes int64) {
		err := filepath.WalkDir(filepath.Join(root, ".evolve"), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			info, err := d.Info()
			if err == nil {
				bytes += info.Size()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	first, now, half, adopted := value(), value(), int64(0), 0
	for night := range 20 {
		evolve(night, "run", "--agent", "curve", "--seed", strconv.Itoa(night+1), "--quiet")
		var list struct {
			Patches []struct{ ID, State string }
		}
		if err := json.Unmarshal([]byte(evolve(night, "patch", "list", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Patches {
			if p.State == "awaiting" || p.State == "human_lane" {
				evolve(night, "approve", p.ID, "--yes", "--by", "Ada <ada@example.org>", "--override-reason", "read it")
				adopted++
			}
		}
		if v := value(); v > now {
			t.Errorf("night %d: the value rises from %d to %d", night, now, v)
		} else {
			now = v
		}
		refs := strings.Count(sh("git for-each-ref refs/evolve/code"), "\n")
		t.Logf("night %2d: value %d, %d adopted, %d KiB, %d refs", night+1, now, adopted, size()>>10, refs)
		if refs > 20 {
			t.Errorf("%d refs", refs)
		}
		if night == 9 {
			half = size()
		}
	}
	if now >= first || adopted == 0 {
		t.Errorf("after 20 nights the value is %d, it was %d", now, first)
	}
	if all := size(); all > 3*half {
		t.Errorf("%d bytes after 20 nights, %d after 10", all, half)
	}
	if kept, err := filepath.Glob(filepath.Join(root, ".evolve", "code", "*")); err != nil || len(kept) != 1 {
		t.Errorf("kept values %q, %v", kept, err)
	}
	evolve(20, "archive", "check")
	evolve(20, "audit", "verify")
	sh("git fsck --strict")
}
