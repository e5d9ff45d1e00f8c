package provider

import (
	"encoding/json"
	"strconv"
	"strings"

	"evolve/runtime/memory"
)

// complaint is a provider's error message, parsed from any of the usual forms.
type complaint struct {
	message, kind, code, param string
	// stated reports whether the body is JSON that contains an error, whatever the status
	// of the response.
	stated bool
}

// complaintOf parses the body of an error response. If the body is not JSON, its beginning
// is the message.
func complaintOf(body []byte) complaint {
	type form struct {
		Message any `json:"message"`
		Type    any `json:"type"`
		Code    any `json:"code"`
		Param   any `json:"param"`
		Detail  any `json:"detail"`
	}
	var whole struct {
		form
		Error json.RawMessage `json:"error"`
	}
	var inner form
	if json.Unmarshal(body, &whole) != nil {
		return complaint{message: memory.Cut(strings.ToValidUTF8(string(body), "?"), maxQuoted)}
	}
	if json.Unmarshal(whole.Error, &inner) != nil {
		inner = whole.form
		_ = json.Unmarshal(whole.Error, &inner.Message)
	}
	if inner.Message == nil {
		inner.Message = whole.Detail
	}
	stated := len(whole.Error) > 0 && string(whole.Error) != "null"
	return complaint{text(inner.Message), text(inner.Type), text(inner.Code), text(inner.Param), stated}
}

// text returns a JSON value as text for people.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return memory.Cut(v, 10*maxQuoted)
	}
	return memory.Cut(string(encode(v)), 10*maxQuoted)
}

func (c complaint) String() string {
	if c.message == "" {
		return "it gives no reason"
	}
	return c.message
}

// status returns the effective status of a response whose HTTP status is s. If the provider
// behind a gateway fails, the gateway responds with the status 200 and an error whose code
// is the provider's status.
func (c complaint) status(s int) int {
	if code, err := strconv.Atoi(c.code); err == nil && c.stated && s < 300 && code >= 400 && code < 600 {
		return code
	}
	return s
}

// tooLong reports whether the error means that the prompt is too long for the model.
func (c complaint) tooLong() bool {
	if c.code == "context_length_exceeded" || c.kind == "exceed_context_size_error" || c.kind == "request_too_large" {
		return true
	}
	m := strings.ToLower(c.message)
	for _, sign := range []string{"prompt is too long", "maximum context length", "exceed context limit", "exceeds the available context size"} {
		if strings.Contains(m, sign) {
			return true
		}
	}
	return false
}

// spent reports whether the error means that the account has no credit left, in which case
// waiting does not help.
func (c complaint) spent() bool {
	return c.code == "insufficient_quota" || c.kind == "insufficient_quota" || c.kind == "billing_error" ||
		strings.Contains(strings.ToLower(c.message), "credit balance is too low")
}
