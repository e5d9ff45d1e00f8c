// Package sandbox isolates foreign programs: agents, command graders and the gates of
// code patches. Without namespaces it makes a temporary home folder for each program;
// otherwise it writes nothing to disk. It does not decide which programs are isolated.
//
// A program in namespaces (user, mount, pid, ipc, uts, and network unless it is given
// the host's) sees a root of its own that holds
//
//   - the system's programs and libraries, a short list of files below /etc, and
//     the installation of the interpreter that its command names, all read-only;
//   - its own folder and the paths that the caller lists, at their own place or at
//     another ([Shown]), each read-only, writable, or writable in a private layer
//     ([Layer]);
//   - an empty HOME and /tmp in memory, a few devices, and a read-only /proc that shows
//     only its own processes.
//
// Its environment holds only what is passed. It gets none of this process's descriptors
// and keys. It has no capability and can get none, can make no further namespaces, and
// has no controlling terminal. It dies with all its descendants, in whatever sessions,
// when it is killed, ends, or this process ends. On the architectures that have a
// filter below, a seccomp filter withholds system calls that reach into other
// processes, change mounts, or are a frequent source of kernel vulnerabilities
// (io_uring, bpf, perf, userfaultfd, keys). It also withholds sockets of kinds that
// bypass namespaces, such as to the host of a virtual machine; set-uid and set-gid
// programs, which would lend the user's rights to others on the host; and core dumps.
// Landlock, on kernels that have it, enforces the writable paths a second time and
// keeps signals and abstract sockets inside. When the machine runs out of memory, the
// kernel kills the processes inside first. Symbolic links that a foreign program puts
// on the way to a shown path, after the root was planned and before it is built, are
// not followed: the start fails.
//
// To get the rights for this, the program starts itself again as the first process of
// the namespaces ([Init]); the sandboxed program is a child of that process. The first
// process also watches the memory and the number of all the others ([Limits]),
// because only it sees them all. Where namespaces are refused, bubblewrap makes them
// and builds the same root, but without layers, without the preference when memory runs
// out, and following links on the way to shown paths; there too, this program is the
// first process.
//
// Where neither is available, Landlock alone is used (from Linux 6.12), in a process
// group with a home folder on disk. It stops reading and writing outside the shown
// paths, signals and tracing, and without the network every socket, loopback included.
// It does not stop a program from
//
//   - learning names, sizes and times of files and the command lines of other processes;
//   - changing modes, times and attributes of the user's files anywhere;
//   - leaving processes behind after its own end, in a session of their own with a cleared
//     environment, or children after a sudden end of this process;
//   - connecting to sockets in the file system when it has the network;
//   - taking more memory, processes or disk than the limits of one process.
//
// It can neither show a path at another place nor hide a folder inside a shown one: a
// [Spec] that asks for that is refused.
//
// Where Landlock is not available either, only a process group and an empty environment
// remain, and [Sandbox.Name] reports that.
//
// No kind of isolation stops the following. A program with the host's network reaches
// everything that listens there, a cloud's metadata service included. Before Linux 7 it
// can connect to sockets inside a shown folder. What it writes to a writable folder of
// the host is bounded only per file, by [Limits.FileSize]. Not counted are shared
// memory that no process maps any more and the memory of pipes and sockets. The
// interpreter that the first line of a program names is shown with its installation,
// whatever the origin of that line. The kernel itself may have vulnerabilities.
package sandbox
