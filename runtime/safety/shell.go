package safety

import (
	"fmt"
	"slices"
	"strings"
)

// shell returns the reason why a command changes something, or "": it contains shell
// operators, or begins with a program that writes.
func shell(text string) string {
	if why := operator(text); why != "" {
		return why
	}
	fields := strings.Fields(text)
	for len(fields) > 0 && (fields[0] == "sudo" || fields[0] == "env" || fields[0] == "nice" || strings.Contains(fields[0], "=")) {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return ""
	}
	program := fields[0][strings.LastIndexByte(fields[0], '/')+1:]
	switch program {
	case "rm", "mv", "cp", "dd", "tee", "chmod", "chown", "mkdir", "rmdir", "touch", "ln", "truncate", "kill", "pkill", "shutdown", "reboot", "sh", "bash", "zsh", "python", "python3",
		"node", "perl", "ruby", "eval", "xargs", "curl", "wget", "ssh", "scp", "rsync", "npm", "pip", "apt", "apt-get", "systemctl", "crontab", "mkfs", "install":
		return "its command runs " + program
	case "git":
		if len(fields) > 1 && slices.Contains([]string{"push", "commit", "reset", "checkout", "merge", "rebase", "clean", "rm", "mv", "add", "apply", "stash", "tag", "config", "restore", "switch"}, fields[1]) {
			return "its command runs git " + fields[1]
		}
	case "sed":
		if slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(f, "-i") || strings.HasPrefix(f, "--in-place") }) {
			return "its command edits files in place"
		}
	case "find":
		if slices.Contains(fields, "-delete") || slices.Contains(fields, "-exec") {
			return "its command runs find with -delete or -exec"
		}
	}
	return ""
}

// operator returns the reason why a command is more than a program with its arguments, or
// "".
func operator(text string) string {
	open := rune(0)
	for i, r := range text {
		switch {
		case open == '\'':
			if r == '\'' {
				open = 0
			}
		case r == '`', r == '$' && strings.HasPrefix(text[i:], "$("):
			return "its command runs another command"
		case open == '"':
			if r == '"' {
				open = 0
			}
		case r == '\'' || r == '"':
			open = r
		case strings.ContainsRune(";|&<>\n", r):
			return fmt.Sprintf("its command contains %q", r)
		}
	}
	if open != 0 {
		return "its command has an unclosed quotation mark"
	}
	return ""
}
