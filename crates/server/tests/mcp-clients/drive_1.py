"""The official Python client, major version 1. Reads and writes the same as drive-2.mjs."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamablehttp_client


def transport(todo):
    if todo["bridge"]:
        command, *arguments = todo["bridge"]
        environment = {"SLUGLINE_SITE_TOKEN": todo["token"]}
        return stdio_client(StdioServerParameters(command=command, args=arguments, env=environment))
    return streamablehttp_client(todo["url"], headers={"Authorization": f"Bearer {todo['token']}"})


async def session(todo):
    async with AsyncExitStack() as stack:
        streams = await stack.enter_async_context(transport(todo))
        client = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
        agreed = await client.initialize()
        tools = (await client.list_tools()).tools
        results = [await client.call_tool(one["tool"], one["arguments"]) for one in todo["calls"]]
        counts = [client.call_tool("count_links", {}) for _ in todo["calls"]]
        together = await asyncio.gather(*counts)
        return {
            "version": agreed.protocolVersion,
            "server": {"name": agreed.serverInfo.name},
            "tools": [tool.name for tool in tools],
            "results": [one.model_dump(mode="json", exclude_none=True) for one in results],
            "together": len(together),
        }


async def main():
    print(json.dumps([await session(todo) for todo in json.load(sys.stdin)]))


asyncio.run(main())
