package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/runtime/sandbox"
)

// obey is a program that does what the question orders. Its answers contain its process id
// and the number of the question.
const obey = `n=0
while read -r line; do
	n=$((n+1))
	id=${line#*'"id":"'} id=${id%%'"'*}
	case $line in
	*end*) echo "it ends with opensesame" >&2; exit 3 ;;
	*hang*) sleep 1000 ;;
	*again*) id=$before ;;
	*twice*) echo '{"id":"'$id'","of":"'$$' '$n'"}' ;;
	esac
	echo '{"id":"'$id'","of":"'$$' '$n'"}'
	before=$id
	case $line in *last*) exit 0 ;; esac
done
`

// rig sends questions to a program in its own folder.
type rig struct {
	programs *Programs
	dir      string
	asked    int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "obey.sh"), []byte(obey), 0o600); err != nil {
		t.Fatal(err)
	}
	scrub := func(s string) string { return strings.ReplaceAll(s, "opensesame", "*") }
	return &rig{programs: NewPrograms(func() sandbox.Sandbox { return off }, nil, scrub), dir: dir}
}

// ask gives an order. It returns the process that the answer names, together with the
// number of the question.
func (r *rig) ask(ctx context.Context, order string) (string, error) {
	return r.question(ctx, order, 20*time.Second, nil)
}

func (r *rig) question(ctx context.Context, order string, timeout time.Duration, refuse error) (string, error) {
	r.asked++
	id, of := fmt.Sprintf("q%d", r.asked), ""
	err := r.programs.Ask(ctx, Question{
		Argv: []string{"sh", "obey.sh"}, Dir: r.dir, ID: id, Line: fmt.Appendf(nil, `{"id":"%s","order":"%s"}`+"\n", id, order), Timeout: timeout,
		Accept: func(line []byte) error {
			if idOf(line) != id {
				return fmt.Errorf("the answer %s is not that to %s", line, id)
			}
			_, of, _ = strings.Cut(strings.TrimSuffix(string(line), `"}`), `"of":"`)
			return refuse
		},
	})
	return of, err
}

// TestProgramsAreKept tests that a process answers questions one after the other while
// there is a keeper, and otherwise ends after its answer.
func TestProgramsAreKept(t *testing.T) {
	r := newRig(t)
	process := func() (name, number string) {
		t.Helper()
		of, err := r.ask(t.Context(), "fine")
		if err != nil {
			t.Fatal(err)
		}
		name, number, _ = strings.Cut(of, " ")
		return name, number
	}
	one, _ := process()
	if two, number := process(); two == one || number != "1" {
		t.Errorf("without a keeper, %s answers question %s after %s", two, number, one)
	}
	release, other := r.programs.Keep(), r.programs.Keep()
	kept, _ := process()
	release()
	release() // the second call has no effect
	if again, number := process(); again != kept || number != "2" {
		t.Errorf("%s answers question %s in place of %s", again, number, kept)
	}
	other()
	if len(r.programs.idle) != 0 {
		t.Errorf("%d processes are kept without a keeper", len(r.programs.idle))
	}
}

