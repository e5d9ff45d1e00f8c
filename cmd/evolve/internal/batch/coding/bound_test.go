package coding

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate"
	"evolve/patch/scope"
	"evolve/runtime/sandbox"
)

// searched is a target in a repository. The target's commands run without a sandbox.
type searched struct {
	*testing.T
	repo string
	rev  *review.Reviewer
	kept Kept
	// runs counts how often the unchanged code was scored.
	runs int
}

func newSearched(t *testing.T, scoring review.Scoring) *searched {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	s := &searched{T: t, repo: t.TempDir(), kept: Kept{Folder: filepath.Join(t.TempDir(), "code")}}
	s.write("params", "# evolve:begin rate\nrate=2\n# evolve:end\n")
	s.git("init", "--quiet")
	s.git("add", "--all")
	s.git("commit", "--quiet", "--message=start")
	s.rev = &review.Reviewer{
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.repo, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"},
		Now: time.Now, Scratch: t.TempDir(), Sandbox: func() sandbox.Sandbox { return sandbox.None("a test") }, Unsandboxed: true,
		Targets: []review.Target{{Name: "curve", Repo: s.repo, Named: true, Policy: scope.Policy{Allow: []string{"params"}}, Scoring: &scoring}},
		Notify:  func(string) { s.runs++ },
	}
	return s
}

func (s *searched) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.repo, name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *searched) git(args ...string) {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), "git", append([]string{"-C", s.repo, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.repo, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// look returns the problem that a night finds with the target, or "" if there is none.
func (s *searched) look() string {
	s.Helper()
	_, err := Look(s.Context(), s.rev, &workspace.Workspace{}, s.rev.Targets[0], Opener{}, grade.Rules(), s.kept)
	var problem *Problem
	if err != nil && !errors.As(err, &problem) {
		s.Fatal(err)
	}
	if problem == nil {
		return ""
	}
	return problem.Text
}

// TestSlowCode checks that if a target's unchanged code takes longer than its bound, this
// is reported as a problem of the target. The code is not run again in the same night
// unless the bound is raised; it is run again in the next night, and after a change.
func TestSlowCode(t *testing.T) {
	for name, c := range map[string]struct {
		scoring    review.Scoring
		want, hint string
	}{
		"build": {review.Scoring{Build: []string{"sleep", "1000"}, Score: []string{"true"}}, "`sleep 1000`", "make the command faster"},
		"test":  {review.Scoring{Test: []string{"sleep", "1001"}, Score: []string{"true"}}, "`sleep 1001`", "make the command faster"},
		"score": {review.Scoring{Score: []string{"sleep", "1002"}}, "`sleep 1002`", "make the command score fewer or smaller cases"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSearched(t, c.scoring)
			s.kept.Bound = Bound{Time: 50 * time.Millisecond, Of: ", half of the target's share", Hint: ", or give it more"}
			count := func(when string, want int) {
				t.Helper()
				if s.runs != want {
					t.Errorf("%s it was run %d times, want %d", when, s.runs, want)
				}
			}
			got := s.look()
			if want := "on the current code, " + c.want + " did not finish within 50ms, half of the target's share: " + c.hint + ", or give it more"; got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
			count("at first", 1)
			if again := s.look(); !strings.Contains(again, c.want) {
				t.Errorf("a night that is taken up: %s", again)
			}
			count("in a night that is taken up", 1)
			s.kept.Bound.Time *= 2
			s.look()
			count("with more time", 2)
			s.kept.Bound.Time /= 2
			s.look()
			count("with less time", 2)
			if err := Retry(s.kept.Folder); err != nil {
				t.Fatal(err)
			}
			s.look()
			count("in the next night", 3)
			s.write("params", "# evolve:begin rate\nrate=3\n# evolve:end\n")
			s.git("commit", "--quiet", "--all", "--message=changed")
			s.look()
			count("after a change", 4)
			s.kept = Kept{Folder: filepath.Join(t.TempDir(), "none"), ReadOnly: true, Bound: s.kept.Bound}
			s.look()
			if _, err := os.Stat(s.kept.Folder); err == nil {
				t.Error("a look wrote a folder")
			}
			if err := Retry(s.kept.Folder); err != nil {
				t.Errorf("without a folder: %v", err)
			}
		})
	}
}

// TestFastCodeIsUnbounded checks that a time bound does not affect values that are
// already stored, and that code that fails at once is reported as failing, not as too
// slow.
func TestFastCodeIsUnbounded(t *testing.T) {
	s := newSearched(t, review.Scoring{Score: []string{"printf", `{"case":"a","metric":"loss","value":1,"better":"lower"}\n`}})
	if got := s.look(); got != "" {
		t.Fatal(got)
	}
	s.kept.Bound = Bound{Time: time.Nanosecond}
	if got := s.look(); got != "" || s.runs != 1 {
		t.Errorf("%d runs, %s", s.runs, got)
	}
	s = newSearched(t, review.Scoring{Score: []string{"false"}})
	s.kept.Bound = Bound{Time: time.Hour}
	if got := s.look(); !strings.Contains(got, "false ended with exit code 1") {
		t.Error(got)
	}
	if again := s.look(); s.runs != 2 {
		t.Errorf("it failed at once and is not run again: %s", again)
	}
}

// TestSlowProfile checks that a profile that takes too long is left out until it has more
// time.
func TestSlowProfile(t *testing.T) {
	s := newSearched(t, review.Scoring{
		Score: []string{"printf", `{"case":"a","metric":"loss","value":1,"better":"lower"}\n`}, Profile: []string{"sh", "-c", "exec sleep 1000"},
	})
	w := &workspace.Workspace{}
	w.Settings.Search.Reflect.Routes = make([]mutate.AuthorRoute, 1)
	look := func() []string {
		p, err := Look(t.Context(), s.rev, w, s.rev.Targets[0], Opener{}, grade.Rules(), s.kept)
		if err != nil {
			t.Fatal(err)
		}
		return p.Cautions()
	}
	if got := s.look(); got != "" { // its values are kept
		t.Fatal(got)
	}
	s.kept.Bound = Bound{Time: 20 * time.Millisecond, Of: ", half of the target's share"}
	if got := look(); len(got) != 1 || !strings.Contains(got[0], "on the current code, `sh -c exec sleep 1000` did not finish within 20ms, half of the target's share: make it faster") {
		t.Errorf("%q", got)
	}
	s.kept.Bound.Of = ", which is no other limit"
	if got := look(); len(got) != 1 || !strings.Contains(got[0], "half of the target's share") {
		t.Errorf("it was run again: %q", got)
	}
	s.kept.Bound.Time *= 2
	if got := look(); len(got) != 1 || !strings.Contains(got[0], "no other limit") {
		t.Errorf("it was not run again with more time: %q", got)
	}
}
