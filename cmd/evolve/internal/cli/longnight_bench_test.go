//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hardAgent is an agent that answers at once. No config solves all of its tasks.
const hardAgent = `import json, sys, zlib
for line in sys.stdin:
    r = json.loads(line)
    c, k = r["config"], r["task"]["input"]
    luck = zlib.crc32(json.dumps([sorted(c.items()), k]).encode()) % 1000 / 1000
    skill = 1 - abs(c["reach"] - .7) - abs(c["steps"] - 16) / 64 + .2 * (c["planner"] == "tree")
    sys.stdout.write(json.dumps({"id": r["id"], "answer": "yes" if skill * luck > .3 else "no"}) + "\n")
    sys.stdout.flush()
`

// longNight is the environment variable that sets the number of evaluations of
// BenchmarkLongNight.
const longNight = "EVOLVE_LONG_NIGHT"

// BenchmarkLongNight runs a night with its confirmation and its report, and then the
// commands that a person waits for. The night and each command run in a process of their
// own. There are two cases: few tasks with many evaluations of each variant, and many
// tasks. A night makes 20,000 evaluations, or as many as EVOLVE_LONG_NIGHT states. The
// bounds are for 1,180,000 evaluations, of which 1,000,000 are made; each of the two
// cases then takes some 20 minutes. Processor times are those of evolve without the
// agent.
func BenchmarkLongNight(b *testing.B) {
	if _, err := exec.LookPath("python3"); err != nil {
		b.Skip("python3 is not installed")
	}
	evaluations := 20_000
	if text := os.Getenv(longNight); text != "" {
		if _, err := fmt.Sscan(text, &evaluations); err != nil {
			b.Fatal(err)
		}
	}
	for _, tasks := range []int{40, 500} {
		b.Run(fmt.Sprintf("tasks=%d", tasks), func(b *testing.B) {
			dir := b.TempDir()
			for name, text := range map[string]string{
				"evolve.yaml": "search: {concurrency: 32}\nconfirm: {share: .15}\nbackup: {keep: 0}\n", "agents/a/agent.py": hardAgent, "suites/s.jsonl": manyTasks(tasks),
				"agents/a/agent.yaml": "id: a\nadapter: {kind: command, argv: [python3, agent.py], protocol: jsonl, pool: 2}\nsuites: [s]\ndeterministic: true\n" +
					"space:\n  reach: {type: float, min: 0, max: 1, default: 0.2}\n  steps: {type: int, min: 1, max: 64, default: 4}\n" +
					"  planner: {type: choice, values: [none, linear, tree], default: none}\n",
			} {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			run := footprintOf(b, dir, "run", "--budget-evals", fmt.Sprint(evaluations), "--quiet")
			footprintOf(b, dir, "status") // the first status reads what the night wrote last, and is therefore not measured
			status, report := footprintOf(b, dir, "status"), footprintOf(b, dir, "report", "--json")
			made := float64(recorded(b, dir))
			b.ReportMetric(made, "evaluations")
			b.ReportMetric(run.own.Seconds()*1000/made, "processor-ms/evaluation")
			b.ReportMetric(float64(storeBytes(b, dir))/made, "bytes/evaluation")
			b.ReportMetric(324, "bound-bytes/evaluation")
			b.ReportMetric(run.anonymous, "night-anonymous-MB")
			b.ReportMetric(run.file, "night-file-MB")
			b.ReportMetric(120, "bound-night-MB")
			b.ReportMetric(float64(status.wall.Milliseconds()), "status-ms")
			b.ReportMetric(float64(status.own.Milliseconds()), "status-processor-ms")
			b.ReportMetric(100, "bound-status-ms")
			b.ReportMetric(report.wall.Seconds(), "report-s")
			b.ReportMetric(report.own.Seconds(), "report-processor-s")
			b.ReportMetric(5, "bound-report-s")
		})
	}
}

func manyTasks(n int) string {
	var tasks strings.Builder
	for k := range n {
		fmt.Fprintf(&tasks, "{\"id\":\"t%d\",\"cluster\":\"t%[1]d\",\"goal\":\"say yes\",\"input\":%[1]d,\"answer\":\"yes\"}\n", k)
	}
	return tasks.String()
}

// footprint is what a process used: its wall time, its processor time without the time of
// its children, and the peaks of its anonymous memory and of its mapped files, in MB.
type footprint struct {
	wall, own       time.Duration
	anonymous, file float64
}

// footprintOf runs an evolve command to its end and measures it.
func footprintOf(b *testing.B, dir string, args ...string) footprint {
	b.Helper()
	binary, err := exec.LookPath("evolve") // this binary under another name: see TestMain
	if err != nil {
		b.Fatal(err)
	}
	var out strings.Builder
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(os.Environ(), "GOGC=40") // as the program itself sets it
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var f footprint
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f.look(cmd.Process.Pid)
			continue
		case err = <-ended:
		}
		break
	}
	if err != nil {
		b.Fatalf("%v\n%s", err, out.String())
	}
	f.wall = time.Since(began)
	if args[0] != "run" { // it has no children
		f.own = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return f
}

// look reads the memory figures of a process while it runs.
func (f *footprint) look(pid int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(status)) {
		for prefix, to := range map[string]*float64{"RssAnon:": &f.anonymous, "RssFile:": &f.file} {
			var kb float64
			if rest, ok := strings.CutPrefix(line, prefix); ok {
				if _, err := fmt.Sscan(rest, &kb); err == nil {
					*to = max(*to, kb/1024)
				}
			}
		}
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return
	}
	const perSecond, user, system = 100, 11, 12 // after the name
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var ticks, more int64
	if len(fields) > system {
		if _, err := fmt.Sscan(fields[user]+" "+fields[system], &ticks, &more); err == nil {
			f.own = max(f.own, time.Duration(ticks+more)*time.Second/perSecond)
		}
	}
}

// storeBytes returns the size on disk of the archive of a workspace.
func storeBytes(b *testing.B, dir string) (size int64) {
	b.Helper()
	err := filepath.WalkDir(filepath.Join(dir, ".evolve", "archive", "store"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				size += info.Sys().(*syscall.Stat_t).Blocks * 512
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return size
}

// recorded returns the number of evaluations in the archive of a workspace.
func recorded(b *testing.B, dir string) (n int) {
	b.Helper()
	var stats struct{ Evaluations int }
	if err := json.Unmarshal([]byte(evolve(b, dir, "archive", "stats", "--json")), &stats); err != nil {
		b.Fatal(err)
	}
	return stats.Evaluations
}
