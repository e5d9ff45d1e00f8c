package constants

import (
	"fmt"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// large returns 200 files without markers and one file of 2,000 lines with 20 markers.
func large() map[string][]byte {
	files := map[string][]byte{}
	plain := []byte("package p\n\n" + strings.Repeat("func f() int {\n\tx := 1\n\treturn x + 2\n}\n", 500))
	for i := range 200 {
		files[fmt.Sprintf("f%d.go", i)] = plain
	}
	marked := plain
	for i := range 20 {
		marked = fmt.Appendf(marked, "const c%d = 64 //evolve:param min=8 max=4096 log\n", i)
	}
	files["marked.go"] = marked
	return files
}

func BenchmarkFind(b *testing.B) {
	files := large()
	for b.Loop() {
		if list, problems := Find(files); len(list) != 20 {
			b.Fatal(problems)
		}
	}
}

func BenchmarkSet(b *testing.B) {
	files := large()
	for b.Loop() {
		if _, err := Set(files, agent.Config{"c7": int64(100), "c19": int64(9)}); err != nil {
			b.Fatal(err)
		}
	}
}
