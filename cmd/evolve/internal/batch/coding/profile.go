package coding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/measure"
	"evolve/runtime/memory"
)

// mostProfile limits a stored profile, in bytes.
const mostProfile = 4000

// profile is the output of a target's profile command, or the reason why it failed.
type profile struct {
	// Base is the [Prospect.ID] of the code that was run, and Command is the command that
	// ran.
	Base    string   `json:"base"`
	Command []string `json:"command"`
	Output  string   `json:"output,omitempty"`
	Problem string   `json:"problem,omitempty"`
	// Limit is the time limit of a command that did not end in time; it is 0 for other
	// commands.
	Limit time.Duration `json:"limit_ns,omitempty"`
}

// Profile returns the profile of the unchanged code; it returns "" if there is none.
func (p *Prospect) Profile() string { return p.profiled.Output }

// Cautions returns warnings about the target, for the plan of a night.
func (p *Prospect) Cautions() []string {
	out := slices.Clone(p.Skipped())
	if p.scale != nil && p.scale.Unsized() != "" {
		out = append(out, p.scale.Unsized())
	}
	if p.profiled.Problem == "" {
		return out
	}
	return append(out, "language models see no profile of the code until the code or the profile command changes: "+p.profiled.Problem)
}

// profile sets the profile of the unchanged code: the stored profile or, if there is none,
// the profile of a run on the search cases. A failure is stored as well, so that a resumed
// run has the plan with which it began. The command does not run if the profile may not be
// stored, or if no language model writes versions.
func (p *Prospect) profile(ctx context.Context, w *workspace.Workspace, kept Kept) error {
	command := p.Target.Scoring.Profile
	if len(command) == 0 || len(w.Settings.Search.Reflect.Routes) == 0 {
		return nil
	}
	file := filepath.Join(kept.Folder, p.Target.Name+".profile.json")
	var known profile
	data, err := os.ReadFile(file)
	if err == nil && json.Unmarshal(data, &known) == nil && known.Base == p.ID() && slices.Equal(known.Command, command) && !kept.Bound.longerThan(known.Limit) {
		p.profiled = known
		return nil
	}
	if kept.ReadOnly {
		return nil
	}
	now := profile{Base: p.ID(), Command: command}
	out, err := p.runProfile(ctx, kept.Bound)
	scrub := kept.Scrub
	if scrub == nil {
		scrub = func(s string) string { return s }
	}
	var code *measure.CodeError
	var problem *Problem
	var slow *measure.SlowError
	if errors.As(err, &slow) {
		err = &Problem{kept.Bound.words(slow, "make it faster")}
		if !slow.Usual {
			now.Limit = slow.Limit
		}
	}
	switch {
	case errors.As(err, &code), errors.As(err, &problem):
		now.Problem = memory.Line(scrub(err.Error()), mostProfile/8)
	case err != nil:
		return fmt.Errorf("profiling %s: %w", p.Target.Name, err)
	default:
		out = strings.TrimSpace(scrub(strings.ToValidUTF8(out, "")))
		if now.Output = memory.Cut(out, mostProfile); now.Output == "" {
			now.Problem = filepath.Base(command[0]) + " printed nothing"
		}
	}
	if err := keep(file, now); err != nil {
		return fmt.Errorf("storing the profile of %s: %w", p.Target.Name, err)
	}
	p.profiled = now
	return nil
}

// runProfile returns what the profile command prints for the search cases. For an agent's
// own code the command gets no case names.
func (p *Prospect) runProfile(ctx context.Context, bound Bound) (out string, err error) {
	program, done, err := p.program(ctx, "profile")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, done()) }()
	if bound.Time > 0 {
		program.Within(bound.Time)
	}
	program.Score, program.Test = p.Target.Scoring.Profile, nil // base passed its tests
	var cases []string
	if p.own == nil {
		for _, task := range p.Suite.Side(bench.Search) {
			cases = append(cases, task.ID)
		}
	}
	v, err := program.Make(ctx, "base", nil)
	if err != nil {
		return "", err
	}
	printed, err := program.Output(ctx, v, cases...)
	return string(printed), err
}
