"""Proofs in exact arithmetic: branch and bound that leaves a certificate."""
