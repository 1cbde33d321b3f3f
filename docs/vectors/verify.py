#!/usr/bin/env python3
"""Checks hashes.json, and exports of a log, by docs/event-log.md alone: Python's standard library, nothing of the project's code.

    python3 verify.py                  the vectors beside this file
    python3 verify.py export.ndjson    an export (.gz too) of a log that begins at position 1; lines of evidence are passed over

It stops at the first fault, and names its verdict and place as docs/event-log.md does in section 8.
"""
import gzip, hashlib, json, pathlib, struct, sys, uuid

H = lambda *parts: hashlib.sha256(b"".join(parts)).digest()
LP = lambda text: struct.pack(">I", len(text.encode())) + text.encode()
RAW = bytes.fromhex
payload_hash = lambda payload: H(b"TS/PAYLOAD/1\0", payload)
meta_hash = lambda meta: H(b"TS/META/1\0", meta)
stream_genesis = lambda origin, tenant, stream: H(b"TS/STREAM/1\0", LP(origin), LP(tenant), LP(stream))
log_genesis = lambda origin: H(b"TS/LOG/1\0", LP(origin))
log_hash = lambda previous, position, event: H(b"TS/LOG/1\0", previous, struct.pack(">Q", position), event)
commit_hash = lambda key, request, size: H(b"TS/COMMIT/1\0", LP(key), request, struct.pack(">I", size))


def event_hash(origin, e):
    return H(b"TS/EVENT/1\0", LP(origin), LP(e["tenant"]), LP(e["stream_id"]), struct.pack(">Q", e["version"]),
             uuid.UUID(e["event_id"]).bytes, LP(e["type"]), struct.pack(">Iq", e["schema_version"], e["recorded_at_us"]),
             RAW(e["payload_hash"]), RAW(e["meta_hash"]), RAW(e["prev_hash"]))


def expect(holds, what):
    if not holds:
        sys.exit(f"FAIL {what}")


def check_hashes(v):
    for x in v["lp"]:
        expect(LP(x["text"]).hex() == x["lp"], f"lp of {x['text']!r}")
    computed = {
        "payload_hash": lambda x: payload_hash(RAW(x["payload"]["hex"])),
        "meta_hash": lambda x: meta_hash(RAW(x["meta"]["hex"])),
        "stream_genesis": lambda x: stream_genesis(x["origin"], x["tenant"], x["stream_id"]),
        "event_hash": lambda x: event_hash(x["origin"], x),
        "log_genesis": lambda x: log_genesis(x["origin"]),
        "log_hash": lambda x: log_hash(RAW(x["previous"]), x["position"], RAW(x["event_hash"])),
        "commit_hash": lambda x: commit_hash(x["idem_key"], RAW(x["request_hash"]), x["commit_size"]),
    }
    for name, hash_of in computed.items():
        for i, x in enumerate(v[name]):
            expect(hash_of(x).hex() == x["hash"] == H(RAW(x["preimage"])).hex(), f"{name}[{i}]")


def members(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a member is there twice")
    return dict(pairs)


def check_log(lines):
    try:
        read = [json.loads(line, object_pairs_hook=members) for line in lines]
        return check_read([x for x in read if "evidence" not in x])
    except (KeyError, TypeError, ValueError, AttributeError, struct.error) as fault:
        sys.exit(f"FAIL format: {fault!r}")


def check_read(read):
    header, *events = read
    end = events.pop() if events and "end" in events[-1] else None
    origin, streams, left, position, time = header["origin"], {}, 0, 0, 0
    log = log_genesis(origin)
    expect(header["previous_log_hash"] == log.hex(), "order at 1")
    for e in events:
        position += 1
        key = (e["tenant"], e["stream_id"])
        version, prev = streams.get(key, (0, stream_genesis(origin, *key)))
        event = event_hash(origin, e)
        log = log_hash(log, position, RAW(e["event_hash"]))
        expect(payload_hash(e["payload"].encode()).hex() == e["payload_hash"], f"chain at {position}")
        expect(meta_hash(e["meta"].encode()).hex() == e["meta_hash"], f"chain at {position}")
        expect(e["version"] == version + 1 and e["prev_hash"] == prev.hex() and e["event_hash"] == event.hex(), f"chain at {position}")
        expect(e["position"] == position and e["log_hash"] == log.hex() and e["recorded_at_us"] >= time, f"order at {position}")
        first, commit = e["commit_size"] is not None, json.loads(e["meta"]).get("commit")
        expect(first == (left == 0), f"commits at {position}")
        bound = first and commit_hash(e["idem_key"] or "", RAW(e["request_hash"] or "00" * 32), e["commit_size"]).hex()
        expect(commit == (bound or None) and (first or e["idem_key"] is e["request_hash"] is None), f"commits at {position}")
        left = (e["commit_size"] if first else left) - 1
        streams[key], time = (e["version"], event), e["recorded_at_us"]
    expect(left == 0, f"commits at {position + 1}")
    expect(end == {"end": True, "events": position, "head": {"position": position, "log_hash": log.hex()}}, f"completeness at {position + 1}")
    return f"{position} events, head {position}:{log.hex()}"


here = pathlib.Path(__file__).parent
if len(sys.argv) > 1:
    read = gzip.open if sys.argv[1].endswith(".gz") else open
    with read(sys.argv[1], "rb") as file:
        text = file.read().decode("utf-8")
    print("ok", check_log(text.removesuffix("\n").split("\n")))
else:
    check_hashes(json.loads((here / "hashes.json").read_text("utf-8")))
    print("ok hashes.json;", check_log(json.loads((here / "log.json").read_text("utf-8"))["cases"][0]["lines"]))
