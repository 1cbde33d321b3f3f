#!/usr/bin/env python3
"""Draws every audit of an export again by docs/compute.md and docs/rng.md alone: Python's standard library, nothing of the project's code.

    python3 draws.py export.ndjson[.gz]     an export that begins at position 1

It says how many draws it made again, how many wait for their seed, and how many are void. Whether the export is the log, verify.py
says. Whether a head stands on the chain, the contract says: seedCommittedAt(signer, head).
"""
import collections, datetime, gzip, hashlib, hmac, json, pathlib, sys

MILLION = 1_000_000
CLOCKS_S = 120


def expect(holds, what):
    if not holds:
        sys.exit(f"FAIL {what}")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def below_a_million(seed, who):
    """The first number below 1,000,000 of the stream: three bytes at a time, again from the largest multiple up."""
    stream, at, blocks = b"", 0, 0
    while True:
        while len(stream) < at + 3:
            stream += hmac.new(seed, f"v1:{who}:{blocks}".encode(), hashlib.sha256).digest()
            blocks += 1
        value = int.from_bytes(stream[at : at + 3], "big")
        at += 3
        if value < 256**3 // MILLION * MILLION:
            return value % MILLION


class Log:
    def __init__(self):
        self.active, self.chains, self.revealed, self.void = {}, {}, {}, set()
        self.last, self.verify, self.leases, self.results, self.draws = {}, {}, {}, {}, []

    def fold(self, e):
        x, stream = json.loads(e["payload"]), e["stream_id"]
        if stream.startswith("seeds-"):
            self.seed(e["type"], x, e["position"])
        elif stream.startswith("task-"):
            self.task((e["tenant"], stream.removeprefix("task-")), e["type"], x, e["position"])

    def seed(self, type, x, position):
        name, where = (x["space"], x["chain"]), f"at {position}"
        if type == "SeedChainPublished":
            expect(x["head_hash"] not in [chain["head_hash"] for chain in self.chains.values()], f"the head {where} is new")
            self.chains[name] = {**x, "committed": False}
        elif type == "SeedChainCommitted":
            chain = self.chains[name]
            expect(chain["head_hash"] == x["head_hash"], f"the head {where} is the one that was published")
            expect(seconds(x["committed_at"]) >= seconds(chain["published_at"]) - CLOCKS_S, f"the head {where} was published first")
            chain["committed"] = True
        elif type == "SeedActivated":
            expect(self.chains[name]["committed"], f"the chain {where} was committed before its use")
            before = self.chains[name]["head_hash"] if x["index"] == 0 else self.last.get(name)
            expect(x["seed_hash"] == before, f"the seed {where} is the chain's next")
            expect(x["space"] not in self.active, f"no other seed is in use {where}")
            self.active[x["space"]] = {key: x[key] for key in ("space", "chain", "index", "seed_hash")}
        elif type == "SeedRevealed":
            expect(sha256(bytes.fromhex(x["seed"])) == x["seed_hash"], f"the seed {where} has its hash")
            expect(self.active.pop(x["space"], {}).get("seed_hash") == x["seed_hash"], f"the seed {where} was in use")
            self.revealed[x["seed_hash"]], self.last[name] = bytes.fromhex(x["seed"]), x["seed"]
        elif type == "SeedChainAbandoned":
            if x["void"]:
                self.void.add(x["void"]["seed_hash"])
                self.active.pop(x["space"], None)

    def task(self, name, type, x, position):
        if type == "TaskSubmitted":
            self.verify[name] = x["terms"]["verify"]
        elif type == "TaskLeased":
            self.leases[name] = x
        elif type == "TaskResultSubmitted":
            in_use = None if self.verify[name] == "requester" else self.active.get("live")
            expect(x["seed"] == in_use, f"the result at {position} names the seed in use")
            self.results[name] = x
        draw = x.get("draw")
        expect(draw or type != "TaskAccepted" or x["by"] != "draw", f"what was accepted by a draw at {position} has one")
        if draw:
            copy = f".{x['copy']}" if type == "TaskJudged" else ""
            self.draws.append(((name[0], name[1] + copy), type, draw, position))

    def check(self):
        came = collections.Counter()
        for name, type, draw, position in self.draws:
            where, result, lease = f"the draw at {position}", self.results[name], self.leases[name]
            place = {key: draw[key] for key in ("space", "chain", "index", "seed_hash")}
            expect(result["seed"] == place, f"{where} is from the seed of its result")
            expect(draw["nonce"] == result["attempt"] == lease["attempt"], f"{where} has the attempt as its nonce")
            expect(draw["audits"] == (type == "TaskAudited"), f"{where} was followed")
            if draw["seed_hash"] in self.void:
                came["void"] += 1
            elif draw["seed_hash"] not in self.revealed:
                came["waiting"] += 1
            else:
                signed = sha256(result["receipt"]["signature"].encode())
                who = f"soul:{lease['sx']}:audit:{name[1]}:{result['output_sha256']}:{signed}:{draw['nonce']}"
                number = below_a_million(self.revealed[draw["seed_hash"]], who)
                expect(draw["audits"] == (number < draw["p_micro"]), f"{where}: {number} is drawn, below {draw['p_micro']} audits")
                came["again"] += 1
        return came


def main(path):
    data = pathlib.Path(path).read_bytes()
    text = (gzip.decompress(data) if path.endswith(".gz") else data).decode("utf-8")
    log = Log()
    for line in filter(None, text.split("\n")):
        event = json.loads(line)
        if "event_id" in event:
            log.fold(event)
    came = log.check()
    print(f"ok {came['again']} drawn again, {came['waiting']} waiting for their seed, {came['void']} void")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
