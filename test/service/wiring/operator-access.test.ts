// A service whose operator has an account at the model's provider and no key: it reads the identity token that its platform keeps in a
// file, and nobody else sees a token.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cloudTrusts, type PlayedCloud, playedClouds } from "../../../fakes/clouds/clouds.ts";
import { type House, houses, trusts } from "../../../fakes/model-house/trust.ts";
import { byTurn } from "../../../fakes/model-server/script.ts";
import { call, say } from "../../../fakes/model-server/turn.ts";
import { PlatformsFake, type PlatformWay, platformWays } from "../../../fakes/platforms.ts";
import { submitRunResponseSchema } from "../../../src/contract/runs/run.ts";
import { BroughtFixture, type BroughtOptions } from "../../support/fixtures/brought-fixture.ts";
import { ACP_AGENT } from "../../support/run/acp-agent-setup.ts";

let folder: string;
let tokenFile: string;
let fixture: BroughtFixture | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "operator-access-"));
  tokenFile = join(folder, "token");
});
afterEach(async () => {
  await fixture?.close();
  fixture = null;
  await rm(folder, { recursive: true, force: true });
});

const settingsOf = (provider: House): Record<string, string> => ({
  MODEL_IDENTITY_TOKEN_FILE: tokenFile,
  ...Object.fromEntries(
    Object.entries(trusts[provider].identifiers).map(([field, id]) => [
      `${provider}_${field}`.toUpperCase(),
      id,
    ]),
  ),
});

const script = byTurn([call("read_file", { path: "a.txt" }), say("I read it.")]);

async function start(
  settings: Record<string, string>,
  { trust = {}, where }: Pick<BroughtOptions, "trust" | "where"> = {},
): Promise<BroughtFixture> {
  fixture = await BroughtFixture.start({
    script,
    settings,
    trust,
    ...(where === undefined ? {} : { where }),
  });
  return fixture;
}

/** What the platform does: it puts another token in the place of the old one. */
async function putToken({ codeHost: { issuer } }: BroughtFixture, provider: House): Promise<string> {
  const sub = "repo:service-account:agents";
  const token = issuer.sign(issuer.githubClaims({ aud: trusts[provider].audience, sub }));
  await writeFile(tokenFile, `${token}\n`);
  return token;
}

async function run(service: BroughtFixture, message = "Read it.") {
  const job = await service.job();
  const answer = await job.submit({ message });
  const { run_id: runId } = submitRunResponseSchema.parse(answer.body);
  return { run: await job.ended(runId), events: JSON.stringify(await job.follow(runId)) };
}

describe.each(houses)("a service with an account at %s", (provider) => {
  it("executes runs without a key, and keeps no token", async () => {
    const settings = { BACKEND: "model", MODEL: "claude-x", ...settingsOf(provider) };
    const service = await start(settings, { where: "process" });
    const idToken = await putToken(service, provider);
    const { run: ended, events } = await run(service);
    expect(ended).toMatchObject({ status: "completed" });
    expect(ended).not.toHaveProperty("model_billing");
    expect(events).toContain("I read it.");
    expect(service.house.exchanges).toMatchObject([{ house: provider, status: 200, idToken }]);
    const shown = service.house.model.requests.map(({ headers }) => headers.authorization);
    expect(new Set(shown)).toEqual(new Set([`Bearer ${service.house.exchanges[0]?.accessToken}`]));
    expect(service.house.refusedCalls).toEqual([]);
    const secrets = service.house.secrets();
    const left = await service.leftBehind();
    expect(left).toContain("I read it.");
    for (const secret of secrets) expect(left + events).not.toContain(secret);
  });
});

/** As a service has them: of a trust, or of the place of the models alone. */
function cloudSettings(cloud: PlayedCloud, identifiers: Readonly<Record<string, string>>) {
  const { prefix } = cloudTrusts[cloud];
  const named = Object.entries(identifiers).map(([field, id]) => [`${prefix}_${field}`.toUpperCase(), id]);
  return { BACKEND: "model", MODEL_PROVIDER: cloud, ...Object.fromEntries(named) };
}

