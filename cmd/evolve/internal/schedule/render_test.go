package schedule

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	"go.yaml.in/yaml/v4"
)

var update = flag.Bool("update", false, "write the golden files")

// hostile is a path with every character that a shell, cron or systemd interprets.
const hostile = `/s p/100%u "q" 'r' \%x \ $HOME #;&|*` + "`é"

func exampleNight(program, workspace string) Night {
	return Night{
		Program: program, Workspace: workspace, At: At{1, 5}, Limits: LimitsUntil(At{1, 5}, At{6, 0}), Path: "/usr/local/bin:/usr/bin",
		Zone: "Europe/Berlin", Since: time.Date(2026, 11, 27, 5, 28, 8, 0, time.UTC),
	}
}

func TestGolden(t *testing.T) {
	for name, n := range map[string]Night{"plain": exampleNight("/usr/local/bin/evolve", "/srv/agents"), "hostile": exampleNight(hostile+"/evolve", hostile)} {
		service, timer := Units(n)
		lines, err := Crontab(n)
		if err != nil {
			t.Fatal(err)
		}
		for file, got := range map[string]string{"service": service.Text, "timer": timer.Text, "crontab": lines, "yaml": CronJob(n)} {
			path := filepath.Join("testdata", name+"."+file)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
		if err := n.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestParsedAgain checks that an installed schedule is parsed into the values that it was rendered from.
func TestParsedAgain(t *testing.T) {
	n := exampleNight(hostile+"/evolve", hostile)
	service, timer := Units(n)
	lines, err := Crontab(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []Installed{parseUnits(service.Text, timer.Text), parseBlock(lines)} {
		want := Installed{Kind: in.Kind, At: n.At, Daily: true, Program: n.Program, Workspace: n.Workspace, Until: "06:00", Since: n.Since}
		if diff := cmp.Diff(want, in, cmp.AllowUnexported(Installed{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in.Kind, diff)
		}
	}
	byHand := strings.Replace(lines, "5 1 * * *", "5 1 * * 1-5", 1)
	if in := parseBlock(byHand); in.Daily {
		t.Error("a schedule of weekdays is taken for a daily one")
	}
}

// program writes a program that records its arguments, one per line, in a log below a
// folder.
func program(t *testing.T, dir string) (path, log string) {
	t.Helper()
	path, log = filepath.Join(dir, "evolve"), filepath.Join(t.TempDir(), "args")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nprintf '%s\\n' \"$PATH\" \"$@\" >>'" + log + "'\necho said\nexit 5\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path, log
}

// asCron returns the command that cron passes to the shell. The command ends at the first
// percent sign without a backslash, and a backslash before a percent sign is removed.
func asCron(command string) string {
	var out strings.Builder
	escaped := false
	for _, r := range command {
		switch {
		case escaped && r == '%':
			kept := strings.TrimSuffix(out.String(), `\`)
			out.Reset()
			out.WriteString(kept)
			escaped = false
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '%':
			return out.String()
		}
		out.WriteRune(r)
	}
	return out.String()
}

// TestCronRunsTheProgram runs the lines of a crontab in a shell, as cron does.
func TestCronRunsTheProgram(t *testing.T) {
	root := filepath.Join(t.TempDir(), hostile)
	path, log := program(t, filepath.Join(root, ".evolve"))
	n := exampleNight(path, root)
	lines, err := Crontab(n)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(lines) {
		command, more := "", []string(nil)
		if m := daily.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			command = m[3]
			if _, err := cron.ParseStandard(strings.TrimSuffix(line, " "+command+"\n")); err != nil {
				t.Error(err)
			}
		} else if rest, ok := strings.CutPrefix(line, "@reboot "); ok {
			command, more = strings.TrimSuffix(rest, "\n"), []string{"--catch-up"}
		} else {
			continue
		}
		ran++
		cmd := exec.Command("/bin/sh", "-c", asCron(command))
		cmd.Env = []string{"PATH=/nowhere"}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "evolve run ended with exit code 5, see ") {
			t.Errorf("%s: %v, %s", command, err, out)
		}
		args, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Concat([]string{n.Path}, n.words()[1:], more)
		if diff := cmp.Diff(want, strings.Split(strings.TrimSuffix(string(args), "\n"), "\n")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
	}
	if said, err := os.ReadFile(filepath.Join(root, LogFile)); ran != 2 || err != nil || string(said) != "said\nsaid\n" {
		t.Errorf("%d lines ran; the log has %q: %v", ran, said, err)
	}
}

// TestSystemdAccepts runs systemd's own check on the units. The check also looks for the
// program.
func TestSystemdAccepts(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze here")
	}
	for name, dir := range map[string]string{"plain": "/agents", "hostile": hostile} {
		root := filepath.Join(t.TempDir(), dir)
		path, _ := program(t, root)
		n, units := exampleNight(path, root), t.TempDir()
		service, timer := Units(n)
		if err := writeUnits(units, []Part{service, timer}); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(analyze, "verify", "--man=no", filepath.Join(units, service.File), filepath.Join(units, timer.File))
		cmd.Env = append(os.Environ(), "SYSTEMD_UNIT_PATH="+units+":")
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), name) || strings.Contains(string(out), service.File) {
			t.Errorf("%s: %v\n%s\n%s", name, err, out, service.Text)
		}
	}
}

// TestCronJobIsYAML reads the CronJob as Kubernetes does.
func TestCronJobIsYAML(t *testing.T) {
	n := exampleNight("/usr/bin/evolve", hostile+" $(PWD)")
	var job struct {
		APIVersion string `yaml:"apiVersion"`
		Metadata   struct{ Name string }
		Spec       struct {
			Schedule          string
			TimeZone          string `yaml:"timeZone"`
			ConcurrencyPolicy string `yaml:"concurrencyPolicy"`
			JobTemplate       struct {
				Spec struct {
					Deadline int `yaml:"activeDeadlineSeconds"`
					Template struct {
						Spec struct{ Containers []struct{ Command []string } }
					}
				}
			} `yaml:"jobTemplate"`
		}
	}
	if err := yaml.Unmarshal([]byte(CronJob(n)), &job); err != nil {
		t.Fatal(err)
	}
	if _, err := cron.ParseStandard(job.Spec.Schedule); err != nil {
		t.Error(err)
	}
	command := job.Spec.JobTemplate.Spec.Template.Spec.Containers[0].Command
	for i, word := range command {
		command[i] = strings.ReplaceAll(word, "$$(", "$(") // as Kubernetes expands it
	}
	if diff := cmp.Diff(n.words(), command); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if job.APIVersion != "batch/v1" || job.Metadata.Name != Name(n.Workspace) || job.Spec.ConcurrencyPolicy != "Forbid" ||
		job.Spec.TimeZone != "Europe/Berlin" || job.Spec.JobTemplate.Spec.Deadline >= 24*3600 {
		t.Errorf("%+v", job)
	}
}

func TestRefusedPaths(t *testing.T) {
	for _, path := range []string{"/a\nb", "relative", "/a\xff", "/a\x00"} {
		if exampleNight("/usr/bin/evolve", path).Check() == nil {
			t.Errorf("%q is accepted", path)
		}
	}
	long := exampleNight("/usr/bin/evolve", "/"+strings.Repeat("a", mostCron))
	if _, err := Crontab(long); err == nil {
		t.Error("a line that cron would cut is rendered")
	}
}

func TestNames(t *testing.T) {
	if a, b := Name("/srv/agents"), Name("/home/x/agents"); a == b || !strings.HasPrefix(a, "evolve-agents-") {
		t.Errorf("%s and %s", a, b)
	}
	for _, path := range []string{"/", "/é", "/A b%_c", "/" + strings.Repeat("x", 300)} {
		name := Name(path)
		if unsafeInNames.ReplaceAllString(name, "-") != name || len(name) > 52 || strings.Contains(name, "--") { // 52: of a CronJob
			t.Errorf("%q has the name %q", path, name)
		}
	}
}
