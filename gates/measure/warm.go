package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Warm fills the build cache, because what Test and Score compile for a version is not
// added to the cache. If the commands Test and Score are `go test` or `go run`, Warm
// compiles the packages of the base that they need. It runs only the toolchain, never a
// compiled program. A failing command is not reported as an error: it will fail again
// when its result matters.
func (p *Program) Warm(ctx context.Context) error {
	for _, argv := range [][]string{p.Test, p.Score} {
		if len(argv) < 2 || argv[0] != "go" || argv[1] != "test" && argv[1] != "run" || !p.hasGo() {
			continue
		}
		if err := p.warmBy(ctx, slices.Insert(slices.Clone(argv), 2, "-exec=true")); err != nil {
			return err
		}
	}
	return nil
}

func (p *Program) warmBy(ctx context.Context, argv []string) (err error) {
	if err := errors.Join(p.Ready(), os.MkdirAll(p.Cache, 0o700)); err != nil {
		return err
	}
	base := &Version{tree: filepath.Join(p.Folder, "versions", "warm")}
	if err := errors.Join(base.Remove(), os.CopyFS(base.tree, os.DirFS(p.Tree))); err != nil {
		return fmt.Errorf("writing the base: %w", err)
	}
	defer func() { err = errors.Join(err, base.Remove()) }()
	s := p.building(base)
	p.keepCache(&s)
	timed, cancel := context.WithTimeoutCause(ctx, compileTime, errSlow)
	defer cancel()
	_, err = p.command(timed, s, argv)
	if err = blamed(timed, err, argv, compileTime, compileTime); errors.As(err, new(*CodeError)) {
		return nil
	}
	return err
}
