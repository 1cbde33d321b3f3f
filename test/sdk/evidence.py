"""Calls a service with the Python client, and judges the evidence on standard input; prints what it found as JSON."""

import json
import sys

from tallystick_client import PaymentRequired, Refused, Tallystick, receipt_in, verify_proof, verify_receipt

given = json.load(sys.stdin)
keyed, stranger = Tallystick(given["url"], key=given["key"]), Tallystick(given["url"])
found = {"data": keyed.get(given["path"]).data}

try:
    stranger.get(given["path"])
except PaymentRequired as required:
    found["required"] = [required.status, str(required.price_usdc), len(required.accepts) > 0]
try:
    keyed.get(given["path"], no_such="field")
except Refused as refused:
    found["refused"] = [refused.status, refused.errors[0]["path"]]

keys, log_key = stranger.keys(), stranger.log_key()
receipt, body = receipt_in(given["headers"]), given["body"].encode()
whole = verify_receipt(receipt, keys, body, given["request"])
found["receipt"] = [whole.ok, list(whole.checks)]
head, payload, signature = receipt.split(".")
altered = "".join([payload[:-2], "A" if payload[-2] != "A" else "B", payload[-1]])
found["forged"] = [
    verify_receipt(f"{head}.{altered}.{signature}", keys).fault,
    verify_receipt(receipt, {"keys": []}).fault,
    verify_receipt(receipt, keys, body + b" ").fault,
    verify_receipt(receipt, keys, body, {**given["request"], "operation": "orders_list"}).fault,
]

event = whole.receipt["event"]
proof = stranger.proof(event["event_id"])
full = keyed.proof(given["own_event_id"])
found["proof"] = [verify_proof(proof, log_key, event).fault, verify_proof(full, log_key).fault, "payload" in full["event"]]
other = "00" * 32
path = proof["inclusion"]
found["refused_proofs"] = [
    verify_proof({**proof, "event": {**proof["event"], "event_hash": other}}, log_key).fault,
    verify_proof({**proof, "inclusion": {**path, "proof": path["proof"][1:]}}, log_key, event).fault,
    verify_proof({**proof, "checkpoint": proof["checkpoint"].replace(str(path["size"]), "1", 1)}, log_key).fault,
    verify_proof(proof, log_key, {"event_hash": other}).fault,
    verify_proof({**full, "event": {**full["event"], "payload": "{}"}}, log_key).fault,
    verify_proof({**full, "event": {**full["event"], "tenant": "other"}}, log_key).fault,
]
print(json.dumps(found))
