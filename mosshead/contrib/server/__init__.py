"""The server of `mosshead serve`: memory over HTTP and MCP, for whoever has a token. It needs ``mosshead[server]``.

`app` is the ASGI app. `door` lets requests in by their `tokens` and within `limits`; `rest` and `tools` are what they may ask
for, and `problems` is how errors are told.
"""
