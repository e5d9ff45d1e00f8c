"""Optimises a prompt with another tool and prints the result as a line of JSON.

usage: peers.py TOOL FILE

TOOL is bootstrap (DSPy, BootstrapFewShotWithRandomSearch), mipro (DSPy, MIPROv2) or gepa.
FILE is JSON: {"question", "labels", "search", "holdout", "outside", "calls", "tokens", "seed",
"url"}, where the tasks are {"Text", "Label"}, calls is the number of model calls of the
optimisation, tokens the most that a reply may have, and url ends before /v1. Calls of the
optimisation go to url/TOOL-SEED/v1, those of the measurement on the outside tasks to
url/TOOL-SEED-outside/v1. The tool gets both search and holdout tasks. It is told to try more
than the calls allow; after them each call fails, so that a program without its calls
scores 0 and is not chosen.
"""

import json
import random
import sys
import threading

tool, given = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
calls, tokens, seed = given["calls"], given["tokens"], given["seed"]
stage = f"{tool}-{seed}"
tasks = given["search"] + given["holdout"]
random.Random(seed).shuffle(tasks)
half = len(tasks) // 2
train, val = tasks[:half], tasks[half:]


class Spent(Exception):
    """No call is left."""


class Purse:
    """Counts calls; at most `calls` of them are made."""

    def __init__(self):
        self.left, self.lock = calls, threading.Lock()

    def take(self):
        with self.lock:
            if self.left <= 0:
                raise Spent("no call is left")
            self.left -= 1


purse = Purse()


def same(label, answer):
    return str(answer).strip().lower() == label.lower()


def dspy_tool():
    import dspy

    class Counted(dspy.LM):
        def forward(self, *args, **kwargs):
            purse.take()
            return super().forward(*args, **kwargs)

    def model(kind, path):
        return kind("openai/smollm2", api_base=f"{given['url']}/{path}/v1", api_key="none",
                    temperature=0.0, max_tokens=tokens, cache=False, num_retries=0)

    def metric(example, prediction, trace=None):
        return same(example.label, getattr(prediction, "label", ""))

    def examples(rows):
        return [dspy.Example(text=t["Text"], label=t["Label"]).with_inputs("text") for t in rows]

    dspy.configure(lm=model(Counted, stage))
    program = dspy.Predict(dspy.Signature("text -> label", given["question"]))
    options = dict(metric=metric, max_bootstrapped_demos=4, max_labeled_demos=8, num_threads=4, max_errors=1_000_000)
    if tool == "bootstrap":
        made = dspy.BootstrapFewShotWithRandomSearch(num_candidate_programs=max(1, calls // len(val)), **options)
        best = made.compile(program, trainset=examples(train), valset=examples(val))
        claimed = max(c["score"] for c in best.candidate_programs) / 100
    else:
        made = dspy.MIPROv2(auto=None, num_candidates=4, seed=seed, **options)
        best = made.compile(program, trainset=examples(train), valset=examples(val), num_trials=max(2, calls // len(val)), minibatch=False)
        claimed = best.score / 100
    dspy.configure(lm=model(dspy.LM, stage + "-outside"))
    right = 0
    for t in given["outside"]:
        try:
            right += same(t["Label"], best(text=t["Text"]).label)
        except Exception:  # an answer that the adapter cannot read is wrong
            pass
    return claimed, right


def gepa_tool():
    import gepa
    from openai import OpenAI

    def ask(path, messages, most):
        client = OpenAI(base_url=f"{given['url']}/{path}/v1", api_key="none", max_retries=0)
        reply = client.chat.completions.create(model="smollm2", messages=messages, max_tokens=most, temperature=0)
        return reply.choices[0].message.content or ""

    def answer(path, system, text):
        return ask(path, [{"role": "system", "content": system}, {"role": "user", "content": given["question"] + text}], tokens)

    def paid(system, text):
        try:
            purse.take()
        except Spent:
            return ""
        return answer(stage, system, text)

    def reflect(prompt):
        purse.take()
        return ask(stage, [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt, 200)

    class Adapter:
        propose_new_texts = None

        def evaluate(self, batch, candidate, capture_traces=False):
            outputs = [paid(candidate["prompt"], t["Text"]) for t in batch]
            scores = [float(same(t["Label"], o)) for t, o in zip(batch, outputs)]
            traces = list(zip(batch, outputs, scores)) if capture_traces else None
            return gepa.EvaluationBatch(outputs=outputs, scores=scores, trajectories=traces)

        def make_reflective_dataset(self, candidate, batch, components):
            rows = [{"Inputs": t["Text"], "Generated Outputs": o,
                     "Feedback": "right" if s else f"wrong: the answer is {t['Label']}, alone"} for t, o, s in batch.trajectories]
            return {name: rows for name in components}

    first = "Answer with one word: " + " or ".join(given["labels"]) + "."
    result = gepa.optimize(
        seed_candidate={"prompt": first}, trainset=train, valset=val, adapter=Adapter(), max_metric_calls=calls, seed=seed,
        reflection_lm=reflect, raise_on_exception=False, display_progress_bar=False,
        stop_callbacks=lambda state: purse.left <= 0)
    best = result.best_candidate["prompt"]
    right = sum(same(t["Label"], answer(stage + "-outside", best, t["Text"])) for t in given["outside"])
    return max(result.val_aggregate_scores), right


claimed, right = gepa_tool() if tool == "gepa" else dspy_tool()
print(json.dumps({"claimed": claimed, "true": right / len(given["outside"])}))
