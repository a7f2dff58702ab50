// Jobs with a service whose model is in a cloud: the job exchanges its token, the service asks the cloud with it at the address that the job
// names, and nobody keeps it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CloudFake } from "../../fakes/clouds/cloud.ts";
import { cloudInputs, cloudTrusts, type PlayedCloud, playedClouds } from "../../fakes/clouds/clouds.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { runAction } from "../../fakes/runner/run-action.ts";
import { AUDIENCE, BroughtFixture } from "../support/fixtures/brought-fixture.ts";
import { allThatIsSeen } from "../support/fixtures/embedded-fixture.ts";

const LIFE_SECONDS = 33;

let workflowRuns = 1_296_269_500;
let fixture: BroughtFixture;
beforeAll(async () => {
  fixture = await BroughtFixture.start({
    script: byTurn([call("read_file", { path: "a.txt" }), say("I read it.")]),
  });
});
afterAll(async () => await fixture.close());

const played = (of: BroughtFixture, cloud: PlayedCloud): CloudFake => {
  const found = of.house.clouds.find(({ name }) => name === cloud);
  if (found === undefined) throw new Error(`There is no ${cloud}.`);
  return found;
};

async function run(of: BroughtFixture, inputs: Record<string, string>) {
  workflowRuns += 1;
  const job = await of.codeHost.job({ runId: String(workflowRuns) });
  const given = {
    "base-url": of.nodes[0]?.url ?? "",
    audience: AUDIENCE,
    "github-token": job.githubToken,
    ...inputs,
  };
  const env = { ...job.env, ...of.house.env };
  const step = await runAction({ entry: "main", env, inputs: given });
  const post = await runAction({ entry: "post", env, inputs: given, state: step.state });
  return { job, step, post };
}

const withModels = playedClouds.flatMap((cloud) =>
  cloudTrusts[cloud].models.map((model) => [cloud, model] as const),
);

describe("a job with a service and a model in a cloud", () => {
  it.each(withModels)("has its run executed by %s with %s, for the fee alone", async (cloud, model) => {
    const { exchanges, refusedCalls } = played(fixture, cloud);
    const before = { exchanges: exchanges.length, requests: fixture.house.model.requests.length };
    const prompt = `Read it for ${cloud} with ${model}.`;
    const { job, step, post } = await run(fixture, { prompt, model, ...cloudInputs(cloud) });
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", reply: "I read it.", credits: "1" },
    });
    const own = exchanges.slice(before.exchanges);
    expect(own).toMatchObject([{ status: 200 }]);
    const shown = fixture.house.model.requests
      .slice(before.requests)
      .map(({ headers }) => headers.authorization);
    expect(shown).toEqual([`Bearer ${own[0]?.accessToken}`, `Bearer ${own[0]?.accessToken}`]);
    expect(refusedCalls).toEqual([]);
    expect(step.masks).toEqual(expect.arrayContaining([own[0]?.idToken, own[0]?.accessToken]));
    const seen = (await allThatIsSeen(step)) + (await allThatIsSeen(post));
    for (const secret of [...fixture.house.secrets(), job.idTokenRequestToken])
      expect(seen).not.toContain(secret);
  });

  it("starts nothing at the service where the cloud refuses it", async () => {
    const inputs = { ...cloudInputs("bedrock"), "aws-role-arn": "arn:aws:iam::123456789012:role/other" };
    const { step } = await run(fixture, { prompt: "Read it.", model: "us.anthropic.claude-x", ...inputs });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "federation_refused", "run-id": "" } });
  });

  it("is refused before anything is sent where nobody would renew the token", async () => {
    const before = fixture.house.tunnels.length;
    const inputs = { ...cloudInputs("foundry"), model: "claude-x", wait: "false", prompt: "Read it." };
    const { step } = await run(fixture, inputs);
    expect(step).toMatchObject({ exitCode: 1, outputs: { "run-id": "" } });
    expect(step.annotations.at(-1)?.message).toContain('"wait"');
    expect(fixture.house.tunnels.length).toBe(before);
  });

  it.each([
    ["no address", undefined, /"resource" is missing/],
    [
      "another provider's address",
      { region: "us-east-1", resource: "octo" },
      /"region" is no part of the address of Microsoft Foundry/,
    ],
    ["an address of another form", { resource: "octo.example/" }, /"resource" must be/],
  ])("takes no access with %s", async (_, address, says) => {
    const job = await fixture.job();
    const { address: __, ...access } = await fixture.access("foundry");
    const model_access = address === undefined ? access : { ...access, address };
    const answer = await job.submit({ message: "Read it.", model_access });
    const { error } = JSON.parse(answer.text) as { error: string };
    expect([answer.status, error]).toEqual([400, expect.stringMatching(says)]);
  });

  it("leaves no token in the store, the logs and the traces of the service", async () => {
    const secrets = fixture.house.secrets();
    expect(secrets.length).toBeGreaterThan(10);
    const left = await fixture.leftBehind();
    expect(left).toContain("I read it.");
    for (const secret of secrets) expect(left).not.toContain(secret);
  });
});

describe("tokens of the clouds on a service", () => {
  it("are renewed by their jobs twice while their runs go on", async () => {
    const life = { lifeSeconds: LIFE_SECONDS };
    const exchangesOf = (cloud: PlayedCloud) => played(short, cloud).exchanges;
    /** Answers when the job has exchanged so many times more. */
    const exchanged = (count: number) => async (request: ModelRequest) => {
      const cloud = playedClouds.find((name) => request.firstUserMessage.includes(name)) ?? "foundry";
      while (exchangesOf(cloud).length <= count) await new Promise((resolve) => setTimeout(resolve, 100));
      return call("read_file", { path: "a.txt" });
    };
    const short = await BroughtFixture.start({
      where: "process",
      script: byTurn([exchanged(0), exchanged(1), exchanged(2), say("I read it all.")]),
      clouds: { foundry: life, bedrock: life, vertex: life },
    });
    try {
      const steps = await Promise.all(
        playedClouds.map(async (cloud) => {
          const [model] = cloudTrusts[cloud].models;
          return (await run(short, { prompt: `Read it all for ${cloud}.`, model, ...cloudInputs(cloud) }))
            .step;
        }),
      );
      for (const step of steps)
        expect(step).toMatchObject({ exitCode: 0, outputs: { reply: "I read it all." } });
      for (const cloud of playedClouds) {
        expect(exchangesOf(cloud).length, cloud).toBeGreaterThanOrEqual(3);
        expect(played(short, cloud).refusedCalls, cloud).toEqual([]);
        const tokens = exchangesOf(cloud).map(({ accessToken }) => `Bearer ${accessToken}`);
        const shown = new Set(short.house.model.requests.map(({ headers }) => String(headers.authorization)));
        expect(tokens.filter((token) => shown.has(token)).length, cloud).toBeGreaterThanOrEqual(3);
      }
      const seen = await Promise.all(steps.map(allThatIsSeen));
      const left = [...seen, await short.leftBehind()].join("");
      for (const secret of short.house.secrets()) expect(left).not.toContain(secret);
    } finally {
      await short.close();
    }
  });
});
