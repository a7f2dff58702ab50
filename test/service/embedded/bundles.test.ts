// Which file under dist/ and npm/ holds what: whoever uses a service elsewhere loads nothing of one, nor of a model.

import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { BuiltFiles } from "../../../scripts/build/built-file.ts";
import { type BundleFolder, buildFiles } from "../../../scripts/build.ts";
import { CHECKS_EVENT } from "../../../src/contract/runs/checks.ts";
import { TURN_USAGE_EVENT } from "../../../src/contract/runs/turn-usage.ts";

const BUILD_MS = 120_000;

let built: Readonly<Record<BundleFolder, BuiltFiles>>;
beforeAll(async () => {
  built = { dist: await buildFiles("dist"), npm: await buildFiles("npm") };
}, BUILD_MS);

function fileOf(folder: BundleFolder, name: string) {
  const file = built[folder].get(name);
  if (file === undefined) throw new Error(`There is no ${folder}/${name}.`);
  return file;
}

/** What is loaded with a file, that file too. */
function loadedWith(folder: BundleFolder, ...names: readonly string[]): string[] {
  const loaded = new Set(names);
  for (const name of loaded) for (const imported of fileOf(folder, name).imports) loaded.add(imported);
  return [...loaded].flatMap((name) => fileOf(folder, name).modules);
}

const modulesOf = (name: string) => fileOf("dist", name).modules;
const ofService = (path: string) => path.startsWith("src/service/");
const ofModel = (path: string) => /node_modules\/(ai|@ai-sdk)\//.test(path);
/** As `agent-service serve` starts. */
const serving = () => loadedWith("npm", "cli.mjs", "commands/program.mjs", "commands/serve.mjs");

