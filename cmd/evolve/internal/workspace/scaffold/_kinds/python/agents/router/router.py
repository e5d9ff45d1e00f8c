"""Routes messages to a desk by their words: one JSON request a line in, one answer a line out."""

import json
import re
import sys

DESKS = {
    "hardware": "screen keyboard printer charger battery laptop mouse",
    "access": "password locked account permission login username",
    "network": "internet vpn connection wifi offline cable",
}


def route(text, config):
    def cut(words):
        return {w[: config["stem"]] for w in words if len(w) >= config["shortest"]}

    said = cut(re.findall("[a-z]+", text.lower())[: config["first"]])
    share = {desk: len(said & cut(words.split())) / max(1, len(said)) for desk, words in DESKS.items()}
    best = max(share, key=share.get)
    return best if share[best] > 0 and share[best] >= config["threshold"] else config["otherwise"]


for line in sys.stdin:
    request = json.loads(line)
    answer = route(request["task"]["goal"], request["config"])
    print(json.dumps({"id": request["id"], "answer": answer}), flush=True)
