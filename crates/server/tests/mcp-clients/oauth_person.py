"""A person who signs in and agrees, for the official Python clients."""

import re
import urllib.error
import urllib.parse
import urllib.request


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_Stay)


def _send(address, pairs=None, cookie=None):
    data = urllib.parse.urlencode(pairs).encode() if pairs is not None else None
    request = urllib.request.Request(address, data=data, headers={"Cookie": cookie} if cookie else {})
    try:
        return _opener.open(request)
    except urllib.error.HTTPError as answer:
        return answer


def agree(address, token):
    """Signs in with the token, agrees, and returns the parameters that the browser is sent with."""
    entered = _send(address, [("token", token)])
    cookie = entered.headers["Set-Cookie"].split(";")[0]
    page = _send(address, cookie=cookie).read().decode()
    form = re.search(r'name="form" value="([^"]+)"', page).group(1)
    scopes = [("scope", scope) for scope in re.findall(r'name="scope" value="([^"]+)"', page)]
    sent = _send(address, [("form", form), ("decision", "allow"), *scopes], cookie)
    query = urllib.parse.urlsplit(sent.headers["Location"]).query
    return dict(urllib.parse.parse_qsl(query))


class Storage:
    """Keeps tokens and the registration in memory."""

    def __init__(self):
        self.tokens = None
        self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info
