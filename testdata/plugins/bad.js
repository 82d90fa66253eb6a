#!/usr/bin/env node
"use strict";

// A plugin that breaks the protocol in the way that its first argument names; see
// bad.py.

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const readline = require("node:readline");

const ROLE = process.argv[2];
const TOKEN = "GITHUB_ACCESS_TOKEN";
const MANIFEST = {
  name: ROLE === "no name" ? undefined : "bad",
  version: "1.0.0",
  description: "Breaks the protocol.",
  tools: [
    { name: "ok", description: "Answers.", parameters: [] },
    {
      name: "run",
      description: "Does what is wrong.",
      parameters: [
        { name: "text", type: "string", required: false },
        { name: "file", type: "string", required: false },
        { name: "n", type: "integer", required: false },
      ],
    },
  ],
  credentials: [{ name: TOKEN, required: false }],
  host_capabilities: ["llm.sample", "aps.kv", "host.upload"],
};
const STORAGE_GET = { scope: "tool", key: "k" };

const held = []; // requests that are not answered yet
const then = new Map(); // what to do with the replies of the host, by the text of their id

function write(data) {
  const bytes = Buffer.from(data);
  for (let n = 0; n < bytes.length; ) {
    try {
      n += fs.writeSync(1, bytes, n);
    } catch (e) {
      if (e.code !== "EAGAIN") throw e;
    }
  }
}
const send = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const reply = ({ id }, data) => send({ id, result: { success: true, data } });
const log = (text) => fs.writeSync(2, text + "\n");
const contextOf = ({ params }) => ({ invoke_id: params.context.invoke_id });
const ID = /"id": ?("[^"]*"|[^,}]*)/;

// Calls the host with an id that is JSON text, and f with the reply.
function reverse(id, method, params, f) {
  then.set(id, f);
  write(JSON.stringify({ jsonrpc: "2.0", id: "ID", method, params }).replace('"ID"', id) + "\n");
}
const answerOf = (request) => (line) => {
  const { error, result } = JSON.parse(line);
  reply(request, error ?? result);
};
const stored = (request) => ({ ...STORAGE_GET, context: contextOf(request) });

function child(request, detached) {
  const p = spawn("sleep", ["1000"], { stdio: ["ignore", "inherit", "inherit"], detached });
  p.unref();
  reply(request, p.pid);
}

function exitAfter(request) {
  reply(request, "answered");
  process.exit(0);
}

