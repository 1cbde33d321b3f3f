#!/usr/bin/env python3
"""A worker of the compute market in Python's standard library alone, written from docs/compute.md and docs/identity.md.

    python3 worker.py http://127.0.0.1:3000 my-python-worker 1

registers an agent, proves a key of Ed25519 (RFC 8032, written out below), does so many tasks of the kind sha256-chain, and waits until
each is paid. It prints a JSON object for each: {"task_id", "provider_usd"}.
"""

import base64
import datetime
import hashlib
import json
import secrets
import sys
import threading
import time
import urllib.error
import urllib.request

# --- Ed25519 (RFC 8032, section 5.1): points in extended coordinates over the field of 2^255 - 19 ---

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def recover_x(y):
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if x * x % P != xx:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x % 2 else x


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = recover_x(BASE_Y)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def encode(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def sha512_number(data):
    return int.from_bytes(hashlib.sha512(data).digest(), "little")


class Key:
    def __init__(self):
        expanded = hashlib.sha512(secrets.token_bytes(32)).digest()
        scalar = int.from_bytes(expanded[:32], "little")
        self.scalar = scalar & ((1 << 254) - 8) | (1 << 254)
        self.prefix = expanded[32:]
        self.public = encode(multiply(self.scalar, BASE))

    def sign(self, message):
        r = sha512_number(self.prefix + message) % ORDER
        point = encode(multiply(r, BASE))
        k = sha512_number(point + self.public + message) % ORDER
        return point + ((r + k * self.scalar) % ORDER).to_bytes(32, "little")

    def jwk(self):
        return {"kty": "OKP", "crv": "Ed25519", "x": base64url(self.public)}

    def jws(self, text):
        signed = base64url(b'{"alg":"EdDSA"}') + "." + base64url(text.encode())
        return signed + "." + base64url(self.sign(signed.encode()))


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


# --- the three requests, and what comes before them ---


def canonical(value):
    """RFC 8785 for what is used here: ASCII names, strings, integers."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Service:
    def __init__(self, url):
        self.url = url
        self.headers = {}

    def ask(self, path, body=None):
        """Asks until there is an answer; a call has one name however often it is sent."""
        headers = {**self.headers, "Idempotency-Key": secrets.token_hex(16)}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        while True:
            try:
                request = urllib.request.Request(self.url + path, data, headers)
                with urllib.request.urlopen(request, timeout=45) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as refused:
                if refused.code not in (429, 500, 502, 503, 504):
                    raise SystemExit(f"{path} answers {refused.code}: {refused.read().decode()}")
            except OSError:
                pass
            time.sleep(1)


def sha256_chain(seed, n):
    value = bytes.fromhex(seed)
    for _ in range(n):
        value = hashlib.sha256(value).digest()
    return {"hash": value.hex()}


def keep_beating(service, agent_id, leases):
    while True:
        told = service.ask("/soul/node/heartbeat", {"agent_id": agent_id, "leases": sorted(leases)})
        time.sleep(told["next_in_s"])


def do_task(service, key, kid, task):
    started = now()
    result = sha256_chain(task["input_data"]["seed"], task["input_data"]["n"])
    with open(__file__, "rb") as program:
        engine = hashlib.sha256(program.read()).hexdigest()
    said = {"engine_sha256": engine, "started_at": started, "ended_at": now()}
    text = canonical(
        {
            "v": 1,
            "origin": task["origin"],
            "task_id": task["task_id"],
            "attempt": task["attempt"],
            "lease_sha256": task["lease_sha256"],
            "kind": task["task_type"],
            "input_sha256": task["input_sha256"],
            "output_sha256": hashlib.sha256(canonical(result).encode()).hexdigest(),
            "exit": "ok",
            **said,
        }
    )
    receipt = {"kid": kid, "signature": key.jws(text), **said}
    names = {"task_id": task["task_id"], "lease_id": task["lease_id"]}
    service.ask("/soul/compute/result", {**names, "result": result, "exit": "ok", "receipt": receipt})


def until_paid(service, task_id):
    while True:
        task = service.ask(f"/soul/compute/status/{task_id}")
        if task["status"] == "accepted":
            task = service.ask("/soul/compute/settle", {"task_id": task_id})
        if task["status"] == "settled":
            return task["provider_usd"]
        if task["status"] not in ("submitted", "accepted"):
            raise SystemExit(f"{task_id} is {task['status']}: {task['refunded']}")
        time.sleep(0.5)


def main(url, agent_id, tasks):
    service, key = Service(url), Key()
    challenge = service.ask("/soul/challenge", {"agent_id": agent_id, "key": key.jwk(), "purpose": "prove"})
    signed = {"challenge": challenge["challenge"], "signature": key.jws(challenge["challenge"])}
    agent = service.ask("/soul/register", {"agent_id": agent_id, "issue_api_key": True, **signed})
    service.headers = {"Authorization": "Bearer " + agent["api_key"]}
    offer = {"capabilities": ["cpu"], "hourly_rate_usd": 0.06, "max_concurrent": 1, "kinds": ["sha256-chain"]}
    service.ask("/soul/node/register", {"agent_id": agent_id, **offer})
    leases = set()
    threading.Thread(target=keep_beating, args=(service, agent_id, leases), daemon=True).start()
    done = 0
    while done < tasks:
        task = service.ask("/soul/compute/pull?wait_s=30")["task"]
        if task is None:
            continue
        leases.add(task["lease_id"])
        do_task(service, key, challenge["kid"], task)
        leases.discard(task["lease_id"])
        provider_usd = until_paid(service, task["task_id"])
        print(json.dumps({"task_id": task["task_id"], "provider_usd": provider_usd}), flush=True)
        done += 1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
