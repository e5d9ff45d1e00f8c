package workspace

import (
	"crypto/sha256"
	"fmt"
	"path"

	"evolve/bench"
	"evolve/runtime/agent"
)

// sharedMemories holds the memories that all agents share, as read by the loader.
type sharedMemories struct {
	list []agent.Memory
	// hash identifies the content of the file with these memories; it is empty if there is
	// no file.
	hash string
}

// ids returns the ids of the memories.
func (s sharedMemories) ids() map[string]bool {
	ids := make(map[string]bool, len(s.list))
	for _, m := range s.list {
		ids[m.ID] = true
	}
	return ids
}

// readShared reads agents/memories.jsonl.
func (l *loader) readShared() sharedMemories {
	data, ok := l.source(agentsDir, memoriesFile).read(l.root, maxLines, false)
	if !ok {
		return sharedMemories{}
	}
	digest := sha256.Sum256(data)
	return sharedMemories{list: readMemories(l.source(agentsDir, memoriesFile), data), hash: fmt.Sprintf("%x", digest)}
}

// memories reads the agent's memories.jsonl, and adds the memories that all agents share.
// An id must be unique across both files.
func (l *loader) memories(f *agentFile) []agent.Memory {
	s := l.source(agentsDir, f.folder, memoriesFile)
	data, ok := s.read(l.root, maxLines, false)
	if !ok {
		return l.shared.list
	}
	own := readMemories(s, data)
	if len(l.shared.list) == 0 {
		return own
	}
	ids := l.shared.ids()
	for _, m := range own {
		if ids[m.ID] {
			s.fail("the memory %q is also in %s, which all agents read", m.ID, path.Join(agentsDir, memoriesFile))
		}
	}
	return append(own, l.shared.list...)
}

// readMemories reads the memories in a file: one per line, as JSON.
func readMemories(s *source, data []byte) []agent.Memory {
	lines := bench.ReadMemories(data, func(line, column int, text string) { s.at(line, column, "", "%s", text) })
	if len(lines) == 0 {
		return nil
	}
	out := make([]agent.Memory, len(lines))
	for i, l := range lines {
		out[i] = l.Memory
	}
	return out
}

// withShared combines each hash of an agent's folder with the hash of the memories that all
// agents share, because a built-in agent reads these memories.
func (h folderHash) withShared(s sharedMemories) folderHash {
	if s.hash == "" {
		return h
	}
	add := func(folder string) string {
		digest := sha256.Sum256([]byte(folder + "\n" + s.hash))
		return fmt.Sprintf("%x", digest)
	}
	return folderHash{all: add(h.all), code: add(h.code)}
}
