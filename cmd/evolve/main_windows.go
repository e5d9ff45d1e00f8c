package main

// This file deliberately does not compile, so that a build for Windows fails with the
// sentence below instead of errors deep in packages that need a Unix system.
const _ int = "evolve runs on Linux and macOS: on Windows, build and run it inside WSL 2"

func main() {}
