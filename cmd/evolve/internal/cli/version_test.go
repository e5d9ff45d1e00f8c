package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	const commit = "6ac17862c3d194d1fdaf7dea489bbcc8e644a9af"
	end := "  " + runtime.Version() + "  " + runtime.GOOS + "/" + runtime.GOARCH
	for _, c := range []struct {
		name, version, want string
		settings            []debug.BuildSetting
	}{
		{"a tagged commit", "v1.2.3", "evolve v1.2.3  commit 6ac17862c3d1 of 2026-11-27" + end, []debug.BuildSetting{
			{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "2026-11-27T12:26:59Z"}, {Key: "vcs.modified", Value: "false"},
		}},
		{"files that differ", "(devel)", "evolve devel-6ac17862c3d1  commit 6ac17862c3d1 of 2026-11-27, modified" + end, []debug.BuildSetting{
			{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "2026-11-27T12:26:59Z"}, {Key: "vcs.modified", Value: "true"},
		}},
		{"no repository", "(devel)", "evolve devel" + end, nil},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := buildOf(info).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
