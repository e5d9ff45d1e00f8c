// Package sandbox owns the walls around foreign programs: agents, command graders
// and, later, gates. It writes nothing on disk but, without walls, a temporary home
// folder for each program, and decides nothing about who gets walls.
//
// A program in namespaces (user, mount, pid, ipc, uts, and network unless it is
// given the host's) sees a root of its own that holds
//
//   - the system's programs and libraries, a short list of files below /etc, and
//     the installation of the interpreter that its command names, all read-only;
//   - its own folder and what the caller lists, each read-only or writable;
//   - an empty HOME and /tmp in memory, a few devices, and a /proc, read-only, of
//     its own processes.
//
// Its environment is empty but for what is passed. It has no capability and can get
// none, may make no further namespaces, and dies with all its descendants, whatever
// sessions they made, when it is killed, ends, or this process ends.
//
// The rights for all this come from this program's starting itself again as the
// first process of the namespaces ([Init]); the program proper is that one's child.
// Where namespaces are refused, bubblewrap builds the same root. Where neither is to
// be had there is a process group and an empty environment, and [Walls.Name] says so.
//
// What the walls do not stop: a program with the host's network reaches whatever
// listens there, sockets with abstract names included; memory and processor time are
// shared with the host but for the limits of a [Spec].
package sandbox
