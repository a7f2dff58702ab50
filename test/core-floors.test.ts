// The floors of the service's core: which folder may know which. What a folder reads of the store, and of what use cases
// receive, counts as an import of the folder that declares it.
// Why: docs/decisions/133-floors-in-core.md

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importsOf, resolve } from "../scripts/imports-of.ts";

const CORE = join(dirname(fileURLToPath(import.meta.url)), "../src/service/core");

/** A folder may import these, and what they lead to. Every folder may import `core.ts`, and `ports/` below it, which import none. */
const floors: Readonly<Record<string, readonly string[]>> = {
  audit: [],
  blobs: [],
  "ci-jobs": [],
  egress: [],
  idempotency: [],
  limits: [],
  nodes: [],
  sessions: [],
  money: ["ci-jobs"],
  accounts: ["audit", "money"],
  oauth: ["accounts"],
  "web-sessions": ["accounts"],
  agents: ["idempotency", "oauth"],
  authentication: ["oauth"],
  members: ["oauth", "web-sessions"],
  "sign-in": ["limits", "members"],
  claims: ["agents"],
  commits: ["agents", "blobs"],
  "model-access": ["agents"],
  "repository-access": ["agents"],
  checkouts: ["commits", "repository-access"],
  ci: ["claims", "commits", "limits"],
  runs: ["ci", "model-access", "repository-access", "sessions"],
  "runs/archives": ["runs"],
  approvals: ["runs"],
  "commit-uploads": ["runs"],
  questions: ["runs"],
  "ag-ui": ["approvals", "questions"],
  usage: ["accounts"],
  "run-views": ["runs"],
  "workspace-events": ["runs", "workspaces"],
  "write-grants": ["approvals"],
  "run-identity": ["runs"],
  connections: ["egress", "run-identity", "sign-in"],
  schedules: ["approvals", "workspaces/placed-runs"],
  workflows: ["approvals", "workspaces/placed-runs"],
  operators: ["nodes", "runs", "sign-in"],
  "agent-endings": [
    "commit-uploads",
    "run-views",
    "schedules",
    "workflows",
    "workspaces/adoption",
    "write-grants",
    "run-identity",
  ],
  "workspaces/paths": [],
  workspaces: ["checkouts"],
  "workspaces/context-items": ["workspaces", "workspaces/paths"],
  "workspaces/members": ["workspaces"],
  "workspaces/objects": ["workspaces", "workspaces/paths"],
  "workspaces/task-groups": ["workspaces"],
  "workspaces/revisions": ["workspaces/objects"],
  "workspaces/threads": ["sessions", "workspaces/members"],
  "workspaces/trees": ["workspaces/objects"],
  "workspaces/merges": ["workspaces/revisions", "workspaces/trees"],
  "workspaces/operations": ["runs", "workspaces/revisions"],
  "workspaces/placed-runs": ["runs", "workspaces/threads"],
  "workspaces/retention": ["workspaces/revisions"],
  "workspaces/copies": ["workspace-events", "workspaces/merges", "workspaces/operations"],
  "workspaces/costs": ["workspaces/placed-runs"],
  "workspaces/changesets": ["approvals", "workspaces/copies"],
  "workspaces/files": ["workspaces/copies"],
  "workspaces/git": ["workspaces/files"],
  "workspaces/workers": ["workspaces/copies", "workspaces/placed-runs", "workspaces/task-groups"],
  "workspaces/adoption": ["workspaces/changesets"],
  "workspaces/consumers": ["schedules", "workflows", "workspaces/files"],
  "workspaces/runs": [
    "workspaces/changesets",
    "workspaces/context-items",
    "workspaces/files",
    "workspaces/workers",
  ],
  "workspaces/administration": ["workspaces/adoption", "workspaces/consumers"],
};

const ground = [".", "ports"];

const sources = new Map(
  readdirSync(CORE, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [path, readFileSync(join(CORE, path), "utf8")] as const),
);

const parts = declaredParts().map((declared) => ({ ...declared, way: wayOf(declared) }));

type Arrow = { readonly from: string; readonly to: string; readonly by: string };

/** Every import of another folder of the core, and every use of a part that another folder declares. */
const arrows: readonly Arrow[] = [...sources].flatMap(([path, source]) => {
  const from = posix.dirname(path);
  const imported = importsOf(source)
    .map((specifier) => resolve(path, specifier))
    .filter((to) => sources.has(to))
    .map((to) => ({ from, to: posix.dirname(to), by: `${path} imports ${to}` }));
  const used = usedParts(source).map(({ part, owner }) => ({ from, to: owner, by: `${path} uses ${part}` }));
  return [...imported, ...used].filter(({ to }) => to !== from);
});

