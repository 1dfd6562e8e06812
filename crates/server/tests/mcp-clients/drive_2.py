"""The official Python client, major version 2. Reads and writes the same as drive-2.mjs."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def transport(todo):
    if todo["bridge"]:
        command, *arguments = todo["bridge"]
        environment = {"SLUGLINE_SITE_TOKEN": todo["token"]}
        return StdioServerParameters(command=command, args=arguments, env=environment)
    headers = {"Authorization": f"Bearer {todo['token']}"}
    return streamable_http_client(todo["url"], http_client=create_mcp_http_client(headers=headers))


async def session(todo):
    async with Client(transport(todo), mode=todo["mode"]) as client:
        tools = (await client.list_tools()).tools
        results = [await client.call_tool(one["tool"], one["arguments"]) for one in todo["calls"]]
        counts = [client.call_tool("count_links", {}) for _ in todo["calls"]]
        together = await asyncio.gather(*counts)
        return {
            "version": client.protocol_version,
            "server": {"name": client.server_info.name},
            "tools": [tool.name for tool in tools],
            "results": [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in results],
            "together": len(together),
        }


async def main():
    print(json.dumps([await session(todo) for todo in json.load(sys.stdin)]))


asyncio.run(main())
