"""Starts mcp-openapi-proxy on the OpenAPI document of an instance and calls one of its tools.

Reads {origin, token, below, tool, arguments} and writes {tools, text}.
"""

import asyncio
import json
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters


async def main():
    todo = json.load(sys.stdin)
    environment = {
        "OPENAPI_SPEC_URL": f"{todo['origin']}/_docs/openapi.json",
        "SERVER_URL_OVERRIDE": todo["origin"],
        "TOOL_WHITELIST": todo["below"],
        "API_KEY": todo["token"],
    }
    program = Path(sys.executable).with_name("mcp-openapi-proxy")
    proxy = StdioServerParameters(command=str(program), args=[], env=environment)
    async with Client(proxy, mode="legacy") as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool(todo["tool"], todo["arguments"])
    print(json.dumps({"tools": [tool.name for tool in tools], "text": result.content[0].text}))


asyncio.run(main())
