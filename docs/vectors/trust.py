#!/usr/bin/env python3
"""Computes the score ts-trust/1 by docs/trust-score.md alone: Python's standard library, nothing of the project's code.

    python3 trust.py                  the vectors in trust.json, beside this file
    python3 trust.py export.ndjson    every TrustComputed of an export that begins at position 1, held against what stands before it

Whether the export is the log, verify.py says.
"""
import collections, hashlib, json, pathlib, sys

HERE = pathlib.Path(__file__).parent
TABLE = (HERE / "trust-decay.txt").read_bytes()
TABLE_SHA256 = hashlib.sha256(TABLE).hexdigest()
D = [int(line) for line in TABLE.decode("ascii").split()]
DAY_US = 86_400_000_000
NOT_SPENT = {
    "soul_attest",
    "soul_attest_batch",
    "orders_pay",
    "compute_submit",
    "compute_dispute",
    "soul_bounty_fund",
    "soul_stack_buy",
}


def expect(holds, what):
    if not holds:
        sys.exit(f"FAIL {what}")


def decayed(amount, day, of):
    k = max(0, day - of)
    return amount * D[k] // 10**8 if k <= 180 else 0


def compute(day, edges, evidence, seeds, silent):
    """edges (from, to, weight, day); evidence (kind, sx, points, day); the scores by number, the pairs that count, the rounds."""
    sums = collections.defaultdict(collections.Counter)
    for kind, sx, points, of in evidence:
        sums[kind][sx] += decayed(min(90_000_000, points) if kind == "spend" else points, day, of)
    said = collections.Counter()
    for a, b, weight, of in edges:
        if a != b and a not in silent:
            said[a, b] += decayed(weight, day, of)
    said = {pair: min(10_000_000, weight) for pair, weight in said.items()}
    out = collections.Counter()
    for (a, _), weight in said.items():
        out[a] += weight
    given, incoming = {}, collections.defaultdict(list)
    for (a, b), weight in said.items():
        counted = weight * 20_000_000 // out[a] if out[a] > 20_000_000 else weight
        if counted > 0:
            given[a, b] = counted
            incoming[b].append(a)
    agents = {sx for pair in given for sx in pair} | set(seeds) | {sx for kind in sums.values() for sx in kind}
    base = {sx: min(60_000_000, sums["task"][sx]) + min(10_000_000, sums["spend"][sx]) + seeds.get(sx, 0) for sx in agents}
    bounded = lambda sx, total: max(0, min(10**8, total) - sums["penalty"][sx])
    score, rounds = {sx: bounded(sx, base[sx]) for sx in agents}, 0
    while rounds < 64:
        rounds += 1
        after = {sx: bounded(sx, base[sx] + sum(given[b, sx] * score[b] // 40_000_000 for b in incoming[sx])) for sx in agents}
        still, score = after == score, after
        if still:
            break
    return score, len(given), rounds


def digest(score):
    lines = "".join(f"{sx} {score[sx]}\n" for sx in sorted(score) if score[sx] > 0)
    return hashlib.sha256(lines.encode()).hexdigest()


def root(score):
    """The root of the tree (RFC 9162, 2.1) whose leaves are 64 lines each."""
    lines = [f"{sx} {score[sx]}\n" for sx in sorted(score) if score[sx] > 0]
    leaves = ["".join(lines[at:at + 64]).encode() for at in range(0, len(lines), 64)]

    def over(part):
        if len(part) == 1:
            return hashlib.sha256(b"\0" + part[0]).digest()
        left = 1
        while left * 2 < len(part):
            left *= 2
        return hashlib.sha256(b"\1" + over(part[:left]) + over(part[left:])).digest()

    return (over(leaves) if leaves else hashlib.sha256(b"").digest()).hex()


def count(task, kept, given):
    """The points of a task, from what was kept of its requester's money and given for it: rows of (day, amount, provider)."""
    day, fee = task["day"], task["fee_micro"]
    total = lambda rows: sum(row[1] for row in rows if day - row[0] <= 180)
    value = min(20_000 * min(100, fee // 100), 6 * (total(kept) + fee) - total(given))
    recent = [row for row in given if row[2] == task["provider"] and day - row[0] < 30]
    return value if not task["linked"] and value > 0 and len(recent) < 3 else 0


def task_points(happened):
    """The points of each task, in the log's order."""
    kept, given, points = collections.defaultdict(list), collections.defaultdict(list), []
    for x in happened:
        if x["kind"] == "kept":
            kept[x["tenant"]].append((x["day"], x["micro"]))
            continue
        who = x["requester"]
        points.append(count(x, kept[who], given[who]))
        kept[who].append((x["day"], x["fee_micro"]))
        if points[-1] > 0:
            given[who].append((x["day"], points[-1], x["provider"]))
    return points


class Log:
    """What the events of an export come to, folded one by one."""

    def __init__(self):
        self.number, self.silent, self.gone = {}, set(), set()
        self.wallets = collections.defaultdict(list)  # wallet: [number, from, until]
        self.payments, self.live, self.seeds = {}, {}, {}
        self.bonds = {}  # delegations: (one, other, until when)
        self.tasks, self.settled, self.found = {}, collections.defaultdict(list), {}

    def fold(self, e):
        stream, type, x, day = e["stream_id"], e["type"], json.loads(e["payload"]), e["recorded_at_us"] // DAY_US
        name = stream.partition("-")[2]
        if stream.startswith("agent-"):
            self.agent(stream, type, x, e["position"])
        elif stream.startswith("payment-"):
            self.payment(name, type, x, day, e["position"])
        elif stream.startswith("task-"):
            self.task(name, type, x, day, e)
        elif stream.startswith(("account-", "node-")):
            self.money(type, x, day, e)
        elif stream.startswith("attestation-"):
            key = lambda made: (made["from"], made["to"], made["skill"])
            if type == "AttestationMade":
                self.live[key(x)] = (stream, x["weight_micro"], day)
            elif type == "AttestationRevoked":
                self.live = {k: v for k, v in self.live.items() if v[0] != stream}
        elif stream == "trust" and type == "TrustSeeded":
            self.seeds[x["sx_number"]] = x["points_micro"]

    def agent(self, stream, type, x, position):
        if type == "AgentRegistered":
            self.number[stream] = x["sx_number"]
        sx = self.number.get(stream)
        if type == "AgentKeyProven" and x["kind"] == "evm":
            self.wallets[x["public"]].append([sx, position, None])
        elif type in ("AgentKeyRevoked", "PassportRevoked"):
            for wallet, held in self.wallets.items():
                if held[-1][0] == sx and held[-1][2] is None and x.get("kid", wallet) == wallet:
                    held[-1][2] = position
        if type == "AgentDelegated":
            self.bonds[x["delegation_id"]] = (sx, x["to"], x["expires_at"])
        elif type == "AgentDelegationRevoked":
            self.bonds.pop(x["delegation_id"], None)
        elif type == "PassportRevoked":
            self.gone.add(sx)
            self.bonds = {k: v for k, v in self.bonds.items() if v[0] != sx}
        elif type == "AgentSuspended":
            self.silent.add(sx)
        elif type == "AgentReinstated":
            self.silent.discard(sx)

    def payment(self, name, type, x, day, position):
        if type == "PaymentClaimed":
            first = self.payments.get(name, {}).get("first", position)
            self.payments[name] = {"payer": x["payer"], "tenant": x["tenant"], "micro": x["amount_micro"], "operation": x["operation"],
                                   "first": first, "at": None, "back": False}
        elif name in self.payments:
            payment = self.payments[name]
            if type == "PaymentSettled":
                payment["at"] = (day, position)
            elif type in ("PaymentReorged", "PaymentFailed"):
                payment["at"] = None
            elif type == "RefundOpened":
                payment["back"] = True

    def counted(self):
        return [p for p in self.payments.values() if p["at"] and not p["back"] and p["operation"] not in NOT_SPENT]

    def task(self, name, type, x, day, e):
        if type == "TaskSubmitted":
            self.tasks[name] = {"requester": e["tenant"], "settled": None, "spent": None, "earned": None, "refuted": False, "void": False,
                                "slashed": None, "lost": None, "bonds": set(), "at": None, "reversed": False, "worker": None}
        task = self.tasks.get(name)
        if not task:
            return
        if type == "TaskLeased":
            task["provider"], task["worker"] = x["sx"], f"soul:{x['sx']}"
            task["linked"] = self.linked(task["requester"], x["sx"], x["leased_at"])
        elif type == "TaskAudited":
            task["refuted"], task["void"] = x["verdict"] == "mismatch", x["verdict"] == "void"
        elif type == "TaskDisputeDecided" and x["verdict"] != "none":
            task["lost"] = ("requester" if x["verdict"] == "worker" else "worker", day)
        elif type == "TaskSettled":
            task.update(settled=(x["price_micro"], x["provider_micro"]), fee_micro=x["fee_micro"], day=day)
        self.judge(name, task, e["position"])

    def money(self, type, x, day, e):
        kind, _, name = (x.get("source") or x.get("hold_id") or "").rpartition(":")
        name = x["task_id"] if type == "NodeSlashed" else name
        if type == "AccountCreditReversed" and x["debt_micro"] > 0:
            payment = self.payments.get(x["source"].partition(":")[2])
            for one in self.settled[e["tenant"]] if payment else []:
                if self.tasks[one]["at"] > payment["first"]:
                    self.tasks[one]["reversed"] = True
                    self.found.pop(("task", one), None)
        task = self.tasks.get(name)
        if not task:
            return
        if type == "NodeSlashed" and e["tenant"] == task["worker"]:
            task["slashed"] = day
        elif type == "AccountCredited" and kind == "task" and e["tenant"] == task["worker"]:
            task["earned"] = x["amount_micro"]
        elif type == "AccountHoldReleased":
            if kind == "task" and e["tenant"] == task["requester"]:
                task["spent"] = x["spent_micro"]
            elif kind.startswith("bond:") and x["spent_micro"] > 0 and e["tenant"] == task[kind[5:]]:
                task["bonds"].add(kind[5:])
        self.judge(name, task, e["position"])

    def judge(self, name, task, position):
        is_paid = task["settled"] and not task["void"] and task["settled"] == (task["spent"], task["earned"])
        if task["at"] is None and is_paid:
            task["at"], day = position, task["day"]
            others = [self.tasks[one] for one in self.settled[task["requester"]]]
            kept = [(p["at"][0], p["micro"]) for p in self.counted() if p["tenant"] == task["requester"]]
            kept += [(one["day"], one["fee_micro"]) for one in others if not one["reversed"]]
            given = [(one["day"], one["points"], one["provider"]) for one in others if one["points"] > 0]
            task["points"] = count(task, kept, given)
            self.settled[task["requester"]].append(name)
            if task["points"] > 0:
                self.found["task", name] = ("task", task["provider"], task["points"], day)
        if ("penalty", name) in self.found:
            return
        if task["refuted"] and task["slashed"] is not None and task["spent"] == 0:
            self.found["penalty", name] = ("penalty", task["provider"], 10_000_000, task["slashed"])
        elif task["lost"] and task["lost"][0] in task["bonds"]:
            side, day = task["lost"]
            sx = task["provider"] if side == "worker" else self.agent_of(task["requester"])
            self.found["penalty", name] = ("penalty", sx, 10_000_000, day)

    def agent_of(self, tenant):
        kind, _, name = tenant.partition(":")
        if kind == "soul":
            return int(name)
        held = self.wallets.get(name, []) if kind == "wallet" else []
        return held[-1][0] if held and held[-1][2] is None else None

    def linked(self, tenant, sx, at):
        other = self.agent_of(tenant)
        own = {wallet for wallet, held in self.wallets.items() if held[-1][0] == sx and held[-1][2] is None}
        return (other == sx or any(until > at and {one, two} == {sx, other} for one, two, until in self.bonds.values())
                or any(p["tenant"] == tenant and p["payer"] in own for p in self.payments.values()))

    def owner(self, wallet, position):
        held = self.wallets.get(wallet, [])
        if held and position < held[0][1]:
            return held[0][0]
        return next((sx for sx, since, until in held if since <= position and (until is None or position < until)), None)

    def evidence(self):
        spent = [(self.owner(p["payer"], p["at"][1]), p) for p in self.counted()]
        evidence = [("spend", sx, p["micro"], p["at"][0]) for sx, p in spent if sx is not None]
        return evidence + [one for one in self.found.values() if one[1] is not None]

    def computed(self, day):
        edges = [(a, b, weight, of) for (a, b, _), (_, weight, of) in self.live.items()]
        return compute(day, edges, self.evidence(), self.seeds, self.silent | self.gone)


def check_export(lines):
    events = [x for x in map(json.loads, lines) if "event_id" in x]
    told = [json.loads(e["payload"]) for e in events if e["stream_id"] == "trust" and e["type"] == "TrustComputed"]
    log, at = Log(), 0
    for x in sorted(told, key=lambda x: x["as_of_position"]):
        while at < len(events) and events[at]["position"] <= x["as_of_position"]:
            log.fold(events[at])
            at += 1
        score, edges, rounds = log.computed(x["day"])
        mine = {"method": "ts-trust/1", "agents": sum(value > 0 for value in score.values()), "edges": edges, "rounds": rounds,
                "table_sha256": TABLE_SHA256, "result_sha256": digest(score)}
        if "result_root" in x:
            mine["result_root"] = root(score)
        for name, value in mine.items():
            expect(x[name] == value, f"{name} as of {x['as_of_position']}, day {x['day']}: {x[name]} is told, {value} computed")
    return f"{len(told)} computations"


def check_vectors(v):
    expect(v["table_sha256"] == TABLE_SHA256 and len(D) == 181, "the table")
    for x in v["cases"]:
        i = x["input"]
        score, edges, rounds = compute(i["day"], [(e["from"], e["to"], e["weight_micro"], e["day"]) for e in i["edges"]],
                                       [(e["kind"], e["sx"], e["points"], e["day"]) for e in i["evidence"]],
                                       dict(i["seeds"]), set(i["silent"]))
        mine = {"scores": [[sx, score[sx]] for sx in sorted(score) if score[sx] > 0], "edges": edges, "rounds": rounds,
                "result_sha256": digest(score)}
        expect(mine == x["result"], f"{x['name']}: {mine}")
    for x in v["tasks"]:
        expect(task_points(x["happened"]) == x["points"], x["name"])
    for x in v["logs"]:
        log = Log()
        for e in x["events"]:
            log.fold(e)
        mine = sorted(map(list, log.evidence()))
        expect(mine == sorted(x["evidence"]), f"{x['name']}: {mine}")
    return f"{len(v['cases'])} cases, {len(v['tasks'])} of tasks, {len(v['logs'])} logs"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        text = pathlib.Path(sys.argv[1]).read_bytes().decode("utf-8")
        print("ok", check_export(text.removesuffix("\n").split("\n")))
    else:
        print("ok trust.json;", check_vectors(json.loads((HERE / "trust.json").read_text("utf-8"))))
