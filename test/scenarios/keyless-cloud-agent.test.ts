// Jobs without a server whose agent is another program, and whose model is in a cloud: the proxy in the step has the token, the agent has not.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cloudInputs, cloudTrusts, type PlayedCloud, playedClouds } from "../../fakes/clouds/clouds.ts";
import { type ModelHouse, startModelHouse } from "../../fakes/model-house/model-house.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { say } from "../../fakes/model-server/turn.ts";
import type { AgentStep } from "../support/acp-agent.ts";
import { allThatIsSeen, EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";
import { type InstalledAgent, installAgent } from "../support/fixtures/installed-agent.ts";

let fixture: EmbeddedFixture;
let house: ModelHouse;
let agent: InstalledAgent | null = null;
beforeEach(async () => {
  fixture = await EmbeddedFixture.open({ "a.txt": "one\n" });
  const script = everyTime(() => say("Good day."));
  house = await startModelHouse({ issuer: fixture.codeHost.issuer, script });
});
afterEach(async () => {
  await house.close();
  await fixture.close();
  await agent?.remove();
  agent = null;
});

const asks = (model: string): AgentStep => ({
  do: "request",
  path: "/v1/messages",
  body: { model, max_tokens: 100, messages: [{ role: "user", content: "Hello" }] },
  headers: { "anthropic-version": "2023-06-01" },
});

async function run(cloud: PlayedCloud, inputs: Readonly<Record<string, string>> = {}) {
  const [model] = cloudTrusts[cloud].models;
  agent = await installAgent("claude", { turn: [asks(model), { do: "show", command: "env" }] });
  const job = await fixture.job({ idToken: true });
  fixture.checkOut(job);
  const step = await fixture.main(job, {
    env: { ...house.env, ...agent.env },
    inputs: { prompt: "Make it two.", agent: "claude", model, ...cloudInputs(cloud), ...inputs },
  });
  return { step, played: house.clouds.find(({ name }) => name === cloud) };
}

describe("another agent whose model is in a cloud", { tags: ["sandbox"] }, () => {
  it.each([...playedClouds])("asks Claude in %s by the proxy, and sees no token", async (cloud) => {
    const { step, played } = await run(cloud);
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(played?.refusedCalls).toEqual([]);
    expect(house.model.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${played?.exchanges.at(-1)?.accessToken}`,
    ]);
    const seen = await allThatIsSeen(step);
    for (const secret of house.secrets()) expect(seen).not.toContain(secret);
  });

  it("is told that it does not speak the protocol of the model", async () => {
    const { step } = await run("foundry", { model: "gpt-x" });
    expect(step).toMatchObject({ exitCode: 1 });
    expect(step.annotations.at(-1)?.message).toContain("Claude Code speaks anthropic, not openai-compatible");
    expect(house.tunnels).toEqual([]);
  });
});
