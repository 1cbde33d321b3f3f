"""Receipts and proofs, verified by the standard library. Both take the keys that the caller stored before."""

import base64
import binascii
import hashlib
import json
import re
import struct
import uuid
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union
from urllib.parse import quote, urlsplit

from .ed25519 import is_signed


@dataclass(frozen=True)
class Verdict:
    """`fault` names what does not hold, as `check: reason`; None if all does. `receipt` has a signed receipt's members."""

    checks: tuple
    fault: Optional[str]
    receipt: Optional[Mapping[str, Any]] = None

    @property
    def ok(self) -> bool:
        return self.fault is None


class _Fault(Exception):
    pass


def _need(condition: Any, otherwise: str) -> None:
    if not condition:
        raise _Fault(otherwise)


_sha256 = lambda *parts: hashlib.sha256(b"".join(parts)).hexdigest()


def _of_base64url(text: str) -> bytes:
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise _Fault("it is no base64url")
    _need(base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text, "it is no base64url")
    return data


def receipt_in(headers: Mapping[str, str]) -> Optional[str]:
    """The receipt in an answer's PAYMENT-RESPONSE, a compact JWS; None if there is none."""
    header = headers.get("PAYMENT-RESPONSE")
    if header is None:
        return None
    extensions = json.loads(base64.b64decode(header)).get("extensions", {})
    return extensions.get("offer-receipt", {}).get("info", {}).get("receipt", {}).get("signature")


def verify_receipt(
    receipt: str,
    keys: Mapping[str, Any],
    body: Optional[bytes] = None,
    request: Optional[Mapping[str, Any]] = None,
) -> Verdict:
    """`body` is the answer as it was received, `request` is `{"operation": …, "input": …}` with its defaults."""
    passed: list = []
    stated = None
    try:
        check = "signature"
        stated = _signed_by(keys, receipt.strip())
        passed.append(check)
        check = "members"
        _check_members(stated)
        passed.append(check)
        if body is not None:
            check = "body"
            _need(_sha256(body) == stated["answer_sha256"], "it is the receipt of another answer")
            passed.append(check)
        if request is not None:
            check = "request"
            _need(_sha256(_canonical(request)) == stated["request_sha256"], "it is the receipt of another request")
            passed.append(check)
        return Verdict(tuple(passed), None, stated)
    except _Fault as fault:
        return Verdict(tuple(passed), f"{check}: {fault}", stated)


def _signed_by(keys: Mapping[str, Any], jws: str) -> Mapping[str, Any]:
    parts = jws.split(".")
    _need(len(parts) == 3, "it is no compact JWS")
    head, payload, signature = (_of_base64url(part) for part in parts)
    header = _json(head)
    _need(header.get("alg") == "EdDSA" and "crit" not in header, "only EdDSA counts, without extensions")
    kid = header.get("kid")
    named = [key for key in keys.get("keys", []) if key.get("kid") == kid and key.get("crv") == "Ed25519"]
    _need(kid and named, f"none of the keys is {kid}")
    signed = jws.rpartition(".")[0].encode()
    _need(any(is_signed(_of_base64url(key["x"]), signed, signature) for key in named), f"it is not signed by {kid}")
    stated = _json(payload)
    host = urlsplit(str(stated.get("resourceUrl"))).netloc
    _need(kid.split("#")[0] == f"did:web:{quote(host, safe='')}", "the key is not of the receipt's service")
    return stated


