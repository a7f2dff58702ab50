// Which folder may know which: the directions of imports, and the few places where the outside world is touched.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importsOf, resolve } from "../scripts/imports-of.ts";

const SRC = join(dirname(fileURLToPath(import.meta.url)), "../src");

type Import = { readonly from: string; readonly to: string };

/** Each file of src, and what it imports: a path below src, or the name of a package. */
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts"));
const sources = new Map(files.map((path) => [path, readFileSync(join(SRC, path), "utf8")]));
const imports: readonly Import[] = [...sources].flatMap(([from, source]) =>
  importsOf(source).map((specifier) => ({ from, to: resolve(from, specifier) })),
);

/** Every folder may import itself and these. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contract: ["base"],
  client: ["base", "contract"],
  report: ["base", "contract"],
  render: ["base", "contract", "report"],
  ci: ["base", "contract", "client"],
  federation: ["base", "contract"],
  job: ["base", "contract", "client", "report", "render", "ci", "federation"],
  github: ["base", "contract", "client", "report", "render", "ci", "federation", "job"],
  gitlab: ["base", "contract", "client", "report", "render", "ci", "federation", "job"],
  bitbucket: ["base", "contract", "client", "report", "render", "ci", "federation", "job"],
  doctor: ["base", "contract", "client", "report", "render", "ci", "federation", "job", "github"],
  action: ["base", "contract", "client", "report", "render", "ci", "federation", "job", "github", "doctor"],
  service: ["base", "contract", "report", "render", "federation"],
  web: ["base", "contract", "client", "report", "render"],
  // What it compares a service with does not come from the service's own contract.
  conform: ["base"],
  evals: ["base", "contract", "report", "render"],
  cli: [
    "conform",
    "evals",
    "base",
    "contract",
    "client",
    "report",
    "render",
    "ci",
    "federation",
    "job",
    "github",
    "gitlab",
    "bitbucket",
    "doctor",
    "service",
  ],
};

/** Inside the service: core knows nobody, APIs and executor know the core, ports are implemented beside. */
const allowedInService: Readonly<Record<string, readonly string[]>> = {
  core: [],
  api: ["core"],
  executor: ["core"],
  store: ["core"],
  oidc: ["core"],
  checkouts: ["core"],
  blobs: ["core"],
  sandbox: ["core"],
  egress: ["core"],
  environments: ["core"],
  telemetry: ["core", "settings"],
  settings: ["blobs", "checkouts", "core", "egress", "executor", "oidc", "sandbox"],
  embedded: ["core", "checkouts", "egress", "executor", "oidc", "sandbox", "settings", "main.ts"],
  backup: ["core"],
  "faces/faces.ts": ["api", "wiring/workspaces.ts"],
  "operator/backup.ts": ["backup", "blobs", "core", "settings", "store", "wiring/open-blobs.ts"],
  "operator/lists.ts": ["core"],
  "operator/operator.ts": ["core", "oidc", "settings", "store", "operator/lists.ts"],
  "wiring/acp.ts": [
    "core",
    "executor",
    "sandbox",
    "settings",
    "wiring/operator-access.ts",
    "wiring/run-servers.ts",
  ],
  "wiring/connections.ts": ["core", "executor"],
  "wiring/core-hooks.ts": ["core"],
  "wiring/first-steps.ts": ["core", "settings", "wiring/open-checkouts.ts"],
  "wiring/model.ts": ["core", "executor", "settings", "wiring/run-servers.ts"],
  "wiring/node.ts": [
    "core",
    "executor",
    "wiring/peers.ts",
    "wiring/scheduler.ts",
    "wiring/workspace-upkeep.ts",
  ],
  "wiring/open-backends.ts": [
    "core",
    "executor",
    "sandbox",
    "settings",
    "wiring/acp.ts",
    "wiring/model.ts",
    "wiring/operator-access.ts",
  ],
  "wiring/open-blobs.ts": ["blobs", "core", "settings"],
  "wiring/open-checkouts.ts": [
    "checkouts",
    "core",
    "executor",
    "settings",
    "wiring/open-backends.ts",
    "wiring/open-blobs.ts",
  ],
  "wiring/open-environments.ts": [
    "checkouts",
    "core",
    "egress",
    "environments",
    "sandbox",
    "settings",
    "wiring/open-backends.ts",
  ],
  "wiring/open-store.ts": ["core", "settings", "store"],
  "wiring/open-telemetry.ts": ["api", "settings", "telemetry", "wiring/open-backends.ts"],
  "wiring/open-workspaces.ts": [
    "blobs",
    "core",
    "settings",
    "wiring/open-checkouts.ts",
    "wiring/workspaces.ts",
  ],
  "wiring/operator-access.ts": ["settings"],
  "wiring/peers.ts": ["core", "executor"],
  "wiring/policy-of.ts": ["core", "settings"],
  "wiring/run-servers.ts": ["core", "executor", "settings"],
  "wiring/scheduler.ts": ["core"],
  "wiring/wire.ts": [
    "api",
    "checkouts",
    "core",
    "executor",
    "oidc",
    "store",
    "telemetry",
    "wiring/connections.ts",
    "wiring/core-hooks.ts",
    "wiring/journal-key.ts",
    "wiring/node.ts",
    "wiring/open-backends.ts",
    "wiring/open-checkouts.ts",
    "wiring/open-environments.ts",
    "wiring/open-workspaces.ts",
    "wiring/peers.ts",
  ],
  "wiring/workspace-upkeep.ts": ["core", "wiring/workspaces.ts"],
  "wiring/workspaces.ts": ["api", "checkouts", "core"],
};

