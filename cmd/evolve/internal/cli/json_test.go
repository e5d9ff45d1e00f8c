package cli

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"evolve/archive"
	"evolve/cmd/evolve/internal/cli/clitest/fixture"
	"evolve/cmd/evolve/internal/cli/clitest/seed"
	"evolve/cmd/evolve/internal/hub/hubtest"
	"evolve/cmd/evolve/internal/wire"
	"evolve/runtime/authored"
)

// shape documents the object that a command prints, as `evolve help json` does: its keys,
// and whether each is always present.
type shape struct {
	always map[string]bool
	more   bool
}

// documented reads the table in `evolve help json`.
func documented(t *testing.T) map[string]shape {
	t.Helper()
	text, err := helpTexts.ReadFile("help/json.md")
	if err != nil {
		t.Fatal(err)
	}
	shapes := map[string]shape{}
	for _, entry := range regexp.MustCompile(`(?m)^ {4}(\S.*(?:\n {5,}.*)*)`).FindAllStringSubmatch(string(text), -1) {
		names, object, found := strings.Cut(entry[1], "{")
		if !found || strings.HasPrefix(names, "report") { // the report has its own schema
			continue
		}
		names = strings.TrimSpace(regexp.MustCompile(`[A-Z]+:\s*$`).ReplaceAllString(strings.TrimSpace(names), ""))
		for name := range strings.SplitSeq(names, ", ") {
			shapes[strings.TrimSpace(name)] = keysOf("{" + object)
		}
	}
	return shapes
}

// keysOf parses the keys of the first object in a text, leaving out those of nested
// objects.
func keysOf(text string) shape {
	s := shape{always: map[string]bool{}}
	depth, key := 0, ""
	end := func() {
		name, _, _ := strings.Cut(key, ":")
		name = strings.TrimSpace(name)
		if name == "…" {
			s.more = true
		} else if name != "" {
			s.always[strings.TrimSuffix(name, "?")] = !strings.HasSuffix(name, "?")
		}
		key = ""
	}
	for _, r := range text {
		switch {
		case r == '{' || r == '[':
			if depth++; depth > 1 {
				key += "_"
			}
		case r == '}' || r == ']':
			if depth--; depth == 0 {
				end()
				return s
			}
		case depth == 1 && r == ',':
			end()
		case depth == 1:
			key += string(r)
		}
	}
	return s
}

