// Bundles dist/, which the Action loads and which is committed, and npm/, which the package holds and which is not.
// Byte-identical on every machine: no absolute path, no time, and one pinned esbuild.
// Why: docs/decisions/004-runtime-dependencies.md, docs/decisions/027-what-npm-holds-is-not-committed.md

import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { contractInBundles } from "./contract-in-bundles.ts";

const root = join(import.meta.dirname, "..");
const LICENCES = "LICENSES.txt";

/** Where bundles go: `dist` is committed, `npm` is built by `npm ci` and packed. */
export type BundleFolder = "dist" | "npm";

/** One bundle. */
export type Bundle = {
  readonly entry: string;
  readonly outfile: string;
  readonly options: BuildOptions;
};

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  // A stand-in that lacks a function would fail at run time.
  logOverride: { "import-is-undefined": "error" },
  sourcemap: false,
  treeShaking: true,
};

/** What the Action loads: CommonJS, for Node 24. */
const action: BuildOptions = {
  ...shared,
  format: "cjs",
  minifySyntax: true,
  minifyWhitespace: true,
  platform: "node",
  target: "node24",
};

/** What the runner starts, or a debugger imports: only a file that was started is `import.meta.main`, in CommonJS too. */
const actionEntry: BuildOptions = {
  ...action,
  banner: { js: '"use strict";const isStarted=require.main===module;' },
  define: { "import.meta.main": "isStarted" },
};

/**
 * The command. `serve` is one file with nothing that it does not need, so that it starts quickly; another holds every
 * command. Beside them is what few operators ask for.
 * Why: docs/decisions/080-serve-is-a-bundle-of-its-own.md
 */
const command: BuildOptions = {
  ...shared,
  banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
  // pg asks for its native sibling and does without it.
  external: ["pg-native"],
  format: "esm",
  minifySyntax: true,
  minifyWhitespace: true,
  platform: "node",
  target: "node24",
};

/** The client, for programs in Node and in browsers. */
const library: BuildOptions = {
  ...shared,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
};

/** A script of a page: one file, for browsers of the last three years. */
const browser: BuildOptions = {
  ...shared,
  format: "esm",
  minify: true,
  platform: "browser",
  target: ["chrome120", "firefox120", "safari17"],
};

/**
 * What @actions/* and the steps load at start and the Action needs late or never. TLS, hashing and the promises of files
 * wait for their first use, `tunnel` and undici (larger than all the rest) for a proxy: each is a file of its own.
 */
const late: Readonly<Record<string, { readonly from: string; readonly functions: readonly string[] }>> = {
  crypto: { from: "crypto", functions: ["createHash", "randomUUID"] },
  "fs/promises": {
    from: "fs/promises",
    functions: [
      "appendFile",
      "copyFile",
      "mkdir",
      "mkdtemp",
      "open",
      "readdir",
      "readFile",
      "realpath",
      "rename",
      "rm",
      "stat",
      "statfs",
      "writeFile",
    ],
  },
  https: { from: "https", functions: ["Agent", "request"] },
  tunnel: {
    from: "./tunnel.cjs",
    functions: ["httpOverHttp", "httpOverHttps", "httpsOverHttp", "httpsOverHttps"],
  },
  undici: { from: "./proxy.cjs", functions: ["ProxyAgent"] },
};

/**
 * What the main step imports after its first request: the schemas of the answers, a run's log and summary; and before it
 * what few jobs need, such as a comment's command, or a proxy: they load the file sooner, and not twice. V8 parses all
 * of a file before it executes any of it. Only modules whose classes nobody tells apart: a second bundle has its own.
 * Why: docs/decisions/042-the-main-step-loads-in-two-parts.md
 */
const afterFirstRequest = [
  "src/action/commit-place.ts",
  "src/action/conclude-step.ts",
  "src/action/job-files.ts",
  "src/action/proxy-agent.ts",
  "src/ci/github-event.ts",
  "src/contract/ci/commits.ts",
  "src/contract/ci/exchange.ts",
  "src/contract/ci/run-page.ts",
  "src/contract/problems/problem.ts",
  "src/contract/runs/run.ts",
  "src/github/trigger/comment-command.ts",
  "src/github/trigger/prompt-file.ts",
  "src/job/cancel-runs.ts",
  "src/job/conclude-job.ts",
  "src/job/follow-log.ts",
  "src/job/git/send-commit.ts",
  "src/job/model-access.ts",
  "src/job/watch-run.ts",
  "src/render/github-log.ts",
];
const LATER = "later.cjs";

