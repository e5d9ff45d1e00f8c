// Package mcp brings the tools of Model Context Protocol servers, over stdio and
// streamable HTTP, into the registry: foreign programs whose names, schemas and
// outputs are data, supervised, restarted a bounded number of times, and under
// stricter policies than local tools. It writes nothing.
package mcp