const placeOf: Readonly<Record<PlayedCloud, Readonly<Record<string, string>>>> = {
  bedrock: { region: cloudTrusts.bedrock.identifiers.region },
  vertex: { project_id: cloudTrusts.vertex.identifiers.project_id },
  foundry: { resource: cloudTrusts.foundry.identifiers.resource },
};

const cloudOf = { aws: "bedrock", gcp: "vertex", azure: "foundry" } as const;

describe("a service that is executed in a cloud", () => {
  let platform: PlatformsFake;
  beforeEach(async () => {
    platform = await PlatformsFake.start(() => {
      if (fixture === null) throw new Error("There is no service.");
      return fixture.codeHost.issuer;
    });
  });
  afterEach(() => platform.close());

  const startIn = async (way: PlatformWay, settings: Readonly<Record<string, string>> = {}) => {
    const cloud = cloudOf[way[0]];
    fixture = await BroughtFixture.start({
      script,
      settings: (house) => {
        platform.clouds = house.clouds;
        return {
          ...cloudSettings(cloud, placeOf[cloud]),
          MODEL: cloudTrusts[cloud].models[0],
          MODEL_IDENTITY: way[0],
          ...platform.environment(way),
          AWS_REGION: cloudTrusts.bedrock.identifiers.region,
          ...settings,
        };
      },
    });
    return fixture;
  };
  const shownTo = ({ house: { model } }: BroughtFixture) =>
    new Set(model.requests.map(({ headers }) => headers.authorization?.replace("Bearer ", "") ?? ""));

  it.each(platformWays.map((way) => ({ way, name: way.join(", by its ") })))(
    "asks models there with what it has by $name, and keeps none of it",
    async ({ way }: { way: PlatformWay }) => {
      const service = await startIn(way);
      const { run: ended, events } = await run(service);
      expect(ended).toMatchObject({ status: "completed" });
      expect(events).toContain("I read it.");
      // Nothing is exchanged, and the cloud takes what it has lent.
      expect(service.house.clouds.flatMap(({ exchanges }) => exchanges)).toEqual([]);
      expect(service.house.clouds.flatMap(({ refusedCalls }) => refusedCalls)).toEqual([]);
      const [token = "", ...others] = shownTo(service);
      expect([token.length > 20, others]).toEqual([true, []]);
      const left = (await service.leftBehind()) + events;
      expect(left).toContain("I read it.");
      for (const secret of [token, ...platform.secrets]) expect(left).not.toContain(secret);
    },
  );

  it("asks its platform again before what it has ends", async () => {
    // Renewed in the last third of its life.
    platform.lifeSeconds = 9;
    const service = await startIn(["aws", "container"]);
    expect((await run(service)).run).toMatchObject({ status: "completed" });
    const first = shownTo(service);
    await new Promise((resolve) => setTimeout(resolve, 6_500));
    expect((await run(service, "Read it again.")).run).toMatchObject({ status: "completed" });
    expect(shownTo(service).size).toBeGreaterThan(first.size);
    expect(service.house.clouds.flatMap(({ refusedCalls }) => refusedCalls)).toEqual([]);
  });

  it("says in the run what to do where it has no identity there", async () => {
    platform.hasIdentity = false;
    const service = await startIn(["azure", "metadata service"]);
    const { run: ended, events } = await run(service);
    expect(ended).toMatchObject({ status: "failed" });
    expect(events).toContain("Assign an identity to what this process is executed on");
  });
});

describe.each(playedClouds)("a service elsewhere with a trust at %s", (cloud) => {
  it("exchanges the identity token of its platform's file, and keeps no token", async () => {
    const { identifiers, audience, models } = cloudTrusts[cloud];
    const own = { MODEL: models[0], MODEL_IDENTITY_TOKEN_FILE: tokenFile };
    const service = await start({ ...cloudSettings(cloud, identifiers), ...own });
    const { issuer } = service.codeHost;
    const sub = "repo:octo/project:ref:refs/heads/main";
    await writeFile(tokenFile, issuer.sign(issuer.githubClaims({ aud: audience, sub })));
    const { run: ended, events } = await run(service);
    expect(ended).toMatchObject({ status: "completed" });
    const played = service.house.clouds.find(({ name }) => name === cloud);
    expect([played?.exchanges.map(({ status }) => status), played?.refusedCalls]).toEqual([[200], []]);
    const left = (await service.leftBehind()) + events;
    for (const secret of service.house.secrets()) expect(left).not.toContain(secret);
  });
});

