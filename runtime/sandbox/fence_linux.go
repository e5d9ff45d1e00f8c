package sandbox

import (
	"errors"
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// leastLandlock is the oldest version of Landlock that can be used by itself: the first
// that restricts signals and abstract sockets (Linux 6.12).
const leastLandlock = 6

// fence has Landlock enforce what the mounts already enforce: only writable paths can be
// written, mounts cannot be changed, and no signal or abstract socket reaches outside. On
// kernels that lack some of these rules, the rest apply. If alone is set, Landlock is the
// only isolation, and fence fails on kernels whose version of Landlock is older than
// leastLandlock.
func fence(o orders, alone bool) error {
	config := landlock.V11
	rules, err := o.rules(alone)
	if err != nil {
		return err
	}
	if !alone || o.Network {
		config.HandledAccessNet = 0
	}
	if alone {
		if version, err := llsyscall.LandlockGetABIVersion(); err != nil || version < leastLandlock {
			return fmt.Errorf("restricting access with Landlock alone: this kernel has version %d of Landlock, and at least version %d is needed", version, leastLandlock)
		}
	}
	config = config.BestEffort()
	if err := config.Restrict(rules...); err != nil {
		return fmt.Errorf("restricting access with Landlock: %w", err)
	}
	return nil
}

// rules returns the rules that allow access to the pieces.
func (o orders) rules(alone bool) ([]landlock.Rule, error) {
	var rules []landlock.Rule
	open := func(path string, dir, write bool) {
		switch {
		case dir && write:
			rules = append(rules, landlock.RWDirs(path).WithRefer().WithResolveUnix())
		case dir:
			rules = append(rules, landlock.RODirs(path))
		case write:
			rules = append(rules, landlock.RWFiles(path))
		default:
			rules = append(rules, landlock.ROFiles(path))
		}
	}
	if alone {
		open(o.Home, true, true)
		open("/proc", true, false)
	} else {
		open("/", true, false)
	}
	for _, p := range o.Pieces {
		dir := true
		switch p.Kind {
		case device:
			rules = append(rules, landlock.RWFiles(p.Path).WithIoctlDev())
			continue
		case link, file, hidden:
			continue
		case readOnly, writable:
			if !alone && p.Kind == readOnly {
				continue
			}
			info, err := os.Stat(p.Path)
			if err != nil {
				return nil, step(errors.Unwrap(err), "looking at %s", p.Path)
			}
			dir = info.IsDir()
		case private, layer:
			if alone {
				continue
			}
		}
		open(p.Path, dir, p.Kind != readOnly)
	}
	return rules, nil
}

// become turns this process into the program, isolated only by Landlock.
func become(o orders, ready func()) error {
	unix.Umask(0o022)
	for _, restrict := range []func() error{
		func() error { return fence(o, true) },
		forget,
		func() error { return renounce(false) },
		func() error { return step(unix.Chdir(o.Dir), "entering %s", o.Dir) },
		func() error { return bound(0, o.Limits) },
		noDumps,
		func() error { return filterCalls(!o.Network) },
	} {
		if err := restrict(); err != nil {
			return err
		}
	}
	ready()
	return refused(step(unix.Exec(o.Path, o.Argv, o.Env), "starting %s", o.Path))
}
