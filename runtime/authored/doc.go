// Package authored owns tools that an agent wrote in Starlark: their form, their
// check with tests, and running them in this program started again under memory and
// time limits, without files, network or environment. Nothing here makes a tool
// active: that is a proposal and a person. It writes nothing.
package authored
