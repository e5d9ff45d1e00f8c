package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// The folders in which the root is built.
const (
	newRoot = "/new"
	oldRoot = "/old"
	// layers holds the lower and upper folders of each layer.
	layers = "/layers"
)

// build replaces the root with one that contains only the pieces. bounded reports whether
// the kernel limits the number of processes in it.
func build(pieces []piece, processes uint64) (bounded bool, err error) {
	// Mounts made here must not propagate outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return false, step(err, "making mounts private")
	}
	// The stage is mounted on a folder that exists on every system. pivot_root then moves
	// the host's root beside the new one, where all its files can still be accessed.
	const stage = "/proc"
	if err := unix.Mount("tmpfs", stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return false, step(err, "mounting a root")
	}
	for _, dir := range []string{newRoot, oldRoot, layers} {
		if err := unix.Mkdir(stage+dir, 0o755); err != nil {
			return false, step(err, "creating a root")
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
	// /proc is made read-only because user 0 could otherwise write the host's kernel
	// settings there, which require that user but no capabilities.
	sealed := []string{newRoot, newRoot + "/proc"} // made read-only after all pieces are placed
	for _, p := range pieces {
		if err := place(p); err != nil {
			return false, fmt.Errorf("showing %s: %w", p.Path, err)
		}
		if p.Kind == hidden {
			sealed = append(sealed, newRoot+p.Path)
		}
	}
	for _, dir := range sealed {
		if err := seal(dir); err != nil {
			return false, step(err, "making %s read-only", dir)
		}
	}
	return bounded, enterRoot()
}

// place adds one piece to the new root.
func place(p piece) error {
	switch p.Kind {
	case link:
		return step(lead(p.Path, p.Source), "creating the link")
	case file:
		return step(fill(p.Path, p.Source), "writing the file")
	case private, hidden:
		at, err := spot(p.Path, true)
		if err != nil {
			return step(err, "creating the folder")
		}
		defer func() { _ = unix.Close(at) }()
		if p.Kind == private {
			return step(tmpfs(through(at), p.Size), "mounting")
		}
		return step(unix.Mount("tmpfs", through(at), "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"), "mounting")
	}
	source, err := reach(unix.AT_FDCWD, oldRoot+p.Source)
	if err != nil {
		return step(err, "reading the file status")
	}
	defer func() { _ = unix.Close(source) }()
	folder, err := isFolder(source)
	if err != nil {
		return step(err, "reading the file status")
	}
	at, err := spot(p.Path, folder)
	if err != nil {
		return step(err, "creating the mount point")
	}
	defer func() { _ = unix.Close(at) }()
	if p.Kind == layer {
		return overlay(p, source, at)
	}
	set := map[kind]uint64{
		readOnly: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
		writable: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV,
		device:   unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC,
	}[p.Kind]
	return show(source, at, set, true)
}

// overlay mounts a layer. The lower folder is bind-mounted at a path on the stage that
// contains no characters with a meaning in mount options.
func overlay(p piece, lower, at int) error {
	var st unix.Stat_t
	if err := unix.Fstat(lower, &st); err != nil {
		return step(err, "reading the file status")
	}
	stage, err := os.MkdirTemp(layers, "")
	if err != nil {
		return step(err, "creating a layer")
	}
	if err := tmpfs(stage, p.Size); err != nil {
		return step(err, "mounting a layer")
	}
	for _, dir := range []string{"/lower", "/upper", "/work"} {
		if err := os.Mkdir(stage+dir, os.FileMode(st.Mode&0o777)|0o700); err != nil {
			return step(err, "creating a layer")
		}
	}
	below, err := reach(unix.AT_FDCWD, stage+"/lower")
	if err != nil {
		return step(err, "creating a layer")
	}
	defer func() { _ = unix.Close(below) }()
	if err := show(lower, below, unix.MOUNT_ATTR_RDONLY, false); err != nil {
		return err
	}
	data := fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work,userxattr", stage)
	return step(unix.Mount("overlay", through(at), "overlay", unix.MS_NOSUID|unix.MS_NODEV, data), "mounting the overlay")
}

// tmpfs mounts a folder in memory with room for size bytes. It limits the number of inodes
// to one for every 4 KiB, but at least 1,024, because empty files use memory too.
func tmpfs(path string, size int64) error {
	data := fmt.Sprintf("mode=0700,size=%d,nr_inodes=%d", size, max(size/4096, 1024))
	return unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, data)
}

// seal makes a mount read-only.
func seal(path string) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// processFolder mounts a /proc that shows only the processes of the namespace, forbids
// nested namespaces, and limits the number of processes. It returns false if the kernel
// does not enforce this limit.
func processFolder(processes uint64) (bounded bool, err error) {
	proc := newRoot + "/proc"
	if err := os.Mkdir(proc, 0o555); err != nil {
		return false, step(err, "making /proc")
	}
	if err := unix.Mount("proc", proc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return false, step(err, "mounting /proc")
	}
	// Forbid nested namespaces, because they are a way to get rights that no program here
	// needs.
	if err := os.WriteFile(proc+"/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		return false, step(err, "forbidding further namespaces")
	}
	if processes == 0 {
		return true, nil
	}
	// pid_max belongs to the namespace only from Linux 6.14 on. Before that it applies to
	// the whole machine, and user 0 could change it; then the limit on the user's processes
	// and the watch must suffice.
	if !since(6, 14) {
		return false, nil
	}
	err = os.WriteFile(proc+"/sys/kernel/pid_max", []byte(strconv.FormatUint(processes, 10)), 0)
	if err != nil && !errors.Is(err, os.ErrPermission) && !errors.Is(err, unix.EINVAL) {
		return false, step(err, "limiting processes")
	}
	return err == nil, nil
}

// since reports whether the kernel has at least the given version.
func since(major, minor int) bool {
	var u unix.Utsname
	var x, y int
	if err := unix.Uname(&u); err != nil {
		return false
	}
	if n, _ := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &x, &y); n < 2 {
		return false
	}
	return x > major || x == major && y >= minor
}

// enterRoot makes the new root the root of this process and unmounts the old one.
func enterRoot() error {
	if err := unix.Chdir(newRoot); err != nil {
		return step(err, "entering the root")
	}
	// Both arguments may be the same folder: the old root is then mounted over the new
	// one until it is unmounted.
	if err := unix.PivotRoot(".", "."); err != nil {
		return step(err, "entering the root")
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return step(err, "unmounting the host's root")
	}
	return step(unix.Chdir("/"), "entering the root")
}
