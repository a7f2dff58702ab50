// The commands of somebody with a key, as processes of their own against the real service.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestKey, type TestKey } from "../support/account-key.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import type { Exit } from "../support/fixtures/service-process.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { runCommand } from "../support/run/run-command.ts";

describe("agent-service with a key", () => {
  let fixture: ServiceFixture;
  let key: TestKey;
  let aiKey: TestKey;
  let agentId: string;

  const ask = async (...args: string[]): Promise<Exit> => {
    const exit = await runCommand(args, {
      AGENT_SERVICE_URL: `${fixture.url}/`,
      AGENT_SERVICE_KEY: key.secret,
    });
    expect(exit.stdout + exit.stderr).not.toContain(key.secret);
    return exit;
  };
  const askJson = async (...args: string[]) => {
    const { code, stdout, stderr } = await ask(...args, "--json");
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };

  beforeAll(async () => {
    fixture = await startFixture({ level: "service", config: { backend: "noop" } });
    await fixture.stop();
    key = await makeTestKey(fixture.place);
    const owner = { accountId: key.accountId };
    aiKey = await makeTestKey(fixture.place, { owner, callerClass: "ai_client" });
    await fixture.restart();
    agentId = (await askJson("agents", "create", "helper", "--or-get")).id;
  });

  afterAll(() => fixture.close());

  it("makes, gets and lists agents", async () => {
    const again = await ask("agents", "create", "helper", "--or-get");
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("The agent exists:")]);
    expect(again.stdout).toContain(agentId);
    expect((await askJson("agents", "get", agentId)).name).toBe("helper");
    expect((await askJson("agents", "get", "helper")).id).toBe(agentId);
    const { stdout } = await ask("agents", "list");
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^ID +NAME +MODEL +CREATED +RETIRED$/),
      expect.stringMatching(new RegExp(`^${agentId} +helper +.* +-$`)),
    ]);
  });

  it("submits a run and follows it to its end", async () => {
    const followed = await ask("runs", "submit", agentId, "look around", "--follow");
    expect(followed.code).toBe(0);
    expect(followed.stdout).toMatch(/^Run \S+ started\.$[\s\S]*^✅ Answered, \d+ credits?/m);
    const runId = /^Run (\S+), session /.exec(followed.stderr)?.[1] ?? "";

    const events = (await ask("follow", runId, "--json")).stdout.split("\n").map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const rest = await ask("follow", runId, "--json", "--after", "1");
    expect(rest.stdout.split("\n")).toHaveLength(events.length - 1);

    expect((await askJson("runs", "get", agentId, runId)).status).toBe("completed");
    expect((await ask("runs", "list", agentId)).stdout).toMatch(
      new RegExp(
        `^ID +STATUS +ORIGIN +BY +STARTED +CREDITS +CHECKS +REQUEST\\n${runId} +completed +user +- +\\S+ +\\d+ +none +\\S`,
      ),
    );
    const late = await ask("runs", "cancel", agentId, runId);
    expect([late.code, late.stdout]).toEqual([1, ""]);
    expect(late.stderr).toMatch(/^The service refused \(409 run_finished\): .+\n {2}request \S+\n$/);
    const resumed = await ask("runs", "resume", runId, "--message", "Go on.", "--max-cost", "5");
    expect([resumed.code, resumed.stdout]).toEqual([1, ""]);
    expect(resumed.stderr).toMatch(/^The service refused \(409 run_finished\): .+\n {2}request \S+\n$/);
  });

  it("submits one run under one key", async () => {
    const submit = () => askJson("runs", "submit", agentId, "once", "--key", "the-key");
    const [first, second] = [await submit(), await submit()];
    expect(second).toEqual({ ...first, replayed: true });
    const { code, stdout } = await ask("runs", "submit", agentId, "once", "--key", "the-key");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^run +${first.run_id}\\nsession +${first.session_id}\\nreplayed +by its key$`),
    );
  });

  it("makes, lists and cancels schedules", async () => {
    const schedule = await askJson("schedules", "create", agentId, "later", "--in", "1h");
    expect(schedule.status).toBe("pending");
    expect((await ask("schedules", "list", agentId)).stdout).toMatch(
      new RegExp(`^${schedule.id} +pending +\\S+ +later$`, "m"),
    );
    expect((await askJson("schedules", "cancel", agentId, schedule.id)).status).toBe("cancelled");
  });

  it("confirms a schedule that an AI client made", async () => {
    const { body } = await fixture.call(`/v1/agents/${agentId}/schedules`, {
      method: "POST",
      bearer: aiKey.secret,
      json: { prompt: "asked by a client", delay_seconds: 3600 },
    });
    const { id } = body as { readonly id: string };
    const list = async () => (await ask("schedules", "list", "helper")).stdout;
    expect(await list()).toMatch(new RegExp(`^${id} +awaiting_confirmation `, "m"));
    const confirmed = await ask("schedules", "confirm", "helper", id);
    expect(confirmed).toMatchObject({ code: 0, stderr: "" });
    expect(confirmed.stdout).toMatch(new RegExp(`^id +${id}\nstatus +pending\n`));
    expect(await list()).toMatch(new RegExp(`^${id} +pending `, "m"));
    expect((await askJson("schedules", "confirm", "helper", id)).status).toBe("pending");
    expect((await askJson("schedules", "cancel", "helper", id)).status).toBe("cancelled");
    const unknown = await ask("schedules", "confirm", "helper", agentId);
    expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
    expect(unknown.stderr).toContain("(404 not_found)");
  });

  it("revokes the links to an agent's runs", async () => {
    const { code, stdout, stderr } = await ask("agents", "revoke-links", "helper");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe("Revoked: no link that was printed before opens a run's page.");
    expect(await askJson("agents", "revoke-links", "helper")).toEqual({ agent_id: agentId });
    const rows = await fixture.place.query(
      `select outcome from audit_entries where action = 'revoke_links' and account_id = '${key.accountId}'`,
    );
    expect(rows).toEqual([{ outcome: "ok" }, { outcome: "ok" }]);
  });

  it("deletes an agent, by its name or its id, and no other", async () => {
    const [named, other] = [
      await askJson("agents", "create", "gone"),
      await askJson("agents", "create", "too"),
    ];
    const { code, stdout, stderr } = await ask("agents", "delete", "gone");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`Deleted: agent ${named.id}. Its runs in flight end as cancelled.`);
    expect(await askJson("agents", "delete", other.id)).toEqual({ agent_id: other.id });
    expect((await ask("agents", "get", other.id)).stderr).toContain("(404 not_found)");
    const again = await ask("agents", "delete", "gone");
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('There is no agent "gone"')]);
    expect((await askJson("agents", "get", "helper")).id).toBe(agentId);
  });

  it("shows the account's credits, whose id the agents tell", async () => {
    const { code, stdout } = await ask("credits");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^balance +\\d+ credits\\nplan +registered_free\\naccount +${key.accountId}$`),
    );
    expect((await askJson("credits", "--account", key.accountId)).audience).toBe("registered_free");
  });

  it("claims the repository of a claim link, and says how it is accepted", async () => {
    const job = await fixture.job({ ...fixture.freshRepository(), repository_visibility: "private" });
    const { code, stdout, stderr } = await ask("claim", job.exchanged.claim_url ?? "");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^agent +\S+$[\s\S]*^status +pending$/m)]);
    expect(stderr).toContain('"account"');
  });

  it("says what a wrong key, a wrong address and a missing agent are, and ends with 1 or 2", async () => {
    const env = { AGENT_SERVICE_URL: fixture.url, AGENT_SERVICE_KEY: `${key.secret.slice(0, -6)}aaaaaa` };
    const wrongKey = await runCommand(["agents", "list"], env);
    expect([wrongKey.code, wrongKey.stdout]).toEqual([1, ""]);
    expect(wrongKey.stderr).toContain("agent-service keys create");

    const unnamed = await ask("runs", "list", "helpr");
    expect([unnamed.code, unnamed.stderr]).toEqual([
      1,
      'There is no agent "helpr" in this account. "agent-service agents list" shows an account\'s agents.\n',
    ]);
    const missing = await ask("agents", "get", "00000000-0000-7000-8000-000000000000");
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("404 not_found")]);

    for (const [more, named] of [
      [{ AGENT_SERVICE_URL: "" }, "AGENT_SERVICE_URL (or --url) must be the service's address"],
      [{ AGENT_SERVICE_URL: "ftp://user:hunter2@host" }, "AGENT_SERVICE_URL (or --url) must be"],
      [{ AGENT_SERVICE_URL: "https://host/v1" }, 'AGENT_SERVICE_URL (or --url) ends with "/v1"'],
      [{ AGENT_SERVICE_KEY: "" }, "AGENT_SERVICE_KEY must be a key of your account"],
      [{ AGENT_SERVICE_KEY: "hunter2" }, "got something else"],
    ] as const) {
      const { code, stdout, stderr } = await runCommand(["agents", "list"], { ...env, ...more });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(named);
      expect(stderr).not.toContain("hunter2");
    }
  });

  it.each([
    [["runs", "submit", "a"], "Missing required argument 'text'\nSee agent-service runs submit --help."],
    [
      ["runs", "submit", "a", "b", "--max-turn-tokens", "many"],
      "--max-turn-tokens must be an integer from 0 to 5000000",
    ],
    [["schedules", "create", "a", "b"], "--at <time> and --in <duration>"],
    [["schedules", "create", "a", "b", "--at", "noon"], "--at must be a time such as"],
    [
      ["schedules", "create", "a", "b", "--in", "soon"],
      "--in must be a duration such as 30s, 15m, 1h30m or 2d",
    ],
    [["follow"], "Missing required argument 'run'"],
    [["claim", "https://example.com/"], "<url> must be a claim link"],
    [["agents", "make"], "Unknown command 'make'"],
    [
      ["agents", "network", "helper", "--clear", "--allow", "registries"],
      "--allow and --clear exclude each other: give one of them.",
    ],
    [
      ["agents", "access", "helper", "--remove", "--use", "deploy_key"],
      "--use and --remove exclude each other: give one of them.",
    ],
  ])("refuses %j, and ends with 2", async (args, named) => {
    const { code, stdout, stderr } = await ask(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(named);
  });
});
