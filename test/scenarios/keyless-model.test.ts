// Jobs without a server and without a key of their model: the job proves itself to the model's provider.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ModelHouse,
  type ModelHouseOptions,
  startModelHouse,
} from "../../fakes/model-house/model-house.ts";
import { type House, houses, trusts } from "../../fakes/model-house/trust.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
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

async function openHouse(
  options: Pick<ModelHouseOptions, "script"> & Partial<ModelHouseOptions>,
): Promise<void> {
  house = await startModelHouse({ issuer: fixture.codeHost.issuer, ...options });
}

const federated = (provider: House): Record<string, string> => ({
  prompt: "Make the test pass.",
  model: "scripted-model",
  ...Object.fromEntries(
    Object.entries(trusts[provider].identifiers).map(([field, id]) => [
      `${provider}-${field.replaceAll("_", "-")}`,
      id,
    ]),
  ),
});

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
    Buffer.from(secret).toString("base64"),
  ];
}

describe.each(houses)("a job with a federated account of %s", (provider) => {
  it("mends its checkout without a key, and shows no token to anybody else", async () => {
    await openHouse({ script: editTestFix(tools) });
    const { job, root, step } = await run(federated(provider));
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", "changed-files": '["sum.mjs"]' },
    });
    expect(house.exchanges).toMatchObject([{ house: provider, status: 200, reason: null }]);
    expect(house.refusedCalls).toEqual([]);
    const [exchange] = house.exchanges;
    expect(house.model.requests.length).toBeGreaterThan(2);
    expect(new Set(house.model.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${exchange?.accessToken}`]),
    );
    expect(step.masks).toEqual(expect.arrayContaining([...house.secrets()]));
    const seen = await allThatIsLeft(step, [root, job.env.RUNNER_TEMP ?? ""]);
    for (const secret of house.secrets())
      for (const form of formsOf(secret)) expect(seen).not.toContain(form);
    // GitHub's endpoint was asked once, for the provider's audience.
    const minted = fixture.codeHost.requests.filter(({ path }) => path.includes("/idtoken"));
    expect(minted.map(({ path }) => new URLSearchParams(path.split("?")[1]).get("audience"))).toEqual([
      trusts[provider].audience,
    ]);
    expect(await fixture.leftOvers(job)).toEqual([]);
  });

  it("says what to compare where its token is refused, and starts nothing", async () => {
    await openHouse({
      script: [say("never")],
      trust: { [provider]: { subjectPrefix: "repo:somebody/else:" } },
    });
    const { step } = await run(federated(provider));
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "federation_refused", "run-id": "" },
    });
    expect(step.annotations.at(-1)?.message).toContain(trusts[provider].audience);
    expect(house.exchanges).toMatchObject([{ reason: "match_subject_prefix" }]);
    expect(house.model.requests).toEqual([]);
    expect(step.masks).toEqual(expect.arrayContaining([...house.secrets()]));
  });
});

describe("a token that ends during the run", () => {
  it("is renewed twice, each time with another ID token", async () => {
    // Each answer comes when the token that asked for it has ended.
    const ended = () =>
      new Promise((resolve) => {
        const { expiresAtMs } = house.exchanges.at(-1) ?? {};
        setTimeout(resolve, Math.max(0, (expiresAtMs ?? 0) - Date.now()) + 5);
      });
    const later = (path: string) => async () => {
      await ended();
      return tools.write(path, "done\n");
    };
    await openHouse({
      script: byTurn([later("one.txt"), later("two.txt"), say("Both are there.")]),
      trust: { anthropic: { lifeSeconds: 1 } },
    });
    const { root, step } = await run(federated("anthropic"));
    expect(step).toMatchObject({ exitCode: 0, outputs: { reply: "Both are there." } });
    // A slow machine may need one more before the first request.
    expect(house.exchanges.length).toBeGreaterThanOrEqual(3);
    expect(house.exchanges.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(house.exchanges.map(({ idToken }) => idToken)).size).toBe(house.exchanges.length);
    const shown = house.model.requests.map(({ headers }) => headers.authorization);
    expect(new Set(shown).size).toBe(3);
    expect(house.exchanges.map(({ accessToken }) => `Bearer ${accessToken}`)).toEqual(
      expect.arrayContaining(shown),
    );
    expect(house.refusedCalls).toEqual([]);
    const seen = await allThatIsLeft(step, [root]);
    for (const secret of house.secrets())
      for (const form of formsOf(secret)) expect(seen).not.toContain(form);
  });

  it("is masked where the model repeats it", async () => {
    await openHouse({
      script: byTurn([
        (request) => tools.write("leak.txt", `${request.headers.authorization}\n`),
        (request) => say(`My header was ${request.headers.authorization}.`),
      ]),
    });
    const { step } = await run(federated("openai"));
    expect(step.outputs.reply).toBe("My header was Bearer ***.");
    const seen = await allThatIsSeen(step);
    for (const secret of house.secrets()) expect(seen).not.toContain(secret);
  });

  it("is in no environment that a command of the agent can read", async () => {
    const command = "env; tr '\\0' '\\n' < /proc/$PPID/environ; ls /proc/$PPID/fd";
    await openHouse({ script: byTurn([tools.run(command), say("I looked around.")]) });
    const { job, step } = await run(federated("anthropic"));
    expect(step.outputs.reply).toBe("I looked around.");
    const [result] = house.model.toolResults();
    expect(result?.text).toContain("PATH=");
    for (const secret of [...house.secrets(), job.idTokenRequestToken, "***"])
      expect(result?.text).not.toContain(secret);
  });

  it("ends the run with the reason where it is refused from then on", async () => {
    const script = byTurn([
      async () => {
        house.faults.openrouter.always({
          type: "status",
          status: 400,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            error: "invalid_grant",
            error_description: "The subject token was not accepted",
          }),
        });
        await new Promise((resolve) => setTimeout(resolve, 1_005));
        return tools.write("half.txt", "done\n");
      },
      say("never"),
    ]);
    await openHouse({ script, trust: { openrouter: { lifeSeconds: 1 } } });
    const { step } = await run(federated("openrouter"));
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: "backend_error" } });
    expect(step.annotations.at(-1)?.message).toContain("OpenRouter did not accept the ID token");
  });
});

describe("an exchange that is refused", () => {
  it.each([
    ["federation_refused", { "model-audience": "https://else.example" }, "audience"],
    ["federation_refused", { "anthropic-federation-rule-id": "fdrl_other" }, "identifier_unknown"],
    ["federation_refused", { "anthropic-service-account-id": "svac_other" }, "identifier_unknown"],
    ["federation_refused", { "anthropic-workspace-id": "" }, "workspace_id_required"],
  ])("as %s, with %j", async (code, changes, reason) => {
    await openHouse({ script: [say("never")], trust: { anthropic: { needsWorkspace: true } } });
    const { step } = await run({ ...federated("anthropic"), ...changes });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: code } });
    expect(step.annotations.at(-1)?.message).toContain("Claude Console, Settings → Workload identity");
    expect(house.exchanges).toMatchObject([{ reason }]);
  });

  it("is tried again with fresh ID tokens where the provider fails, and then given up", async () => {
    await openHouse({ script: [say("never")] });
    house.faults.openai.always({ type: "status", status: 503 });
    const { step } = await run(federated("openai"));
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "federation_unavailable" } });
    expect(house.exchanges).toHaveLength(4);
    expect(new Set(house.exchanges.map(({ idToken }) => idToken)).size).toBe(4);
    expect(step.masks).toEqual(expect.arrayContaining([...house.secrets()]));
  });

  it("names the host that cannot be reached", async () => {
    await openHouse({ script: [say("never")] });
    house.faults.anthropic.always({ type: "reset" });
    const { step } = await run(federated("anthropic"));
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "federation_unreachable" } });
    expect(step.annotations.at(-1)?.message).toContain("api.anthropic.com");
  });
});

describe("a job that starts no run", () => {
  it("asks for no token: without a command, for a command that needs none, and for a refused event", async () => {
    await openHouse({ script: [say("never")] });
    const inputs = federated("anthropic");
    const quiet = await fixture.job({ idToken: true, event: "issue_comment", comment: "Looks good." });
    const help = await fixture.job({ idToken: true, event: "issue_comment", comment: "/agent help" });
    const cancel = await fixture.job({ idToken: true, event: "issue_comment", comment: "/agent cancel" });
    for (const job of [quiet, help, cancel]) {
      fixture.checkOut(job);
      await fixture.main(job, { inputs: { ...inputs, prompt: "" }, env: house.env });
    }
    expect(house.exchanges).toEqual([]);
    expect(fixture.codeHost.requests.filter(({ path }) => path.includes("/idtoken"))).toEqual([]);
  });

  it("asks for no token where an outsider's change could steer the job", async () => {
    await openHouse({ script: [say("never")] });
    for (const event of ["pull_request_target", "workflow_run"] as const) {
      const job = await fixture.job({ idToken: true, event });
      fixture.checkOut(job);
      const step = await fixture.main(job, { inputs: federated("anthropic"), env: house.env });
      expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "event_refused" } });
    }
    expect(house.tunnels).toEqual([]);
    expect(fixture.codeHost.requests.filter(({ path }) => path.includes("/idtoken"))).toEqual([]);
  });

  it("says that a job without the permission has no token", async () => {
    await openHouse({ script: [say("never")] });
    const job = await fixture.job({ idToken: false });
    fixture.checkOut(job);
    const step = await fixture.main(job, { inputs: federated("anthropic"), env: house.env });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "id_token_unavailable" } });
    expect(step.annotations.at(-1)?.message).toContain("id-token: write");
    expect(house.tunnels).toEqual([]);
  });
});
