// Modules of Node that load more in case somebody asks for it. An `import` of one reads all of its exports: for node:http it loads
// undici, which is a tenth of the time until the service is ready.
// Why: docs/decisions/080-serve-is-a-bundle-of-its-own.md

import type { Plugin } from "rolldown";

/** With what an import of each loads: undici; a differ; the table of Node's flags. */
const LOADING_MORE = ["http", "util", "process"];
const PREFIX = "\0built-in:";

/** Bundles take what they use of such a module as `require` would. */
export function builtInModules(): Plugin {
  return {
    name: "built-in-modules",
    resolveId: {
      filter: { id: new RegExp(`^(node:)?(${LOADING_MORE.join("|")})$`) },
      handler: (specifier, _importer, { kind }) =>
        kind === "import-statement" ? PREFIX + specifier.replace(/^node:/, "") : null,
    },
    load: {
      filter: { id: /^\0built-in:/ },
      handler: (id) => takenWhereUsed(id.slice(PREFIX.length)),
    },
  };
}

/** A module of which the bundler drops each export that nothing uses, unread. */
function takenWhereUsed(name: string): string {
  const names = Object.keys(process.getBuiltinModule(name) ?? {}).filter((one) => one !== "default");
  return [
    `const builtIn = /* @__PURE__ */ process.getBuiltinModule("node:${name}");`,
    "export default builtIn;",
    ...names.map((one) => `export const ${one} = /* @__PURE__ */ (() => builtIn.${one})();`),
  ].join("\n");
}
