// Jobs with a service and a model account of their own: the job exchanges its token, the service asks the model with it, and
// nobody keeps it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, houses, trusts } from "../../fakes/model-house/trust.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { runAction } from "../../fakes/runner/run-action.ts";
import { AUDIENCE, BroughtFixture } from "../support/fixtures/brought-fixture.ts";
import { allThatIsSeen } from "../support/fixtures/embedded-fixture.ts";

let fixture: BroughtFixture;
beforeAll(async () => {
  fixture = await BroughtFixture.start({
    script: byTurn([call("read_file", { path: "a.txt" }), say("I read it.")]),
  });
});
afterAll(async () => await fixture.close());

const federated = (provider: House): Record<string, string> =>
  Object.fromEntries(
    Object.entries(trusts[provider].identifiers).map(([field, id]) => [
      `${provider}-${field.replaceAll("_", "-")}`,
      id,
    ]),
  );

async function run(inputs: Record<string, string>, prompt = "Read a.txt.") {
  const job = await fixture.codeHost.job();
  const given = {
    "base-url": fixture.nodes[0]?.url ?? "",
    audience: AUDIENCE,
    prompt,
    model: "claude-x",
    "github-token": job.githubToken,
    ...inputs,
  };
  const env = { ...job.env, ...fixture.house.env };
  const step = await runAction({ entry: "main", env, inputs: given });
  const post = await runAction({ entry: "post", env, inputs: given, state: step.state });
  return { job, step, post };
}

describe("a job with a service and a model account of its own", () => {
  it.each(houses)("has its run executed by %s, for the fee alone", async (provider) => {
    const before = {
      exchanges: fixture.house.exchanges.length,
      requests: fixture.house.model.requests.length,
    };
    const { job, step, post } = await run(federated(provider), `Read it for ${provider}.`);
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", reply: "I read it.", credits: "1" },
    });
    const exchanges = fixture.house.exchanges.slice(before.exchanges);
    expect(exchanges).toMatchObject([{ house: provider, status: 200 }]);
    const shown = fixture.house.model.requests
      .slice(before.requests)
      .map(({ headers }) => headers.authorization);
    expect(shown).toEqual([`Bearer ${exchanges[0]?.accessToken}`, `Bearer ${exchanges[0]?.accessToken}`]);
    expect(fixture.house.refusedCalls).toEqual([]);
    expect(step.masks).toEqual(expect.arrayContaining([exchanges[0]?.idToken, exchanges[0]?.accessToken]));
    const seen = (await allThatIsSeen(step)) + (await allThatIsSeen(post));
    for (const secret of [...fixture.house.secrets(), job.idTokenRequestToken])
      expect(seen).not.toContain(secret);
  });

  it("says the same costs in the summary and on the run's page", async () => {
    const inputs = { ...federated("anthropic"), model: "claude-sonnet-5" };
    const { step } = await run(inputs, "Read it, for its costs.");
    const [, cost = "?"] = /\*\*Cost\*\* (\$\d+\.\d+)/.exec(step.summary) ?? [];
    expect(step.summary).toContain("**Credits** 1 charged");
    const { pathname, searchParams } = new URL(step.outputs["run-url"] ?? "");
    const page = await fetch(`${fixture.nodes[0]?.url}${pathname}`, {
      headers: { cookie: `run_view=${searchParams.get("view")}` },
    });
    expect(page.status).toBe(200);
    const html = await page.text();
    const [, section = ""] = /<h2>Cost<\/h2>(.*?)<\/section>/s.exec(html) ?? [];
    expect(section).toContain(`<p>1 credit charged · ${step.outputs.tokens} tokens · models ${cost}</p>`);
    // The fee of a run is no price of its model.
    expect(section.match(/\$\d+\.\d+/g)).toEqual([cost]);
  });

  it("starts nothing at the service where the provider refuses it", async () => {
    const { step } = await run({ ...federated("anthropic"), "anthropic-federation-rule-id": "fdrl_other" });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "federation_refused", "run-id": "" } });
  });

  it("asks the provider for nothing where the service does not take the job", async () => {
    const before = fixture.house.exchanges.length;
    const { step } = await run({ ...federated("anthropic"), audience: "else.example" });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "audience_mismatch" } });
    expect(fixture.house.exchanges.length).toBe(before);
  });

  it("leaves no token in the store, the logs and the traces of the service", async () => {
    const secrets = fixture.house.secrets();
    expect(secrets.length).toBeGreaterThan(5);
    const left = await fixture.leftBehind();
    expect(left).toContain("I read it.");
    for (const secret of secrets) expect(left).not.toContain(secret);
  });
});
