// Modules that a library loads in case somebody asks for it, and nobody here does, with what stands in for them.

import { join } from "node:path";
import type { Plugin } from "rolldown";

type StandIn = {
  readonly specifier: RegExp;
  /** The packages that import it. */
  readonly importers: RegExp;
  readonly code: string;
};

const standIns: readonly StandIn[] = [
  {
    // zod's messages in fifty languages.
    specifier: /^\.\.\/locales\/index\.js$/,
    importers: /node_modules\/zod\//,
    code: 'export { default as en } from "zod/v4/locales/en.js";',
  },
  {
    // The provider that the AI SDK would ask for a model that is only a name.
    specifier: /^@ai-sdk\/gateway$/,
    importers: /node_modules\/ai\//,
    code: [
      "class GatewayError extends Error { static isInstance() { return false; } }",
      "export { GatewayError, GatewayError as GatewayAuthenticationError };",
      "export const gateway = undefined, createGateway = undefined;",
    ].join("\n"),
  },
  {
    // A validator of JSON Schema that our client replaces: a third of the SDK's bytes.
    specifier: /^@modelcontextprotocol\/(client|server)\/_shims$/,
    importers: /node_modules\/@modelcontextprotocol\//,
    code: [
      'export { default as process } from "node:process";',
      "export const CORS_IS_POSSIBLE = false;",
      "export class DefaultJsonSchemaValidator {}",
    ].join("\n"),
  },
  {
    // Every media type that there is: the authorization server's framework answers with two of them.
    specifier: /^mime-db$/,
    importers: /node_modules\//,
    code: `module.exports = ${JSON.stringify({
      "application/json": { charset: "UTF-8", compressible: true, extensions: ["json"] },
      "application/x-www-form-urlencoded": { extensions: [] },
      "text/html": { compressible: true, extensions: ["html"] },
      "text/plain": { compressible: true, extensions: ["txt", "text"] },
    })};`,
  },
];

const PREFIX = "\0stand-in:";

/** For the command and the service. */
export function serviceStandIns(root: string): Plugin {
  return {
    name: "stand-ins",
    resolveId: {
      filter: { id: [...standIns.map(({ specifier }) => specifier), /^zod\/v4\/locales\/en\.js$/] },
      async handler(specifier, importer = "") {
        // A stand-in is in no folder from which a package is found.
        if (importer.startsWith(PREFIX)) return await this.resolve(specifier, join(root, "package.json"));
        const from = importer.replaceAll("\\", "/");
        const index = standIns.findIndex((one) => one.specifier.test(specifier) && one.importers.test(from));
        return index === -1 ? null : `${PREFIX}${index}`;
      },
    },
    load: {
      filter: { id: /^\0stand-in:/ },
      handler: (id) => standIns[Number(id.slice(PREFIX.length))]?.code,
    },
  };
}
