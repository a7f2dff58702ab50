// Jobs without a server and without a key of their model, whose model is in a cloud: the job proves itself to the cloud.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CloudFake } from "../../fakes/clouds/cloud.ts";
import {
  type CloudSettings,
  cloudInputs,
  cloudTrusts,
  type PlayedCloud,
  playedClouds,
} from "../../fakes/clouds/clouds.ts";
import { type ModelHouse, startModelHouse } from "../../fakes/model-house/model-house.ts";
import { byTurn, type Script } from "../../fakes/model-server/script.ts";
import { editTestFix, storyTools, sumProject } from "../../fakes/model-server/stories.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import type { ActionResult } from "../../fakes/runner/run-action.ts";
import { allThatIsSeen, EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";

const tools = { ...storyTools, run: (command: string) => call("run_command", { command }) };

let fixture: EmbeddedFixture;
let house: ModelHouse;
beforeEach(async () => {
  fixture = await EmbeddedFixture.open(sumProject);
});
afterEach(async () => {
  await house.close();
  await fixture.close();
});

async function openHouse(script: Script, clouds: CloudSettings = {}): Promise<void> {
  house = await startModelHouse({ issuer: fixture.codeHost.issuer, script, clouds });
}

const played = (cloud: PlayedCloud): CloudFake => {
  const found = house.clouds.find(({ name }) => name === cloud);
  if (found === undefined) throw new Error(`There is no ${cloud}.`);
  return found;
};

function inputsOf(cloud: PlayedCloud, model: string = cloudTrusts[cloud].models[0]): Record<string, string> {
  return { prompt: "Make the test pass.", model, ...cloudInputs(cloud) };
}

async function run(inputs: Record<string, string>) {
  const job = await fixture.job({ idToken: true });
  const root = fixture.checkOut(job);
  const step = await fixture.main(job, { inputs, env: house.env });
  return { job, root, step };
}

/** Everything that a step shows, leaves in its folders, and sends to the model. */
async function allThatIsLeft(step: ActionResult, folders: readonly string[]): Promise<string> {
  const files = await Promise.all(folders.map(textsBelow));
  const asked = house.model.requests.map(({ body }) => JSON.stringify(body));
  return [await allThatIsSeen(step), ...files, ...asked].join("\n");
}

async function textsBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((path) => readFile(path, "latin1")))).join("\n");
}

/** A secret as it is, and as a careless part would encode it. */
function formsOf(secret: string): readonly string[] {
  return [
    secret,
    ...secret.split(".").filter((part) => part.length > 20),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
  ];
}

const withModels = playedClouds.flatMap((cloud) =>
  cloudTrusts[cloud].models.map((model) => [cloud, model] as const),
);

describe("a job whose model is in a cloud", () => {
  it.each(withModels)(
    "mends its checkout by %s with %s, without a key, and shows no token to anybody else",
    async (cloud, model) => {
      await openHouse(editTestFix(tools));
      const { job, root, step } = await run(inputsOf(cloud, model));
      expect(step).toMatchObject({
        exitCode: 0,
        annotations: [],
        outputs: { conclusion: "success", "changed-files": '["sum.mjs"]' },
      });
      const { exchanges, refusedCalls } = played(cloud);
      expect(exchanges).toMatchObject([{ status: 200, reason: null }]);
      expect(refusedCalls).toEqual([]);
      const [exchange] = exchanges;
      expect(house.model.requests.length).toBeGreaterThan(2);
      expect(new Set(house.model.requests.map(({ headers }) => headers.authorization))).toEqual(
        new Set([`Bearer ${exchange?.accessToken}`]),
      );
      expect(step.masks).toEqual(expect.arrayContaining([...house.secrets()]));
      const seen = await allThatIsLeft(step, [root, job.env.RUNNER_TEMP ?? ""]);
      for (const secret of house.secrets())
        for (const form of formsOf(secret)) expect(seen).not.toContain(form);
      const minted = fixture.codeHost.requests.filter(({ path }) => path.includes("/idtoken"));
      expect(minted.map(({ path }) => new URLSearchParams(path.split("?")[1]).get("audience"))).toEqual([
        cloudTrusts[cloud].audience,
      ]);
      // Nobody but the cloud was asked.
      const asked = new Set(house.tunnels.map((tunnel) => tunnel.replace(/:443$/, "")));
      expect([...asked].filter((host) => !played(cloud).hosts.includes(host))).toEqual([]);
      expect(await fixture.leftOvers(job)).toEqual([]);
    },
  );

  it("asks Bedrock by mantle where it is chosen", async () => {
    await openHouse(editTestFix(tools));
    const { step } = await run({ ...inputsOf("bedrock", "anthropic.claude-x"), "aws-endpoint": "mantle" });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(house.tunnels).toContain("bedrock-mantle.us-east-1.api.aws:443");
  });

  it("asks Google as the job's own principal where no service account is named", async () => {
    await openHouse(editTestFix(tools), { vertex: { mayActAs: false, hasRole: ["principal"] } });
    const { step } = await run({ ...inputsOf("vertex", "gemini-x"), "google-service-account": "" });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(house.tunnels).not.toContain("iamcredentials.googleapis.com:443");
  });
});

