"""The server of `mosshead serve`: memory over HTTP and MCP, with access tokens. It needs ``mosshead[server]``.

`app` is the ASGI app. `door` checks each request against its `tokens` and the `limits`. `rest` and `tools` answer requests, and
`problems` turns errors into responses.
"""
