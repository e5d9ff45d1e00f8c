package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/cli/clitest/fixture"
	"evolve/cmd/evolve/internal/wire"
	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// codeNights is a workspace after a short night. Its target is one block of a shell
// program.
type codeNights struct {
	t          *testing.T
	root, repo string
}

func newCodeNights(t *testing.T) codeNights {
	t.Helper()
	if testing.Short() {
		t.Skip("commands one after another, of kinds that scripts of short runs have")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if err := sandbox.Detect(t.Context()).Err(); err != nil {
		t.Skip(err)
	}
	n := codeNights{t, filepath.Join(t.TempDir(), "ws"), t.TempDir()}
	if err := fixture.Workspace(n.root, "tiny"); err != nil {
		t.Fatal(err)
	}
	n.write(filepath.Join(n.repo, "params"), "# evolve:begin factors\n"+factors("1", "2", "3")+"# evolve:end\n")
	n.write(filepath.Join(n.repo, "score"), `. ./params
test $# -gt 0 || set -- $(seq -f c%02.0f 8)
for k; do echo '{"case":"'$k'","metric":"distance","value":'$((a + b + c))',"better":"lower"}'; done
`)
	n.write(filepath.Join(n.root, "evolve.yaml"), "backup: {keep: 0}\npatches: {targets: [{name: curve, repo: "+n.repo+", allow: [params], score: [sh, score]}]}\n")
	n.git("init", "--quiet")
	n.commit()
	n.evolve("run", "--agent", "curve", "--stages", "search", "--budget-evals", "12", "--seed", "1", "--quiet")
	return n
}

// factors returns the text of the block with the given factors.
func factors(a, b, c string) string {
	return "a=" + a + "\n: one\nb=" + b + "\n: two\nc=" + c + "\n"
}

func (n codeNights) write(file, text string) {
	n.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		n.t.Fatal(err)
	}
}

func (n codeNights) git(args ...string) {
	n.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = n.repo
	if out, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (n codeNights) commit() {
	n.git("add", "--all")
	n.git("commit", "--quiet", "-m", "a state of the code")
}

func (n codeNights) evolve(args ...string) string {
	n.t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(context.Background(), Process{
		Args: append(args, "--workspace", n.root), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Env: []string{"HOME=" + n.t.TempDir(), "PATH=" + os.Getenv("PATH")}, Dir: n.root, Now: time.Now,
		Sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }, Release: func() {},
	})
	if code != 0 {
		n.t.Fatalf("evolve %v: exit %d\n%s%s", args, code, &stdout, &stderr)
	}
	return stdout.String()
}

// record adds versions to the latest night, each with a value for every search case.
// ablations are pairs of version numbers: that of a winner and that of its reduced
// version. Versions are numbered from 1 in their order.
func (n codeNights) record(texts []string, values []float64, ablations ...[2]int) (names []string) {
	n.t.Helper()
	ctx := n.t.Context()
	a, err := archive.Open(wire.ArchiveDir(n.root), archive.Options{Owner: "a test"})
	if err != nil {
		n.t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(a.Flush(ctx), a.Close()); err != nil {
			n.t.Fatal(err)
		}
	}()
	run, err := a.Run(ctx, "")
	if err != nil {
		n.t.Fatal(err)
	}
	result, err := a.Result(ctx, run.ID, "curve")
	if err != nil {
		n.t.Fatal(err)
	}
	var cases []string
	for e, err := range a.Evaluations(ctx, run.ID, "curve") {
		if err != nil {
			n.t.Fatal(err)
		}
		if e.Split == bench.Search && !slices.Contains(cases, e.Task) {
			cases = append(cases, e.Task)
		}
	}
	var ids []agent.ConfigID
	for i, text := range texts {
		config := agent.Config{"factors": text}
		v, err := a.RecordVariant(ctx, archive.Variant{Agent: "curve", ID: config.ID(), Config: config, Operator: "test"}, nil)
		if err != nil {
			n.t.Fatal(err)
		}
		ids, names = append(ids, v.ID), append(names, fmt.Sprintf("v%d", v.Number))
		for of, task := range cases {
			answer := fmt.Sprintf(`{"case":%q,"metric":"distance","value":%v,"better":"lower"}`, task, values[i])
			e := bench.Evaluation{
				Key: bench.Key(fmt.Sprintf("%s %d %s", v.ID, i, task)), Run: run.ID, Agent: "curve", Variant: v.ID, Task: task, Split: bench.Search, Stage: bench.StageAblate,
				Seq: int64(1000 + 10*i + of), Scored: true, Score: .5, Outcome: agent.OK, Answer: answer,
			}
			if err := a.Record(ctx, e, func(error) {}); err != nil {
				n.t.Fatal(err)
			}
		}
	}
	for _, pair := range ablations {
		result.Ablations = append(result.Ablations, archive.Ablation{
			Winner: ids[pair[0]-1], Small: ids[pair[1]-1], Parts: []archive.AblationPart{{Name: "of another diff", Alone: ids[0]}},
		})
	}
	if err := a.PutResult(ctx, result); err != nil {
		n.t.Fatal(err)
	}
	return names
}