/** What a service loads only where it is configured. */
const besideTheService = [
  besides(/\/traces\.ts$/, "./traces.mjs"),
  besides(/\/telemetry\/metrics\.ts$/, "./metrics.mjs"),
  besides(/\/blobs\/s3\.ts$/, "./s3.mjs"),
  besides(/^\.\/model\.ts$/, "./model.mjs"),
  besides(/^\.\/acp\.ts$/, "./acp.mjs"),
  besides(/^\.\/web\.ts$/, "./web.mjs"),
  besides(/^\.\/mcp\.ts$/, "./mcp-server.mjs"),
  besides(/^\.\/mcp-stdio\.ts$/, "./mcp-stdio.mjs"),
  besides(/^\.\/oauth\.ts$/, "./oauth.mjs"),
  besides(/^\.(\.\/wiring)?\/workspaces\.ts$/, "./workspaces.mjs"),
  besides(/^\.\/passkey-ceremony\.ts$/, "./passkeys.mjs"),
];

/** The backend with a model, whose libraries bring more than is used. */
const model: BuildOptions = {
  ...command,
  // The protocol of MCP servers is loaded only where a run has one.
  plugins: [withoutDefaults(), besides(/\/mcp-session\.ts$/, "./mcp.mjs")],
};
const MCP_SESSION = "src/service/executor/tools/mcp/mcp-session.ts";

/** GitHub's client, in a file of its own: it is loaded at the first call of the API, or while the job waits for another answer. */
const OCTOKIT = "@actions/github/lib/utils";

