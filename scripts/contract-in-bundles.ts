// The contract as a bundle takes it: a schema that nothing in the bundle uses is dropped, with all that it needs, and what a
// client knows of the routes is data. People write a noun's words, schemas and routes together; a job loads no zod for them
// before its first answer.
// Why: docs/decisions/131-bundles-take-of-the-contract-what-they-use.md

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";
import { parseAst } from "rolldown/parseAst";

const CONTRACT = join(import.meta.dirname, "../src/contract");
const ENDPOINTS = join(CONTRACT, "endpoints.ts");

/** For every bundle. */
export function contractInBundles(): Plugin {
  let endpoints: Promise<string> | null = null;
  return {
    name: "contract-in-bundles",
    setup: (builder) => {
      builder.onLoad({ filter: /[\\/]src[\\/]contract[\\/].*\.ts$/ }, async ({ path }) => {
        if (path === ENDPOINTS) endpoints ??= endpointData();
        const contents = path === ENDPOINTS ? endpoints : withoutEffects(await readFile(path, "utf8"));
        return { contents: (await contents) ?? "", loader: "ts" };
      });
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
    // What calls nothing is known to have none.
    if (!source.slice(start, end).includes("(")) continue;
    result = `${result.slice(0, start)}/* @__PURE__ */ (() => (${result.slice(start, end)}))()${result.slice(end)}`;
  }
  return result;
}

/** The exports of endpoints.ts as data, each schema as an import of the module that exports it. */
async function endpointData(): Promise<string> {
  const homes = await schemaHomes();
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
async function schemaHomes(): Promise<ReadonlyMap<unknown, string>> {
  const homes = new Map<unknown, string>();
  const paths = readdirSync(CONTRACT, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  for (const path of paths.sort()) {
    const from = path.replaceAll("\\", "/");
    for (const [name, value] of Object.entries(await load(join(CONTRACT, path)))) {
      homes.set(value, `(await import(${JSON.stringify(`./${from}`)})).${name}`);
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