describe("the folders of src", () => {
  it("are all known here", () => {
    expect(files.length).toBeGreaterThan(50);
    expect([...new Set(files.map(topOf))].filter((folder) => !(folder in allowed))).toEqual([]);
  });

  it.each(Object.entries(allowed))("%s imports only itself and %j", (folder, others) => {
    const wrong = internalImports().filter(
      ({ from, to }) => topOf(from) === folder && topOf(to) !== folder && !others.includes(topOf(to)),
    );
    expect(wrong.filter((found) => !isEmbedding(found))).toEqual([]);
  });
});

describe("the picture of the house", () => {
  const page = readFileSync(join(SRC, "../docs/architecture.md"), "utf8");
  const [picture = ""] = /^graph BT$[\s\S]*?^```$/m.exec(page) ?? [];
  const arrows = [...picture.matchAll(/^ {2}(\w+) --> (\w+)$/gm)].map(([, from = "", to = ""]) => ({
    from,
    to,
  }));

  it("leads from each folder to those that it may import", () => {
    const reached = (folder: string): string[] =>
      arrows.filter(({ from }) => from === folder).flatMap(({ to }) => [to, ...reached(to)]);
    for (const [folder, others] of Object.entries(allowed)) {
      expect([...new Set(reached(folder))].sort(), folder).toEqual([...others].sort());
    }
  });
});

/** The Action may start a service of its own, by the one entry that is for it. */
function isEmbedding({ from, to }: Import): boolean {
  return from === "action/embedded-service.ts" && to === "service/embedded/embedded.ts";
}

describe("the folders of the service", () => {
  const inService = internalImports().filter(
    ({ from, to }) => topOf(from) === "service" && topOf(to) === "service",
  );

  it.each(Object.entries(allowedInService))("%s imports only itself and %j", (part, others) => {
    const wrong = inService.filter(
      ({ from, to }) => partOf(from) === part && partOf(to) !== part && !others.includes(partOf(to)),
    );
    expect(wrong).toEqual([]);
  });

  it("are wired in main.ts and wiring/wire.ts, for the operator in operator/, and inside a job in embedded/ over main.ts", () => {
    const isEntry = (part: string) => ["main.ts", "operator/operator.ts"].includes(part);
    const parts = new Set(inService.map(({ from }) => partOf(from)));
    expect([...parts].filter((part) => part !== "main.ts" && !(part in allowedInService))).toEqual([]);
    const ofEntries = inService.filter(({ to }) => isEntry(partOf(to)));
    expect(ofEntries).toEqual([{ from: "service/embedded/embedded.ts", to: "service/main.ts" }]);
    const ofWiring = inService.filter(({ to }) => partOf(to) === "wiring/wire.ts");
    expect(ofWiring).toEqual([{ from: "service/main.ts", to: "service/wiring/wire.ts" }]);
  });

  it("are used by the command through its entries and the errors of its stores alone", () => {
    const used = internalImports().filter(({ from, to }) => topOf(from) === "cli" && topOf(to) === "service");
    expect(new Set(used.map(({ to }) => to))).toEqual(
      new Set([
        "service/settings/config.ts",
        "service/settings/service-settings.ts",
        "service/embedded/embedded.ts",
        "service/embedded/project.ts",
        "service/main.ts",
        "service/faces/faces.ts",
        "service/operator/operator.ts",
        "service/operator/backup.ts",
        "service/wiring/running-address.ts",
      ]),
    );
  });
});

describe("reports of runs", () => {
  it("are used by the pages and by the MCP server alone, inside the service, but for the masks of who has a run's link", () => {
    const used = internalImports().filter(
      ({ from, to }) => topOf(from) === "service" && ["report", "render"].includes(topOf(to)),
    );
    expect(used.filter(({ from }) => !/^service\/api\/(web|mcp)\//.test(from))).toEqual([
      { from: "service/api/shared/masked-events.ts", to: "report/find-secrets.ts" },
    ]);
  });
});

describe("the folders beside src", () => {
  it.each([
    ["fakes", ["test", "scripts", "bench"]],
    ["scripts", ["test", "bench"]],
    ["bench", ["test"]],
  ])("%s imports nothing of %j", (folder, others) => {
    const root = join(SRC, "..", folder);
    const found = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) =>
        importsOf(readFileSync(join(root, path), "utf8")).map((specifier) => ({
          from: `${folder}/${path}`,
          to: resolve(`${folder}/${path.replaceAll("\\", "/")}`, specifier),
        })),
      );
    expect(found.filter(({ to }) => others.includes(topOf(to)))).toEqual([]);
  });
});

describe("the outside world", () => {
  const packages = imports.filter(({ to }) => !files.includes(to));

  const importersOf = (name: RegExp) => packages.filter(({ to }) => name.test(to)).map(({ from }) => from);

  it("is the runner's toolkit in action/ only, and octokit in github/api/ only", () => {
    const toolkit = importersOf(/^@actions\/(?!github(?:\/|$))/);
    expect(toolkit.filter((path) => topOf(path) !== "action")).toEqual([]);
    const octokit = importersOf(/^(@actions\/github|@octokit)(?:\/|$)/);
    expect(octokit.filter((path) => !path.startsWith("github/api/"))).toEqual([]);
  });

  it("is a process in base/run-process.ts and piped-process.ts, in the sandbox and in the ACP backend, which need pipes of their own", () => {
    const isOwn = (path: string) =>
      ["base/run-process.ts", "base/piped-process.ts"].includes(path) ||
      /^service\/(sandbox|executor\/backends\/acp)\//.test(path);
    expect(importersOf(/^node:child_process$/).filter((path) => !isOwn(path))).toEqual([]);
  });

  it("is a database in service/store/ only", () => {
    const databases = importersOf(/^(kysely|pg|node:sqlite)(\/|$)/);
    const fetched = [...sources]
      .filter(([, source]) => /["']node:sqlite["']/.test(source))
      .map(([path]) => path);
    expect([...databases, ...fetched].filter((path) => !path.startsWith("service/store/"))).toEqual([]);
  });

  it("is a model in the model's backend only", () => {
    const importers = importersOf(/^(ai|ajv|@ai-sdk\/[^/]+)(\/|$)/);
    expect(importers.filter((path) => !path.startsWith("service/executor/backends/model/"))).toEqual([]);
  });

  it("is MCP in the tools of the executor, which use servers, in the API's own server, in the gateway of coding agents and in the command before it", () => {
    const clients = importersOf(/^@modelcontextprotocol\/client/);
    const isUser = (path: string) =>
      path.startsWith("service/executor/tools/mcp/") ||
      path.startsWith("federation/mcp/") ||
      path === "cli/mcp-stdio.ts";
    expect(clients.filter((path) => !isUser(path))).toEqual([]);
    const servers = importersOf(/^@modelcontextprotocol\/(?!client)/);
    const isServer = (path: string) =>
      path.startsWith("service/api/mcp/") || path.startsWith("service/executor/backends/acp/gateway/");
    expect(servers.filter((path) => !isServer(path))).toEqual([]);
  });

  it("is no package but zod in contract/, and in strict objects and the JSON settings of base/", () => {
    const named = packages.filter(({ to }) => !to.startsWith("node:"));
    expect(named.filter(({ from }) => topOf(from) === "base")).toEqual([
      { from: "base/strict-object.ts", to: "zod/mini" },
      { from: "base/settings/json-kinds.ts", to: "zod/mini" },
    ]);
    expect(named.filter(({ from, to }) => topOf(from) === "contract" && to !== "zod/mini")).toEqual([]);
  });

  it("is no socket, file or process in contract/, render/ and the service's core", () => {
    const pure = packages.filter(
      ({ from }) =>
        ["contract", "report", "render"].includes(topOf(from)) || from.startsWith("service/core/"),
    );
    // They compute, and reach nothing.
    const harmless = ["node:crypto", "node:zlib", "zod/mini"];
    expect(pure.filter(({ to }) => !harmless.includes(to))).toEqual([]);
  });

  it("is the environment in ci/, the action's inputs and the service's configuration only", () => {
    const readers = [...sources]
      .filter(([, source]) => /\bprocess\.env\b/.test(source))
      .map(([path]) => path);
    const places = [/^ci\//, /^action\/inputs/, /^service\/settings\/config\.ts$/];
    expect(readers.filter((path) => !places.some((place) => place.test(path)))).toEqual([]);
  });

  it("is the time and chance of the machine in base/ and at the entries only", () => {
    const core = [...sources].filter(([path]) =>
      /^(service\/(core|api|executor|store)|contract|report|render)\//.test(path),
    );
    const impure =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandomBytes\(|\brandomUUID\(|\bset(Timeout|Interval)\(/;
    expect(core.filter(([, source]) => impure.test(source)).map(([path]) => path)).toEqual([]);
  });
});

function internalImports(): readonly Import[] {
  return imports.filter(({ to }) => files.includes(to));
}

function topOf(path: string): string {
  return path.split("/")[0] ?? "";
}

/** The folder or file right below service/. What wires and opens parts is held file by file. */
function partOf(path: string): string {
  const [, folder = "", ...rest] = path.split("/");
  return ["faces", "operator", "wiring"].includes(folder) ? [folder, ...rest].join("/") : folder;
}