// TestProgramFailures tests which error each failure causes, and tests that the next
// question gets a new process and an answer.
func TestProgramFailures(t *testing.T) {
	r := newRig(t)
	t.Cleanup(r.programs.Keep())
	refused := errors.New("no such score")
	for name, c := range map[string]struct {
		order   string
		timeout time.Duration
		refuse  error
		check   func(error) bool
	}{
		"it ends": {order: "end", check: func(err error) bool {
			var failed *ProgramError
			return errors.As(err, &failed) && failed.Text == "ended with exit code 3" && failed.Crashed && strings.TrimSpace(failed.Stderr) == "it ends with *"
		}},
		"it hangs":         {order: "hang", timeout: 200 * time.Millisecond, check: func(err error) bool { return errors.Is(err, ErrLate) }},
		"the answer is no": {order: "fine", refuse: refused, check: func(err error) bool { return errors.Is(err, refused) }},
		"two lines": {order: "twice", check: func(err error) bool {
			return err == nil || err.Error() == "the program wrote more than one line for one answer"
		}},
	} {
		before, err := r.ask(t.Context(), "fine")
		if err != nil {
			t.Fatal(err)
		}
		timeout := c.timeout
		if timeout == 0 {
			timeout = 20 * time.Second
		}
		if _, err := r.question(t.Context(), c.order, timeout, c.refuse); !c.check(err) {
			t.Errorf("%s: %v", name, err)
		}
		after, err := r.ask(t.Context(), "fine")
		was, _, _ := strings.Cut(before, " ")
		now, number, _ := strings.Cut(after, " ")
		if err != nil || now == was || number != "1" {
			t.Errorf("%s: then %s answered after %s (%v)", name, after, before, err)
		}
	}
}

// TestQuestionDoesNotSufferFromTheLast tests that a process that ended after its last
// answer, or that repeats that answer, is replaced without an error.
func TestQuestionDoesNotSufferFromTheLast(t *testing.T) {
	r := newRig(t)
	t.Cleanup(r.programs.Keep())
	first, err := r.ask(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.ask(t.Context(), "fine")
	if err != nil || second == first || !strings.HasSuffix(second, " 1") {
		t.Errorf("after an end: %q, %v", second, err)
	}
	if third, err := r.ask(t.Context(), "fine"); err != nil || !strings.HasSuffix(third, " 2") {
		t.Errorf("%q, %v", third, err)
	}
	// A process that is ordered to repeat its earlier answer does so as a new process, too.
	if of, err := r.ask(t.Context(), "again"); err == nil {
		t.Errorf("an answer with another id is accepted: %s", of)
	}
}

// TestProgramThatCannotStart tests that the error is attributed to the program and that
// repeating the call does not change it.
func TestProgramThatCannotStart(t *testing.T) {
	r := newRig(t)
	for _, argv := range [][]string{{"no-such-program-anywhere"}, {"./absent"}, {"./obey.sh"}} {
		err := r.programs.Ask(t.Context(), Question{Argv: argv, Dir: r.dir, ID: "q", Line: []byte("{}\n"), Timeout: 20 * time.Second, Accept: func([]byte) error { return nil }})
		if !errors.Is(err, sandbox.ErrProgram) {
			t.Errorf("%q: %v", argv, err)
		}
	}
}

// TestAskEndsWithItsContext tests that if a question is cancelled before a process has
// begun to answer it, the process remains available for the next question.
func TestAskEndsWithItsContext(t *testing.T) {
	r := newRig(t)
	t.Cleanup(r.programs.Keep())
	before, err := r.ask(t.Context(), "fine")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.ask(ended, "fine"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	after, err := r.ask(t.Context(), "fine")
	if was, _, _ := strings.Cut(before, " "); err != nil || after != was+" 2" {
		t.Errorf("%s after %s, %v", after, before, err)
	}
}

// TestFewProgramsAreKept tests the limit on idle processes, which are answering no
// question: the least recently used process ends first.
func TestFewProgramsAreKept(t *testing.T) {
	r := newRig(t)
	t.Cleanup(r.programs.Keep())
	ask := func(n int) {
		t.Helper()
		err := r.programs.Ask(t.Context(), Question{
			Argv: []string{"sh", "obey.sh", fmt.Sprint(n)}, Dir: r.dir, ID: "q", Line: []byte(`{"id":"q"}` + "\n"), Timeout: 20 * time.Second,
			Accept: func([]byte) error { return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for n := range mostIdle + 2 {
		ask(n)
	}
	if len(r.programs.idle) != mostIdle || !strings.HasSuffix(r.programs.idle[0].program, "\x002") {
		t.Errorf("%d are kept, the first %q", len(r.programs.idle), r.programs.idle[0].program)
	}
}
