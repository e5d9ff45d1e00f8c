package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// chapterText returns a chapter of the manual.
func chapterText(t *testing.T, name string) string {
	t.Helper()
	data, err := helpTexts.ReadFile("help/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// gitIdentity gives git a name and hides the git settings of this machine.
func gitIdentity(t *testing.T) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(config, []byte("[user]\n\tname = Robin\n\temail = robin@example.org\n[init]\n\tdefaultBranch = main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

// runShell runs a command that a page shows. The command runs in the given folder, as in
// a shell.
func runShell(t *testing.T, dir, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// serve starts the service that a page of the manual describes, on a free port, and puts
// its address into agent.yaml.
func serve(t *testing.T, dir string, words []string) {
	t.Helper()
	server := exec.Command(words[0], append(words[1:], "0")...)
	server.Dir, server.Stderr = dir, os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"agents/router/agent.yaml", "../mine/service.yaml"} {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.ReplaceAll(string(data), "http://127.0.0.1:8077/run", strings.TrimSpace(address))
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestQuickstart types the commands of both ways in the chapter, from an empty folder to an
// approved change, with only the files that the chapter shows.
func TestQuickstart(t *testing.T) {
	if testing.Short() {
		t.Skip("two nights")
	}
	for _, program := range []string{"python3", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not on this machine")
		}
	}
	gitIdentity(t)
	page := chapterText(t, "quickstart")
	ways := strings.Split(page, "\n## ")[1:]
	if len(ways) != 2 {
		t.Fatalf("the chapter has %d ways", len(ways))
	}
	for _, way := range ways {
		title, body, _ := strings.Cut(way, "\n")
		t.Run(title, func(t *testing.T) {
			home := t.TempDir()
			layOut(t, home, page, quickstartFiles(page), nil)
			dir, run := home, ""
			for line := range strings.Lines(body) {
				command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    $ ")
				if !ok {
					continue
				}
				words := strings.Fields(command)
				switch {
				case words[0] == "cd":
					dir = filepath.Join(dir, words[1])
				case words[0] == "evolve":
					out := evolve(t, dir, words[1:]...)
					if words[1] == "run" {
						run = out
					}
				case strings.HasSuffix(command, "&"):
					serve(t, dir, words[:len(words)-1])
				default:
					runShell(t, dir, command)
				}
			}
			if !strings.Contains(run, "ADOPT") {
				t.Errorf("the night found nothing:\n%s", run)
			}
			if log := runShell(t, dir, "git log --format=%s; git status --porcelain"); strings.Count(log, "\n") != 2 {
				t.Errorf("not two commits and a clean tree:\n%s", log)
			}
			if champion, err := os.ReadFile(filepath.Join(dir, "agents/router/config.yaml")); err != nil || !strings.Contains(string(champion), "letters: ") {
				t.Errorf("no champion: %v\n%s", err, champion)
			}
		})
	}
}

// shownFile matches the name of a file that the chapter shows, and namedFile matches any
// mention of a file.
var (
	shownFile = regexp.MustCompile("(?m)^`(mine/[a-z.]+)`$")
	namedFile = regexp.MustCompile(`mine/[a-z]+\.[a-z]+`)
)

// quickstartFiles returns the names of the files that the chapter shows.
func quickstartFiles(page string) []string {
	var names []string
	for _, m := range shownFile.FindAllStringSubmatch(page, -1) {
		names = append(names, m[1])
	}
	return names
}

// TestQuickstartShowsItsFiles checks that for each file that it mentions, the chapter
// shows either the file itself or the command that writes the file.
func TestQuickstartShowsItsFiles(t *testing.T) {
	t.Parallel()
	page := chapterText(t, "quickstart")
	shown := quickstartFiles(page)
	written := map[string]string{"mine/results.json": "    $ (cd ../mine && python3 results.py)\n"}
	for _, name := range namedFile.FindAllString(page, -1) {
		if command := written[name]; !slices.Contains(shown, name) && (command == "" || !strings.Contains(page, command)) {
			t.Errorf("the chapter mentions %s and does not show it", name)
		}
	}
	if len(shown) < 7 {
		t.Errorf("the chapter shows %q alone", shown)
	}
}

// indentedBlocks returns the blocks of a page that are indented by four spaces, without the
// indentation. A blank line between two indented lines belongs to the block.
func indentedBlocks(page string) []string {
	var blocks []string
	open := false
	blank := 0
	for line := range strings.Lines(page) {
		code, ok := strings.CutPrefix(line, "    ")
		switch {
		case strings.TrimSpace(line) == "":
			blank++
			continue
		case !ok:
			open = false
		case !open:
			blocks, open = append(blocks, code), true
		default:
			blocks[len(blocks)-1] += strings.Repeat("\n", blank) + code
		}
		blank = 0
	}
	return blocks
}
