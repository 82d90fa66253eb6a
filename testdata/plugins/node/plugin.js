#!/usr/bin/env node
"use strict";

// An Executa plugin that shows each part of the protocol.
//
// One reader takes the lines from standard input. It starts calls without waiting
// for them, and hands the host's replies to the calls that wait for them, so that
// it goes on reading whatever a call does. The process ends by itself when
// standard input has ended and all calls are answered.

const crypto = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const MANIFEST = require("./manifest.json");

// A longer message, in bytes, goes through a file.
const INLINE = 512 * 1024;

// The error of a JSON-RPC reply, the host's or ours.
class RPCError extends Error {
  constructor(code, message, data) {
    super(message);
    Object.assign(this, { code, data });
  }
}

// A failure that the model should read about.
class ToolError extends Error {}

function send(message) {
  let line = JSON.stringify({ jsonrpc: "2.0", ...message });
  if (Buffer.byteLength(line) > INLINE && message.id !== undefined) {
    // The host gave us a TMPDIR of our own, and deletes the file.
    const file = path.join(os.tmpdir(), `executa-${crypto.randomUUID()}.json`);
    fs.writeFileSync(file, line, { mode: 0o600 });
    line = JSON.stringify({ jsonrpc: "2.0", id: message.id, __file_transport: file });
  }
  process.stdout.write(line + "\n");
}

// Nothing that prints can get between our messages.
console.log = console.info = console.debug = console.error;

// The calls that wait for the host, by the id of their request.
const waiting = new Map();
let gone = false;

// Calls a method of the host and returns its result.
function callHost(method, params, timeout) {
  if (gone) throw new RPCError(-32603, "the host is gone");
  const id = crypto.randomUUID();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => receive({ id, error: { code: -32603, message: `${method}: no answer from the host` } }),
      timeout,
    );
    waiting.set(id, (reply) => {
      clearTimeout(timer);
      waiting.delete(id);
      const { error } = reply;
      if (error) reject(new RPCError(error.code, error.message, error.data));
      else resolve(reply.result);
    });
    send({ id, method, params });
  });
}

// Hands a reply to the call that waits for it.
function receive(reply) {
  waiting.get(reply.id)?.(reply);
}

// A call that the host makes of a tool.
class Call {
  constructor(context) {
    this.invokeID = context.invoke_id ?? "";
    this.deadline = context.deadline_ms;
    // They belong to this call, which may be on behalf of another user than the
    // next one.
    this.credentials = context.credentials ?? {};
  }

  credential(name) {
    // The environment is for running the plugin by hand, without a host.
    return this.credentials[name] ?? process.env[name];
  }

  // Calls a method of the host on behalf of this call.
  host(method, params) {
    const left = this.deadline ? this.deadline - Date.now() : 60_000;
    const context = { invoke_id: this.invokeID };
    return callHost(method, { ...params, context }, Math.max(left, 0));
  }

  progress(data) {
    const params = { type: "progress", data, context: { invoke_id: this.invokeID } };
    send({ method: "executa/progress", params });
  }
}

const userMessage = (text) => [{ role: "user", content: { type: "text", text } }];

const TOOLS = {
  types: (call, { text, count = 1, mode = "safe", ...others }) => ({ text, count, mode, ...others }),

  whoami(call) {
    const token = call.credential("GITHUB_ACCESS_TOKEN");
    if (!token) throw new ToolError("GITHUB_ACCESS_TOKEN is not set");
    return {
      token: `${token.length} characters`,
      greeting: call.credential("EXAMPLE_GREETING"),
      signed: call.credential("EXAMPLE_SIGNATURE") !== undefined,
    };
  },

  report(call, { rows }) {
    if (rows < 0) throw new ToolError("there cannot be fewer than no rows");
    const row = (_, id) => ({ id, name: `row ${id}`, note: "— ünïcode 行 🙂" });
    return { rows: Array.from({ length: rows }, row) };
  },

  count(call, { steps }) {
    for (let step = 1; step <= steps; step++) call.progress({ step, total: steps });
    return { steps };
  },

  async summarize(call, { text }) {
    const answer = await call.host("sampling/createMessage", {
      messages: userMessage(`Summarize:\n${text}`),
      maxTokens: 400,
      includeContext: "none",
      metadata: { executa_invoke_id: call.invokeID },
    });
    return { summary: answer.content.text };
  },

  async complete(call, { prompt }) {
    const answer = await call.host("agent/complete", { messages: userMessage(prompt), maxTokens: 400 });
    return { text: answer.content.text };
  },

  async converse(call, { message }) {
    const { app_session_uuid } = await call.host("agent/session.create", { kind: "agent", agent_submode: "auto" });
    try {
      const run = await call.host("agent/session.run", { app_session_uuid, content: message });
      // One kind of host sends the text in pieces, another as a whole.
      const texts = { delta: "", token: "", final: "" };
      for (const { event, text = "" } of run.frames) {
        if (event in texts) texts[event] += text;
      }
      const history = await call.host("agent/session.history", { app_session_uuid });
      return { text: texts.final || texts.delta || texts.token, messages: history.messages.length };
    } finally {
      await call.host("agent/session.delete", { app_session_uuid });
    }
  },

  async remember(call, { note, text, forget = false }) {
    const key = `notes/${note}`;
    const old = await call.host("storage/get", { scope: "tool", key });
    // The tag makes it an error if somebody else has changed the note meanwhile.
    // Look at "exists", not at the value: that may be false, or empty.
    const tag = old.exists ? { if_match: old.etag } : {};
    const { etag } = await call.host("storage/set", { scope: "tool", key, value: { text }, ...tag });
    const { items } = await call.host("storage/list", { scope: "tool", prefix: "notes/" });
    if (forget) await call.host("storage/delete", { scope: "tool", key });
    return { before: old.exists ? old.value : null, etag, notes: items.map((item) => item.key) };
  },

  async save_file(call, { path, content, discard = false }) {
    const scope = "user";
    const body = Buffer.from(content);
    const type = "text/plain; charset=utf-8";
    const target = await call.host("files/upload_begin", {
      scope,
      path,
      content_type: type,
      size_bytes: body.length,
    });
    const put = await fetch(target.put_url ?? target.presigned_url, {
      method: "PUT",
      headers: { "Content-Type": type, ...target.headers },
      body,
    });
    if (!put.ok) throw new ToolError(`the upload failed: ${put.status} ${put.statusText}`);
    const etag = (put.headers.get("ETag") ?? "").replaceAll('"', "");
    const done = await call.host("files/upload_complete", { scope, path, etag });
    const { url } = await call.host("files/download_url", { scope, path });
    const { items } = await call.host("files/list", { scope, prefix: "" });
    if (discard) await call.host("files/delete", { scope, path });
    return { path: done.path, bytes: done.size_bytes, url, files: items.map((item) => item.path) };
  },

  async draw(call, { prompt, restyle }) {
    let made = await call.host("image/generate", { prompt, n: 1, size: "1024x1024" });
    if (restyle) {
      made = await call.host("image/edit", { image_url: made.images[0].url, prompt: restyle, n: 1 });
    }
    return { url: made.images[0].url, model: made.model };
  },

  async share(call, { filename, content }) {
    const kept = await call.host("host/uploadFile", {
      mode: "inline",
      filename,
      mime_type: "text/plain",
      purpose: "user_artifact",
      content_b64: Buffer.from(content).toString("base64"),
    });
    return { url: kept.download_url, bytes: kept.size_bytes };
  },

  async embed(call, { texts }) {
    const made = await call.host("embeddings/create", { input: texts });
    return { vectors: made.data.map((item) => item.embedding) };
  },
};

