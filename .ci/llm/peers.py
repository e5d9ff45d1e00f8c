"""Optimises a prompt with another tool and prints the result as a line of JSON.

usage: peers.py TOOL FILE

TOOL is bootstrap (DSPy, BootstrapFewShotWithRandomSearch), mipro (DSPy, MIPROv2) or gepa.
FILE is JSON: {"question", "labels", "search", "holdout", "outside", "calls", "url"}, where
the tasks are {"Text", "Label"}, calls is the number of model calls to aim at, and url ends
before /v1. Calls of the optimisation go to url/TOOL/v1, those of the measurement on the
outside tasks to url/TOOL-outside/v1. The tool gets both search and holdout tasks.
"""

import json
import random
import sys

tool, given = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
tasks = given["search"] + given["holdout"]
random.Random(1).shuffle(tasks)
half = len(tasks) // 2
train, val = tasks[:half], tasks[half:]
calls = given["calls"]


def same(label, answer):
    return str(answer).strip().lower() == label.lower()


def dspy_tool():
    import dspy

    def model(stage):
        return dspy.LM("openai/smollm2", api_base=f"{given['url']}/{stage}/v1", api_key="none",
                       temperature=0.0, max_tokens=48, cache=False, num_retries=0)

    def metric(example, prediction, trace=None):
        return same(example.label, getattr(prediction, "label", ""))

    def examples(rows):
        return [dspy.Example(text=t["Text"], label=t["Label"]).with_inputs("text") for t in rows]

    dspy.configure(lm=model(tool))
    program = dspy.Predict(dspy.Signature("text -> label", given["question"]))
    if tool == "bootstrap":
        # The first three programs are without demonstrations, with labelled and with
        # bootstrapped ones.
        more = max(1, calls // (len(val) + 8) - 3)
        made = dspy.BootstrapFewShotWithRandomSearch(
            metric=metric, max_bootstrapped_demos=4, max_labeled_demos=8, num_candidate_programs=more, num_threads=4,
            max_errors=1_000_000)
        best = made.compile(program, trainset=examples(train), valset=examples(val))
        claimed = max(c["score"] for c in best.candidate_programs) / 100
    else:
        trials = max(2, calls // len(val) - 2)
        made = dspy.MIPROv2(metric=metric, auto=None, num_candidates=4, num_threads=4, seed=1, max_errors=1_000_000,
                            max_bootstrapped_demos=4, max_labeled_demos=8)
        best = made.compile(program, trainset=examples(train), valset=examples(val), num_trials=trials, minibatch=False)
        claimed = best.score / 100
    dspy.configure(lm=model(tool + "-outside"))
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

    def ask(stage, messages, most):
        client = OpenAI(base_url=f"{given['url']}/{stage}/v1", api_key="none", max_retries=0)
        reply = client.chat.completions.create(model="smollm2", messages=messages, max_tokens=most, temperature=0)
        return reply.choices[0].message.content or ""

    def answer(stage, system, text):
        return ask(stage, [{"role": "system", "content": system}, {"role": "user", "content": given["question"] + text}], 16)

    class Adapter:
        propose_new_texts = None

        def evaluate(self, batch, candidate, capture_traces=False):
            outputs = [answer(tool, candidate["prompt"], t["Text"]) for t in batch]
            scores = [float(same(t["Label"], o)) for t, o in zip(batch, outputs)]
            traces = list(zip(batch, outputs, scores)) if capture_traces else None
            return gepa.EvaluationBatch(outputs=outputs, scores=scores, trajectories=traces)

        def make_reflective_dataset(self, candidate, batch, components):
            rows = [{"Inputs": t["Text"], "Generated Outputs": o,
                     "Feedback": "right" if s else f"wrong: the answer is {t['Label']}, alone"} for t, o, s in batch.trajectories]
            return {name: rows for name in components}

    seed = "Answer with one word: " + " or ".join(given["labels"]) + "."
    result = gepa.optimize(
        seed_candidate={"prompt": seed}, trainset=train, valset=val, adapter=Adapter(), max_metric_calls=calls, seed=1,
        reflection_lm=lambda p: ask(tool, [{"role": "user", "content": p}], 200) if isinstance(p, str) else ask(tool, p, 200),
        display_progress_bar=False)
    best = result.best_candidate["prompt"]
    right = sum(same(t["Label"], answer(tool + "-outside", best, t["Text"])) for t in given["outside"])
    return max(result.val_aggregate_scores), right


claimed, right = gepa_tool() if tool == "gepa" else dspy_tool()
print(json.dumps({"claimed": claimed, "true": right / len(given["outside"])}))
