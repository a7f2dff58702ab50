// The doctor on a trust in a cloud: it exchanges the job's token, asks the model for an answer of one token, and says what is wrong.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type CloudSettings,
  cloudInputs,
  cloudTrusts,
  type PlayedCloud,
  playedClouds,
} from "../../fakes/clouds/clouds.ts";
import { type ModelHouse, startModelHouse } from "../../fakes/model-house/model-house.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { say } from "../../fakes/model-server/turn.ts";
import { checkOf, factsOf, fixesOf, pageOf, runDoctor } from "../support/doctor-command.ts";
import { EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";

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

type Play = { readonly clouds?: CloudSettings; readonly model?: string };

async function play(cloud: PlayedCloud, { clouds = {}, model = cloudTrusts[cloud].models[0] }: Play = {}) {
  const { issuer } = fixture.codeHost;
  house = await startModelHouse({ issuer, script: everyTime(() => say("Yes.")), clouds });
  const job = await fixture.job({ idToken: true });
  const flags = Object.entries(cloudInputs(cloud)).flatMap(([name, id]) => [`--${name}`, id]);
  const examined = await runDoctor(
    { ...job.env, ...house.env, MODEL: model },
    ["--json", ...flags],
    [job.githubToken],
  );
  for (const secret of house.secrets())
    expect(examined.stdout + examined.stderr + examined.summary).not.toContain(secret);
  return { ...examined, page: pageOf(examined), house };
}

const withModels = playedClouds.flatMap((cloud) =>
  cloudTrusts[cloud].models.map((model) => [cloud, model] as const),
);

describe("the doctor on a trust in a cloud", () => {
  it.each(withModels)("finds that of %s with %s in order, by one small request", async (cloud, model) => {
    const { page, house: played } = await play(cloud, { model });
    expect(checkOf(page, "model-provider")).toMatchObject({
      state: "ok",
      found: expect.stringContaining(`takes the job's token, for the model "${model}".`),
    });
    expect(factsOf(page, "model-provider")).toMatchObject({
      ...cloudInputs(cloud),
      audience: cloudTrusts[cloud].audience,
      iss: fixture.codeHost.issuer.url,
      sub: "repo:octo-org/octo-repo:ref:refs/heads/main",
    });
    expect(played.model.requests).toHaveLength(1);
  });

  it.each([
    ["foundry", { foundry: { subjects: [] } }, "az ad app federated-credential create"],
    ["bedrock", { bedrock: { trust: { StringEquals: { sub: [] } } } }, "sts:AssumeRoleWithWebIdentity"],
    ["vertex", { vertex: { subjects: [] } }, "gcloud iam workload-identity-pools providers describe"],
  ] as const)("names what to configure where %s refuses it", async (cloud, clouds, command) => {
    const { code, page } = await play(cloud, { clouds });
    expect(code).toBe(1);
    expect(factsOf(page, "model-provider")).toMatchObject({ reason: "federation_refused" });
    const fixes = fixesOf(page, "model-provider");
    expect(fixes).toContain("subject: repo:octo-org/octo-repo:ref:refs/heads/main");
    expect(fixes).toContain(command);
  });

  it.each([
    ["foundry", { foundry: { hasRole: false } }, /refuses the job's token/, "Cognitive Services User"],
    ["bedrock", { bedrock: { allowed: [] } }, /refuses the job's token/, "bedrock:InvokeModel"],
    ["vertex", { vertex: { hasRole: [] } }, /refuses the job's token/, "roles/aiplatform.user"],
  ] as const)("names the right that is missing at %s", async (cloud, clouds, says, right) => {
    const { page } = await play(cloud, { clouds });
    expect(checkOf(page, "model-provider")).toMatchObject({ state: "fault" });
    expect(checkOf(page, "model-provider").found).toMatch(says);
    expect(fixesOf(page, "model-provider")).toContain(right);
  });

  it.each([
    ["foundry", "claude-other"],
    ["bedrock", "us.anthropic.claude-other"],
    ["vertex", "gemini-other"],
  ] as const)("names a model that %s does not have", async (cloud, model) => {
    const { page } = await play(cloud, { model });
    expect(checkOf(page, "model-provider")).toMatchObject({
      state: "fault",
      found: expect.stringContaining(`has no model "${model}"`),
    });
    expect(fixesOf(page, "model-provider")).toContain("the identifiers of its place");
  });
});