// Says what is wrong with the arguments: a host should have looked, but a plugin is
// also run without one.
function checkArguments(name, args) {
  const { parameters } = MANIFEST.tools.find((tool) => tool.name === name);
  for (const { name: parameter, required = true } of parameters) {
    if (required && !(parameter in args)) throw new RPCError(-32602, `${name}: ${parameter} is missing`);
  }
  for (const given in args) {
    if (!parameters.some((parameter) => parameter.name === given)) {
      throw new RPCError(-32602, `${name}: there is no parameter ${given}`);
    }
  }
}

async function invoke({ tool, arguments: args = {}, context = {} }) {
  if (!Object.hasOwn(TOOLS, tool)) throw new RPCError(-32601, `unknown tool: ${tool}`);
  checkArguments(tool, args);
  const start = Date.now();
  const took = () => ({ duration_ms: Date.now() - start });
  try {
    return { success: true, data: await TOOLS[tool](new Call(context), args), ...took() };
  } catch (e) {
    if (!(e instanceof ToolError)) throw e;
    return { success: false, error: e.message, ...took() };
  }
}

function initialize({ protocolVersion }) {
  if (protocolVersion !== "2.0") return { protocolVersion: "1.1" };
  return {
    protocolVersion: "2.0",
    serverInfo: { name: MANIFEST.name, version: MANIFEST.version },
    capabilities: {},
    // What of the host we use.
    client_capabilities: {
      sampling: {},
      agent: { submodes: ["auto"] },
      storage: { kv: true, files: true },
      image: {},
      "image.edit": {},
      upload: {},
      embeddings: {},
    },
  };
}

const METHODS = {
  initialize,
  describe: () => MANIFEST,
  invoke,
  health: () => ({ status: "ready" }),
  shutdown: () => ({ ok: true }),
};

async function answer({ id, method, params }) {
  try {
    if (!Object.hasOwn(METHODS, method)) throw new RPCError(-32601, `unknown method: ${method}`);
    send({ id, result: await METHODS[method](params ?? {}) });
  } catch (e) {
    if (e instanceof RPCError) {
      const { code, message, data } = e;
      send({ id, error: { code, message, data } });
      return;
    }
    // A bug of ours must not leave the host without an answer.
    console.error(e);
    send({ id, error: { code: -32603, message: String(e) } });
  }
}

function handle(line) {
  if (line.trim() === "") return;
  let message;
  try {
    message = JSON.parse(line);
  } catch (e) {
    send({ id: null, error: { code: -32700, message: `not JSON: ${e.message}` } });
    return;
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    send({ id: null, error: { code: -32600, message: "not an object" } });
  } else if (message.method === undefined) {
    receive(message);
  } else if (message.id !== undefined) {
    answer(message);
  } // else a notification: we know none
}

// Lines end with LF only. The module readline would also end one at U+2028, which
// JSON allows inside a string.
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  lines.forEach(handle);
});
process.stdin.on("end", () => {
  handle(rest);
  gone = true;
  for (const id of [...waiting.keys()]) {
    receive({ id, error: { code: -32603, message: "the host is gone" } });
  }
});
process.stdout.on("error", () => process.exit()); // the host is gone
