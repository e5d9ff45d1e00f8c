// Package sandbox isolates foreign programs: agents, command graders and the gates of code
// patches. Without namespaces it creates a temporary home folder for each program;
// otherwise it writes nothing to disk. It does not decide which programs are isolated.
//
// A program in namespaces (user, mount, pid, ipc, uts, and network unless it is given the
// host's) sees its own root, which holds
//
//   - the system's programs and libraries, a short list of files below /etc, and
//     the installation of the interpreter that its command names, all read-only;
//   - its own folder and the paths that the caller lists, at their original location or
//     at another ([Shown]), each read-only, writable, or writable in a private layer
//     ([Layer]);
//   - an empty HOME and /tmp in memory, a few devices, and a read-only /proc that shows
//     only its own processes.
//
// Its environment holds only the variables that the caller passes. It gets none of this
// process's descriptors and keys. It has no capabilities and cannot get any, cannot create
// further namespaces, and has no controlling terminal. It dies with all its descendants,
// whatever their sessions, when it is killed, when it ends, or when this process ends. On
// the architectures that have a filter below, a seccomp filter withholds system calls that
// reach into other processes, change mounts, or are a frequent source of kernel
// vulnerabilities (io_uring, bpf, perf, userfaultfd, keys). It also withholds sockets of
// kinds that bypass namespaces, such as sockets to the host of a virtual machine; set-uid
// and set-gid programs, which would lend the user's rights to others on the host; and core
// dumps. Landlock, on kernels that have it, enforces the writable paths a second time and
// keeps signals and abstract sockets inside. If the machine runs out of memory, the kernel
// kills the processes inside first. Symbolic links that a foreign program puts on the way
// to a shown path after the root was planned and before it is built are not followed: the
// start fails.
//
// To get the rights for this, the program starts itself again as the first process of the
// namespaces ([Init]); the sandboxed program is a child of that process. The first process
// also watches the memory use and the number of all the other processes ([Limits]), because
// only it sees them all. If namespaces are refused, bubblewrap creates them and builds the
// same root, with three differences: there are no layers, processes inside are not killed
// first when memory runs out, and links on the way to shown paths are followed. There too,
// this program is the first process.
//
// If neither is available, only Landlock is used (from Linux 6.12), in a process group with
// a home folder on disk. It stops reading and writing outside the shown paths, signals and
// tracing and, unless the program has the network, every socket, including loopback. It
// does not stop a program from
//
//   - learning names, sizes and times of files and the command lines of other processes;
//   - changing modes, times and attributes of the user's files anywhere;
//   - leaving behind processes after its own end, in a separate session with a cleared
//     environment, or children after a sudden end of this process;
//   - connecting to sockets in the file system if it has the network;
//   - taking more memory, processes or disk space than the limits of one process.
//
// It can neither show a path at another location nor hide a folder inside a shown one: a
// [Spec] that asks for either is refused.
//
// If Landlock is not available either, only a process group and an empty environment
// remain, and [Sandbox.Name] reports that.
//
// No kind of isolation stops the following. A program with the host's network reaches
// everything that listens there, including a cloud's metadata service. Before Linux 7 it
// can connect to sockets inside a shown folder. What it writes to a writable folder of the
// host is limited only per file, by [Limits.FileSize]. Shared memory that no process maps
// any more and the memory of pipes and sockets are not counted. The interpreter that the
// first line of a program names is shown with its installation, wherever that line comes
// from. The kernel itself may have vulnerabilities.
package sandbox
