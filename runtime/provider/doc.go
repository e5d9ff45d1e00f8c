// Package provider owns the language models behind [evolve/runtime/model.Model]: the
// OpenAI-compatible and Anthropic clients, the rendering of a request into their
// messages, recording and replay of their exchanges, prices, and the router that
// maps a route to a provider and model and puts the policies of runtime/policy
// around every call. It reads no environment: keys are handed in as values and
// never leave in an error, a log or a recording. The only files it touches are recordings.
package provider
