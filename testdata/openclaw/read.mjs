// Prints what each SKILL.md below a folder declares, as JSON: read with the
// npm package "yaml", and with JSON.parse where the metadata is strict JSON.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const root = process.argv[2];
const out = {};
for (const folder of readdirSync(root).sort()) {
  let text;
  try {
    text = readFileSync(join(root, folder, "SKILL.md"), "utf8");
  } catch {
    continue;
  }
  const [, header, body] = text.match(/^---\r?\n([\s\S]*?)\r?\n---[ \t]*\r?\n([\s\S]*)$/);
  const front = parse(header);
  let metadata = front.metadata ?? {};
  const oneLine = header.match(/^metadata: *(\{.*\}) *$/m);
  if (oneLine) metadata = JSON.parse(oneLine[1]);
  if (typeof metadata === "string") metadata = JSON.parse(metadata);
  const vendor = metadata.matrix ?? metadata.openclaw ?? metadata.nexus ?? metadata;
  const needs = vendor.requires ?? {};
  const systems = (v) => (v ?? []).map((s) => ({ win32: "windows" })[s] ?? s);
  const words = (v) => (v === undefined ? [] : [v].flat().flatMap((s) => s.split(/\s+/)));
  out[folder] = {
    name: front.name,
    description: front.description,
    homepage: vendor.homepage ?? front.homepage ?? "",
    userInvocable: front["user-invocable"] ?? true,
    emoji: vendor.emoji ?? "",
    os: systems(vendor.os),
    primaryEnv: vendor.primaryEnv ?? "",
    skillKey: vendor.skillKey ?? "",
    always: vendor.always ?? false,
    bins: needs.bins ?? [],
    anyBins: needs.anyBins ?? [],
    env: needs.env ?? [],
    config: needs.config ?? [],
    install: (vendor.install ?? []).map((r) => ({
      id: r.id ?? "",
      kind: { node: "npm" }[r.kind] ?? r.kind,
      label: r.label ?? "",
      bins: r.bins ?? [],
      os: systems(r.os),
      packages: words(r.formula ?? r.package ?? r.module),
      url: r.url ?? "",
      archive: r.archive ?? "",
      extract: r.extract ?? false,
      stripComponents: r.stripComponents ?? 0,
      targetDir: r.targetDir ?? "",
    })),
    body,
  };
}
console.log(JSON.stringify(out, null, 1));
