package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// The folders of the stage on which the root is built.
const (
	newRoot = "/new"
	oldRoot = "/old"
	// layers holds what is above and below each layer.
	layers = "/layers"
)

// build replaces the root by one that holds the pieces and nothing else. bounded
// says that the number of processes in it is.
func build(pieces []piece, processes uint64) (bounded bool, err error) {
	// Nothing that happens to mounts here is to be seen outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return false, step(err, "keeping mounts private")
	}
	// The stage covers a folder that every system has; the host's root then moves
	// beside the new one, where everything on it can still be reached.
	const stage = "/proc"
	if err := unix.Mount("tmpfs", stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return false, step(err, "mounting a root")
	}
	for _, dir := range []string{newRoot, oldRoot, layers} {
		if err := unix.Mkdir(stage+dir, 0o755); err != nil {
			return false, step(err, "making a root")
		}
	}
	if err := unix.PivotRoot(stage, stage+oldRoot); err != nil {
		return false, step(err, "leaving the host's root")
	}
	if err := unix.Chdir("/"); err != nil {
		return false, step(err, "leaving the host's root")
	}
	if err := unix.Mount("tmpfs", newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return false, step(err, "mounting the root")
	}
	if bounded, err = processFolder(processes); err != nil {
		return false, err
	}
	// Read-only: a user of number 0 could otherwise write the settings of the host's
	// kernel, which ask for that number and not for capabilities.
	sealed := []string{newRoot, newRoot + "/proc"} // read-only once everything stands
	for _, p := range pieces {
		if err := place(p); err != nil {
			return false, fmt.Errorf("showing %s: %w", p.Path, err)
		}
		if p.Kind == hidden {
			sealed = append(sealed, newRoot+p.Path)
		}
	}
	for _, dir := range sealed {
		if err := attributes(dir, unix.MOUNT_ATTR_RDONLY, 0); err != nil {
			return false, step(err, "sealing %s", dir)
		}
	}
	return bounded, enterRoot()
}

// place puts one piece into the new root.
func place(p piece) error {
	path := newRoot + p.Path
	if p.Kind == link {
		if _, err := os.Lstat(path); err == nil {
			return nil // what it would lead to is there in its own right
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return step(err, "making the way")
	}
	switch p.Kind {
	case link:
		return step(os.Symlink(p.Source, path), "linking")
	case file:
		return step(os.WriteFile(path, []byte(p.Source), 0o444), "writing")
	case private:
		if err := os.MkdirAll(path, 0o755); err != nil {
			return step(err, "making the folder")
		}
		return step(tmpfs(path, "0700", p.Size), "mounting")
	case hidden:
		return step(unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"), "mounting")
	}
	source := oldRoot + p.Source
	info, err := os.Lstat(source)
	if err != nil {
		return step(err, "looking")
	}
	if err := mountPoint(path, info.IsDir()); err != nil {
		return step(err, "making the place")
	}
	if p.Kind == layer {
		return overlay(p, info.Mode().Perm())
	}
	if err := unix.Mount(source, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return step(err, "mounting")
	}
	set := map[kind]uint64{
		readOnly: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
		writable: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
		device:   unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC,
	}[p.Kind]
	return step(attributes(path, set, unix.AT_RECURSIVE), "protecting")
}

// overlay mounts a layer. What is below is reached through a place on the stage,
// whose name has nothing in it that the mount's settings could take for their own.
func overlay(p piece, perm os.FileMode) error {
	stage, err := os.MkdirTemp(layers, "")
	if err != nil {
		return step(err, "making a layer")
	}
	if err := tmpfs(stage, "0700", p.Size); err != nil {
		return step(err, "mounting a layer")
	}
	for _, dir := range []string{"/lower", "/upper", "/work"} {
		if err := os.Mkdir(stage+dir, perm|0o700); err != nil {
			return step(err, "making a layer")
		}
	}
	if err := unix.Mount(oldRoot+p.Source, stage+"/lower", "", unix.MS_BIND, ""); err != nil {
		return step(err, "mounting what is below")
	}
	if err := attributes(stage+"/lower", unix.MOUNT_ATTR_RDONLY, 0); err != nil {
		return step(err, "protecting what is below")
	}
	data := fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work,userxattr", stage)
	return step(unix.Mount("overlay", newRoot+p.Path, "overlay", unix.MS_NOSUID|unix.MS_NODEV, data), "laying one over it")
}

// tmpfs mounts a folder in memory with room for size bytes and for a file in every
// 4 KiB of them, because files without contents take memory too.
func tmpfs(path, mode string, size int64) error {
	data := fmt.Sprintf("mode=%s,size=%d,nr_inodes=%d", mode, size, max(size/4096, 1024))
	return unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, data)
}

func mountPoint(path string, dir bool) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if dir {
		return os.Mkdir(path, 0o755)
	}
	return os.WriteFile(path, nil, 0o444)
}

// attributes adds to those of a mount and, with AT_RECURSIVE, of all below it.
func attributes(path string, set uint64, flags uint) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, flags, &unix.MountAttr{Attr_set: set})
}

// processFolder shows the processes of the namespace alone.
func processFolder(processes uint64) (bounded bool, err error) {
	proc := newRoot + "/proc"
	if err := os.Mkdir(proc, 0o555); err != nil {
		return false, step(err, "making /proc")
	}
	if err := unix.Mount("proc", proc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return false, step(err, "mounting /proc")
	}
	// No namespaces within: they are a way to rights that nobody here needs.
	if err := os.WriteFile(proc+"/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		return false, step(err, "forbidding further namespaces")
	}
	if processes == 0 {
		return true, nil
	}
	// Of this namespace alone from Linux 6.14 on; refused before, where the limit of
	// the user's processes has to do, and the watch.
	err = os.WriteFile(proc+"/sys/kernel/pid_max", []byte(strconv.FormatUint(processes, 10)), 0)
	if err != nil && !errors.Is(err, os.ErrPermission) && !errors.Is(err, unix.EINVAL) {
		return false, step(err, "limiting processes")
	}
	return err == nil, nil
}

// enterRoot makes the new root the only one.
func enterRoot() error {
	if err := unix.Chdir(newRoot); err != nil {
		return step(err, "entering the root")
	}
	// Both names may be the same: the old root then lies over the new one until
	// it is taken away.
	if err := unix.PivotRoot(".", "."); err != nil {
		return step(err, "entering the root")
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return step(err, "taking the host's root away")
	}
	return step(unix.Chdir("/"), "entering the root")
}