describe("a service with an account at a model's provider", () => {
  it("reads the file again for each exchange, and names it where it holds no token", async () => {
    const settings = { BACKEND: "model", MODEL: "claude-x", ...settingsOf("anthropic") };
    const service = await start(settings, {
      trust: { anthropic: { lifeSeconds: 1, takesTokensAgain: true } },
    });
    const without = await run(service, "Read it first.");
    expect(without.run).toMatchObject({ status: "failed", cause: "backend_error" });
    expect(without.events).toContain("MODEL_IDENTITY_TOKEN_FILE");
    expect(without.events).toContain("ENOENT");
    await writeFile(tokenFile, "no token\n");
    expect((await run(service, "Read it again.")).events).toContain("holds no identity token");
    const first = await putToken(service, "anthropic");
    expect((await run(service, "Read it now.")).run).toMatchObject({ status: "completed" });
    const exchange = service.house.exchanges.at(-1);
    expect(exchange?.idToken).toBe(first);
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, (exchange?.expiresAtMs ?? 0) - Date.now()) + 5),
    );
    const second = await putToken(service, "anthropic");
    expect((await run(service, "Read it once more.")).run).toMatchObject({ status: "completed" });
    expect(service.house.exchanges.at(-1)?.idToken).toBe(second);
    expect(service.house.refusedCalls).toEqual([]);
  });

  it("asks the cloud that it is executed on for its token, which nobody else sees", async () => {
    const platform = await PlatformsFake.start(() => {
      if (fixture === null) throw new Error("There is no service.");
      return fixture.codeHost.issuer;
    });
    try {
      const { MODEL_IDENTITY_TOKEN_FILE: _, ...trust } = settingsOf("anthropic");
      const cloud = { MODEL_IDENTITY: "gcp", ...platform.environment(["gcp", "metadata server"]) };
      const service = await start({ BACKEND: "model", MODEL: "claude-x", ...trust, ...cloud });
      const { run: ended, events } = await run(service);
      expect(ended).toMatchObject({ status: "completed" });
      const idToken = service.house.exchanges.at(-1)?.idToken ?? "";
      expect(idToken).not.toBe("");
      expect((await service.leftBehind()) + events).not.toContain(idToken);
    } finally {
      await platform.close();
    }
  });

  it("says in the run why it was refused", async () => {
    const settings = { BACKEND: "model", MODEL: "claude-x", ...settingsOf("openai") };
    const service = await start(settings, { trust: { openai: { subjectPrefix: "repo:else" } } });
    await putToken(service, "openai");
    const { run: ended, events } = await run(service);
    expect(ended).toMatchObject({ status: "failed" });
    expect(events).toContain("OpenAI did not accept the ID token");
  });

  it("gives another agent a key of its own, and its model the token", async () => {
    const scriptFile = join(folder, "script.json");
    const body = {
      model: "claude-x",
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    };
    await writeFile(
      scriptFile,
      JSON.stringify({
        turn: [
          { do: "request", path: "/v1/messages", body, headers: { "anthropic-version": "2023-06-01" } },
          { do: "show", command: "env" },
        ],
      }),
    );
    const service = await start({
      BACKEND: "acp",
      SANDBOX: "off",
      ACP_PERMISSIONS: "allow",
      ACP_COMMAND: JSON.stringify([process.execPath, ACP_AGENT]),
      ACP_ENV: JSON.stringify({
        ACP_SCRIPT: scriptFile,
        AGENT_MODEL_URL: "{model_url}",
        AGENT_MODEL_KEY: "{model_key}",
      }),
      ...settingsOf("anthropic"),
    });
    await putToken(service, "anthropic");
    const { run: ended, events } = await run(service);
    expect([ended.status, service.house.refusedCalls]).toEqual(["completed", []]);
    expect(service.house.model.requests).toMatchObject([
      { wire: "anthropic", headers: { authorization: `Bearer ${service.house.exchanges[0]?.accessToken}` } },
    ]);
    expect(events).toContain("AGENT_MODEL_URL");
    const left = await service.leftBehind();
    for (const secret of service.house.secrets()) expect(left + events).not.toContain(secret);
  });
});
