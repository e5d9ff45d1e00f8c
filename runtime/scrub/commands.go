package scrub

import "strings"

// commandTriggers returns triggers for the programs that accept a password in a one-letter
// flag.
func commandTriggers() []trigger {
	return []trigger{
		{"mysql", flagged("-p", true, false)},
		{"mysqldump", flagged("-p", true, false)},
		{"mysqladmin", flagged("-p", true, false)},
		{"mariadb", flagged("-p", true, false)},
		{"sshpass", flagged("-p", true, false)},
		{"docker login", flagged("-p", false, false)},
		{"redis-cli", flagged("-a", false, false)},
		{"ldapsearch", flagged("-w", false, false)},
		{"curl", flagged("-u", false, true)},
		{"curl ", flagged("--user", false, true)},
		{"wget ", flagged("--user", false, true)},
		{"snmpwalk", flagged("-c", false, false)},
	}
}

// maxCommand limits the distance between a program and its flag, in bytes.
const maxCommand = 200

// flagged returns a rule for the value of a program's flag. The value may directly follow
// the flag only if attached is set. If pair is set, the value is a pair such as
// user:password, and the rule removes only what follows the colon.
func flagged(flag string, attached, pair bool) rule {
	return func(s *scan, start, end int) {
		line := s.text[end:min(len(s.text), end+maxCommand)]
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		n := strings.Index(line, " "+flag)
		if n < 0 || !s.starts(start) {
			return
		}
		after := end + n + 1 + len(flag)
		v := value{start: s.gap(after)}
		if v.start == after && !attached || v.start >= len(s.text) || s.text[v.start] == '-' {
			return
		}
		s.extent(&v)
		text := s.text[v.start:v.end]
		if pair {
			_, password, ok := strings.Cut(text, ":")
			if !ok {
				return
			}
			v.start, text = v.end-len(password), password
		}
		// With -p but no attached value, mysql prompts for the password, and the next
		// argument is the database.
		if len(text) < 4 || placeholder(text) || !pair && !v.quoted && !mixed(text) && (v.start > after || len(text) < 6) {
			return
		}
		s.remove(v.start, v.end)
	}
}
