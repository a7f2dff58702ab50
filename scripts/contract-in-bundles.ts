// The contract as a bundle takes it: a schema that nothing in the bundle uses is dropped, with all that it needs, and what a
// client knows of the routes is data. People write a noun's words, schemas and routes together; a job loads no zod for them
// before its first answer.
// Why: docs/decisions/131-bundles-take-of-the-contract-what-they-use.md

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin as EsbuildPlugin } from "esbuild";
import type { Plugin as RolldownPlugin } from "rolldown";
import { parseAst } from "rolldown/parseAst";

const CONTRACT = join(import.meta.dirname, "../src/contract");
const ONE_EXPORT = "one-export";
const ENDPOINTS = join(CONTRACT, "endpoints.ts");
const CONTRACT_FILE = /[\\/]src[\\/]contract[\\/].*\.ts$/;

/** For bundles of esbuild: none of them shows the texts of fields. */
export function contractInBundles(): EsbuildPlugin {
  return {
    name: "contract-in-bundles",
    setup: (builder) => {
      builder.onLoad({ filter: CONTRACT_FILE }, async ({ path }) => ({
        contents:
          path === ENDPOINTS
            ? await endpointData("one export")
            : withoutEffects(withoutTexts(await readFile(path, "utf8"))),
        loader: "ts",
      }));
      // An import of a whole module at run time keeps all that it exports: of an answer's module one export is taken.
      builder.onResolve({ filter: /\.ts\?export=\w+$/ }, async ({ path, kind, resolveDir, importer }) => {
        const [module = ""] = path.split("?");
        const found = await builder.resolve(module, { kind, resolveDir, importer });
        return found.namespace === "file" ? { path, namespace: ONE_EXPORT } : found;
      });
      builder.onLoad({ filter: /.*/, namespace: ONE_EXPORT }, ({ path }) => {
        const [module, name] = path.split("?export=");
        return { contents: `export { ${name} } from "${module}";`, resolveDir: CONTRACT };
      });
    },
  };
}

/** For the service, which prints the OpenAPI document and lists the tools of MCP: fields keep their texts. */
export function contractInService(): RolldownPlugin {
  return {
    name: "contract-in-service",
    load: {
      filter: { id: CONTRACT_FILE },
      handler: async (path) => ({
        code:
          path === ENDPOINTS ? await endpointData("module") : withoutEffects(await readFile(path, "utf8")),
        moduleType: "ts",
      }),
    },
  };
}

/** The same module. Each constant at its top is the result of a call that a bundler drops where nothing uses the constant. */
export function withoutEffects(source: string): string {
  const values = parseAst(source, { lang: "ts" }).body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "VariableDeclaration") return [];
    return declared.declarations.flatMap(({ init }) => init ?? []);
  });
  let result = source;
  for (const { start, end } of values.toReversed()) {
    // What calls nothing and reads nothing of an object is known to have none.
    if (!/[(.]/.test(source.slice(start, end))) continue;
    result = `${result.slice(0, start)}/* @__PURE__ */ (() => (${result.slice(start, end)}))()${result.slice(end)}`;
  }
  return result;
}

/** The same module, each field as the schema that it was made of. */
export function withoutTexts(source: string): string {
  const parts = callsOf("field", parseAst(source, { lang: "ts" })).flatMap((call) => {
    const [schema] = call.arguments;
    if (schema === undefined) return [];
    return [
      { start: call.start, end: schema.start, by: "(" },
      { start: schema.end, end: call.end, by: ")" },
    ];
  });
  let result = source;
  // From the end to the start: fields are within fields, and no part is within another.
  for (const { start, end, by } of parts.sort((one, other) => other.start - one.start)) {
    result = result.slice(0, start) + by + result.slice(end);
  }
  return result;
}

type Range = { readonly start: number; readonly end: number };
type CallOf = Range & { readonly arguments: readonly Range[] };

/** Every call of a function of this name. */
function callsOf(name: string, node: unknown): readonly CallOf[] {
  if (typeof node !== "object" || node === null) return [];
  const inside = Object.values(node).flatMap((one) => callsOf(name, one));
  const { type, callee } = node as { readonly type?: unknown; readonly callee?: { readonly name?: unknown } };
  return type === "CallExpression" && callee?.name === name ? [node as CallOf, ...inside] : inside;
}

/** What an import of an answer's schema takes: its module, or of that the one export. */
type Taken = "module" | "one export";

/** The exports of endpoints.ts as data, each schema as an import of the module that exports it. */
async function endpointData(taken: Taken): Promise<string> {
  const homes = await schemaHomes(taken);
  const print = async (value: unknown): Promise<string> => {
    if (typeof value === "function") return `async () => ${homes.get(await value()) ?? refuseHomeless()}`;
    if (Array.isArray(value) || typeof value !== "object" || value === null) return JSON.stringify(value);
    const fields = Object.entries(value).map(async ([name, one]) => `${name}: ${await print(one)}`);
    return `{ ${(await Promise.all(fields)).join(", ")} }`;
  };
  const exported = Object.entries(await load(ENDPOINTS));
  const lines = exported.map(async ([name, value]) => `export const ${name} = ${await print(value)};`);
  return (await Promise.all(lines)).join("\n");
}

/** Each schema of the contract with the expression that loads it. */
async function schemaHomes(taken: Taken): Promise<ReadonlyMap<unknown, string>> {
  const homes = new Map<unknown, string>();
  const paths = readdirSync(CONTRACT, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  for (const path of paths.sort()) {
    const from = path.replaceAll("\\", "/");
    for (const [name, value] of Object.entries(await load(join(CONTRACT, path)))) {
      const module = taken === "module" ? from : `${from}?export=${name}`;
      homes.set(value, `(await import("./${module}")).${name}`);
    }
  }
  return homes;
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  return await import(pathToFileURL(path).href);
}

function refuseHomeless(): never {
  throw new TypeError("The schema of an answer has to be exported by a module of the contract.");
}
