// examples/other-agents.yml: its steps install the version of our table, where the agent's step finds and confines it.

import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { everyTime } from "../../../fakes/model-server/script.ts";
import { say } from "../../../fakes/model-server/turn.ts";
import { OUR_ACTION } from "../../../scripts/lint-workflows.ts";
import { codingAgents } from "../../../src/contract/ci/coding-agents.ts";
import { runScript } from "../../support/example-script.ts";
import { readExample } from "../../support/example-workflow.ts";
import { EmbeddedFixture } from "../../support/fixtures/embedded-fixture.ts";
import { type InstalledAgent, installAgent } from "../../support/fixtures/installed-agent.ts";

const KEY = "sk-the-models-key-0123456789";
const { package: packageName, version, program } = codingAgents.claude;
const steps = readExample("other-agents.yml").jobs.ask?.steps ?? [];

let fixture: EmbeddedFixture;
let model: ModelServer;
let agent: InstalledAgent;
let folder: string;
beforeEach(async () => {
  fixture = await EmbeddedFixture.open({ "a.txt": "one\n" });
  model = await startModelServer({ script: everyTime(() => say("Good day.")), apiKey: KEY });
  folder = await mkdtemp(join(tmpdir(), "example-"));
  const content = { type: "text", text: "Two it is." };
  agent = await installAgent("claude", {
    turn: [
      { do: "write", path: "$CWD/a.txt", content: "two\n" },
      { do: "update", update: { sessionUpdate: "agent_message_chunk", content } },
    ],
  });
});
afterEach(async () => {
  await Promise.all([fixture.close(), model.close(), agent.remove()]);
  await rm(folder, { recursive: true, force: true });
});

describe("another agent without a server", () => {
  it("is cached by the version that is installed, which is the one that was tried", () => {
    const cache = steps.find(({ uses }) => uses?.startsWith("actions/cache@") === true);
    expect(cache?.with.key).toContain(`${program}-${version}`);
    const install = steps.find(({ run }) => run?.startsWith("npm install") === true);
    expect(install).toMatchObject({
      if: `steps.${cache?.id}.outputs.cache-hit != 'true'`,
      run: expect.stringContaining(` ${packageName}@${version}`),
    });
    expect(install?.run).toContain(`--prefix ${cache?.with.path} `);
  });

  it("is found where the steps put it, and works", { tags: ["sandbox"] }, async () => {
    const programs = join(folder, "programs");
    await mkdir(programs);
    const [installed = ""] = agent.env.PATH?.split(":") ?? [];
    // What npm would leave; what is asked of the machine's owner is not done.
    const npm = [
      "#!/bin/sh",
      'mkdir -p "$3/node_modules/.bin"',
      `cp "${installed}/${program}" "$3/node_modules/.bin/"`,
    ];
    for (const [name, lines] of Object.entries({ npm, sudo: ["#!/bin/sh"] })) {
      await writeFile(join(programs, name), `${lines.join("\n")}\n`);
      await chmod(join(programs, name), 0o755);
    }
    const home = join(folder, "home");
    const pathFile = join(folder, "path");
    await mkdir(home);
    await writeFile(pathFile, "");
    const job = await fixture.job({ event: "workflow_dispatch" });
    const root = fixture.checkOut(job);
    const ours = steps.findIndex(({ uses }) => uses === OUR_ACTION);
    for (const { run, shell } of steps.slice(0, ours)) {
      if (run === null) continue;
      const env = { ...job.env, HOME: home, GITHUB_PATH: pathFile };
      expect(await runScript({ script: run, shell, env, programs })).toMatchObject({ outcome: "success" });
    }
    // Nothing of the first place is needed any more but the script that it plays.
    await rm(join(installed, program));
    const [added = ""] = (await readFile(pathFile, "utf8")).split("\n");
    const [, ...rest] = agent.env.PATH?.split(":") ?? [];
    const readPaths = `${agent.env.SANDBOX_READ_PATHS}:${installed}`;
    const step = await fixture.main(job, {
      env: { ...agent.env, PATH: [added, ...rest].join(":"), SANDBOX_READ_PATHS: readPaths },
      inputs: {
        ...steps[ours]?.with,
        prompt: "Make it two.",
        "model-base-url": model.baseUrl,
        "model-api-key": KEY,
      },
    });
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", reply: "Two it is.", "changed-files": '["a.txt"]' },
    });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("two\n");
  });
});