/** Everything under dist/ and npm/. A further face of the package is one more row. */
export const bundles: readonly Bundle[] = [
  {
    entry: "src/action/main.ts",
    outfile: "dist/main.cjs",
    // As `require`: an import of its own starts Node's other loader first.
    options: {
      ...actionEntry,
      supported: { "dynamic-import": false },
      plugins: [besides(/\/run-agent\.ts$/, "./step.cjs")],
    },
  },
  {
    entry: "src/action/run-agent.ts",
    outfile: "dist/step.cjs",
    options: {
      ...action,
      plugins: [
        onDemand(),
        withoutUnused(),
        besides(/\/code-host\.ts$/, "./github.cjs"),
        besides(/^\.\/doctor\.ts$/, "./doctor.cjs"),
        besides(/\/service\/embedded\/embedded\.ts$/, "./service.mjs"),
        fromLater(),
      ],
    },
  },
  {
    entry: LATER,
    outfile: `dist/${LATER}`,
    options: {
      ...action,
      plugins: [laterEntry(), onDemand(), withoutUnused(), besides(/\/code-host\.ts$/, "./github.cjs")],
    },
  },
  {
    entry: "src/action/doctor.ts",
    outfile: "dist/doctor.cjs",
    options: {
      ...action,
      plugins: [onDemand(), withoutUnused(), besides(/\/service\/embedded\/embedded\.ts$/, "./service.mjs")],
    },
  },
  {
    entry: "src/action/post.ts",
    outfile: "dist/post.cjs",
    options: { ...actionEntry, plugins: [onDemand(), withoutUnused()] },
  },
  {
    entry: "src/github/code-host.ts",
    outfile: "dist/github.cjs",
    options: {
      ...action,
      supported: { "dynamic-import": false },
      plugins: [onDemand(), withoutUnused(), besides(new RegExp(`^${OCTOKIT}$`), "./octokit.cjs")],
    },
  },
  {
    entry: OCTOKIT,
    outfile: "dist/octokit.cjs",
    options: { ...action, plugins: [withoutSurroundings()] },
  },
  { entry: "undici", outfile: "dist/proxy.cjs", options: action },
  { entry: "tunnel", outfile: "dist/tunnel.cjs", options: action },
  {
    entry: "src/cli/main.ts",
    outfile: "npm/cli.mjs",
    options: {
      ...command,
      plugins: [
        besides(/^\.\/serve-part\.ts$/, "./serve.mjs"),
        besides(/^\.\/commands-part\.ts$/, "./commands.mjs"),
      ],
    },
  },
  {
    entry: "src/cli/serve-part.ts",
    outfile: "npm/serve.mjs",
    options: { ...command, plugins: besideTheService },
  },
  {
    entry: "src/cli/commands-part.ts",
    outfile: "npm/commands.mjs",
    options: {
      ...command,
      plugins: [...besideTheService, besides(/\/conform\/conform\.ts$/, "./conform.mjs")],
    },
  },
  { entry: "src/conform/conform.ts", outfile: "npm/conform.mjs", options: command },
  {
    entry: "src/service/embedded/embedded.ts",
    outfile: "dist/service.mjs",
    options: { ...command, plugins: besideTheService },
  },
  { entry: "src/service/wiring/model.ts", outfile: "dist/model.mjs", options: model },
  { entry: "src/service/wiring/model.ts", outfile: "npm/model.mjs", options: model },
  { entry: MCP_SESSION, outfile: "dist/mcp.mjs", options: { ...command, plugins: [withoutValidator()] } },
  { entry: MCP_SESSION, outfile: "npm/mcp.mjs", options: { ...command, plugins: [withoutValidator()] } },
  { entry: "src/service/wiring/acp.ts", outfile: "dist/acp.mjs", options: command },
  { entry: "src/service/wiring/acp.ts", outfile: "npm/acp.mjs", options: command },
  { entry: "src/service/blobs/s3.ts", outfile: "npm/s3.mjs", options: command },
  { entry: "src/service/telemetry/traces.ts", outfile: "npm/traces.mjs", options: command },
  { entry: "src/service/telemetry/metrics.ts", outfile: "npm/metrics.mjs", options: command },
  {
    entry: "src/cli/mcp-stdio.ts",
    outfile: "npm/mcp-stdio.mjs",
    options: { ...command, plugins: [withoutValidator()] },
  },
  {
    entry: "src/service/faces/mcp.ts",
    outfile: "npm/mcp-server.mjs",
    options: { ...command, plugins: [withoutValidator()] },
  },
  {
    entry: "src/service/faces/oauth.ts",
    outfile: "npm/oauth.mjs",
    // Its library stores what it keeps under the names of its classes.
    options: { ...command, keepNames: true, plugins: [withFewMediaTypes()] },
  },
  { entry: "src/service/wiring/workspaces.ts", outfile: "npm/workspaces.mjs", options: command },
  {
    entry: "src/service/faces/web.ts",
    outfile: "npm/web.mjs",
    options: { ...command, plugins: besideTheService },
  },
  { entry: "src/service/api/web/passkey-ceremony.ts", outfile: "npm/passkeys.mjs", options: command },
  { entry: "src/web/copy.ts", outfile: "npm/web-copy.js", options: browser },
  { entry: "src/web/passkey.ts", outfile: "npm/web-passkey.js", options: browser },
  { entry: "src/web/run/run.ts", outfile: "npm/web-run.js", options: browser },
  {
    entry: "src/client/client.ts",
    outfile: "npm/client.mjs",
    options: { ...library, plugins: [besides(/^\.\/node-web-socket\.ts$/, "./ws.mjs")] },
  },
  {
    entry: "src/client/client.ts",
    outfile: "npm/client-browser.mjs",
    options: { ...library, plugins: [ofPages()] },
  },
  {
    entry: "src/client/node-web-socket.ts",
    outfile: "npm/ws.mjs",
    options: { ...command, target: "node20" },
  },
];

/** Builds a folder's bundles and the licences of what is inside them. Touches it only when all of them are built. */
export async function buildFolder(folder: BundleFolder): Promise<void> {
  const inputs = new Set<string>();
  const files = new Map<string, Uint8Array | string>();
  for (const { entry, outfile, options } of bundles) {
    if (!outfile.startsWith(`${folder}/`)) continue;
    const { metafile, outputFiles } = await build({
      ...options,
      plugins: [contractInBundles(), ...(options.plugins ?? [])],
      entryPoints: [entry],
      outfile,
      metafile: true,
      write: false,
    });
    for (const path of Object.keys(metafile.inputs)) inputs.add(path);
    for (const { contents } of outputFiles) files.set(basename(outfile), contents);
  }
  files.set(LICENCES, licenceTexts(inputs));
  await mkdir(join(root, folder), { recursive: true });
  for (const name of await readdir(join(root, folder))) {
    // The package's types are made by another script, and hidden names are files that are being written.
    if (!files.has(name) && !/^\.|\.d\.ts$/.test(name)) await rm(join(root, folder, name));
  }
  for (const [name, contents] of files) {
    // Renamed into its place: a command that starts meanwhile reads the old file or the new one.
    const part = join(root, folder, `.${name}.${process.pid}`);
    await writeFile(part, contents);
    await rename(part, join(root, folder, name));
    process.stdout.write(`${folder}/${name} ${Buffer.byteLength(contents)} bytes\n`);
  }
}

