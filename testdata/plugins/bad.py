#!/usr/bin/env python3
"""A plugin that breaks the protocol in the way that its first argument names.

Its tool "ok" answers as it should in each role; what is wrong happens when "run"
is called, or by itself. A role is a row of the tests in executa/e2e_test.go, which
say what it does and what the host must make of it.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

ROLE = sys.argv[1]
TOKEN = "GITHUB_ACCESS_TOKEN"
MANIFEST = {
    "name": "bad",
    "version": "1.0.0",
    "description": "Breaks the protocol.",
    "tools": [
        {"name": "ok", "description": "Answers.", "parameters": []},
        {
            "name": "run",
            "description": "Does what is wrong.",
            "parameters": [
                {"name": "text", "type": "string", "required": ROLE == "swallows"},
                {"name": "file", "type": "string", "required": False},
                {"name": "n", "type": "integer", "required": False},
            ],
        },
    ],
    "credentials": [{"name": TOKEN, "required": False}],
    "host_capabilities": ["llm.sample", "aps.kv", "host.upload"],
}
STORAGE_GET = {"scope": "tool", "key": "k"}

held = []  # requests that are not answered yet
then = {}  # what to do with the replies of the host, by the text of their id
lock = threading.Lock()


def write(data):
    with lock:
        while data:
            data = data[os.write(1, data) :]


def send(message):
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def reply(request, data):
    send({"id": request["id"], "result": {"success": True, "data": data}})


def reverse(request, id, method, params, f, context=True):
    """Calls the host with an id that is JSON text, and f with the reply."""
    if context:
        params = {**params, "context": {"invoke_id": request["params"]["context"]["invoke_id"]}}
    then[id] = f
    frame = {"jsonrpc": "2.0", "id": "ID", "method": method, "params": params}
    write(json.dumps(frame).replace('"ID"', id, 1).encode() + b"\n")


def log(text):
    os.write(2, (text + "\n").encode())


def arguments(request):
    return request["params"]["arguments"]


def forever():
    while True:
        signal.pause()


def long_line(request):
    reply(request, "x" * arguments(request)["n"])


def id_as_text(request):
    send({"id": str(request["id"]), "result": {"success": True, "data": "matched"}})


def reverse_ids(request):
    ids = ['"abc"', "7", "9007199254740993", "1.5", '"ü\\u00fc"', str(request["id"])]
    seen = []

    def f(line):
        seen.append(re.search(r'"id": ?("[^"]*"|[^,}]*)', line)[1])
        if len(seen) == len(ids):
            reply(request, sorted(seen))

    for id in ids:
        reverse(request, id, "storage/get", STORAGE_GET, f)


def dies_in_between(request):
    held.append(request)
    if len(held) == 2:
        reply(held[0], "answered")
        log("last words")
        os._exit(3)


def reply_and_exit(request):
    reply(request, "answered")
    os._exit(0)


def no_newline(request):
    frame = {"jsonrpc": "2.0", "id": request["id"], "result": {"success": True, "data": "answered"}}
    write(json.dumps(frame).encode())
    os._exit(0)


def byte_by_byte(request):
    frame = {"jsonrpc": "2.0", "id": request["id"], "result": {"success": True, "data": "— 行 🙂"}}
    for b in json.dumps(frame, ensure_ascii=False).encode() + b"\r\n":
        write(bytes([b]))


def child(request, **options):
    p = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, **options)
    reply(request, p.pid)


def many_reverse(request):
    left = arguments(request)["n"]

    def f(line):
        nonlocal left
        left -= 1
        if left == 0:
            reply(request, "all answered")

    for i in range(arguments(request)["n"]):
        reverse(request, str(i), "storage/get", STORAGE_GET, f)


def answer_of(request):
    def f(line):
        m = json.loads(line)
        reply(request, m.get("error") or m["result"])

    return f


def pointer(request, content):
    with tempfile.NamedTemporaryFile("w", prefix="executa-", delete=False) as f:
        f.write(content)
    send({"id": "p", "__file_transport": f.name})


def pointer_request(request):
    then['"p"'] = answer_of(request)
    params = {**STORAGE_GET, "context": {"invoke_id": request["params"]["context"]["invoke_id"]}}
    frame = {"jsonrpc": "2.0", "id": "p", "method": "storage/get", "params": params}
    pointer(request, json.dumps(frame))


def long_reverse(request):
    params = {"mode": "inline", "filename": "f", "mime_type": "text/plain", "content_b64": "A" * 11185000}
    reverse(request, '"u"', "host/uploadFile", params, answer_of(request))


def stray(request):
    send({"id": None, "error": {"code": -32601, "message": "no method"}})
    send({"error": {"code": -32601, "message": "no method"}})
    send({"id": 123456, "result": {}})
    send({"id": "x", "result": {}})
    reply(request, "answered")


def answers_late(request):
    threading.Timer(0.2, reply, (request, "answered")).start()


def waits_for_host(request):
    reverse(request, '"w"', "storage/get", STORAGE_GET, answer_of(request))


def flood(request):
    data = b"x" * (1 << 20)
    for _ in range(10):
        os.write(2, data)
    reply(request, "answered")


def tells(request):
    token = request["params"]["context"]["credentials"][TOKEN]
    how = arguments(request)["text"]
    log(f"the request: {json.dumps(request)}")
    if how == "data":
        reply(request, {"token": token})
    elif how == "error":
        send({"id": request["id"], "result": {"success": False, "error": f"401 for {token}"}})
    else:
        error = {"code": -32000, "message": f"401 for {token}", "data": {"token": token}}
        send({"id": request["id"], "error": error})


def bare(request):
    send({"id": request["id"], "result": {"value": request["params"].get("name")}})


def noise(request):
    write(b"debug: about to answer\n[]\n42\nnull\n\n{not json}\n\xff\xfe\n")
    reply(request, "answered")


def twice(request):
    reply(request, "first")
    reply(request, "second")


def null_data(request):
    send({"id": request["id"], "error": {"code": -32000, "message": "no", "data": None}})


def refused(request):
    codes = []

    def f(line):
        error = json.loads(line)["error"]
        codes.append([error["code"], (error.get("data") or {}).get("errorCode")])
        if len(codes) == 2:
            reply(request, codes)
        else:
            params = {**STORAGE_GET, "context": {"invoke_id": "0" * 32}}
            reverse(request, "2", "storage/get", params, f, context=False)

    reverse(request, "1", "no/such", {}, f)


def progress(request):
    context = {"invoke_id": request["params"]["context"]["invoke_id"]}

    def tell(kind, data, context):
        params = {"type": kind, "data": data, "context": context}
        send({"method": "executa/progress", "params": params})

    tell("progress", "first", context)
    tell("completed", "second", context)
    tell("progress", "unknown call", {"invoke_id": "0" * 32})
    send({"method": "executa/progress", "params": {"type": "progress", "data": "no context"}})
    tell("progress", "x" * 8193, context)
    reply(request, "answered")
    tell("progress", "too late", context)


def kills_itself(request):
    with open(arguments(request)["file"], "a") as f:
        f.write("ran\n")
    os.kill(os.getpid(), signal.SIGKILL)


def uncorrelated(request):
    held.append(request)
    if len(held) == 2:
        for i, r in enumerate(held):
            reverse(r, str(i), "storage/get", STORAGE_GET, answer_of(r), context=False)


def closes_stdout(request):
    os.close(1)
    forever()


def points_outside(request):
    send({"id": request["id"], "__file_transport": arguments(request)["file"]})


def holds(request):
    held.append(request)


def echo(request):
    reply(request, len(arguments(request)["text"]))


RUN = {
    "long line": long_line,
    "id as text": id_as_text,
    "reverse ids": reverse_ids,
    "dies in between": dies_in_between,
    "replies and exits": reply_and_exit,
    "no newline": no_newline,
    "byte by byte": byte_by_byte,
    "child": child,
    "child of its own session": lambda request: child(request, start_new_session=True),
    "holds": holds,
    "many reverse": many_reverse,
    "echo": echo,
    "pointer request": pointer_request,
    "long reverse": long_reverse,
    "stray": stray,
    "answers late": answers_late,
    "waits for host": waits_for_host,
    "floods stderr": flood,
    "tells": tells,
    "bare": bare,
    "noise": noise,
    "twice": twice,
    "null data": null_data,
    "refused": refused,
    "progress": progress,
    "kills itself": kills_itself,
    "uncorrelated": uncorrelated,
    "closes stdout": closes_stdout,
    "points outside": points_outside,
    "one shot": reply_and_exit,
    "environment": lambda request: reply(request, dict(os.environ)),
}
HEALTH = ["healthy", "ok", "ready", "error", "initializing", "busy"]


def describe():
    manifest = dict(MANIFEST)
    if ROLE == "no name":
        del manifest["name"]
    return {"manifest": manifest} if ROLE == "wrapped" else manifest


def handle(line):
    m = json.loads(line)
    if "method" not in m:
        id = re.search(r'"id": ?("[^"]*"|[^,}]*)', line)[1]
        then.pop(id)(line)
        return
    method = m["method"]
    if method == "initialize":
        result = {"protocolVersion": "2.0", "server_info": {}, "capabilities": {"storage": {}}}
        send({"id": m["id"], "result": result})
    elif method == "describe":
        send({"id": m["id"], "result": describe()})
        if ROLE == "stops reading":
            forever()
        if ROLE == "closes stdin":
            os.close(0)
            forever()
    elif method == "health":
        if HEALTH and ROLE == "health":
            send({"id": m["id"], "result": {"status": HEALTH.pop(0), "message": "said"}})
        else:
            send({"id": m["id"], "error": {"code": -32601, "message": "no method"}})
    elif ROLE == "params":
        reply(m, line)
    elif m["params"]["tool"] == "run":
        RUN[ROLE](m)
    else:
        if ROLE == "holds":  # it answers late what it holds
            while held:
                reply(held.pop(0), "late")
        reply(m, "ok")


def pool():
    """Four threads run the calls, and also hand on the replies of the host."""
    workers = ThreadPoolExecutor(4)

    def run(m):
        done = threading.Event()
        context = {"invoke_id": m["params"]["context"]["invoke_id"]}
        then[str(m["id"])] = done
        params = {**STORAGE_GET, "context": context}
        send({"id": m["id"], "method": "storage/get", "params": params})
        done.wait()
        reply(m, "answered")

    for line in sys.stdin:
        m = json.loads(line)
        if m.get("method") == "invoke":
            workers.submit(run, m)
        elif "method" in m:
            handle(line)
        else:
            workers.submit(then[str(m["id"])].set)


def swallows():
    """A call with a wrong argument is never answered."""
    for line in sys.stdin:
        m = json.loads(line)
        if m.get("method") != "invoke":
            handle(line)
        elif set(arguments(m)) == {"text"}:
            reply(m, "answered")


def main():
    if ROLE == "exits at once":
        log("what is this argument?")
        sys.exit(2)
    if ROLE == "pool":
        return pool()
    if ROLE == "swallows":
        return swallows()
    if ROLE == "ignores all":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if ROLE == "noise":
        write(b"Welcome to the plugin!\n")
    if ROLE == "byte order mark":
        write(b"\xef\xbb\xbf")
    for line in sys.stdin:
        handle(line)
    if ROLE == "answers late":
        os._exit(0)
    if ROLE == "ignores all" or ROLE == "waits for host" and then:
        forever()


main()