describe("the floors of the core", () => {
  it("have every folder", () => {
    const folders = new Set([...sources.keys()].map((path) => posix.dirname(path)));
    expect([...folders].filter((folder) => !ground.includes(folder)).sort()).toEqual(
      Object.keys(floors).sort(),
    );
  });

  it("lead from no folder back to it", () => {
    expect(Object.keys(floors).filter((folder) => below(folder).has(folder))).toEqual([]);
  });

  it.each(Object.keys(floors))("%s imports only what is below it", (folder) => {
    const allowed = new Set([...ground, ...below(folder)]);
    expect(arrows.filter(({ from, to }) => from === folder && !allowed.has(to))).toEqual([]);
  });

  it("begin on a ground that imports none of them", () => {
    const ofGround = arrows.filter(({ from }) => ground.includes(from));
    expect(ofGround.filter(({ from, to }) => from !== "." || to !== "ports")).toEqual([]);
  });

  it("allow nothing that is not needed", () => {
    const needless = Object.entries(floors).flatMap(([folder, direct]) =>
      direct.filter(
        (to) =>
          !arrows.some((arrow) => arrow.from === folder && arrow.to === to) ||
          direct.some((other) => other !== to && below(other).has(to)),
      ),
    );
    expect(needless).toEqual([]);
  });

  it("are those of the picture", () => {
    const page = readFileSync(join(CORE, "../../../docs/architecture.md"), "utf8");
    const [section = ""] = page
      .split("### The floors of the core")
      .slice(1)
      .flatMap((rest) => rest.split("\n## "));
    const drawn = [...section.matchAll(/^ {2}([\w/-]+) --> ([\w/-]+)$/gm)].map(
      ([, from, to]) => `${from} ${to}`,
    );
    const listed = Object.entries(floors).flatMap(([from, direct]) => direct.map((to) => `${from} ${to}`));
    expect(drawn.sort()).toEqual(listed.sort());
  });
});

describe("a use of what another folder declares", () => {
  it("is found however it is written", () => {
    const ways = [
      "await tx.workflows.find(id)",
      "core.store.committed.workflows.find(id)",
      'reader: Pick<StoreReader, "runs" | "workflows">',
      "const { runs, workflows } = core.store.committed;",
    ];
    for (const way of ways) {
      expect(
        usedParts(way).map(({ owner }) => owner),
        way,
      ).toContain("workflows");
    }
    const ofCore = ["core.scheduleAlarm.ring()", 'core: Pick<Core, "clock" | "scheduleAlarm">'];
    for (const way of [...ofCore, "const { clock, scheduleAlarm } = core;", "({ scheduleAlarm }: Core)"]) {
      expect(usedParts(way), way).toEqual([{ part: "scheduleAlarm", owner: "schedules" }]);
    }
  });
});

/** The folders below one, by the table. */
function below(folder: string, found = new Set<string>()): ReadonlySet<string> {
  for (const next of floors[folder] ?? []) {
    if (found.has(next)) continue;
    found.add(next);
    below(next, found);
  }
  return found;
}

type Part = { readonly part: string; readonly owner: string };
type Declared = Part & { readonly of: "Store" | "Core" };

/** The parts of the store and of what use cases receive that a text uses, and the folders that declare them. */
function usedParts(source: string): readonly Part[] {
  const code = source.replace(declaration(), "");
  return parts.filter(({ way }) => way.test(code)).map(({ part, owner }) => ({ part, owner }));
}

/** The ways to write a use of a part. */
function wayOf({ of, part }: Declared): RegExp {
  const ways = {
    Core: [
      `core\\.${part}\\b`,
      `Pick<Core, [^>]*"${part}"`,
      `\\{[^{}]*\\b${part}\\b[^{}]*\\}(: Core\\b| = (this\\.#)?core;)`,
    ],
    Store: [
      `\\b(tx|committed|reader|reading|store|held)\\.${part}\\.`,
      `Pick<Store\\w+, [^>]*"${part}"`,
      `\\{[^{}]*\\b${part}\\b[^{}]*\\} = (core\\.store\\.committed|tx|reader);`,
    ],
  };
  return new RegExp(ways[of].join("|"));
}

/** What folders declare of `Store…` and of `Core`. */
function declaredParts(): readonly Declared[] {
  return [...sources].flatMap(([path, source]) =>
    [...source.matchAll(declaration())].flatMap(([, block = ""]) =>
      [...block.matchAll(/interface (Store|Core)\w* \{\n([\s\S]*?)\n {2}\}/g)].flatMap(
        ([, of, members = ""]) =>
          [...members.matchAll(/^ {4}(?:readonly )?(\w+)[(:]/gm)].map(([, part = ""]) => ({
            part,
            owner: posix.dirname(path),
            of: of === "Core" ? ("Core" as const) : ("Store" as const),
          })),
      ),
    ),
  );
}

function declaration(): RegExp {
  return /declare module "[^"]+" \{\n([\s\S]*?)\n\}\n/g;
}
