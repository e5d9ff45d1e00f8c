"""An agent that answers a task if its router sends it to the right solver, under a config
that lets that solver do it."""
import json
import sys

from route import route


def answer(kind, number, config):
    if kind == "long":
        return 3 * number + 7 if config["depth"] >= 4 else -1
    return 3 * number + 7 if config["style"] == "careful" or number % 2 == 0 else -1


for line in sys.stdin:
    request = json.loads(line)
    task = request["task"]["input"]
    to = route(task["words"], task["digits"], task["marks"])
    found = answer(to, task["number"], request["config"]) if to == task["kind"] else -1
    print(json.dumps({"id": request["id"], "answer": str(found)}), flush=True)
