// Package provider owns the language models behind [evolve/runtime/model.Model]: the
// OpenAI-compatible and Anthropic clients, the rendering of a request into their
// messages, recording and replay of their exchanges, prices, and the router that
// maps a route to a provider and model and puts the policies of runtime/policy
// around every call. It reads no environment: keys are handed in as values and
// never leave in an error, a log or a recording. The only files it touches are recordings.
//
// # What a language model is told and how it answers
//
// [Render] makes the conversation; rules.md are its first words. Text of others stands
// in lines of JSON that begin with "data: ", which no such text can end. A model answers
//
//   - by calls of tools, several at once if it likes;
//   - by the call of refer, a tool that the runtime itself offers (unless the operator has
//     one of that name), with boundary_axes, observed_task_shape, evidence and, if it
//     likes, suggested_split: the reply's Referral. Beside other calls it does not count;
//   - by text: the answer. "unknown" as the whole of it is Unsure. A last line
//     "confidence: 0.8" is taken off and is the Confidence; without it that is .5.
//
// Calls are named by the runtime, call00000 and so on: the ids that providers give are
// not used. Arguments are passed on as they were written, JSON or not.
//
// # What differs between providers
//
// Anthropic takes no seed. A parameter that a model refuses (temperature, seed,
// max_tokens) is left out or replaced at once and from then on; the reply's notes say
// which sampling was lost. A provider that reports no usage has it estimated, a token
// for four bytes.
//
// # Errors
//
// Each failed exchange is a [*Fault] with its [Trouble]. To the policies it is a
// failure that may be retried, with the provider's Retry-After, where another attempt
// can help; to the turn it is a *model.Error.
package provider
