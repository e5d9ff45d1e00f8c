package constants

import (
	"bytes"
	"testing"

	"evolve/runtime/agent"
)

func seedsOfSource(f *testing.F) {
	f.Add([]byte("package p\nconst a = 5 //evolve:param min=1 max=9\n"), 6.0)
	f.Add([]byte("package p\nconst (\n\ta = - 0x_5 * b //evolve:param min=-9 max=9 name=x step=2\n\tb = .5e-3 //evolve:param min=1e-9 max=9 log\n)\n"), -3.0)
	f.Add([]byte("//line x:1\r\npackage p\r\n//evolve:param min=1 max=64 log step=2\r\nconst a float32 = 0_10\r\n"), 2.0)
	f.Add([]byte("package p; func f() { const a, b = 1, 2; /*evolve:param min=*/ }"), 0.0)
}

// FuzzFind checks that in any source, the constants found are at their positions and make a
// valid space, and that every problem has a position and a text.
func FuzzFind(f *testing.F) {
	seedsOfSource(f)
	f.Fuzz(func(t *testing.T, src []byte, _ float64) {
		found, problems := Find(map[string][]byte{"a.go": src})
		for _, c := range found {
			if string(src[c.start:c.end]) != c.Literal || c.Line < 1 {
				t.Fatalf("%+v does not stand there", c)
			}
		}
		space, config := Space(found)
		if wrong := space.Check(); len(wrong) > 0 {
			t.Fatal(wrong)
		}
		if _, wrong := space.Parse(config); len(wrong) > 0 {
			t.Fatal(wrong)
		}
		for _, p := range problems {
			if p.File != "a.go" || p.Line < 1 || p.Line > 1+bytes.Count(src, []byte("\n")) || p.Text == "" {
				t.Fatalf("%+v", p)
			}
		}
	})
}

// FuzzSet checks that the written values match the config, also after the former values are
// restored.
func FuzzSet(f *testing.F) {
	seedsOfSource(f)
	f.Fuzz(func(t *testing.T, src []byte, v float64) {
		files := map[string][]byte{"a.go": src}
		list, problems := Find(files)
		if len(problems) > 0 || len(list) == 0 {
			return
		}
		space, now := Space(list)
		config := agent.Config{}
		for _, p := range space.Params {
			config[p.Name] = v
			if p.Kind == agent.Int {
				config[p.Name] = int64(max(p.Min, min(p.Max, v)))
			}
		}
		config, _ = space.Clamp(config)
		got, err := Set(files, config)
		if err != nil {
			t.Fatalf("%v of %q: %v", config, src, err)
		}
		if len(got["a.go"])-len(src) > 400*len(list) {
			t.Fatal("the file has grown beyond its literals")
		}
		back, err := Set(got, now)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Find(back)
		for i, c := range again {
			if c.Value != list[i].Value {
				t.Fatalf("%s came back as %v, was %v", c.Name, c.Value, list[i].Value)
			}
		}
	})
}
