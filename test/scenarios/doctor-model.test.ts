// The doctor on a model without a key: what the provider must have configured, value by value, and no token.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import {
  type ModelHouse,
  type ModelHouseOptions,
  startModelHouse,
} from "../../fakes/model-house/model-house.ts";
import { type House, houses, trusts } from "../../fakes/model-house/trust.ts";
import { checkOf, factsOf, fixesOf, pageOf, runDoctor } from "../support/doctor-command.ts";
import { allThatIsSeen, EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";

let fixture: EmbeddedFixture;
let house: ModelHouse | null = null;
beforeAll(async () => {
  fixture = await EmbeddedFixture.open({ "README.md": "# Hello\n" });
});
afterEach(async () => {
  await house?.close();
  house = null;
});
afterAll(async () => await fixture.close());

const identifiersOf = (provider: House): [string, string][] =>
  Object.entries(trusts[provider].identifiers).map(([field, id]) => [
    `${provider}-${field.replaceAll("_", "-")}`,
    id,
  ]);

async function play(
  provider: House,
  {
    trust = {},
    args = [],
    model: env = {},
    ...options
  }: JobOptions & {
    trust?: ModelHouseOptions["trust"];
    args?: string[];
    model?: Record<string, string>;
  } = {},
) {
  house = await startModelHouse({ issuer: fixture.codeHost.issuer, script: [], trust });
  const job = await fixture.job({ idToken: true, ...options });
  const flags = identifiersOf(provider).flatMap(([name, id]) => [`--${name}`, id]);
  const examined = await runDoctor(
    { ...job.env, ...house.env, MODEL: "scripted-model", ...env },
    ["--json", ...flags, ...args],
    [job.githubToken],
  );
  for (const secret of house.secrets())
    expect(examined.stdout + examined.stderr + examined.summary).not.toContain(secret);
  return { ...examined, page: pageOf(examined), house };
}

describe.each(houses)("the doctor on a trust at %s", (provider) => {
  it("finds it in order, and shows what it is made of", async () => {
    const { page } = await play(provider);
    expect(checkOf(page, "model-provider")).toMatchObject({
      state: "ok",
      found: expect.stringContaining('takes the job\'s token, for the model "scripted-model".'),
    });
    expect(factsOf(page, "model-provider")).toMatchObject({
      ...Object.fromEntries(identifiersOf(provider)),
      audience: trusts[provider].audience,
      aud: trusts[provider].audience,
      iss: fixture.codeHost.issuer.url,
      sub: "repo:octo-org/octo-repo:ref:refs/heads/main",
      repository_id: "74",
    });
  });

  it("names a model that its API does not have", async () => {
    const { page } = await play(provider, { model: { MODEL: "no-model" } });
    // OpenRouter is asked about the token alone: its list is public.
    expect(checkOf(page, "model-provider").state).toBe(provider === "openrouter" ? "ok" : "fault");
  });

  it("names what to configure where it is refused", async () => {
    const { code, page } = await play(provider, { trust: { [provider]: { subjectPrefix: "repo:else" } } });
    expect(code).toBe(1);
    expect(checkOf(page, "model-provider")).toMatchObject({ state: "fault" });
    expect(factsOf(page, "model-provider")).toMatchObject({ reason: "federation_refused" });
    expect(fixesOf(page, "model-provider")).toContain(
      [
        `issuer: ${fixture.codeHost.issuer.url}`,
        `audience: ${trusts[provider].audience}`,
        "subject: repo:octo-org/octo-repo:ref:refs/heads/main",
        "repository_id: 74",
        "repository: octo-org/octo-repo",
      ].join("\n"),
    );
  });
});

describe("the doctor on a model without a key", () => {
  it("says where Anthropic keeps the reason, and which workspace may be missing", async () => {
    const { page } = await play("anthropic", {
      trust: { anthropic: { audience: "https://else.example" } },
    });
    expect(fixesOf(page, "model-provider")).toContain("Authentication events");
  });

  it("names the host that a runner cannot reach", async () => {
    const job = await fixture.job({ idToken: true });
    const flags = identifiersOf("openai").flatMap(([name, id]) => [`--${name}`, id]);
    const nowhere = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1", NODE_USE_ENV_PROXY: "1" };
    const page = pageOf(await runDoctor({ ...job.env, ...nowhere }, ["--json", ...flags]));
    expect(factsOf(page, "model-provider")).toMatchObject({ reason: "federation_unreachable" });
    expect(fixesOf(page, "model-provider")).toContain("auth.openai.com");
  });

  it("asks for no token in a job that an outsider could steer, nor outside of a job", async () => {
    const { page, house: asked } = await play("openai", {
      env: { GITHUB_EVENT_NAME: "pull_request_target" },
    });
    expect(checkOf(page, "model-provider")).toMatchObject({ state: "skipped" });
    expect(asked.exchanges).toEqual([]);
    const flags = identifiersOf("openai").flatMap(([name, id]) => [`--${name}`, id]);
    const local = pageOf(await runDoctor({ HOME: "/nonexistent" }, ["--json", ...flags]));
    expect(checkOf(local, "model-provider")).toMatchObject({ state: "skipped" });
  });

  it("explains a job without the permission", async () => {
    const { page } = await play("anthropic", { idToken: false });
    expect(checkOf(page, "model-provider")).toMatchObject({ state: "fault" });
    expect(fixesOf(page, "model-provider")).toContain("id-token: write");
  });

  it("is a mode of the Action, with masked tokens", async () => {
    house = await startModelHouse({ issuer: fixture.codeHost.issuer, script: [] });
    const job = await fixture.job({ idToken: true });
    fixture.checkOut(job);
    const inputs = {
      mode: "doctor",
      model: "scripted-model",
      ...Object.fromEntries(identifiersOf("openrouter")),
    };
    const step = await fixture.main(job, { inputs, env: house.env });
    expect(step.summary).toContain("OpenRouter takes the job's token");
    expect(step.masks).toEqual(expect.arrayContaining([...house.secrets()]));
    const seen = await allThatIsSeen(step);
    expect(house.secrets()).toHaveLength(2);
    for (const secret of house.secrets()) expect(seen).not.toContain(secret);
  });
});
