// Package sandbox owns the walls around foreign programs: agents, command graders
// and the gates of code patches. It writes nothing on disk but, without namespaces, a
// temporary home folder for each program, and decides nothing about who gets walls.
//
// A program in namespaces (user, mount, pid, ipc, uts, and network unless it is
// given the host's) sees a root of its own that holds
//
//   - the system's programs and libraries, a short list of files below /etc, and
//     the installation of the interpreter that its command names, all read-only;
//   - its own folder and what the caller lists, where it is or elsewhere ([Shown]),
//     each read-only or writable, or writable for itself alone ([Layer]);
//   - an empty HOME and /tmp in memory, a few devices, and a /proc, read-only, of
//     its own processes.
//
// Its environment is empty but for what is passed, and of the descriptors and keys of
// this process it has none. It has no capability and can get none, may make no further
// namespaces, has no controlling terminal, and dies with all its descendants, whatever
// sessions they made, when it is killed, ends, or this process ends. Calls of the system
// that reach into other processes, change mounts, or are a frequent source of holes in
// kernels (io_uring, bpf, perf, userfaultfd, keys) are withheld by a filter, on the
// architectures that it knows; so are sockets of kinds that reach around namespaces,
// such as to the host of a virtual machine, set-uid and set-gid programs, which would
// lend the user's rights to others on the host, and core dumps. Landlock, on kernels
// that have it, says once more what may be written and keeps signals and sockets with
// abstract names in. When the machine runs out of memory, what is inside goes first.
// Links that a foreign program puts on the way to what is shown, between the planning
// and the building of a root, are not followed: the start fails.
//
// The rights for all this come from this program's starting itself again as the
// first process of the namespaces ([Init]); the program proper is that one's child. It
// also watches the memory and processor time of all of them ([Limits]), because only
// it sees them all. Where namespaces are refused, bubblewrap makes them and builds the
// same root, without layers, without the preference when memory runs out, and following
// links on the way to what is shown; this program is the first process there as well.
//
// Where neither is to be had there is Landlock alone (from Linux 6.12), in a process
// group with a home folder on disk. It stops reading and writing outside of what is
// shown, signals and tracing, and without the network every socket, its own loopback
// included. It does not stop a program from learning names, sizes and times of files
// and the command lines of other processes, from changing modes, times and attributes of
// the user's files wherever they are, from outliving its end in a session of its
// own with a cleared environment, or its children from outliving a sudden end of this
// process, from connecting to sockets in the file system when it
// has the network, or from taking more memory, processes or disk than the limits of one
// process. It shows nothing elsewhere and hides nothing within what it shows: a [Spec]
// that asks for that is refused.
//
// Where that is not to be had either there is a process group and an empty environment,
// and [Walls.Name] says so.
//
// What no walls here stop: a program with the host's network reaches whatever listens
// there, the metadata of a cloud included; sockets inside a folder that is shown can be
// connected to before Linux 7; what it writes to a writable folder of the host is
// bounded by [Limits.FileSize] for each file alone; memory that several processes
// shared and none maps any more, and that of pipes and sockets, is not watched; nor is
// the processor time of processes that live for less than a look of the watch and whose
// parent has the kernel forget them; the interpreter that the first line of a program
// names is shown with its installation, whoever wrote that line; the kernel itself is as
// strong as it is.
package sandbox
