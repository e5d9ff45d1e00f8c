// Package clitest runs the commands of evolve as a person would: with testscript scripts,
// one file for each behaviour, in the packages of the scripts folder next to this package.
// There are several packages, so that each ends well within the ten minutes that go test
// allows the tests of one package. A script begins with copies of the workspaces tiny and
// routed from package fixture. In addition to the verbs of testscript there are:
//
//	exit CODE PROGRAM ARG…   runs the program, and fails on another exit code
//	json FILE PATH [REGEXP]  fails unless the JSON file has a value at PATH that matches; a PATH is like a.b[0].c
//	jsonlen FILE PATH N      fails unless the value at PATH is a list of N entries
//	sub FILE OLD NEW         replaces the text OLD, which the file must contain, with NEW
//	cpdir FROM TO            copies a folder
//	terminal CODE INPUT PROGRAM ARG…   runs the program on a terminal, types the content of the file INPUT, and fails on another exit code
//	level DIR AGENT N        raises the agent's level of autonomy in a workspace, as approved requests do
//	seedturns DIR AGENT N    stores N successful turns of the agent in a workspace
//	hold DIR                 starts a run in a workspace and waits until the run has locked the archive
//	letgo [SIGTERM]          interrupts the run that hold started, by Ctrl-C or the given signal, and waits for it to end
//	killheld                 kills the run that hold started
//	ask DIR FILE             stores an agent's change request in a workspace; FILE is its JSON, in which "NOW" stands for the time
//	fakemodel NAME KIND KEY  starts a model provider, sets $NAME to its address, and logs its requests to $WORK/NAME
//	fakemodel stop NAME      stops the provider, so that its address refuses connections
//	asked NAME N [MOST]      fails unless the provider has received N requests so far, all of them valid; with MOST, also unless the largest number of simultaneous requests was MOST
//	gitserver NAME DIR PASSWORD  serves the git repositories in a folder over http, and sets $NAME to the address
//	metric FILE NAME{LABEL=VALUE} REGEXP  fails unless one value of that Prometheus metric matches; with ! and no REGEXP, unless there is none
//	collector NAME           starts a trace collector, and sets $NAME to its address
//	spans NAME FILE          writes what the collector received since the last call: to FILE the spans, each after the names of its ancestors, and to FILE.raw all the data
//	hubserver NAME           starts a NATS server with JetStream, and sets $NAME to its address
//	explains PAGE CODE [FILE]  fails unless the page's section "## Exit code CODE" has the error in FILE, or in the last standard error; … on the page stands for any text
//	explains PAGE all        fails unless every error on the page was checked in this way
//	fakeagent NAME AUTH      starts an agent that is an HTTP service, and sets $NAME to its address
//	hasty CODE OUT ARG…      runs evolve in the test's process, without delays between retries; writes OUT and OUT.err
//	later DAYS CODE OUT ARG… does the same with a clock that is DAYS days ahead
//	nowhere SECRET PATH…     fails if one of the files contains the secret, plain or encoded
//	listing DIR FILE         writes the names, modes and hashes of the files in a folder to FILE, without .evolve and .git
//	sshkey FILE [PASSPHRASE] writes a private key to FILE and the public key to FILE.pub
//	without PROGRAM          removes from PATH the folders that contain the program
//	unheld FILE PATH…        fails if one of the files contains data from the held-out cases of the version of code that FILE shows
//	gone WORD                fails if the command line of a process contains the word
//	forge ARCHIVE OLD NEW [TABLES]  replaces a text in the records of an archive, and adapts its ledger and witness
//	reseal EXPORT            adapts the chain and the checksum of an altered export
//
// Only tests import this package and the packages below it.
package clitest
