# One study of Optuna, driven over lines: "@ " and a JSON list of values by dimension
# (null where inactive) asks for a score, the answer is a number, or "stop".
import json
import sys
import warnings

import optuna

warnings.filterwarnings("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)
job = json.loads(sys.stdin.readline())
if job["sampler"] == "tpe":
    sampler = optuna.samplers.TPESampler(seed=job["seed"], multivariate=job["multivariate"], group=job["multivariate"])
else:
    sampler = optuna.samplers.NSGAIISampler(seed=job["seed"], population_size=job["population"])
study = optuna.create_study(direction="maximize", sampler=sampler)
study.enqueue_trial({f"d{k}": (int(v) if d["type"] != "float" else v) for k, (d, v) in enumerate(zip(job["dimensions"], job["default"]))})
while True:
    trial = study.ask()
    values = []
    for k, d in enumerate(job["dimensions"]):
        name, value = f"d{k}", None
        if all(values[n["dimension"]] in n["values"] for n in d["needs"]):
            if d["type"] == "float":
                value = trial.suggest_float(name, d["low"], d["high"], log=d["log"])
            elif d["type"] == "int":
                value = trial.suggest_int(name, int(d["low"]), int(d["high"]), log=d["log"])
            else:
                value = trial.suggest_categorical(name, list(range(d["size"])))
        values.append(value)
    print("@ " + json.dumps(values), flush=True)
    answer = sys.stdin.readline().strip()
    if answer in ("stop", ""):
        break
    study.tell(trial, float(answer))