/** Builds npm/ where a source is newer than it: what a test, the benchmark or the demo starts is never an old command. */
export async function refreshCommand(): Promise<void> {
  const sources = [...treeOf("src"), "package-lock.json", "scripts/build.ts"];
  const builtAt = modifiedAt(`npm/${LICENCES}`);
  if (sources.some((path) => modifiedAt(path) > builtAt)) await buildFolder("npm");
}

/** A folder and everything in it, folders too: one is modified where a file in it is removed. */
function treeOf(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return [folder, ...names.map((name) => join(folder, name))];
}

/** In milliseconds. Never, where there is no such file. */
function modifiedAt(path: string): number {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

/** Leaves a module that is imported lazily in a file of its own. */
function besides(filter: RegExp, path: string): Plugin {
  return {
    name: "besides",
    setup: (builder) => {
      builder.onResolve({ filter }, ({ kind }) =>
        kind === "dynamic-import" ? { path, external: true } : null,
      );
    },
  };
}

/** Leaves out the WebSocket for Node: a page has one of its own, and a bundler for pages finds no module of Node. */
function ofPages(): Plugin {
  const namespace = "of-pages";
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve({ filter: /^\.\/node-web-socket\.ts$/ }, ({ path }) => ({ path, namespace }));
      builder.onLoad({ filter: /.*/, namespace }, () => ({ contents: 'throw new Error("There is none.");' }));
    },
  };
}

/** Takes what is imported lazily and is in dist/later.cjs from there. */
function fromLater(): Plugin {
  const namespace = "from-later";
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
        const source = relative(root, join(resolveDir, path)).replaceAll("\\", "/");
        if (kind !== "dynamic-import" || !afterFirstRequest.includes(source)) return null;
        return { path: source, namespace };
      });
      builder.onResolve({ filter: /^\./, namespace }, ({ path }) => ({ path, external: true }));
      builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: `module.exports = require("./${LATER}")[${JSON.stringify(path)}]();`,
      }));
    },
  };
}

/** Each of its modules by its path, evaluated at its first use. */
function laterEntry(): Plugin {
  const namespace = "later";
  const entries = afterFirstRequest.map((path) => `${JSON.stringify(path)}: () => require("./${path}")`);
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve({ filter: new RegExp(`^${LATER}$`) }, ({ path }) => ({ path, namespace }));
      builder.onLoad({ filter: /.*/, namespace }, () => ({
        contents: `module.exports = { ${entries.join(", ")} };`,
        resolveDir: root,
      }));
    },
  };
}

/**
 * Leaves out what zod and the AI SDK load in case somebody asks for it, and nobody here does: zod's messages in fifty
 * languages, and the provider that the SDK would ask for a model that is only a name.
 */
function withoutDefaults(): Plugin {
  const namespace = "without-defaults";
  const standIns: Readonly<Record<string, string>> = {
    "../locales/index.js": 'export { default as en } from "zod/v4/locales/en.js";',
    "@ai-sdk/gateway": [
      "class GatewayError extends Error { static isInstance() { return false; } }",
      "export { GatewayError, GatewayError as GatewayAuthenticationError };",
      "export const gateway = undefined, createGateway = undefined;",
    ].join("\n"),
  };
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve({ filter: /^(\.\.\/locales\/index\.js|@ai-sdk\/gateway)$/ }, ({ path, importer }) =>
        /node_modules\/(zod|ai)\//.test(importer.replaceAll("\\", "/")) ? { path, namespace } : null,
      );
      builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: standIns[path] ?? "",
        resolveDir: root,
      }));
    },
  };
}

/** Drops the modules of @actions/* that nobody uses: loading one has no effect, which those packages do not declare. */
function withoutUnused(): Plugin {
  const mark = { isAsked: true };
  return {
    name: "without-unused",
    setup: (builder) => {
      builder.onResolve(
        { filter: /^(@actions\/|\.)/ },
        async ({ path, importer, kind, resolveDir, pluginData }) => {
          const isTheirs = path.startsWith("@actions/") || importer.includes("node_modules/@actions/");
          if (!isTheirs || pluginData === mark) return null;
          const found = await builder.resolve(path, { importer, kind, resolveDir, pluginData: mark });
          return { ...found, sideEffects: false };
        },
      );
    },
  };
}

