#!/usr/bin/env python3
"""An Executa plugin that shows each part of the protocol.

The main thread reads standard input and does nothing else: it starts a thread
for each call of the host, and hands the host's replies to the threads that wait
for them. So it goes on reading whatever a call does. It ends when standard input
ends.
"""

import base64
import inspect
import json
import os
import queue
import sys
import tempfile
import threading
import time
import traceback
import urllib.request
import uuid
from pathlib import Path

MANIFEST = json.loads(Path(__file__).with_name("manifest.json").read_text(encoding="utf-8"))

# A longer message goes through a file.
INLINE = 512 * 1024


class RPCError(Exception):
    """The error of a JSON-RPC reply, the host's or ours."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code, self.message, self.data = code, message, data

    def frame(self):
        error = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return error


class Host:
    """The program at the other end of the pipes."""

    def __init__(self, out):
        self._out = out
        self._write = threading.Lock()
        self._lock = threading.Lock()  # protects the following
        self._waiting = {}  # the queues of the threads that wait, by id
        self._gone = False

    def send(self, message):
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        if len(line) > INLINE and "id" in message:
            # The host gave us a TMPDIR of our own, and deletes the file.
            with tempfile.NamedTemporaryFile(prefix="executa-", suffix=".json", delete=False) as f:
                f.write(line)
            pointer = {"jsonrpc": "2.0", "id": message["id"], "__file_transport": f.name}
            line = json.dumps(pointer).encode()
        try:
            with self._write:
                self._out.write(line + b"\n")
                self._out.flush()
        except OSError:
            pass  # the host is gone, as the end of standard input will tell

    def call(self, method, params, timeout):
        """Calls a method of the host and returns its result."""
        answer = queue.SimpleQueue()
        with self._lock:
            if self._gone:
                raise RPCError(-32603, "the host is gone")
            request = str(uuid.uuid4())
            self._waiting[request] = answer
        try:
            self.send({"jsonrpc": "2.0", "id": request, "method": method, "params": params})
            reply = answer.get(timeout=timeout)
        except queue.Empty:
            raise RPCError(-32603, f"{method}: no answer from the host") from None
        finally:
            with self._lock:
                self._waiting.pop(request, None)
        if "error" in reply:
            error = reply["error"]
            raise RPCError(error["code"], error["message"], error.get("data"))
        return reply["result"]

    def receive(self, reply):
        """Hands a reply to the thread that waits for it."""
        with self._lock:
            answer = self._waiting.get(reply.get("id"))
        if answer:
            answer.put(reply)

    def close(self):
        """Ends the waiting of all threads."""
        with self._lock:
            self._gone = True
            waiting = list(self._waiting.values())
        for answer in waiting:
            answer.put({"error": {"code": -32603, "message": "the host is gone"}})


class Call:
    """A call that the host makes of a tool."""

    def __init__(self, host, context):
        self._host = host
        self.invoke_id = context.get("invoke_id", "")
        self._deadline = context.get("deadline_ms")
        # They belong to this call, which may be on behalf of another user than
        # the next one.
        self._credentials = context.get("credentials") or {}

    def credential(self, name):
        # The environment is for running the plugin by hand, without a host.
        return self._credentials.get(name) or os.environ.get(name)

    def host(self, method, **params):
        """Calls a method of the host on behalf of this call."""
        left = self._deadline / 1000 - time.time() if self._deadline else 60
        params["context"] = {"invoke_id": self.invoke_id}
        return self._host.call(method, params, max(left, 0))

    def progress(self, **data):
        params = {"type": "progress", "data": data, "context": {"invoke_id": self.invoke_id}}
        self._host.send({"jsonrpc": "2.0", "method": "executa/progress", "params": params})


class ToolError(Exception):
    """A failure that the model should read about."""


def types(call, text, count=1, mode="safe", **others):
    return {"text": text, "count": count, "mode": mode, **others}


def whoami(call):
    token = call.credential("GITHUB_ACCESS_TOKEN")
    if not token:
        raise ToolError("GITHUB_ACCESS_TOKEN is not set")
    return {
        "token": f"{len(token)} characters",
        "greeting": call.credential("EXAMPLE_GREETING"),
        "signed": call.credential("EXAMPLE_SIGNATURE") is not None,
    }


def report(call, rows):
    if rows < 0:
        raise ToolError("there cannot be fewer than no rows")
    return {"rows": [{"id": i, "name": f"row {i}", "note": "— ünïcode 行 🙂"} for i in range(rows)]}


def count(call, steps):
    for step in range(1, steps + 1):
        call.progress(step=step, total=steps)
    return {"steps": steps}


def message(text):
    return [{"role": "user", "content": {"type": "text", "text": text}}]


def summarize(call, text):
    answer = call.host(
        "sampling/createMessage",
        messages=message(f"Summarize:\n{text}"),
        maxTokens=400,
        includeContext="none",
        metadata={"executa_invoke_id": call.invoke_id},
    )
    return {"summary": answer["content"]["text"]}


def complete(call, prompt):
    answer = call.host("agent/complete", messages=message(prompt), maxTokens=400)
    return {"text": answer["content"]["text"]}


def converse(call, message):
    session = call.host("agent/session.create", kind="agent", agent_submode="auto")
    key = {"app_session_uuid": session["app_session_uuid"]}
    try:
        run = call.host("agent/session.run", content=message, **key)
        # One kind of host sends the text in pieces, another as a whole.
        texts = {"delta": "", "token": "", "final": ""}
        for frame in run["frames"]:
            if frame.get("event") in texts:
                texts[frame["event"]] += frame.get("text", "")
        history = call.host("agent/session.history", **key)
        return {
            "text": texts["final"] or texts["delta"] or texts["token"],
            "messages": len(history["messages"]),
        }
    finally:
        call.host("agent/session.delete", **key)


def remember(call, note, text, forget=False):
    key = f"notes/{note}"
    old = call.host("storage/get", scope="tool", key=key)
    value = {"text": text}
    # The tag makes it an error if somebody else has changed the note meanwhile.
    # Look at "exists", not at the value: that may be false, or empty.
    tag = {"if_match": old["etag"]} if old["exists"] else {}
    new = call.host("storage/set", scope="tool", key=key, value=value, **tag)
    notes = call.host("storage/list", scope="tool", prefix="notes/")
    if forget:
        call.host("storage/delete", scope="tool", key=key)
    return {
        "before": old["value"] if old["exists"] else None,
        "etag": new["etag"],
        "notes": [item["key"] for item in notes["items"]],
    }


def save_file(call, path, content, discard=False):
    body = content.encode()
    kind = "text/plain; charset=utf-8"
    target = call.host(
        "files/upload_begin", scope="user", path=path, content_type=kind, size_bytes=len(body)
    )
    request = urllib.request.Request(
        target.get("put_url") or target["presigned_url"],
        data=body,
        method="PUT",
        headers={"Content-Type": kind, **(target.get("headers") or {})},
    )
    with urllib.request.urlopen(request) as response:
        tag = response.headers.get("ETag", "").strip('"')
    done = call.host("files/upload_complete", scope="user", path=path, etag=tag)
    link = call.host("files/download_url", scope="user", path=path)
    files = call.host("files/list", scope="user", prefix="")
    if discard:
        call.host("files/delete", scope="user", path=path)
    return {
        "path": done["path"],
        "bytes": done["size_bytes"],
        "url": link["url"],
        "files": [item["path"] for item in files["items"]],
    }


def draw(call, prompt, restyle=None):
    made = call.host("image/generate", prompt=prompt, n=1, size="1024x1024")
    if restyle:
        made = call.host("image/edit", image_url=made["images"][0]["url"], prompt=restyle, n=1)
    return {"url": made["images"][0]["url"], "model": made["model"]}


def share(call, filename, content):
    kept = call.host(
        "host/uploadFile",
        mode="inline",
        filename=filename,
        mime_type="text/plain",
        purpose="user_artifact",
        content_b64=base64.b64encode(content.encode()).decode(),
    )
    return {"url": kept["download_url"], "bytes": kept["size_bytes"]}


def embed(call, texts):
    made = call.host("embeddings/create", input=texts)
    return {"vectors": [item["embedding"] for item in made["data"]]}


TOOLS = {
    f.__name__: f
    for f in (
        types, whoami, report, count, summarize, complete,
        converse, remember, save_file, draw, share, embed,
    )
}  # fmt: skip


def invoke(host, params):
    name = params.get("tool")
    if name not in TOOLS:
        raise RPCError(-32601, f"unknown tool: {name}")
    call = Call(host, params.get("context") or {})
    arguments = params.get("arguments") or {}
    try:
        inspect.signature(TOOLS[name]).bind(call, **arguments)
    except TypeError as e:
        raise RPCError(-32602, f"{name}: {e}") from None
    start = time.monotonic()
    try:
        result = {"success": True, "data": TOOLS[name](call, **arguments)}
    except ToolError as e:
        result = {"success": False, "error": str(e)}
    result["duration_ms"] = round((time.monotonic() - start) * 1000)
    return result


def initialize(params):
    if params.get("protocolVersion") != "2.0":
        return {"protocolVersion": "1.1"}
    return {
        "protocolVersion": "2.0",
        "serverInfo": {"name": MANIFEST["name"], "version": MANIFEST["version"]},
        "capabilities": {},
        # What of the host we use.
        "client_capabilities": {
            "sampling": {},
            "agent": {"submodes": ["auto"]},
            "storage": {"kv": True, "files": True},
            "image": {},
            "image.edit": {},
            "upload": {},
            "embeddings": {},
        },
    }


def handle(host, request):
    """Does what the host asks for. It returns the reply without its id."""
    method, params = request["method"], request.get("params") or {}
    try:
        if method == "initialize":
            return {"result": initialize(params)}
        if method == "describe":
            return {"result": MANIFEST}
        if method == "invoke":
            return {"result": invoke(host, params)}
        if method == "health":
            return {"result": {"status": "ready"}}
        if method == "shutdown":
            return {"result": {"ok": True}}
        raise RPCError(-32601, f"unknown method: {method}")
    except RPCError as e:
        return {"error": e.frame()}
    except Exception as e:  # a bug of ours must not leave the host without an answer
        traceback.print_exc()
        return {"error": {"code": -32603, "message": f"{type(e).__name__}: {e}"}}


def serve(host, request):
    host.send({"jsonrpc": "2.0", "id": request["id"], **handle(host, request)})


def main():
    host = Host(sys.stdout.buffer)
    sys.stdout = sys.stderr  # nothing that prints can get between our messages
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except ValueError as e:
            error = {"code": -32700, "message": f"not JSON: {e}"}
            host.send({"jsonrpc": "2.0", "id": None, "error": error})
            continue
        if not isinstance(message, dict):
            error = {"code": -32600, "message": "not an object"}
            host.send({"jsonrpc": "2.0", "id": None, "error": error})
        elif "method" not in message:
            host.receive(message)
        elif "id" not in message:
            pass  # a notification: we know none
        elif message["method"] == "invoke":
            threading.Thread(target=serve, args=(host, message)).start()
        else:
            serve(host, message)
    # Python waits for the threads, so that all calls are answered.
    host.close()


if __name__ == "__main__":
    main()
