// Package provider implements the language models behind [evolve/runtime/model.Model]: the
// OpenAI-compatible and Anthropic clients, the rendering of a request into their messages,
// the recording and replay of their exchanges, prices, and the router that maps a route to
// a provider and model and applies the policies of runtime/policy to every call. It reads
// no environment variables: API keys are passed in as values and never appear in an error,
// a log or a recording. The only files that it uses are recordings.
//
// # Prompts and replies
//
// [Render] builds the conversation, which begins with the rules from rules.md that apply to
// it. Untrusted text is written as lines of JSON that begin with "data: ", and no such text
// can end its line. A model answers
//
//   - by tool calls, one or several at once;
//   - by a call to refer, a tool that the runtime itself offers in addition to others (unless the
//     operator has a tool with that name), with boundary_axes, observed_task_shape, evidence
//     and, optionally, suggested_split: the reply's Referral. If the reply also has other
//     calls, a call to refer is ignored;
//   - by text: the answer. An answer that consists only of "unknown" means Unsure. A last line
//     "confidence: 0.8" is removed and becomes the Confidence; the default is .5.
//
// The runtime names calls call00000 and so on; the ids from providers are not used.
// Arguments are passed on as they were written, whether or not they are JSON.
//
// # Differences between providers
//
// Anthropic accepts no seed. A parameter that a model refuses (temperature, seed,
// max_tokens) is left out or replaced, at once and in later requests; the reply's notes
// name the sampling parameters that were dropped. If a provider reports no usage, the usage
// is estimated as one token per four bytes.
//
// # Errors
//
// Each failed exchange is a [*Fault] with its [Trouble]. For the policies, it is a failure
// that may be retried, with the provider's Retry-After, if another attempt can help; for
// the turn, it is a *model.Error.
package provider
