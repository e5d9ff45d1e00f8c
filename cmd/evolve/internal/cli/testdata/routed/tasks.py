"""Writes the tasks with numbers from the first argument to below the second to the suite."""
import json
import os
import random
import sys

NAMES = """amber birch cedar delta ember fjord grove heath islet jade knoll lagoon marsh nectar
orchid prairie quartz ridge spruce tundra umber valley willow yarrow zephyr acorn bramble clover
dune elm fern glade hazel iris""".split()
os.makedirs("suites", exist_ok=True)
with open("suites/work.jsonl", "w") as out:
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        draw = random.Random(number).random
        words = [NAMES[int(draw() * len(NAMES))] for _ in range(9)]
        size = int(draw() * 24) + 1
        task = {"words": size, "digits": number % 7, "marks": number % 4, "number": number, "kind": "long" if size > 6 else "short"}
        out.write(json.dumps({"id": "t%04d" % number, "goal": " ".join(words), "input": task, "answer": str(3 * number + 7)}) + "\n")
