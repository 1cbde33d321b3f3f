"""Calls of the service. An answer that refuses is an exception, and a 402 one with its price."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Mapping, Optional

import requests


@dataclass(frozen=True)
class Answer:
    """`data` and `meta` of an answer, its bytes as they were received, and its headers."""

    data: Any
    meta: Mapping[str, Any]
    body: bytes
    headers: Mapping[str, str]

    @property
    def event_id(self) -> Optional[str]:
        """The event of the log that records the answer."""
        return self.headers.get("Event-Id")


class Refused(Exception):
    """A problem (RFC 9457): `status`, `type`, `detail`, and `errors` that name the bad fields."""

    def __init__(self, problem: Mapping[str, Any]):
        super().__init__(f"{problem.get('status')} {problem.get('detail') or problem.get('title')}")
        self.problem = problem
        self.status = int(problem.get("status", 0))
        self.type = problem.get("type")
        self.detail = problem.get("detail")
        self.errors = problem.get("errors", [])


class PaymentRequired(Refused):
    """A 402. `accepts` has the terms of x402; `price_usdc` is the price of this call, None where only a sign-in helps."""

    def __init__(self, problem: Mapping[str, Any]):
        super().__init__(problem)
        self.accepts = problem.get("accepts", [])
        micro = self.accepts[0].get("maxAmountRequired") if self.accepts else None
        self.price_usdc = None if micro is None else Decimal(micro) / 10**6


class Tallystick:
    """`key` is an API key, `sk_…`. Lists among the parameters are joined by commas, as the service reads them."""

    def __init__(self, url: str, key: Optional[str] = None, timeout_s: float = 60):
        self.url = url.rstrip("/")
        self.timeout_s = timeout_s
        self.session = requests.Session()
        if key is not None:
            self.session.headers["Authorization"] = f"Bearer {key}"

    def get(self, path: str, headers: Optional[Mapping[str, str]] = None, **params: Any) -> Answer:
        query = {name: _written(value) for name, value in params.items() if value is not None}
        return self._read(self.session.get(self.url + path, params=query, headers=headers, timeout=self.timeout_s))

    def post(self, path: str, body: Mapping[str, Any], headers: Optional[Mapping[str, str]] = None) -> Answer:
        return self._read(self.session.post(self.url + path, json=body, headers=headers, timeout=self.timeout_s))

    def keys(self) -> Mapping[str, Any]:
        """The key set of receipts. Store it: a receipt is worth what the stored keys say of it."""
        return self.get("/.well-known/jwks.json").data

    def log_key(self) -> str:
        """The verifier key of the log. Store it, too."""
        return self._fetch("/log/key").text.strip()

    def proof(self, event_id: str) -> Mapping[str, Any]:
        """The proof of one event, for `verify_proof`."""
        return self.get(f"/log/proof/{event_id}").data

    def _fetch(self, path: str) -> requests.Response:
        answer = self.session.get(self.url + path, timeout=self.timeout_s)
        answer.raise_for_status()
        return answer

    @staticmethod
    def _read(answer: requests.Response) -> Answer:
        try:
            value = answer.json()
        except ValueError:
            value = None
        if not answer.ok:
            problem = value if isinstance(value, dict) else {"status": answer.status_code, "detail": answer.reason}
            raise (PaymentRequired if answer.status_code == 402 else Refused)(problem)
        # Documents of identity and of the log are flat objects without an envelope.
        is_enveloped = isinstance(value, dict) and value.get("success") is True and "data" in value
        data = value["data"] if is_enveloped else answer.text if value is None else value
        return Answer(data, value.get("meta", {}) if is_enveloped else {}, answer.content, answer.headers)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_written, value)) if isinstance(value, (list, tuple)) else str(value)
