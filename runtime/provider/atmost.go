package provider

import "evolve/runtime/model"

// added is an upper limit on the number of tokens that a provider adds to a request: the
// marks around messages, and its own instructions.
const added = 500

// AtMost returns the most that a request can use on the route that it names. A token has at
// least one byte, so the number of bytes in the request is an upper limit on its input
// tokens. The result applies to one attempt: each further attempt, even with another
// provider, also begins with [model.BeginAttempt].
func (r *Router) AtMost(req *model.Request) model.Most {
	route, _ := r.routes.find(req.Sampling.Route)
	return r.mostOf(req, route)
}

// mostOf returns the most that an attempt on a route can use.
func (r *Router) mostOf(req *model.Request, route Route) model.Most {
	price, _ := r.price(route)
	_, caches := r.providers[route.Provider].client.(*anthropicClient)
	return atMost(req, r.scrub, route, price, caches)
}

// AtMost is like [Router.AtMost], for a given route and its price. It does not need an open
// router.
func AtMost(req *model.Request, route Route, price Price, kind Kind) model.Most {
	return atMost(req, func(s string) string { return s }, route, price, kind == Anthropic)
}

func atMost(req *model.Request, scrub func(string) string, route Route, price Price, caches bool) model.Most {
	chat := Render(req).scrubbed(scrub)
	u := usage{input: int64(chat.size() + len(req.Schema) + added)}
	if caches {
		u.written = u.input
	}
	output := answerTokens(route, req)
	return model.Most{
		Input: u.input, Output: int64(output), InputUSD: price.cost(u), OutputUSD: price.cost(usage{output: int64(output)}),
	}
}

// answerTokens returns the maximum number of tokens in the answer to a request.
func answerTokens(route Route, req *model.Request) int {
	most := route.MaxTokens
	if most == 0 {
		most = defaultTokens
	}
	if own := req.Sampling.MaxTokens; own > 0 {
		most = min(most, own)
	}
	return most
}
