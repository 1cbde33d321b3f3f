"""A client of Tallystick: calls by key, 402s read, receipts and proofs verified."""

from .calls import Answer, PaymentRequired, Refused, Tallystick
from .evidence import Verdict, receipt_in, verify_proof, verify_receipt

__all__ = [
    "Answer",
    "PaymentRequired",
    "Refused",
    "Tallystick",
    "Verdict",
    "receipt_in",
    "verify_proof",
    "verify_receipt",
]
