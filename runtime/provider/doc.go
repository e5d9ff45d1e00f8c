// Package provider implements the language models behind [evolve/runtime/model.Model]:
// the OpenAI-compatible and Anthropic clients, the rendering of a request into their
// messages, recording and replay of their exchanges, prices, and the router that maps a
// route to a provider and model and puts the policies of runtime/policy around every
// call. It reads no environment: keys are passed in as values and never appear in an
// error, a log or a recording. The only files it uses are recordings.
//
// # Prompts and replies
//
// [Render] makes the conversation, which begins with those rules of rules.md that apply to
// it. Foreign text is written
// as lines of JSON that begin with "data: ", and no such text can end its line. A model
// answers
//
//   - by calls of tools, one or several at once;
//   - by a call of refer, a tool that the runtime itself offers beside others (unless the
//     operator has one of that name), with boundary_axes, observed_task_shape, evidence and, optionally,
//     suggested_split: the reply's Referral. Beside other calls it is ignored;
//   - by text: the answer. "unknown" alone means Unsure. A last line
//     "confidence: 0.8" is removed and becomes the Confidence; the default is .5.
//
// The runtime names calls call00000 and so on; the ids from providers are not used.
// Arguments are passed on as they were written, JSON or not.
//
// # Differences between providers
//
// Anthropic takes no seed. A parameter that a model refuses (temperature, seed,
// max_tokens) is left out or replaced at once and from then on; the reply's notes name
// the sampling parameters that were dropped. If a provider reports no usage, it is
// estimated as a token for four bytes.
//
// # Errors
//
// Each failed exchange is a [*Fault] with its [Trouble]. For the policies it is a
// failure that may be retried, with the provider's Retry-After, where another attempt
// can help; for the turn it is a *model.Error.
package provider
