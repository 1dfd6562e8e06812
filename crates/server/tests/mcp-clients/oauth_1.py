"""The official Python client, major version 1, connects by consent."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamablehttp_client
from mcp.shared.auth import OAuthClientMetadata

from oauth_person import Storage, agree


async def call(todo, provider, name, arguments):
    async with streamablehttp_client(todo["url"], auth=provider) as (read, write, _):
        async with ClientSession(read, write) as client:
            await client.initialize()
            tools = (await client.list_tools()).tools
            return len(tools), await client.call_tool(name, arguments)


async def main():
    todo = json.load(sys.stdin)
    storage = Storage()
    told = {}

    async def redirect(address):
        told.update(await asyncio.to_thread(agree, address, todo["token"]))

    async def callback():
        return told["code"], told.get("state")

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
    # A client that starts again has its registration and its tokens.
    _, read = await call(todo, provider(), "get_link", {"slug": todo["slug"]})
    print(json.dumps({
        "client": storage.client.client_id,
        "tools": tools,
        "made": bool(result.isError),
        "read": json.loads(read.content[0].text)["slug"],
        "refresh": first.refresh_token is not None,
        "iss": told.get("iss"),
    }))


asyncio.run(main())