def _json(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        raise _Fault("it is no JSON")
    _need(isinstance(value, dict), "it is no JSON object")
    return value


_ADDRESS, _HASH = r"0x[0-9a-f]{40}", r"[0-9a-f]{64}"
_FORMS = {
    "version": "1",
    "network": r"eip155:\d+",
    "payer": _ADDRESS,
    "issuedAt": r"[1-9]\d*",
    "transaction": r"(0x[0-9a-f]{64})?",
    "asset": _ADDRESS,
    "amount": r"[1-9]\d*",
    "payTo": _ADDRESS,
    "operation": r".+",
    "request_sha256": _HASH,
    "answer_status": r"\d{3}",
}


def _check_members(stated: Mapping[str, Any]) -> None:
    for name, form in _FORMS.items():
        _need(re.fullmatch(form, str(stated.get(name))), f"{name} is {stated.get(name)}")
    owner = f"{stated['network']}:{stated['asset']}:{stated['payer']}:"
    _need(str(stated.get("payment_id")).startswith(owner), "payment_id belongs to another network, asset or payer")
    _need(re.fullmatch(_HASH, str(stated.get("event", {}).get("event_hash"))), "the event has no hash")


def _canonical(value: Any) -> bytes:
    """RFC 8785 for texts, whole numbers, booleans, lists and objects; members in the order of their UTF-16 units."""
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return b"{" + b",".join(_canonical(name) + b":" + _canonical(value[name]) for name in names) + b"}"
    if isinstance(value, (list, tuple)):
        return b"[" + b",".join(map(_canonical, value)) + b"]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False).encode()


def verify_proof(
    proof: Mapping[str, Any], key: str, event: Optional[Mapping[str, Any]] = None
) -> Verdict:
    """`key` is the log's verifier key; `event` has what a receipt or an earlier answer says of the event."""
    passed: list = []
    try:
        check = "event"
        _check_event(proof, event or {})
        passed.append(check)
        check = "signature"
        _need(proof.get("checkpoint"), (proof.get("pending") or {}).get("detail", "no checkpoint covers the event"))
        size, root = _signed_head(proof["checkpoint"], key, proof["origin"])
        passed.append(check)
        check = "inclusion"
        path = proof.get("inclusion") or {}
        _need(path.get("size") == size, "the path is that of another checkpoint")
        _need(_root_over(proof["event"], size, path["proof"]) == root, "the event is not in the signed log")
        passed.append(check)
        return Verdict(tuple(passed), None)
    except _Fault as fault:
        return Verdict(tuple(passed), f"{check}: {fault}")


def _counted(text: str) -> bytes:
    return struct.pack(">I", len(text.encode())) + text.encode()


def _check_event(proof: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    event = {**proof["event"], "origin": proof["origin"]}
    for name, wanted in expected.items():
        _need(event.get(name) == wanted, f"{name} is not {wanted}")
    for name in ("payload", "meta"):
        if event.get(name) is not None:
            tag = f"TS/{name.upper()}/1\0".encode()
            _need(_sha256(tag, event[name].encode()) == event.get(f"{name}_hash"), f"the {name} was altered")
    if event.get("prev_hash") is None or event.get("tenant") is None:
        return
    computed = _sha256(
        b"TS/EVENT/1\0",
        *map(_counted, (event["origin"], event["tenant"], event["stream_id"])),
        struct.pack(">Q", event["version"]),
        uuid.UUID(event["event_id"]).bytes,
        _counted(event["type"]),
        struct.pack(">Iq", event["schema_version"], event["recorded_at_us"]),
        *(bytes.fromhex(event[name]) for name in ("payload_hash", "meta_hash", "prev_hash")),
    )
    _need(computed == event["event_hash"], "the event was altered")


_NOTE = re.compile(r"((.+)\n(0|[1-9]\d{0,15})\n([^=\n]{43}=)\n)\n((?:— [^\s+]+ \S+\n)+)")


def _signed_head(note: str, key: str, origin: str) -> tuple:
    """Size and root of a signed note (c2sp.org/signed-note) of this log."""
    read = _NOTE.fullmatch(note)
    _need(read and read[2] == origin, f"it is no checkpoint of {origin}")
    named = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(\S+)", key)
    _need(named and named[1] == origin, f"{key} is no key of {origin}")
    typed = base64.b64decode(named[3])
    is_ours = len(typed) == 33 and typed[0] == 1 and _sha256(origin.encode(), b"\n", typed).startswith(named[2])
    _need(is_ours, f"{key} is misspelt")
    lines = [line.split(" ") for line in read[5].splitlines()]
    signatures = [base64.b64decode(data) for _, name, data in lines if name == origin]
    own = [data[4:] for data in signatures if data[:4].hex() == named[2]]
    is_good = own and all(is_signed(typed[1:], read[1].encode(), signature) for signature in own)
    _need(is_good, "the checkpoint is not signed by the key")
    return int(read[3]), base64.b64decode(read[4]).hex()


def _root_over(event: Mapping[str, Any], size: int, path: Union[list, tuple]) -> Optional[str]:
    """RFC 9162, section 2.1.3.2, from the event's leaf."""
    index, last = event["position"] - 1, size - 1
    if not 0 <= index <= last:
        return None
    root = _sha256(b"\0", bytes.fromhex(event["event_hash"]))
    for node in path:
        if last == 0:
            return None
        if index % 2 == 1 or index == last:
            root = _sha256(b"\1", bytes.fromhex(node), bytes.fromhex(root))
            # A node without a neighbour rises to where it has one.
            while index % 2 == 0 and index > 0:
                index, last = index // 2, last // 2
        else:
            root = _sha256(b"\1", bytes.fromhex(root), bytes.fromhex(node))
        index, last = index // 2, last // 2
    return root if last == 0 else None
