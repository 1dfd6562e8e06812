"""Follows each address of a JSON list on standard input with urllib, and prints the answers as another.

Names below .example are this machine.
"""

import json
import socket
import sys
import urllib.request

lookup = socket.getaddrinfo


def local(host, *rest, **named):
    return lookup("127.0.0.1" if host.endswith(".example") else host, *rest, **named)


def follow(address):
    try:
        return urllib.request.urlopen(address).read().decode()
    except Exception as error:
        return repr(error)


socket.getaddrinfo = local
print(json.dumps([follow(address) for address in json.load(sys.stdin)]))
