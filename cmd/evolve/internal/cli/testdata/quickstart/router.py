import json, sys

from desks import route

for line in sys.stdin:
    request = json.loads(line)
    answer = route(request["task"]["goal"], **request["config"])
    print(json.dumps({"id": request["id"], "answer": answer}), flush=True)