// sharing writes a workspace with a tool, and with an agent to share the tool with.
func sharing(t *testing.T, dir string, draft []byte) {
	t.Helper()
	if err := fixture.Workspace(dir, "tiny"); err != nil {
		t.Fatal(err)
	}
	if err := writeTool(filepath.Join(dir, "agents", "aide", "tools"), draft); err != nil {
		t.Fatal(err)
	}
	settings := "providers:\n  lm: {kind: openai, base_url: \"http://127.0.0.1:1/v1\", key_env: LM_KEY}\nroutes:\n  default: {provider: lm, model: m}\n"
	mate := "id: mate\nadapter: {kind: builtin, model: default}\nsuites: [depots]\n"
	if err := os.Mkdir(filepath.Join(dir, "agents", "mate"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"evolve.yaml": settings, "agents/mate/agent.yaml": mate} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJSONIsAsDocumented runs every command with --json and compares the keys of the
// printed object with the manual.
func TestJSONIsAsDocumented(t *testing.T) {
	if testing.Short() {
		t.Skip("commands one after another, which scripts of short runs run too")
	}
	dir := t.TempDir()
	if err := fixture.Workspace(filepath.Join(dir, "tiny"), "tiny"); err != nil {
		t.Fatal(err)
	}
	if err := fixture.Workspace(filepath.Join(dir, "other"), "tiny"); err != nil {
		t.Fatal(err)
	}
	if err := fixture.Workspace(filepath.Join(dir, "restored"), "tiny"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "restored", "evolve.yaml"), []byte("keep: {nights: 1}\nnotify: {channels: [{kind: program, argv: [\"true\"]}]}\nadoption: {via: branch}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	chat := `{"approved":true,"messages":[{"role":"user","content":"Who keeps the key?"},{"role":"assistant","content":"Ada."}]}`
	if err := os.WriteFile(filepath.Join(dir, "chats.jsonl"), []byte(chat), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "qa.csv"), []byte("question,answer\na,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wish := range []string{"a", "b"} {
		r := `{"agent":"aide","created":"2026-03-01T02:00:00Z","request":{"id":"` + wish + `","type":"source","reason":"r","target":"t","tool":"write"}}`
		if err := seed.Request(filepath.Join(dir, "tiny"), []byte(r)); err != nil {
			t.Fatal(err)
		}
	}
	doubled := `{"name":"doubled","description":"Doubles.","schema":{"type":"object"},"source":"def run(args):\n    return args[\"n\"] * 2\n",` +
		`"tests":[{"name":"two","args":{"n":1},"want":2},{"name":"four","args":{"n":2},"want":4}]}`
	if err := writeTool(filepath.Join(dir, "other", "agents", "aide", "tools"), []byte(doubled)); err != nil {
		t.Fatal(err)
	}
	sharing(t, filepath.Join(dir, "sharing"), []byte(doubled))
	if err := errors.Join(seed.Turns(filepath.Join(dir, "sharing"), "aide", 10), seed.Level(filepath.Join(dir, "sharing"), "mate", 2)); err != nil {
		t.Fatal(err)
	}
	if err := fakeCrontab(filepath.Join(dir, "bin")); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Robin", "GIT_AUTHOR_EMAIL=r@example.org", "GIT_COMMITTER_NAME=Robin", "GIT_COMMITTER_EMAIL=r@example.org",
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "key"), pem.EncodeToMemory(key), 0o600); err != nil {
		t.Fatal(err)
	}
	hub := startServer(t, hubtest.Options(t.TempDir()))
	shapes := documented(t)
	// The command review needs a terminal (see terminal.txtar); the others run Go and
	// models (see TestPatchJSON).
	checked := map[string]bool{"review": true, "patch propose": true, "patch show": true, "patch review": true, "code show": true, "code lineage": true, "code compare": true}
	for _, step := range []struct{ name, folder, args string }{
		{"init", ".", "init made"},
		{"doctor", "tiny", "doctor"},
		{"run --dry-run", "tiny", "run --dry-run"},
		{"run", "tiny", "run --quiet"},
		{"demo", ".", "demo --budget-evals 50 --quiet --workspace made"},
		{"schedule print", "tiny", "schedule print"},
		{"schedule install", "tiny", "schedule install --format cron"},
		{"status", "tiny", "status"},
		{"schedule remove", "tiny", "schedule remove"},
		{"proposals", "tiny", "proposals"},
		{"show", "tiny", "show P1"},
		{"diff", "tiny", "diff P1"},
		{"approve", "tiny", "approve P1 --yes --by Robin"},
		{"rollback", "tiny", "rollback P1 --yes --by Robin"},
		{"patch list", "tiny", "patch list"},
		{"propose", "tiny", "propose v2"},
		{"reject", "tiny", "reject P2 --yes --by Robin --reason no"},
		{"requests list", "tiny", "requests list"},
		{"requests show", "tiny", "requests show R1"},
		{"requests approve", "tiny", "requests approve R1 --yes --by Robin"},
		{"requests deny", "tiny", "requests deny R2 --yes --by Robin --reason no"},
		{"variants", "tiny", "variants"},
		{"variants show", "tiny", "variants show v2"},
		{"lineage", "tiny", "lineage v2"},
		{"compare", "tiny", "compare v1 v2"},
		{"agent show", "tiny", "agent show"},
		{"agent run", "tiny", "agent run --task depot-oslo"},
		{"agent run", "tiny", "agent run What is 2+3?"},
		{"agent turns", "tiny", "agent turns"},
		{"agent sessions", "tiny", "agent sessions"},
		{"agent lessons", "tiny", "agent lessons"},
		{"agent turn", "tiny", "agent turn T1"},
		{"feedback add", "tiny", "feedback add aide --verdict negative --tool calculate --by Robin"},
		{"feedback list", "tiny", "feedback list"},
		{"feedback what-if", "tiny", "feedback what-if aide F1"},
		{"feedback stats", "tiny", "feedback stats"},
		{"feedback remove", "tiny", "feedback remove aide F1 --by Robin"},
		{"memory search", "tiny", "memory search depot in Lisbon"},
		{"memory audit", "tiny", "memory audit depot in Lisbon"},
		{"memory retract", "tiny", "memory retract m1 --yes --by Robin --reason moved"},
		{"memory restore", "tiny", "memory restore m1 --yes --by Robin"},
		{"memory propose", "tiny", "memory propose"},
		{"autonomy status", "sharing", "autonomy status"},
		{"autonomy request", "sharing", "autonomy request aide --level 2 --reason earned --by Robin"},
		{"autonomy requests", "sharing", "autonomy requests"},
		{"autonomy lower", "sharing", "autonomy lower mate --reason no --by Robin"},
		{"bench list", "tiny", "bench list"},
		{"bench validate", "tiny", "bench validate"},
		{"bench split", "tiny", "bench split depots"},
		{"bench run", "tiny", "bench run"},
		{"bench import", "tiny", "bench import ../qa.csv --suite qa"},
		{"bench build", "tiny", "bench build ../chats.jsonl --suite chats --yes"},
		{"audit log", "tiny", "audit log"},
		{"audit verify", "tiny", "audit verify"},
		{"audit sign", "tiny", "audit sign --key ../key"},
		{"audit accept-head", "tiny", "audit accept-head --reason copied --by Robin"},
		{"archive stats", "tiny", "archive stats"},
		{"archive check", "tiny", "archive check"},
		{"archive repair", "tiny", "archive repair"},
		{"archive export", "tiny", "archive export ../all.jsonl"},
		{"archive import", "other", "archive import ../all.jsonl"},
		{"archive backup", "tiny", "archive backup ../all.backup"},
		{"archive restore", "restored", "archive restore ../all.backup"},
		{"archive gc", "restored", "archive gc --dry-run"},
		{"notify test", "restored", "notify test"},
		{"hub check", "restored", "hub check --hub " + hub.ClientURL()},
		{"adopt sync", "restored", "adopt sync"},
		{"tools quarantine", "other", "tools quarantine doubled --yes --by Robin"},
		{"tools release", "other", "tools release doubled --yes --by Robin"},
		{"tools share", "sharing", "tools share doubled --agent aide --with mate --yes --by Robin"},
		{"tools unshare", "sharing", "tools unshare doubled --agent aide --yes --by Robin"},
		{"tools list", "other", "tools list"},
		{"tools health", "other", "tools health"},
		{"tools health AGENT", "tiny", "tools health aide"},
		{"help", ".", "help"},
		{"help --man", ".", "help --man pages"},
		{"help --site", ".", "help --site site"},
		{"completion", ".", "completion bash"},
		{"--version", ".", "--version"},
	} {
		want, ok := shapes[step.name]
		if !ok {
			t.Errorf("the manual does not say what %s prints", step.name)
			continue
		}
		checked[step.name] = true
		if step.name == "audit accept-head" { // there must be something to accept
			if err := os.WriteFile(archive.WitnessFile(wire.ArchiveDir(filepath.Join(dir, step.folder))), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), Process{
			Args: append(strings.Fields(step.args), "--json"), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
			Env: env, Dir: filepath.Join(dir, step.folder), Now: time.Now, Release: func() {},
			Sleep: func(context.Context, time.Duration) error { return nil },
		})
		if code != 0 {
			t.Errorf("%s ended with %d: %s", step.name, code, stderr.String())
			continue
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
			t.Errorf("%s printed no object: %v\n%s", step.name, err, stdout.String())
			continue
		}
		for key, always := range want.always {
			if _, there := got[key]; always && !there {
				t.Errorf("%s has no %q, which the manual promises", step.name, key)
			}
		}
		for key := range got {
			if _, known := want.always[key]; !known && !want.more {
				t.Errorf("%s has %q, which the manual does not name", step.name, key)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		if !checked[name] {
			t.Errorf("nothing holds what the manual says of %s", name)
		}
	}
}

// TestPatchJSON compares the keys that the commands for patches and code print with the
// manual.
func TestPatchJSON(t *testing.T) {
	for name, view := range map[string]reflect.Type{
		"patch show": reflect.TypeFor[patchView](), "code show": reflect.TypeFor[codeView](),
		"code lineage": reflect.TypeFor[codeLineage](), "code compare": reflect.TypeFor[codeComparison](),
	} {
		want := documented(t)[name].always
		for i := range view.NumField() {
			if !view.Field(i).IsExported() {
				continue
			}
			key, rest, _ := strings.Cut(view.Field(i).Tag.Get("json"), ",")
			if always, known := want[key]; !known || always == (rest == "omitempty") {
				t.Errorf("the manual does not say of %q of %s what holds", key, name)
			}
			delete(want, key)
		}
		for key := range want {
			t.Errorf("nothing prints %q of %s, which the manual names", key, name)
		}
	}
}

// fakeCrontab writes a program named crontab that stores the table that it is given in a
// file next to itself.
func fakeCrontab(dir string) error {
	script := "#!/bin/sh\ncase $1 in\n-l) cat \"$0.tab\" ;;\n-r) rm \"$0.tab\" ;;\n-) cat >\"$0.tab\" ;;\nesac\n"
	return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "crontab"), []byte(script), 0o755))
}

// writeTool puts an approved tool, given as a draft, into a folder.
func writeTool(dir string, draft []byte) error {
	d, err := authored.ParseDraft(draft)
	if err != nil {
		return err
	}
	star, manifest := d.Encode()
	return errors.Join(
		os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, d.Name+".star"), star, 0o600),
		os.WriteFile(filepath.Join(dir, d.Name+".json"), manifest, 0o600),
	)
}
