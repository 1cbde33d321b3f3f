#!/usr/bin/env python3
"""Judges the signed acts of an export by docs/identity.md alone: Python's standard library, nothing of the project's code.

    python3 acts.py export.ndjson    an export (.gz too) of a log that begins at position 1

Whether the export is the log, verify.py says.
"""
import base64, calendar, collections, gzip, hashlib, json, re, sys, time, urllib.parse

# Keccak-256 (FIPS 202 with the padding of 2011).
M64 = (1 << 64) - 1
ROT = lambda v, n: ((v << n) | (v >> (64 - n))) & M64 if n else v


def round_constants():
    r, out = 1, []
    for _ in range(24):
        c = 0
        for j in range(7):
            c |= (r & 1) << ((1 << j) - 1)
            r = ((r << 1) ^ (0x171 if r & 0x80 else 0)) & 0x1FF
        out.append(c)
    return out


RC = round_constants()


def keccak256(data):
    state = [[0] * 5 for _ in range(5)]
    data += b"\x01" + b"\0" * (-(len(data) + 1) % 136)
    data = data[:-1] + bytes([data[-1] | 0x80])
    for at in range(0, len(data), 136):
        for i in range(17):
            state[i % 5][i // 5] ^= int.from_bytes(data[at + 8 * i : at + 8 * i + 8], "little")
        for rc in RC:
            c = [state[x][0] ^ state[x][1] ^ state[x][2] ^ state[x][3] ^ state[x][4] for x in range(5)]
            d = [c[(x - 1) % 5] ^ ROT(c[(x + 1) % 5], 1) for x in range(5)]
            state = [[state[x][y] ^ d[x] for y in range(5)] for x in range(5)]
            x, y, current = 1, 0, state[1][0]
            for t in range(24):
                x, y = y, (2 * x + 3 * y) % 5
                current, state[x][y] = state[x][y], ROT(current, ((t + 1) * (t + 2) // 2) % 64)
            state = [[state[x][y] ^ (~state[(x + 1) % 5][y] & state[(x + 2) % 5][y] & M64) for y in range(5)] for x in range(5)]
            state[0][0] ^= rc
    return b"".join(state[i % 5][i // 5].to_bytes(8, "little") for i in range(4))


# secp256k1 (SEC 2), in Jacobian coordinates.
P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798, 0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8, 1)


def double(a):
    x, y, z = a
    if not y:
        return (0, 1, 0)
    s, m = 4 * x * y * y % P, 3 * x * x % P
    u = (m * m - 2 * s) % P
    return (u, (m * (s - u) - 8 * y**4) % P, 2 * y * z % P)


def plus(a, b):
    if not a[2] or not b[2]:
        return b if not a[2] else a
    za, zb = a[2] * a[2] % P, b[2] * b[2] % P
    u, v, s, t = a[0] * zb % P, b[0] * za % P, a[1] * zb * b[2] % P, b[1] * za * a[2] % P
    if u == v:
        return double(a) if s == t else (0, 1, 0)
    h, r = (v - u) % P, (t - s) % P
    h2 = h * h % P
    h3, w = h * h2 % P, u * h2 % P
    x = (r * r - h3 - 2 * w) % P
    return (x, (r * (w - x) - s * h3) % P, h * a[2] * b[2] % P)


def times(k, point, doubled=double, added=plus, none=(0, 1, 0)):
    out = none
    for bit in bin(k)[2:]:
        out = doubled(out)
        if bit == "1":
            out = added(out, point)
    return out


def signer_of(text, signature):
    """The address that personal_sign (EIP-191) has signed by; None where the signature is none."""
    if not re.fullmatch(r"0x[0-9a-f]{130}", signature):
        return None
    r, s, v = int(signature[2:66], 16), int(signature[66:130], 16), int(signature[130:], 16)
    if not (0 < r < N and 0 < s <= N // 2 and v in (27, 28)):
        return None
    y2 = (r**3 + 7) % P
    y = pow(y2, (P + 1) // 4, P)
    if y * y % P != y2:
        return None
    y = y if y % 2 == v - 27 else P - y
    data = text.encode()
    e = int.from_bytes(keccak256(b"\x19Ethereum Signed Message:\n%d" % len(data) + data), "big")
    inverse = pow(r, -1, N)
    q = plus(times(s * inverse % N, (r, y, 1)), times(-e * inverse % N, G))
    if not q[2]:
        return None
    z = pow(q[2], -1, P)
    x, y = q[0] * z * z % P, q[1] * z**3 % P
    return "0x" + keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:].hex()


# Ed25519 (RFC 8032), in extended coordinates.
Q = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, Q) % Q
ROOT = pow(2, (Q - 1) // 4, Q)


def ed_plus(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % Q, (a[1] + a[0]) * (b[1] + b[0]) % Q
    c, d = 2 * a[3] * b[3] * D % Q, 2 * a[2] * b[2] % Q
    e, f, g, h = f - e, d - c, d + c, f + e
    return (e * f % Q, g * h % Q, f * g % Q, e * h % Q)


def ed_point(data):
    n = int.from_bytes(data, "little")
    sign, y = n >> 255, n & (2**255 - 1)
    if y >= Q:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, Q) % Q
    x = pow(x2, (Q + 3) // 8, Q)
    if (x * x - x2) % Q:
        x = x * ROOT % Q
    if (x * x - x2) % Q or (x == 0 and sign):
        return None
    x = x if x % 2 == sign else Q - x
    return (x, y, 1, x * y % Q)


BASE = ed_point((4 * pow(5, -1, Q) % Q).to_bytes(32, "little"))
ed_times = lambda k, point: times(k, point, lambda a: ed_plus(a, a), ed_plus, (0, 1, 1, 0))


def ed_good(public, message, signature):
    a, r = ed_point(public), len(signature) == 64 and ed_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if not a or not r or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    one, other = ed_times(s, BASE), ed_plus(r, ed_times(k, a))
    return (one[0] * other[2] - other[0] * one[2]) % Q == 0 and (one[1] * other[2] - other[1] * one[2]) % Q == 0


sha256 = lambda text: hashlib.sha256(text.encode())
b64 = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
unb64 = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
B58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def key_of_did(did):
    """The 32 bytes of did:key:z6Mk…"""
    if not isinstance(did, str) or not did.startswith("did:key:z"):
        return None
    n = 0
    for c in did[len("did:key:z") :]:
        if c not in B58:
            return None
        n = n * 58 + B58.index(c)
    data = n.to_bytes(34, "big") if n < 256**34 else b""
    return data[2:] if data[:2] == b"\xed\x01" else None


kid_of = lambda key: b64(sha256('{"crv":"Ed25519","kty":"OKP","x":"%s"}' % b64(key)).digest())


def read_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def seconds(iso):
    whole, _, part = str(iso).rstrip("Z").partition(".")
    try:
        return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float("0." + (part or "0"))
    except ValueError:
        return float("nan")


def read_text(text):
    """The facts that a signed text names."""
    if text.startswith("{"):
        x = read_json(text)
        key = x and key_of_did(x.get("iss"))
        if not key:
            return None
        return {"form": "challenge", "kid": kid_of(key), "key": key, "agent": x.get("sub"), "purpose": x.get("purpose"),
                "about": x.get("about"), "from": x["iat"] - 30, "until": x["iat"] + 660}
    lines = text.split("\n")
    if len(lines) < 10 or not re.fullmatch(r"0x[0-9a-fA-F]{40}", lines[1]):
        return None
    field = lambda name: next((one[len(name) + 2 :] for one in lines[4:] if one.startswith(name + ": ")), "")
    resources = [one[2:] for one in lines[lines.index("Resources:") + 1 :]] if "Resources:" in lines else []
    issued = seconds(field("Issued At"))
    out = {"kid": lines[1].lower(), "from": issued - 30}
    call = re.fullmatch(r"Call [A-Z]+ (/\S*) as the owner of what this wallet caused\.", lines[3])
    if call:
        return {**out, "form": "call", "path": call[1], "resources": resources, "until": issued + 360}
    named = lambda prefix: next((one[len(prefix) :] for one in resources if one.startswith(prefix)), None)
    return {**out, "form": "challenge", "until": issued + 660, "agent": named("urn:agent:"),
            "purpose": named("urn:purpose:"), "about": named("urn:about:")}


class Fault(Exception):
    pass


def need(holds, what):
    if not holds:
        raise Fault(what)


def same(*pairs):
    need(all(a == b and type(a) is type(b) for a, b in pairs), "the signed body differs from the event")
    return True


class Acts:
    def __init__(self):
        self.agents, self.names, self.delegations, self.attestors, self.creators = {}, {}, {}, {}, {}
        self.used, self.counts = set(), collections.Counter()

    def claims(self, type, name, x, tenant):
        """(slot, act, time, whose, signer, what else may stand for it, wordings, call, own proof)"""
        claim = lambda at, signer, *wordings, slot=type, act=x.get("act"), of=("agent", name), other=("key",), call=None, own=False: (
            slot, act, at, of, signer, other, wordings, call, own)
        by = x.get("by")
        if type == "AgentApiKeyIssued":
            return [claim(x["issued_at"], ..., ("prove", None))] if "act" in x or x["challenge_sha256"] else []
        if type == "AgentKeyProven":
            kid, at = x["kid"], x["proven_at"]
            own = claim(at, kid, ("prove", None), other=(), own=True)
            if "endorsement" not in x and x["endorsed_by"] is None:
                return [own]
            return [own, claim(at, x["endorsed_by"], ("prove", kid), ("rotate", kid), slot="endorsement", act=x.get("endorsement"))]
        if type == "AgentKeyRevoked":
            kid = x["kid"]
            live = self.agents.get(name, {"keys": {}})["keys"]
            rotated = [("rotate", lambda about: about != kid and about in live)] if by == kid else []
            return [claim(x["revoked_at"], by, ("revoke", kid), *rotated)]
        if type == "AgentDelegated":
            def fits(b):
                whole, _, part = b.get("max_spend_usdc", "0").partition(".")
                lasts = seconds(x["expires_at"]) - seconds(x["delegated_at"])
                return same((b["agent_id"], name), (b["to"], f"SX#{x['to']}"), (b["scopes"], x["scopes"]),
                            (int(whole + part.ljust(6, "0")), x.get("max_spend_micro", 0)), (b["expires_in_s"], round(lasts)))
            return [claim(x["delegated_at"], x["kid"], ("delegate", None, fits), other=())]
        if type == "AgentDelegationRevoked":
            return [claim(x["revoked_at"], by, ("revoke", x["delegation_id"]))]
        if type == "AgentDescribed":
            fits = lambda b: same((b["services"], x["services"]), (b.get("version"), x["version"]))
            return [claim(x["described_at"], by, ("describe", None, fits))]
        if type in ("AgentLinked", "AgentUnlinked"):
            linked = type == "AgentLinked"
            if x["cause" if linked else "reason"] != "asked":
                return []
            at = x["linked_at" if linked else "unlinked_at"]
            return [claim(at, by, ("link" if linked else "revoke", f"{x['kind']}-{x['ref']}"))]
        if type == "PassportRevoked":
            return [claim(x["revoked_at"], by, ("revoke", "passport"), other=())] if by else []
        if type == "AttestationMade":
            fits = lambda b: same((b["to"], f"SX#{x['to']}"), (b["skill"], x["skill"]), (b["weight_micro"], x["weight_micro"]),
                                  (b.get("evidence"), x["evidence"]))
            return [claim(x["made_at"], ..., ("attest", None, fits), of=("sx", x["from"]), other=("payment",))]
        if type == "AttestationRevoked":
            return [claim(x["revoked_at"], ..., ("revoke", name), of=("sx", self.attestors.get(name)))]
        if type == "BountyAwarded" and by == "creator":
            call = (f"/soul/bounties/{name}/award", lambda b: same((b["claim_id"], x["claim_id"])))
            return [claim(x["awarded_at"], ..., ("award", f"{name}.{x['claim_id']}"), of=("tenant", self.creators.get(name)), call=call)]
        if type == "TaskRejected" or (type == "TaskAccepted" and by == "requester"):
            accepts = type == "TaskAccepted"
            said = "accept" if accepts else "reject" + (f".{x['reason_sha256']}" if x["reason_sha256"] else "")
            call = ("/compute/settle", lambda b: same((b["task_id"], name), (b.get("accept", True), accepts)))
            return [claim(x["accepted_at" if accepts else "rejected_at"], ..., ("judge", f"{name}.{said}"), of=("tenant", tenant), call=call)]
        return []

    def judge(self, claim, x, meta):
        slot, act, at, of, signer, other, wordings, call, own = claim
        if act is None:
            return "unrecorded"
        if act["by"] != "signature":
            need(act["by"] in other, "it needs a signature, and has none")
            need(signer in (None, ...) and not (slot != "endorsement" and x.get("challenge_sha256")), "it names a signer, and has no signature")
            return "by_" + act["by"]
        kid, signed = act["kid"], act["signed"]
        need(signer is ... or signer == kid, "it is signed by another key than the event says")
        if "seal_id" in signed:
            return "not_judged"
        text, body = signed["text"], signed["body"]
        read = read_text(text)
        need(read and read["kid"] == kid, "the signed text names another key")
        digest = sha256(text).hexdigest()
        need(slot == "endorsement" or not x.get("challenge_sha256") or x["challenge_sha256"] == digest, "challenge_sha256")
        need(read["from"] <= seconds(at) <= read["until"], "the signed text is of another time")
        if read["form"] == "call":
            need(call and read["path"].endswith(call[0]) and body is not None, "the signed text is of another call")
            need(read["resources"][:1] == [f"ni:///sha-256;{b64(sha256(body).digest())}"], "the signed text is of another body")
            call[1](json.loads(body))
        else:
            wording = next((one for one in wordings if one[0] == read["purpose"]), None)
            need(wording, "the signed text has another purpose")
            about = read["about"]
            if len(wording) == 3:
                need(body is not None and about == sha256(body).hexdigest(), "the signed text is about another body")
                wording[2](json.loads(body))
            else:
                need(wording[1](about) if callable(wording[1]) else about == wording[1], "the signed text is about something else")
        need((slot, digest) not in self.used, "the signed text counted before")
        self.used.add((slot, digest))
        contract = act["scheme"] in ("erc1271", "erc6492")
        if act["scheme"] == "eip191":
            need(signer_of(text, signed["signature"]) == kid, "the signature is none by this key")
        elif act["scheme"] == "jwt":
            head, payload, signature = signed["signature"].split(".")
            need(unb64(payload).decode() == text and read_json(unb64(head))["alg"] == "EdDSA", "the signed payload is another text")
            need(ed_good(read["key"], f"{head}.{payload}".encode(), unb64(signature)), "the signature is none by this key")
        standing = self.standing(read, of, kid, meta, own)
        return "not_judged" if contract else standing

    def standing(self, read, of, kid, meta, own):
        kind, whose = of
        if read["form"] == "call":
            if len(read["resources"]) < 2:
                need(whose == f"wallet:{kid}", "the signer is not the tenant")
                return "judged"
            principal = urllib.parse.unquote(read["resources"][1].removeprefix("urn:on-behalf-of:")).split(";")[0]
            need(meta.get("on_behalf_of") == principal, "the signed text is for another principal")
            name = self.names.get(int(principal[3:]))
            delegation = self.delegations.get(meta.get("delegation_id"))
            need(delegation and delegation[0] == name and self.is_of(whose, self.agents[name]), "there is no such delegation")
            return self.key(self.agents[self.names[delegation[1]]], kid)
        agent = self.agents.get(read["agent"])
        if kind == "tenant":
            need(agent and whose and self.is_of(whose, agent), "the agent is not the tenant")
        else:
            need((whose if kind == "agent" else self.names.get(whose)) == read["agent"], "the signed text is of another agent")
        need(agent, "there is no such agent")
        return "judged" if own else self.key(agent, kid)

    def is_of(self, tenant, agent):
        return tenant == f"soul:{agent['sx']}" or (tenant.startswith("wallet:") and tenant[7:] in agent["keys"])

    def key(self, agent, kid):
        need(kid in agent["keys"], f"{kid} is no live key of the agent")
        return "judged" if agent["keys"][kid] else "not_judged"

    def take(self, e):
        type, name = e["type"], e["stream_id"].partition("-")[2]
        x, found = json.loads(e["payload"]), []
        for claim in self.claims(type, name, x, e["tenant"]):
            try:
                found.append(self.judge(claim, x, json.loads(e["meta"])))
            except (Fault, KeyError, TypeError, ValueError, AttributeError, IndexError) as fault:
                found.append("faults")
                print(f"FAIL position {e['position']}: {type}: {fault}")
            self.counts[found[-1]] += 1
        self.remember(type, name, x, found)

    def remember(self, type, name, x, found):
        agent = self.agents.get(name)
        if type == "AgentRegistered":
            self.agents[name] = {"sx": x["sx_number"], "keys": {}, "had": False}
            self.names[x["sx_number"]] = name
        elif type == "AgentKeyProven" and agent:
            root = not agent["had"] and x["endorsed_by"] is None
            agent["had"] = True
            agent["keys"][x["kid"]] = found[0] == "judged" and (root or found[1:] == ["judged"])
        elif type == "AgentKeyRevoked" and agent:
            agent["keys"].pop(x["kid"], None)
        elif type == "PassportRevoked" and agent:
            agent["keys"].clear()
        elif type == "AgentDelegated":
            self.delegations[x["delegation_id"]] = (name, x["to"])
        elif type == "AgentDelegationRevoked":
            self.delegations.pop(x["delegation_id"], None)
        elif type == "AttestationMade":
            self.attestors[name] = x["from"]
        elif type == "BountyFunded":
            self.creators[name] = x["creator"]


if __name__ == "__main__":
    read = gzip.open if sys.argv[1].endswith(".gz") else open
    acts = Acts()
    with read(sys.argv[1], "rb") as file:
        for line in file.read().decode("utf-8").removesuffix("\n").split("\n"):
            event = json.loads(line)
            if "event_id" in event:
                acts.take(event)
    names = ("judged", "by_key", "by_payment", "unrecorded", "not_judged", "faults")
    print(json.dumps({name: acts.counts[name] for name in names}))
    sys.exit(1 if acts.counts["faults"] else 0)