describe.each(playedClouds)("a token of %s that ends during the run", (cloud) => {
  it("is renewed twice, each time with another ID token", async () => {
    const { exchanges } = { exchanges: () => played(cloud).exchanges };
    const ended = () =>
      new Promise((resolve) => {
        const { expiresAtMs } = exchanges().at(-1) ?? {};
        setTimeout(resolve, Math.max(0, (expiresAtMs ?? 0) - Date.now()) + 5);
      });
    const later = (path: string) => async () => {
      await ended();
      return tools.write(path, "done\n");
    };
    const life = { lifeSeconds: 5 };
    await openHouse(byTurn([later("one.txt"), later("two.txt"), say("Both are there.")]), {
      foundry: life,
      bedrock: life,
      vertex: life,
    });
    const { root, step } = await run(inputsOf(cloud));
    expect(step).toMatchObject({ exitCode: 0, outputs: { reply: "Both are there." } });
    expect(exchanges().length).toBeGreaterThanOrEqual(3);
    expect(exchanges().every(({ status }) => status === 200)).toBe(true);
    expect(new Set(exchanges().map(({ idToken }) => idToken)).size).toBe(exchanges().length);
    const shown = house.model.requests.map(({ headers }) => headers.authorization);
    expect(new Set(shown).size).toBe(3);
    expect(played(cloud).refusedCalls).toEqual([]);
    expect(step.masks).toEqual(expect.arrayContaining([...house.secrets()]));
    const seen = await allThatIsLeft(step, [root]);
    for (const secret of house.secrets())
      for (const form of formsOf(secret)) expect(seen).not.toContain(form);
  });

  it("is in no environment that a command of the agent can read", async () => {
    const command = "env; tr '\\0' '\\n' < /proc/$PPID/environ; ls /proc/$PPID/fd";
    await openHouse(byTurn([tools.run(command), say("I looked around.")]));
    const { job, step } = await run(inputsOf(cloud));
    expect(step.outputs.reply).toBe("I looked around.");
    const [result] = house.model.toolResults();
    expect(result?.text).toContain("PATH=");
    for (const secret of [...house.secrets(), job.idTokenRequestToken, "***"])
      expect(result?.text).not.toContain(secret);
  });
});

type Refused = {
  readonly cloud: PlayedCloud;
  readonly what: string;
  readonly settings?: CloudSettings;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly reason: string;
  readonly says: RegExp;
};

const OTHER_UUID = "00000000-0000-4000-8000-000000000000";

