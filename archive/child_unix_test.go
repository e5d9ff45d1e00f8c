//go:build unix

package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// childRole is the environment variable that makes the test binary act as another
// process. Its value is the role; the arguments are the archive's folder, followed by the
// role's own arguments.
const childRole = "EVOLVE_ARCHIVE_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		if err := playChild(role, os.Args[1:]); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func playChild(role string, args []string) error {
	ctx := context.Background()
	if role == "limited" { // limited to files of 1 MB
		limit := unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
	}
	if role == "gc" {
		_, err := GC(ctx, args[0], Retention{Nights: 2}, GCOptions{Options: Options{Now: func() time.Time { return day }}, reached: func(point string) {
			if point == args[1] {
				fmt.Println("ready")
				select {}
			}
		}})
		return err
	}
	if role == "import" {
		return playImport(ctx, args[0], args[1], args[2])
	}
	if role == "repair" { // repair the archive, and kill itself at a point
		_, err := RepairArchive(ctx, args[0], Building{reached: func(point string) {
			if point == args[1] {
				_ = unix.Kill(os.Getpid(), unix.SIGKILL)
				select {}
			}
		}})
		return err
	}
	if role == "page gone" { // print whether reading and closing return a disk error
		r, err := OpenRead(args[0])
		if err != nil {
			return err
		}
		if err := os.Truncate(args[1], 0); err != nil {
			return err
		}
		read := r.store.dump(ctx, func(_, _ []byte) error { return nil })
		fmt.Println(errors.Is(read, ErrDisk), errors.Is(r.Close(), ErrDisk))
		return nil
	}
	if role == "few files" { // open the archive and print the result: "opens" or "too few"
		most, err := strconv.ParseUint(args[2], 10, 64)
		if err != nil {
			return err
		}
		limit := unix.Rlimit{Cur: most, Max: most}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			return err
		}
		var a *Archive
		if args[1] == "read" {
			a, err = OpenRead(args[0])
		} else {
			a, err = Open(args[0], Options{})
		}
		if err == nil {
			fmt.Println("opens")
			return a.Close()
		}
		if !errors.Is(err, ErrResources) || errors.Is(err, ErrCorrupt) {
			return err
		}
		fmt.Println("too few")
		return nil
	}
	a, err := Open(args[0], Options{Owner: "evolve run 7"})
	if err != nil {
		return err
	}
	switch role {
	case "hold": // hold the archive until standard input ends
		fmt.Println("ready")
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		return a.Close()
	case "leave": // write some of everything, then be killed
		if err := secondNight(ctx, a); err != nil {
			return err
		}
		fmt.Println("ready")
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		return nil
	case "removed": // remove its own folder, in one of several ways, and print the results
		if err := removals[args[1]](args[0]); err != nil {
			return err
		}
		wrote := a.PutRun(ctx, Run{ID: "1-a", Number: 1})
		closed := a.Close()
		fmt.Println(errors.Is(wrote, ErrRemoved) && errors.Is(wrote, ErrDisk), errors.Is(closed, ErrRemoved))
		return nil
	case "record": // record evaluations and print each acknowledged number, until killed
		from, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return err
		}
		out := make(chan string, 1<<16)
		go func() {
			for seq := from; ; seq++ {
				e := evaluation("1-a", seq)
				e.Transcript = transcript(fmt.Sprint("step ", seq))
				err := a.Record(ctx, e, func(err error) { out <- fmt.Sprintln("evaluation", seq, err == nil) })
				if err != nil {
					panic(err)
				}
				if seq%50 == 0 {
					entry, err := a.Append(ctx, LedgerEntry{Kind: "test", Subject: fmt.Sprint(seq), Time: day})
					if err != nil {
						panic(err)
					}
					out <- fmt.Sprintln("ledger", entry.Seq, true)
				}
			}
		}()
		for line := range out {
			if _, err := os.Stdout.WriteString(line); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("unknown role %q", role)
}

// playImport imports an export, prints "ready" at the given point, and waits to be killed.
func playImport(ctx context.Context, dir, export, point string) error {
	data, err := os.ReadFile(export)
	if err != nil {
		return err
	}
	reached := func(at string) {
		if at == point {
			fmt.Println("ready")
			select {}
		}
	}
	half := bytes.NewReader(data[:len(data)/2])
	rest := bytes.NewReader(data[len(data)/2:])
	between := readerFunc(func([]byte) (int, error) {
		reached("half")
		return 0, io.EOF
	})
	how := Building{Owner: "evolve archive import", reached: reached}
	if point == "beside" {
		how.Aside = dir + ".old"
	}
	return ImportAt(ctx, dir, io.MultiReader(half, between, rest), how)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// removals are ways in which an archive's folder disappears.
var removals = map[string]func(dir string) error{
	"removed": os.RemoveAll,
	"replaced": func(dir string) error {
		return errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, storeName), 0o700))
	},
	"moved": func(dir string) error { return os.Rename(dir, dir+"-moved") },
}

func child(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childRole+"="+role)
	return cmd
}

// readyChild starts a child and waits until it has printed "ready". The child continues
// when its standard input is closed.
func readyChild(t *testing.T, role string, args ...string) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd := child(t, role, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	return cmd, in
}
