// examples/nightly-maintenance.yml: one pull request, brought up to date night after night until it is merged. By the
// service with a model, so that each night begins with what the one before it left.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { everyTime } from "../../../fakes/model-server/script.ts";
import { storyTools } from "../../../fakes/model-server/stories.ts";
import { type Step, say } from "../../../fakes/model-server/turn.ts";
import { type Config, readConfig } from "../../../src/service/settings/config.ts";
import { actionOf, playExample } from "../../support/example-play.ts";
import type { ScenarioFixture } from "../../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";

const PROMPT = "Mend one small thing that nobody would argue about.\n";
const MODEL_KEY = "sk-the-models-key-0123456789";

function modelConfig(model: ModelServer): Partial<Config> {
  const settings = { MODEL: "scripted-model", MODEL_BASE_URL: model.baseUrl, MODEL_API_KEY: MODEL_KEY };
  const config = readConfig({}, { PATH: process.env.PATH, BACKEND: "model", ...settings });
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  return { backend: config.value.backend, model: config.value.model, sandbox: config.value.sandbox };
}

describe("nightly maintenance", () => {
  let fixture: ScenarioFixture;
  let model: ModelServer;
  let steps: Step[] = [];
  beforeAll(async () => {
    model = await startModelServer({ script: everyTime(() => steps.shift()), apiKey: MODEL_KEY });
    fixture = await startFixture({ level: "scenario", config: modelConfig(model) });
    const { repository } = fixture;
    const parent = repository.git(["rev-parse", "refs/heads/main"]);
    repository.commit({
      files: { "README.md": "# Octo repo\n", ".github/prompts/maintenance.md": PROMPT },
      parents: [parent],
      day: 1,
    });
  });
  afterAll(async () => {
    await Promise.all([fixture.close(), model.close()]);
  });

  /** The agent reads these files, writes those, and is done. */
  const night = async (
    { reads = [], writes = {} }: { reads?: string[]; writes?: Record<string, string> },
    event: "schedule" | "workflow_dispatch" = "schedule",
  ) => {
    const calls = [
      ...reads.map((path) => storyTools.read(path)),
      ...Object.entries(writes).map(([path, text]) => storyTools.write(path, text)),
    ];
    steps = [...(calls.length === 0 ? [] : [calls]), say("I mended something.")];
    const file = "nightly-maintenance.yml";
    const { maintenance } = await playExample({ fixture, file, event: { event } });
    expect(maintenance?.result).toBe("success");
    return actionOf(maintenance);
  };
  const read = (ref: string, path: string) => fixture.repository.git(["show", `${ref}:${path}`]);

  it("opens one pull request, and the next night adds to it", async () => {
    const first = await night({ writes: { "README.md": "# Octo repository\n" } });
    expect(model.requests[0]?.firstUserMessage).toContain(PROMPT.trim());
    const [pull, ...others] = fixture.codeHost.pulls.all;
    expect(others).toEqual([]);
    expect(pull).toMatchObject({ base: "main", state: "open" });
    const branch = first.outputs.branch ?? "";
    expect(branch).toMatch(/^agent\/nightly-maintenance-[0-9a-f]{8}$/);
    expect(pull?.head).toBe(branch);
    expect(first.outputs["pull-request-url"]).toMatch(new RegExp(`/pull/${pull?.number}$`));
    expect(read(branch, "README.md")).toBe("# Octo repository");

    const second = await night({ reads: ["README.md"], writes: { LICENSE: "MIT\n" } }, "workflow_dispatch");
    expect(model.toolResults().map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringContaining("# Octo repository")]),
    );
    expect(second.outputs).toMatchObject({
      branch,
      "session-id": first.outputs["session-id"],
      "pull-request-url": first.outputs["pull-request-url"],
    });
    expect(fixture.codeHost.pulls.all).toHaveLength(1);
    expect(read(branch, "LICENSE")).toBe("MIT");
    expect(fixture.repository.git(["rev-list", "--count", `refs/heads/main..${branch}`])).toBe("2");
  });

  it("opens another once that was merged, and none where nothing is to be done", async () => {
    const [pull] = fixture.codeHost.pulls.all;
    fixture.repository.git(["update-ref", "refs/heads/main", `refs/heads/${pull?.head}`]);
    fixture.codeHost.pulls.edit(pull?.number ?? 0, { state: "closed", merged_at: "2026-01-16T08:00:00Z" });
    const quiet = await night({});
    expect(quiet.outputs).toMatchObject({ conclusion: "success", "pull-request-url": "" });
    expect(fixture.codeHost.pulls.all).toHaveLength(1);
    const next = await night({ writes: { "README.md": "# Octo\n" } });
    expect(fixture.codeHost.pulls.all).toHaveLength(2);
    expect(next.outputs.branch).not.toBe(pull?.head);
    expect(fixture.codeHost.pulls.all[1]).toMatchObject({
      base: "main",
      state: "open",
      head: next.outputs.branch,
    });
  });

  it("does not bring back what people have turned down, but for who asks", async () => {
    const turnedDown = fixture.codeHost.pulls.all[1];
    fixture.codeHost.pulls.edit(turnedDown?.number ?? 0, { state: "closed" });
    const quiet = await night({});
    expect(quiet.outputs).toMatchObject({ conclusion: "success", "pull-request-url": "", branch: "" });
    expect(quiet.log).toContain(
      `Nothing is pushed: pull request #${turnedDown?.number}, with these changes, was closed.`,
    );
    expect(fixture.codeHost.pulls.all).toHaveLength(2);
    const more = await night({ writes: { "CHANGES.md": "More.\n" } });
    expect(fixture.codeHost.pulls.all).toHaveLength(3);
    fixture.codeHost.pulls.edit(fixture.codeHost.pulls.all[2]?.number ?? 0, { state: "closed" });
    const asked = await night({}, "workflow_dispatch");
    expect(fixture.codeHost.pulls.all).toHaveLength(4);
    expect(asked.outputs.branch).not.toBe(more.outputs.branch);
  });

  it("is no red cross when the credits have ended", async () => {
    const poor = await startFixture({ level: "scenario", config: { freeCredits: 0 } });
    const { repository } = poor;
    repository.commit({ files: { ".github/prompts/maintenance.md": PROMPT }, day: 1 });
    const { maintenance } = await playExample({
      fixture: poor,
      file: "nightly-maintenance.yml",
      event: { event: "schedule" },
    });
    await poor.close();
    expect(maintenance?.result).toBe("success");
    expect(actionOf(maintenance).outputs).toMatchObject({ conclusion: "quota", reason: "credits_ended" });
  });
});
