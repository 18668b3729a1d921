"""The part of curl that our documents use, for a machine without curl: `python tests/curl.py -s URL -d BODY`.

Sends the same request over a socket and prints the answer, or writes it to a file. Refuses unknown options.
"""

from __future__ import annotations

import argparse
import sys
import urllib.error
import urllib.request
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="curl", allow_abbrev=False)
    parser.add_argument("url")
    parser.add_argument("-s", "--silent", action="store_true", help="nothing else is ever said here")
    parser.add_argument("-H", "--header", action="append", default=[])
    parser.add_argument("-X", "--request")
    parser.add_argument("-d", "--data")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    url = asked.url if "://" in asked.url else f"http://{asked.url}"
    body = None if asked.data is None else asked.data.encode()
    request = urllib.request.Request(url, data=body, method=asked.request)
    for header in asked.header:
        name, _, value = header.partition(":")
        request.add_header(name, value.strip())
    try:
        with urllib.request.urlopen(request) as answer:
            content = answer.read()
    except urllib.error.HTTPError as refusal:  # without --fail an error is an answer like any other
        content = refusal.read()
    except urllib.error.URLError:
        return 7
    if asked.output is None:
        sys.stdout.buffer.write(content)
    else:
        asked.output.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
