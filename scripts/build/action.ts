// What the Action loads, in dist/: CommonJS by esbuild, for Node 24. A file holds what is needed at one time: V8 parses all of a file
// before it executes any of it.
// Why: docs/decisions/042-the-main-step-loads-in-two-parts.md

import type { BuildOptions, Plugin } from "esbuild";
import type { BuiltFiles } from "./built-file.ts";
import { type Bundle, besides, buildBundles, root, shared, sourceOf, standIns } from "./esbuild.ts";

const action: BuildOptions = {
  ...shared,
  format: "cjs",
  minifySyntax: true,
  minifyWhitespace: true,
  platform: "node",
  target: "node24",
};

/** What the runner starts, or a debugger imports: only a file that was started is `import.meta.main`, in CommonJS too. */
const started: BuildOptions = {
  ...action,
  banner: { js: '"use strict";const isStarted=require.main===module;' },
  define: { "import.meta.main": "isStarted" },
};

/** As `require`: an import of its own starts Node's other loader first. */
const withoutImports: BuildOptions = { supported: { "dynamic-import": false } };

const LATER = "later.cjs";
/** GitHub's client: it is loaded at the first call of the API, or while the job waits for another answer. */
const OCTOKIT = "@actions/github/lib/utils";

/** Names of files by what they are built from. */
const names = {
  "src/action/run-agent.ts": "step.cjs",
  "src/action/doctor.ts": "doctor.cjs",
  "src/github/code-host.ts": "github.cjs",
  "src/github/attestations/attest-commit.ts": "attest.cjs",
  "src/job/outputs/read-outputs.ts": "read-outputs.cjs",
  "src/job/server-access.ts": "server-access.cjs",
  [OCTOKIT]: "octokit.cjs",
  "src/service/embedded/embedded.ts": "service.mjs",
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
  "src/action/cancel-task.ts",
  "src/action/commit-place.ts",
  "src/action/conclude-step.ts",
  "src/action/continue-task.ts",
  "src/action/embedded-service.ts",
  "src/action/job-files.ts",
  "src/action/model-inputs.ts",
  "src/action/proxy-agent.ts",
  "src/action/require-model-key.ts",
  "src/ci/github-event.ts",
  "src/contract/ci/commits.ts",
  "src/contract/ci/exchange.ts",
  "src/contract/ci/run-page.ts",
  "src/contract/problems/problem.ts",
  "src/contract/runs/delivery.ts",
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

/**
 * What @actions/github does when it is imported, beside its client: it reads the event, which the step has decoded, and connects to the
 * job's proxy, as the step's own transport does.
 */
const withoutSurroundings = standIns(
  {
    "./context.js": "export class Context {}",
    "@actions/http-client": "export class HttpClient { getAgent() {} getAgentDispatcher() {} }",
    undici: "export const fetch = undefined;",
  },
  { importers: /node_modules\/@actions\/github\// },
);

/** The SDK of MCP loads a validator of JSON Schema for what servers return: whoever asks for a token calls no tool. */
const withoutValidator = standIns(
  {
    "@modelcontextprotocol/client/_shims": [
      'export { default as process } from "node:process";',
      "export const CORS_IS_POSSIBLE = false;",
      "export class DefaultJsonSchemaValidator {}",
    ].join("\n"),
  },
  { importers: /node_modules\/@modelcontextprotocol\// },
);

const parts = [besides(names), onDemand(), withoutUnused()];

const bundles: readonly Bundle[] = [
  {
    entry: "src/action/main.ts",
    name: "main.cjs",
    options: { ...started, ...withoutImports, plugins: [besides(names)] },
  },
  { entry: "src/action/post.ts", name: "post.cjs", options: { ...started, plugins: parts } },
  {
    entry: "src/action/run-agent.ts",
    name: "step.cjs",
    options: { ...action, plugins: [...parts, fromLater()] },
  },
  { entry: LATER, name: LATER, options: { ...action, plugins: [laterEntry(), ...parts] } },
  { entry: "src/action/doctor.ts", name: "doctor.cjs", options: { ...action, plugins: parts } },
  {
    entry: "src/github/code-host.ts",
    name: "github.cjs",
    options: { ...action, ...withoutImports, plugins: parts },
  },
  { entry: "src/github/attestations/attest-commit.ts", name: "attest.cjs", options: action },
  { entry: "src/job/outputs/read-outputs.ts", name: "read-outputs.cjs", options: action },
  {
    entry: "src/job/server-access.ts",
    name: "server-access.cjs",
    options: { ...action, plugins: [withoutValidator] },
  },
  { entry: OCTOKIT, name: "octokit.cjs", options: { ...action, plugins: [withoutSurroundings] } },
  { entry: "undici", name: "proxy.cjs", options: action },
  { entry: "tunnel", name: "tunnel.cjs", options: action },
];

/** All but the service inside a job. */
export async function buildAction(): Promise<BuiltFiles> {
  return await buildBundles(bundles);
}

/** Takes what is imported lazily and is in dist/later.cjs from there. */
function fromLater(): Plugin {
  const namespace = "from-later";
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
        const source = sourceOf(path, resolveDir);
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
