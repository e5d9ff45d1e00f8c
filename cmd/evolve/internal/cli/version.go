package cli

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// build holds what a binary records about its own source and compiler.
type build struct {
	Version string `json:"version"`
	// Commit is the full commit hash, and Date is the commit's date in RFC 3339. Both are
	// empty if the source was not in a git repository.
	Commit string `json:"commit,omitempty"`
	Date   string `json:"date,omitempty"`
	// Modified reports whether any files differed from the commit.
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ownBuild returns the build information of this binary.
func ownBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{Main: debug.Module{Version: "unknown"}}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) build {
	b := build{Version: info.Main.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	switch {
	case b.Version != "" && b.Version != "(devel)":
	case b.Commit != "":
		b.Version = "devel-" + b.short()
	default:
		b.Version = "devel"
	}
	return b
}

// short returns the abbreviated hash of the commit.
func (b build) short() string { return b.Commit[:min(12, len(b.Commit))] }

// day returns the date of the commit, without the time of day.
func (b build) day() string {
	day, _, _ := strings.Cut(b.Date, "T")
	return day
}

// String returns all known build information on one line.
func (b build) String() string {
	line := "evolve " + b.Version
	if b.Commit != "" {
		line += "  commit " + b.short() + " of " + b.day()
	}
	if b.Modified {
		line += ", modified"
	}
	return line + "  " + b.Go + "  " + b.Platform
}

func printVersion(con *console) error {
	b := ownBuild()
	return con.result(b, "%s\n", b)
}
