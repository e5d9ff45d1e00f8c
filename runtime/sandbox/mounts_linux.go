package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Links in the paths of pieces were resolved when the pieces were listed. Since then, a
// foreign program that can write to a folder on the way may have put a link there, so
// that a different file would be shown, or the file would be shown in a different place.
// So no link is followed here.

// reach opens a path below a folder without following links, only as a reference (O_PATH).
func reach(at int, path string) (int, error) {
	return unix.Openat2(at, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
}

// isFolder reports whether a descriptor refers to a folder.
func isFolder(fd int) (bool, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return st.Mode&unix.S_IFMT == unix.S_IFDIR, err
}

// way opens the parent folder of a path in the new root and creates missing folders.
func way(path string) (int, error) {
	at, err := reach(unix.AT_FDCWD, newRoot)
	if err != nil {
		return -1, err
	}
	for name := range strings.SplitSeq(strings.Trim(filepath.Dir(path), "/"), "/") {
		if name == "" {
			continue
		}
		next, err := reach(at, name)
		if errors.Is(err, unix.ENOENT) {
			if err = unix.Mkdirat(at, name, 0o755); err == nil {
				next, err = reach(at, name)
			}
		}
		_ = unix.Close(at)
		if err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}

// spot opens a path in the new root as a mount point, and creates a folder or a file there
// if nothing exists.
func spot(path string, folder bool) (int, error) {
	at, err := way(path)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(at) }()
	name := filepath.Base(path)
	fd, err := reach(at, name)
	if !errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	if folder {
		err = unix.Mkdirat(at, name, 0o755)
	} else {
		err = unix.Mknodat(at, name, unix.S_IFREG|0o444, 0)
	}
	if err != nil {
		return -1, err
	}
	return reach(at, name)
}

// fill creates a file with the given text in the new root.
func fill(path, text string) error {
	at, err := way(path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	fd, err := unix.Openat(at, filepath.Base(path), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o444)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte(text))
	return errors.Join(err, unix.Close(fd))
}

// lead creates a symbolic link in the new root, unless the path already exists or the way
// to its folder leads through another link.
func lead(path, target string) error {
	at, err := way(path)
	if errors.Is(err, unix.ELOOP) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	err = unix.Symlinkat(target, at, filepath.Base(path))
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return err
}

// show clones the file tree to which source refers, and mounts the clone at place with
// the attributes in set. The clone includes the mounts below source only if all is true.
func show(source, place int, set uint64, all bool) error {
	below := uint(unix.AT_EMPTY_PATH)
	if all {
		below |= unix.AT_RECURSIVE
	}
	tree, err := unix.OpenTree(source, "", below|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return step(err, "cloning the mount")
	}
	defer func() { _ = unix.Close(tree) }()
	if err := unix.MountSetattr(tree, "", below, &unix.MountAttr{Attr_set: set}); err != nil {
		return step(err, "setting the attributes of the mount")
	}
	return step(unix.MoveMount(tree, "", place, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH), "mounting")
}

// through returns a path through which older system calls can access an open descriptor.
func through(fd int) string { return fmt.Sprintf("%s/proc/self/fd/%d", newRoot, fd) }