const RUN = {
  "long line": (r) => reply(r, "x".repeat(r.params.arguments.n)),
  "id as text": (r) => send({ id: String(r.id), result: { success: true, data: "matched" } }),
  "reverse ids": (r) => {
    const ids = ['"abc"', "7", "9007199254740993", "1.5", '"ü\\u00fc"', String(r.id)];
    const seen = [];
    for (const id of ids) {
      reverse(id, "storage/get", stored(r), (line) => {
        seen.push(ID.exec(line)[1]);
        if (seen.length === ids.length) reply(r, seen.sort());
      });
    }
  },
  "dies in between": (r) => {
    held.push(r);
    if (held.length < 2) return;
    reply(held[0], "answered");
    log("last words");
    process.exit(3);
  },
  "replies and exits": exitAfter,
  "one shot": exitAfter,
  "no newline": ({ id }) => {
    write(JSON.stringify({ jsonrpc: "2.0", id, result: { success: true, data: "answered" } }));
    process.exit(0);
  },
  "byte by byte": ({ id }) => {
    const frame = JSON.stringify({ jsonrpc: "2.0", id, result: { success: true, data: "— 行 🙂" } });
    for (const b of Buffer.from(frame + "\r\n")) write([b]);
  },
  child: (r) => child(r, false),
  "child of its own session": (r) => child(r, true),
  holds: (r) => held.push(r),
  "many reverse": (r) => {
    let left = r.params.arguments.n;
    for (let i = 0; i < r.params.arguments.n; i++) {
      reverse(String(i), "storage/get", stored(r), () => --left || reply(r, "all answered"));
    }
  },
  echo: (r) => reply(r, r.params.arguments.text.length),
  "pointer request": (r) => {
    const file = path.join(os.tmpdir(), "executa-request.json");
    const frame = { jsonrpc: "2.0", id: "p", method: "storage/get", params: stored(r) };
    fs.writeFileSync(file, JSON.stringify(frame));
    then.set('"p"', answerOf(r));
    send({ id: "p", __file_transport: file });
  },
  "long reverse": (r) => {
    const params = { mode: "inline", filename: "f", mime_type: "text/plain", content_b64: "A".repeat(11185000) };
    reverse('"u"', "host/uploadFile", { ...params, context: contextOf(r) }, answerOf(r));
  },
  stray: (r) => {
    send({ id: null, error: { code: -32601, message: "no method" } });
    send({ error: { code: -32601, message: "no method" } });
    send({ id: 123456, result: {} });
    send({ id: "x", result: {} });
    reply(r, "answered");
  },
  "answers late": (r) => setTimeout(reply, 200, r, "answered"),
  "waits for host": (r) => {
    const alive = setInterval(() => {}, 1 << 30);
    reverse('"w"', "storage/get", stored(r), (line) => {
      clearInterval(alive);
      answerOf(r)(line);
    });
  },
  "floods stderr": (r) => {
    for (let i = 0; i < 10; i++) fs.writeSync(2, "x".repeat(1 << 20));
    reply(r, "answered");
  },
  tells: (r) => {
    const token = r.params.context.credentials[TOKEN];
    const how = r.params.arguments.text;
    log(`the request: ${JSON.stringify(r)}`);
    const { id } = r;
    if (how === "data") reply(r, { token });
    else if (how === "error") send({ id, result: { success: false, error: `401 for ${token}` } });
    else send({ id, error: { code: -32000, message: `401 for ${token}`, data: { token } } });
  },
  noise: (r) => {
    console.log("debug: about to answer");
    console.log([1, 2, 3]);
    console.log(42);
    reply(r, "answered");
  },
  twice: (r) => {
    reply(r, "first");
    reply(r, "second");
  },
  "null data": ({ id }) => send({ id, error: { code: -32000, message: "no", data: null } }),
  "kills itself": (r) => {
    fs.appendFileSync(r.params.arguments.file, "ran\n");
    process.kill(process.pid, "SIGKILL");
  },
  uncorrelated: (r) => {
    held.push(r);
    if (held.length === 2) held.forEach((h, i) => reverse(String(i), "storage/get", STORAGE_GET, answerOf(h)));
  },
  "points outside": ({ id, params }) => send({ id, __file_transport: params.arguments.file }),
  environment: (r) => reply(r, process.env),
};

const HEALTH = ["healthy", "ok", "ready", "error", "initializing", "busy"];

function handle(line) {
  const m = JSON.parse(line);
  const { id, method } = m;
  if (method === undefined) {
    const id = ID.exec(line)[1];
    const f = then.get(id);
    then.delete(id);
    f(line);
  } else if (method === "initialize") {
    send({ id, result: { protocolVersion: "2.0", server_info: {}, capabilities: { storage: {} } } });
  } else if (method === "describe") {
    send({ id, result: ROLE === "wrapped" ? { manifest: MANIFEST } : MANIFEST });
    if (ROLE === "stops reading") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  } else if (method === "health") {
    if (ROLE === "health" && HEALTH.length) send({ id, result: { status: HEALTH.shift(), message: "said" } });
    else send({ id, error: { code: -32601, message: "no method" } });
  } else if (ROLE === "params") {
    reply(m, line);
  } else if (m.params.tool === "run") {
    RUN[ROLE](m);
  } else {
    while (ROLE === "holds" && held.length) reply(held.shift(), "late");
    reply(m, "ok");
  }
}

if (ROLE === "exits at once") {
  log("what is this argument?");
  process.exit(2);
}
if (ROLE === "ignores all") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1 << 30);
}
if (ROLE === "noise") console.log("Welcome to the plugin!");
if (ROLE === "byte order mark") write("\ufeff");

if (ROLE === "readline") {
  // It also ends a line at U+2028, which may stand in a JSON string.
  RUN.readline = RUN.echo;
  readline.createInterface({ input: process.stdin }).on("line", handle);
} else {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    lines.forEach(handle);
  });
}
process.stdin.on("end", () => {
  if (ROLE === "answers late") process.exit(0);
});