describe("the bundles", () => {
  it("of the Action hold no service", () => {
    for (const name of ["main.cjs", "step.cjs", "post.cjs"])
      expect(modulesOf(name).filter(ofService)).toEqual([]);
  });

  it("of the main step hold nothing that its first request does not need: no schemas, no pages", () => {
    const isLater = (path: string) =>
      /node_modules\/zod\/|^src\/render\/(summary|timeline|log-parts)|http-client\/lib\/index|^src\/github\/trigger\/prompt-file/.test(
        path,
      );
    for (const name of ["main.cjs", "step.cjs"]) expect(modulesOf(name).filter(isLater)).toEqual([]);
    expect(modulesOf("later.cjs").filter(isLater).length).toBeGreaterThan(3);
  });

  it("of a job, and the script of a run's page, do not know what turns say of their tokens", () => {
    const says = (folder: BundleFolder, name: string, word: string) =>
      Buffer.from(fileOf(folder, name).contents).includes(word);
    const ofJobs = ["main.cjs", "step.cjs", "later.cjs", "post.cjs", "github.cjs"];
    expect(ofJobs.filter((name) => says("dist", name, `"${TURN_USAGE_EVENT}"`))).toEqual([]);
    expect(says("npm", "web-run.js", TURN_USAGE_EVENT)).toBe(false);
    for (const [folder, name] of [
      ["dist", "later.cjs"],
      ["npm", "web-run.js"],
    ] as const)
      expect(says(folder, name, `"${CHECKS_EVENT}"`)).toBe(true);
    expect([...built.dist.keys()].some((name) => says("dist", name, TURN_USAGE_EVENT))).toBe(true);
  });

  it("of pages' scripts color no code: the service does", () => {
    const isOfColours = (path: string) => path.startsWith("src/render/run-page/diff/syntax/");
    expect(fileOf("npm", "web-diff.js").modules.filter(isOfColours)).toEqual([]);
    expect(fileOf("npm", "web-run.js").modules.filter(isOfColours)).toEqual([]);
    expect(serving().filter(isOfColours)).toEqual([]);
    expect(
      [...built.npm.values()].flatMap(({ modules }) => modules).filter(isOfColours).length,
    ).toBeGreaterThan(3);
  });

  it("import none that import them: what is needed first would be executed last", () => {
    for (const folder of ["dist", "npm"] as const) {
      const split = [...built[folder].keys()].filter((name) => name.endsWith(".mjs"));
      expect(split.length).toBeGreaterThan(10);
      for (const name of split) {
        const loaded = new Set(fileOf(folder, name).imports);
        for (const other of loaded) for (const next of fileOf(folder, other).imports) loaded.add(next);
        expect([...loaded], `${folder}/${name}`).not.toContain(name);
      }
    }
  });

  it("hold GitHub's client once, in a file of its own", () => {
    const isClient = (path: string) => /node_modules\/(@actions\/github|@octokit)\//.test(path);
    for (const name of ["main.cjs", "step.cjs", "later.cjs", "post.cjs", "github.cjs"])
      expect(modulesOf(name).filter(isClient)).toEqual([]);
    const held = modulesOf("octokit.cjs");
    expect(held).toContain("node_modules/@actions/github/lib/utils.js");
    expect(held).not.toContain("node_modules/@actions/github/lib/context.js");
    expect(held.filter((path) => /^node_modules\/.*(http-client|undici)\//.test(path))).toEqual([]);
  });

  it("of the service and the command hold no model; that has a file of its own", () => {
    expect(loadedWith("dist", "service.mjs").filter(ofModel)).toEqual([]);
    expect(serving().filter(ofModel)).toEqual([]);
    for (const folder of ["dist", "npm"] as const)
      expect(loadedWith(folder, "model.mjs").some(ofModel)).toBe(true);
  });

  it("of a model hold the library of one wire each, which the model's own file does not load", () => {
    const libraries = {
      anthropic: "anthropic",
      chat: "openai-compatible",
      google: "google",
      responses: "openai",
    };
    const ofLibrary = (name: string) => (path: string) => path.startsWith(`node_modules/@ai-sdk/${name}/`);
    for (const folder of ["dist", "npm"] as const)
      for (const [wire, own] of Object.entries(libraries)) {
        const loaded = loadedWith(folder, `${wire}.mjs`);
        expect(loaded.some(ofLibrary(own))).toBe(true);
        for (const other of Object.values(libraries)) {
          expect(loadedWith(folder, "model.mjs").filter(ofLibrary(other))).toEqual([]);
          if (other !== own) expect(loaded.filter(ofLibrary(other)), `${folder}/${wire}.mjs`).toEqual([]);
        }
      }
  });

  it("of the service hold no routes of workspaces, which are served later", () => {
    const ofWorkspaces = (path: string) => /^src\/contract\/workspaces\/(.*\/)?routes\.ts$/.test(path);
    expect(serving().filter(ofWorkspaces)).toEqual([]);
    expect(loadedWith("dist", "service.mjs").filter(ofWorkspaces)).toEqual([]);
    expect(modulesOf("document.mjs").filter(ofWorkspaces).length).toBeGreaterThan(5);
  });

  it("of the service hold nothing of pods, which are a file of their own for SANDBOX=kubernetes", () => {
    const isOfPods = (path: string) => path.startsWith("src/service/sandbox/kubernetes/");
    expect(serving().filter(isOfPods)).toEqual([]);
    expect(loadedWith("dist", "service.mjs").filter(isOfPods)).toEqual([]);
    for (const folder of ["dist", "npm"] as const)
      expect(fileOf(folder, "kubernetes-sandbox.mjs").modules.some(isOfPods)).toBe(true);
  });

  it("that serve loads hold no other command, no job's work, no page and no library of what is loaded later", () => {
    const isOther = (path: string) =>
      /^src\/(client\/(?!errors\.ts)|ci\/(?!initial-environment\.ts)|job\/|github\/|doctor\/|render\/)|^src\/cli\/(run|runs|keys|agents|operate)\.ts$|^src\/service\/api\/(web|mcp|oauth)\/.*-app\.ts$|node_modules\/(@opentelemetry\/sdk|@modelcontextprotocol|oidc-provider|prom-client|ajv|aws4fetch|@simplewebauthn)/.test(
        path,
      );
    expect(serving().filter(isOther)).toEqual([]);
    const all = [...built.npm.values()].flatMap(({ modules }) => modules);
    expect(all.filter(isOther).length).toBeGreaterThan(200);
    expect(
      fileOf("npm", "traces.mjs").modules.some((path) => path.includes("/@opentelemetry/sdk-trace/")),
    ).toBe(true);
    expect(fileOf("npm", "cli.mjs").modules).toEqual(["src/ci/initial-environment.ts", "src/cli/main.ts"]);
  });

  it("of commands that ask a service hold none of it", () => {
    for (const name of [
      "agents",
      "runs",
      "run-command",
      "login",
      "workspaces",
      "mcp",
      "acp",
      "conform",
      "init",
    ])
      expect(loadedWith("npm", "commands/program.mjs", `commands/${name}.mjs`).filter(ofService)).toEqual([]);
    expect(loadedWith("npm", "commands/keys.mjs").filter(ofService).length).toBeGreaterThan(100);
  });

  it("of the command load the library of editors with `acp` alone", () => {
    const isOfEditors = (path: string) => /^src\/cli\/acp\/|node_modules\/@agentclientprotocol\//.test(path);
    for (const name of [...built.npm.keys()].filter((path) => /^commands\/(?!acp\.mjs)/.test(path)))
      expect(loadedWith("npm", "cli.mjs", "commands/program.mjs", name).filter(isOfEditors), name).toEqual(
        [],
      );
    expect(
      loadedWith("npm", "commands/program.mjs", "commands/acp.mjs").filter(isOfEditors).length,
    ).toBeGreaterThan(10);
  });

  it("of the command and the service hold each module once", () => {
    const ofClient = /^(client|client-browser|ws)\.mjs$|^web-(copy|diff|passkey|run)\.js$/;
    const files = [...built.npm].filter(([name]) => !ofClient.test(name));
    const modules = files
      .flatMap(([, file]) => file.modules)
      .filter((path) => /^(src|node_modules)\//.test(path));
    expect(modules.length).toBeGreaterThan(1000);
    expect(modules.filter((path, at) => modules.indexOf(path) !== at)).toEqual([]);
  });

  it(
    "are written the same by every build",
    async () => {
      const again = await buildFiles("npm");
      const contents = (files: BuiltFiles) => [...files].map(([name, file]) => [name, String(file.contents)]);
      expect(contents(again)).toEqual(contents(built.npm));
    },
    BUILD_MS,
  );

  it("are all packed", async () => {
    const { files } = JSON.parse(await readFile(new URL("../../../package.json", import.meta.url), "utf8"));
    expect(files).toEqual(["npm", "!npm/.compiled"]);
  });
});
