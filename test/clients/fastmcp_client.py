"""FastMCP's client behind one line of JSON a question and one an answer: {"tools": true} or {"name", "args", "meta"}."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


async def main(url: str, headers: dict[str, str]) -> None:
    async with Client(StreamableHttpTransport(url, headers=headers)) as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            if "tools" in asked:
                told = [tool.name for tool in await client.list_tools()]
            else:
                answer = await client.call_tool_mcp(asked["name"], asked["args"], meta=asked.get("meta"))
                told = answer.model_dump(mode="json", by_alias=True)
            print(json.dumps(told), flush=True)


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
