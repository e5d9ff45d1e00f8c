import re

DESKS = {
    "hardware": "screen monitor keyboard mousewheel printer charger battery laptop",
    "access": "password locked account permission login username",
    "network": "internet vpn connection wifi offline cable",
}


def route(text, letters, least, otherwise):
    said = {w[:letters] for w in re.findall("[a-z]+", text.lower())}
    best, most = otherwise, 0
    for desk, words in DESKS.items():
        share = len(said & {w[:letters] for w in words.split()}) / len(said)
        if share > most and share >= least:
            best, most = desk, share
    return best