/**
 * Leaves out what @actions/github does when it is imported, beside its client: it reads the event, which the step has
 * decoded, and connects to the job's proxy, as the step's own transport does.
 */
function withoutSurroundings(): Plugin {
  const namespace = "without-surroundings";
  const standIns: Readonly<Record<string, string>> = {
    "./context.js": "export class Context {}",
    "@actions/http-client": "export class HttpClient { getAgent() {} getAgentDispatcher() {} }",
    undici: "export const fetch = undefined;",
  };
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve(
        { filter: /^(\.\/context\.js|@actions\/http-client|undici)$/ },
        ({ path, importer }) =>
          importer.replaceAll("\\", "/").includes("node_modules/@actions/github/")
            ? { path, namespace }
            : null,
      );
      builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: standIns[path] ?? "" }));
    },
  };
}

/** The SDK brings a validator of JSON Schema that our client replaces: a third of its bytes. */
function withoutValidator(): Plugin {
  const namespace = "without-validator";
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve({ filter: /^@modelcontextprotocol\/(client|server)\/_shims$/ }, ({ path }) => ({
        path,
        namespace,
      }));
      builder.onLoad({ filter: /.*/, namespace }, () => ({
        contents: [
          'export { default as process } from "node:process";',
          "export const CORS_IS_POSSIBLE = false;",
          "export class DefaultJsonSchemaValidator {}",
        ].join("\n"),
      }));
    },
  };
}

/** The authorization server's framework brings every media type that there is, and answers with two of them. */
function withFewMediaTypes(): Plugin {
  const namespace = "few-media-types";
  const types = {
    "application/json": { charset: "UTF-8", compressible: true, extensions: ["json"] },
    "application/x-www-form-urlencoded": { extensions: [] },
    "text/html": { compressible: true, extensions: ["html"] },
    "text/plain": { compressible: true, extensions: ["txt", "text"] },
  };
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve({ filter: /^mime-db$/ }, ({ path }) => ({ path, namespace }));
      builder.onLoad({ filter: /.*/, namespace }, () => ({
        contents: `module.exports = ${JSON.stringify(types)};`,
      }));
    },
  };
}

/** Puts a stand-in for each late module: the same functions, each of which loads the real one when called. */
function onDemand(): Plugin {
  const namespace = "on-demand";
  const filter = new RegExp(`^(node:)?(${Object.keys(late).join("|")})$`);
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve({ filter }, (asked) =>
        asked.namespace === namespace ? null : { path: asked.path.replace("node:", ""), namespace },
      );
      builder.onResolve({ filter: /^\.\/(proxy|tunnel)\.cjs$/ }, ({ path }) => ({ path, external: true }));
      builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: standInFor(path),
        loader: "js",
        resolveDir: root,
      }));
    },
  };
}

function standInFor(name: string): string {
  const { from, functions } = late[name] ?? { from: name, functions: [] };
  const lines = functions.map(
    (fn) =>
      `export function ${fn}(...args) { return new.target ? new (load().${fn})(...args) : load().${fn}(...args); }`,
  );
  if (name === "undici") {
    lines.push(
      "export const fetch = (at, init) => (init?.dispatcher ? load() : globalThis).fetch(at, init);",
    );
  }
  return [`const load = () => require(${JSON.stringify(from)});`, ...lines].join("\n");
}

/** The licence of each package that went into a bundle, in the packages' order. */
function licenceTexts(inputs: ReadonlySet<string>): string {
  const folders = new Set<string>();
  for (const path of inputs) {
    const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
    if (folder !== undefined) folders.add(folder);
  }
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = packageOf(folder);
    return `${name} ${version} (${license})\n\n${licenceOf(folder).trim()}\n`;
  });
  return [...new Set(texts)].join(`\n${"-".repeat(80)}\n\n`);
}

function packageOf(folder: string): { name: string; version: string; license: string } {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}

function licenceOf(folder: string): string {
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license"]) {
    try {
      return readFileSync(join(root, folder, name), "utf8").replaceAll("\r\n", "\n");
    } catch {
      // Not under this name.
    }
  }
  return "The package holds no licence text.";
}

if (import.meta.main) {
  const [asked] = process.argv.slice(2);
  for (const folder of ["dist", "npm"] as const) {
    if (asked === undefined || asked === folder) await buildFolder(folder);
  }
}