// shown returns what `evolve code show` prints about the hunks of a version.
func (n codeNights) shown(version string) string {
	n.t.Helper()
	var view struct {
		Version struct {
			Diff  string
			Hunks []coding.Hunk
		}
	}
	if err := json.Unmarshal([]byte(n.evolve("code", "show", "curve", version, "--json")), &view); err != nil {
		n.t.Fatal(err)
	}
	var out []string
	for _, h := range view.Version.Hunks {
		out = append(out, h.Title()+": "+h.Describe(""))
	}
	return strings.Join(out, "\n")
}

// TestHunksAreOfTheShownDiff checks that if two finalists were reduced to the same
// version, each is shown with the hunks of its own diff, and with the figures from nights
// in which the same hunk was tried, even if the code has changed since.
func TestHunksAreOfTheShownDiff(t *testing.T) {
	n := newCodeNights(t)
	base := 6.
	names := n.record(
		[]string{factors("0", "0", "4"), factors("0", "0", "5"), factors("0", "0", "3"), factors("0", "2", "3"), factors("1", "0", "3")},
		[]float64{base - 3, base - 3, base - 3, base - 1, base - 2}, [2]int{1, 3}, [2]int{2, 3},
	)
	want := "params:2 factors − a=1 + a=0: alone −1 on 4 cases, reverting it +1 on 4 cases\nparams:4 factors − b=2 + b=0: alone −2 on 4 cases, reverting it +2 on 4 cases"
	if got := n.shown(names[2]); got != want {
		t.Errorf("the version that two finalists shrank to is shown with\n%s", got)
	}
	if got := n.shown(names[0]); !strings.Contains(got, "params:6 factors − c=3 + c=4: reverting it +0 on 4 cases") || strings.Contains(got, "c=5") {
		t.Errorf("the first finalist is shown with\n%s", got)
	}
	if got := n.shown(names[3]); got != "" {
		t.Errorf("a version of one hunk is shown with\n%s", got)
	}

	// The next night finds the same finalist in another way, and does not reduce it.
	n.evolve("run", "--agent", "curve", "--stages", "search", "--budget-evals", "12", "--seed", "2", "--quiet")
	n.record([]string{factors("0", "0", "3")}, []float64{base - 3}, [2]int{1, 1})
	if got := n.shown(names[2]); got != want {
		t.Errorf("after another night the version is shown with\n%s", got)
	}

	// A person adds one of the hunks to the code by hand. The versions are still shown
	// relative to the base on which they were measured, with the values of that base.
	first := n.shown(names[0])
	n.write(filepath.Join(n.repo, "params"), "# evolve:begin factors\n"+factors("0", "2", "3")+"# evolve:end\n")
	n.commit()
	if got := n.shown(names[2]); got != want {
		t.Errorf("after a change by hand the version is shown with\n%s", got)
	}
	if got := n.shown(names[0]); got != first {
		t.Errorf("after a change by hand the first finalist is shown with\n%s", got)
	}
}

// TestHunksOfEqualText checks that hunks with equal text are distinguished by file and
// line, both where the version is described and in its proposal.
func TestHunksOfEqualText(t *testing.T) {
	n := newCodeNights(t)
	text := func(added string) string { return "a=1\n" + added + ": one\nb=2\n" + added + ": two\nc=3\n" }
	names := n.record([]string{text("a=0\n"), "a=1\na=0\n: one\nb=2\n: two\nc=3\n"}, []float64{5, 5})
	n.confirm(names[0])
	const want = "params:3 factors + a=0: alone −1 on 4 cases\nparams:5 factors + a=0: reverting it +0 on 4 cases"
	if got := n.shown(names[0]); got != want {
		t.Errorf("the version is shown with\n%s", got)
	}
	n.has("the version", n.evolve("code", "show", "curve", names[0]), "\n  params:3 factors + a=0\n", "\n  params:5 factors + a=0\n")
	n.evolve("run", "--agent", "curve", "--budget-evals", "12", "--seed", "2")
	n.has("the proposal", strings.Join(strings.Fields(n.evolve("show", "P1")), " "), "⟨params:3 factors + a=0⟩ alone", "⟨params:5 factors + a=0⟩")
}
