"""Certificates: files that prove what hstar says, for `checker/check.py`, which shares nothing with hstar.

`refutations` shows that something is wrong, `verdicts` does so for the answers of audits, checks and verifications,
`file` writes the files (docs/certificates.md).
"""

from hstar.certificates.file import Refused as Refused
