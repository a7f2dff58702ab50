// The contract as a bundle takes it: a schema that nothing in the bundle uses is dropped, with all that it needs. People write
// a noun's words, schemas and routes in one file; a job that needs the words alone does not load zod for them.

import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { parseAst } from "rolldown/parseAst";

const CONTRACT = /[\\/]src[\\/]contract[\\/].*\.ts$/;

/** Marks what the constants of the contract are made of as free of effects: esbuild cannot know it of a schema's methods. */
export function contractInBundles(): Plugin {
  return {
    name: "contract-in-bundles",
    setup: (builder) => {
      builder.onLoad({ filter: CONTRACT }, async ({ path }) => ({
        contents: withoutEffects(await readFile(path, "utf8")),
        loader: "ts",
      }));
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
