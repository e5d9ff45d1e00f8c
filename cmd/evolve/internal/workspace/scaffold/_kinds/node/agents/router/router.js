// Routes messages to a desk by their words: one JSON request a line in, one answer a line out.

const desks = {
  hardware: "screen keyboard printer charger battery laptop mouse",
  access: "password locked account permission login username",
  network: "internet vpn connection wifi offline cable",
};

function route(text, config) {
  const cut = (words) => new Set(words.filter((w) => w.length >= config.shortest).map((w) => w.slice(0, config.stem)));
  const said = cut((text.toLowerCase().match(/[a-z]+/g) || []).slice(0, config.first));
  let best = config.otherwise;
  let most = 0;
  for (const [desk, words] of Object.entries(desks)) {
    const known = cut(words.split(" "));
    const share = [...said].filter((w) => known.has(w)).length / Math.max(1, said.size);
    if (share > most && share >= config.threshold) {
      best = desk;
      most = share;
    }
  }
  return best;
}

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const request = JSON.parse(line);
    const answer = route(request.task.goal, request.config);
    process.stdout.write(JSON.stringify({ id: request.id, answer }) + "\n");
  });
