"""The official Python client, major version 2, connects by consent."""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from oauth_person import Storage, agree


async def call(todo, provider, name, arguments):
    http = create_mcp_http_client(auth=provider)
    async with Client(streamable_http_client(todo["url"], http_client=http), mode="auto") as client:
        tools = (await client.list_tools()).tools
        return len(tools), await client.call_tool(name, arguments)


async def main():
    todo = json.load(sys.stdin)
    storage = Storage()
    told = {}

    async def redirect(address):
        told.update(await asyncio.to_thread(agree, address, todo["token"]))

    async def callback():
        return AuthorizationCodeResult(code=told["code"], state=told.get("state"), iss=told.get("iss"))

    def provider():
        metadata = OAuthClientMetadata(client_name="SDK", redirect_uris=[todo["redirect"]])
        return OAuthClientProvider(
            server_url=todo["url"],
            client_metadata=metadata,
            storage=storage,
            redirect_handler=redirect,
            callback_handler=callback,
            client_metadata_url=todo.get("document"),
        )

    made = {"url": "https://example.com/", "slug": todo["slug"]}
    tools, result = await call(todo, provider(), "create_link", made)
    first = storage.tokens
    _, read = await call(todo, provider(), "get_link", {"slug": todo["slug"]})
    print(json.dumps({
        "client": storage.client.client_id,
        "tools": tools,
        "made": bool(result.is_error),
        "read": json.loads(read.content[0].text)["slug"],
        "refresh": first.refresh_token is not None,
        "iss": told.get("iss"),
    }))


asyncio.run(main())