const refused: readonly Refused[] = [
  {
    cloud: "foundry",
    what: "its issuer",
    settings: { foundry: { issuer: "https://issuer.example" } },
    reason: "federation_refused",
    says: /AADSTS700211/,
  },
  {
    cloud: "foundry",
    what: "the case of its subject",
    settings: { foundry: { subjects: ["repo:Octo-Org/octo-repo:ref:refs/heads/main"] } },
    reason: "federation_refused",
    says: /AADSTS7002138/,
  },
  {
    cloud: "foundry",
    what: "its audience",
    inputs: { "model-audience": "api://Else" },
    reason: "federation_audience_refused",
    says: /AADSTS700212.*"api:\/\/Else"/,
  },
  {
    cloud: "foundry",
    what: "an application that is not there",
    inputs: { "azure-client-id": OTHER_UUID },
    reason: "federation_identifier_unknown",
    says: /AADSTS700016.*azure-client-id/,
  },
  {
    cloud: "foundry",
    what: "a tenant that is not there",
    inputs: { "azure-tenant-id": OTHER_UUID },
    reason: "federation_identifier_unknown",
    says: /AADSTS90002.*azure-tenant-id/,
  },
  {
    cloud: "foundry",
    what: "a missing role",
    settings: { foundry: { hasRole: false } },
    reason: "backend_error",
    says: /PermissionDenied|Cognitive Services User/,
  },
  {
    cloud: "foundry",
    what: "a deployment that is not there",
    inputs: { model: "claude-other" },
    reason: "backend_error",
    says: /"claude-other" is unknown at octo-models.services.ai.azure.com/,
  },
  {
    cloud: "bedrock",
    what: "its subject",
    settings: { bedrock: { trust: { StringLike: { sub: ["repo:octo-org/other:*"] } } } },
    reason: "federation_refused",
    says: /trust policy of arn:aws:iam/,
  },
  {
    cloud: "bedrock",
    what: "its issuer",
    settings: { bedrock: { issuer: "https://issuer.example" } },
    reason: "federation_refused",
    says: /no identity provider/,
  },
  {
    cloud: "bedrock",
    what: "its audience",
    inputs: { "model-audience": "else" },
    reason: "federation_audience_refused",
    says: /does not list the audience "else"/,
  },
  {
    cloud: "bedrock",
    what: "a role that is not there",
    inputs: { "aws-role-arn": "arn:aws:iam::123456789012:role/other" },
    reason: "federation_refused",
    says: /there is no such role/,
  },
  {
    cloud: "bedrock",
    what: "a role without the right",
    settings: { bedrock: { allowed: ["bedrock:CallWithBearerToken"] } },
    reason: "backend_error",
    says: /The role needs bedrock:InvokeModel/,
  },
  {
    cloud: "bedrock",
    what: "a profile that is not there",
    inputs: { model: "us.anthropic.claude-other" },
    reason: "backend_error",
    says: /"us.anthropic.claude-other" is unknown at bedrock-runtime/,
  },
  {
    cloud: "vertex",
    what: "its subject",
    settings: { vertex: { subjects: ["repo:octo-org/other:ref:refs/heads/main"] } },
    reason: "federation_refused",
    says: /attribute condition/,
  },
  {
    cloud: "vertex",
    what: "its audience",
    inputs: { "model-audience": "https://else.example" },
    reason: "federation_audience_refused",
    says: /does not allow the audience "https:\/\/else.example"/,
  },
  {
    cloud: "vertex",
    what: "a provider that is not there",
    inputs: {
      "google-workload-identity-provider":
        "projects/1/locations/global/workloadIdentityPools/ci-jobs/providers/github",
    },
    reason: "federation_identifier_unknown",
    says: /project's number, not its id/,
  },
  {
    cloud: "vertex",
    what: "a service account that the job may not be",
    settings: { vertex: { mayActAs: false } },
    reason: "federation_account_refused",
    says: /roles\/iam.workloadIdentityUser/,
  },
  {
    cloud: "vertex",
    what: "a missing role",
    settings: { vertex: { hasRole: [] } },
    reason: "backend_error",
    says: /roles\/aiplatform.user/,
  },
  {
    cloud: "vertex",
    what: "a model that is not there",
    inputs: { model: "claude-other" },
    reason: "backend_error",
    says: /"claude-other" is unknown at aiplatform.googleapis.com/,
  },
];

describe("a job that a cloud refuses", () => {
  it.each(refused)(
    "at $cloud for $what, says what to change",
    async ({ cloud, settings, inputs, reason, says }) => {
      await openHouse([say("never")], settings);
      const { step } = await run({ ...inputsOf(cloud), ...inputs });
      expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason } });
      expect(step.annotations.at(-1)?.message).toMatch(says);
      expect(house.model.requests).toEqual([]);
      expect(step.masks).toEqual(expect.arrayContaining([...house.secrets()]));
      const seen = await allThatIsSeen(step);
      for (const secret of house.secrets())
        for (const form of formsOf(secret)) expect(seen).not.toContain(form);
    },
  );
});
