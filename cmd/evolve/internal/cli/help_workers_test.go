package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.yaml.in/yaml/v4"
)

// blockOf returns the indented text of a chapter that begins with the given line, without
// its indentation.
func blockOf(t *testing.T, chapter, first string) string {
	t.Helper()
	data, err := helpTexts.ReadFile("help/" + chapter + ".md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), "\n    "+first+"\n")
	if !found {
		t.Fatalf("chapter %s has no text that begins with %s", chapter, first)
	}
	var b strings.Builder
	for line := range strings.Lines("    " + first + "\n" + rest) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "    ") {
			break
		}
		b.WriteString(strings.TrimPrefix(line, "    "))
	}
	return b.String()
}

// checkWorkerWords checks that a command line of a worker has only flags that exist.
func checkWorkerWords(t *testing.T, words []string) {
	t.Helper()
	var known []string
	for _, f := range workerCommand(&shell{}).Flags {
		known = append(known, "--"+f.Names()[0])
	}
	if len(words) < 2 || filepath.Base(words[0]) != "evolve" || words[1] != "worker" {
		t.Fatalf("it starts %q", words)
	}
	for _, w := range words[2:] {
		if strings.HasPrefix(w, "--") && !slices.Contains(known, w) {
			t.Errorf("a worker has no flag %s", w)
		}
	}
}

// TestWorkerUnit checks the manual's unit with systemd's own program, or reads its keys if
// that program is missing.
func TestWorkerUnit(t *testing.T) {
	unit := blockOf(t, "workers", "[Unit]")
	start := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(unit)
	if start == nil {
		t.Fatalf("the unit starts nothing:\n%s", unit)
	}
	checkWorkerWords(t, strings.Fields(start[1]))
	for _, line := range strings.Split(strings.TrimSpace(unit), "\n") {
		if !regexp.MustCompile(`^(|\[(Unit|Service|Install)\]|[A-Z][A-Za-z]+=.+)$`).MatchString(line) {
			t.Errorf("no line of a unit: %q", line)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "evolve-worker.service")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(unit, "/usr/local/bin/evolve", self)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput(); err != nil || strings.Contains(string(out), "evolve-worker") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestWorkerDeployment reads the manual's Deployment and ScaledObject as Kubernetes does.
func TestWorkerDeployment(t *testing.T) {
	var d struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   struct{ Name string }
		Spec       struct {
			Selector struct {
				MatchLabels map[string]string `yaml:"matchLabels"`
			}
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					Grace      int `yaml:"terminationGracePeriodSeconds"`
					Containers []struct {
						Command      []string
						VolumeMounts []struct{ Name string } `yaml:"volumeMounts"`
					}
					Volumes []struct{ Name string }
				}
			}
		}
	}
	if err := yaml.Unmarshal([]byte(blockOf(t, "workers", "apiVersion: apps/v1")), &d); err != nil {
		t.Fatal(err)
	}
	pod := d.Spec.Template.Spec
	if d.Kind != "Deployment" || d.Spec.Template.Metadata.Labels["app"] != d.Spec.Selector.MatchLabels["app"] || pod.Grace == 0 || len(pod.Containers) != 1 {
		t.Fatalf("it is %+v", d)
	}
	checkWorkerWords(t, pod.Containers[0].Command)
	for _, m := range pod.Containers[0].VolumeMounts {
		if !slices.ContainsFunc(pod.Volumes, func(v struct{ Name string }) bool { return v.Name == m.Name }) {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
	var scaled struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Spec       struct {
			Target   struct{ Name string } `yaml:"scaleTargetRef"`
			Triggers []struct {
				Type     string
				Metadata map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(blockOf(t, "workers", "apiVersion: keda.sh/v1alpha1")), &scaled); err != nil {
		t.Fatal(err)
	}
	if scaled.Kind != "ScaledObject" || scaled.Spec.Target.Name != d.Metadata.Name || len(scaled.Spec.Triggers) != 1 || scaled.Spec.Triggers[0].Type != "metrics-api" {
		t.Fatalf("it is %+v", scaled)
	}
	checkScale(t, scaled.Spec.Triggers[0].Metadata)
}

// checkScale asks a server with three jobs for the number that the scaler reads.
func checkScale(t *testing.T, trigger map[string]string) {
	t.Helper()
	conf := filepath.Join(t.TempDir(), "nats.conf")
	text := fmt.Sprintf("listen: \"127.0.0.1:-1\"\nhttp: \"127.0.0.1:-1\"\njetstream {store_dir: %q}\naccounts {OTHER {jetstream: enabled}, EVOLVE {jetstream: enabled, users: [{user: a, password: b}]}}\n", t.TempDir())
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	opts, err := server.ProcessConfigFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	srv := startServer(t, opts)
	nc, err := nats.Connect(srv.ClientURL(), nats.UserInfo("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"EVOLVE_ANSWERS", "EVOLVE_WORK"} {
		if _, err := js.AddStream(&nats.StreamConfig{Name: name, Subjects: []string{name + ".*"}}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if _, err := js.Publish("EVOLVE_WORK.x", nil); err != nil {
			t.Fatal(err)
		}
	}
	_, path, found := strings.Cut(trigger["url"], ":8222/")
	if !found {
		t.Fatalf("the scaler asks %s", trigger["url"])
	}
	resp, err := http.Get(fmt.Sprintf("http://%s/%s", srv.MonitorAddr(), path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var v struct {
		Accounts []struct {
			Streams []struct {
				Name  string
				State struct{ Messages int }
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	// The path has GJSON syntax; these are its steps.
	if want := `account_details.0.stream_detail.#(name=="EVOLVE_WORK").state.messages`; trigger["valueLocation"] != want {
		t.Fatalf("the scaler reads %s", trigger["valueLocation"])
	}
	got := map[string]int{}
	for _, a := range v.Accounts {
		for _, s := range a.Streams {
			got[s.Name] += s.State.Messages
		}
	}
	if len(v.Accounts) != 1 || got["EVOLVE_WORK"] != 3 || got["EVOLVE_ANSWERS"] != 0 {
		t.Errorf("the server answers %+v", v)
	}
}
