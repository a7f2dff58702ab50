// Plans, workflows and releases as an operator gives them, beside a running service, on its store; and what the owner
// then does with a key.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { creditsSchema } from "../../src/contract/money/money.ts";
import type { ProcessFixture } from "../support/fixtures/process-fixture.ts";
import type { Exit } from "../support/fixtures/service-process.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { ratesDocument } from "../support/rates-document.ts";
import { runCommand } from "../support/run/run-command.ts";
import { call } from "../support/service-client.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("an operator's commands beside a service", () => {
    let folder: string;
    let fixture: ProcessFixture;
    let env: Record<string, string>;
    let accountId: string;
    let agentId: string;

    const run = (...args: string[]): Promise<Exit> => fixture.run(args, env);
    const runJson = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(...args, "--json");
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout);
    };
    const credits = async () => {
      const url = `${env.AGENT_SERVICE_URL}/v1/users/${accountId}/credits`;
      return creditsSchema.parse((await call(url, { bearer: env.AGENT_SERVICE_KEY ?? "" })).body);
    };
    const writePrompt = async (text: string): Promise<string> => {
      const path = join(folder, "prompt.md");
      await writeFile(path, text);
      return path;
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "operator-commands-"));
      const ratesFile = join(folder, "rates.json");
      await writeFile(ratesFile, JSON.stringify(ratesDocument()));
      const settings = { BACKEND: "noop", RATES_FILE: ratesFile };
      fixture = await startFixture({ level: "process", store: kind, settings });
      env = { AGENT_SERVICE_URL: fixture.url };
      const key = await runJson("keys", "create");
      env.AGENT_SERVICE_KEY = key.secret;
      accountId = key.account_id;
      agentId = (await runJson("agents", "create", "helper")).id;
    });

    afterAll(async () => {
      await fixture.close();
      await rm(folder, { recursive: true, force: true });
    });

    it("puts an account on a plan, shows it, and ends it", async () => {
      const { balance } = await credits();
      const first = await run("plans", "set", accountId, "monthly");
      expect([first.code, first.stdout]).toEqual([
        0,
        expect.stringMatching(/^plan +monthly\nstatus +active\ncredits +2600 a month\nrenews +\S+Z$/m),
      ]);
      const plan = { sku: "monthly", monthly_credits: 2600, status: "active" };
      expect(await credits()).toMatchObject({
        balance: balance + 2600,
        audience: "subscribed",
        active_plan: { ...plan, cancel_at_period_end: false },
      });
      await runJson("plans", "set", accountId, "monthly", "--cancel-at-period-end");
      expect(await credits()).toMatchObject({
        balance: balance + 2600,
        active_plan: { cancel_at_period_end: true },
      });
      expect((await run("plans", "show", accountId)).stdout).toMatch(/^ends +\S+Z$/m);
      expect(await runJson("plans", "end", accountId)).toMatchObject({
        audience: "registered_free",
        subscription: { status: "cancelled" },
      });
      expect(await credits()).toMatchObject({ active_plan: null, audience: "registered_free" });
    });

    it("names an account, which the service shows at once, and takes the name away", async () => {
      const shown = async () =>
        (await call(`${env.AGENT_SERVICE_URL}/v1/account`, { bearer: env.AGENT_SERVICE_KEY ?? "" })).body;
      const named = await run("accounts", "name", accountId, " Platform team ");
      expect([named.code, named.stdout]).toEqual([0, `account  ${accountId}\nname     Platform team`]);
      expect(await shown()).toMatchObject({ id: accountId, name: "Platform team" });
      expect(await runJson("accounts", "unname", accountId)).toEqual({ account_id: accountId, name: null });
      expect(await shown()).toMatchObject({ id: accountId, name: null });
      const entries = await run("audit", "--action", "account_named", "--json");
      expect(
        entries.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toMatchObject(Array(2).fill({ account_id: accountId, person_id: null, outcome: "ok" }));
    });

    it("writes a workflow in versions, which its owner activates and runs", async () => {
      const put = ["workflows", "put", agentId, "--name", "triage", "--prompt-file"];
      const { id } = await runJson(...put, await writePrompt("Look at new issues.\n"));
      const inactive = await run("workflows", "list", "helper");
      expect(inactive.stdout).toMatch(new RegExp(`^${id} +triage +1 +none$`, "m"));
      const activated = await runJson("workflows", "activate", id);
      expect(activated.active_version).toBe(1);
      expect((await runJson("workflows", "show", id)).updated_at).toBe(activated.updated_at);
      const second = await run(...put, await writePrompt("Look\u001b[31m twice."), "--id", id);
      expect(second.code).toBe(0);
      expect(second.stderr).toContain(`agent-service workflows activate ${id}`);

      const newest = await run("workflows", "show", id);
      expect(newest.stdout).toMatch(/^version +2 of 2\nactive +version 1$/m);
      expect(newest.stdout).not.toContain("\u001b");
      expect((await runJson("workflows", "show", id, "--version", "1")).prompt).toBe("Look at new issues.");
      expect((await run("workflows", "show", id, "--version", "1")).stdout).toMatch(/^version +1 of 2$/m);

      const execution = await runJson("workflows", "run", id, "--input", "Only 7.", "--key", "k");
      expect(execution.version).toBe(1);
      expect((await runJson("workflows", "run", id, "--input", "Only 7.", "--key", "k")).run_id).toBe(
        execution.run_id,
      );
      const followed = await run("workflows", "run", id, "--follow");
      expect([followed.code, followed.stdout]).toEqual([
        0,
        expect.stringMatching(/^✅ Answered, \d+ credits?/m),
      ]);
    });

    it("says of a new account that it has no agent, few credits, and no plan that could end", async () => {
      const key = await runJson("keys", "create");
      const ask = (...args: string[]) => fixture.run(args, { ...env, AGENT_SERVICE_KEY: key.secret });
      expect(await ask("agents", "list")).toMatchObject({
        code: 0,
        stdout: "",
        stderr: 'There are no agents. "agent-service agents create <name>" makes one.\n',
      });
      const unnamed = await ask("credits");
      expect([unnamed.code, unnamed.stdout]).toEqual([2, ""]);
      expect(unnamed.stderr).toContain("--account is missing, and no agent tells whose the key is");
      const shown = await ask("credits", "--account", key.account_id);
      expect(shown).toMatchObject({ code: 0, stderr: "That is low: 7 credits or less.\n" });
      expect(shown.stdout).toMatch(/^balance +3 credits\nplan +registered_free\n/);
      const ended = await ask("plans", "end", key.account_id);
      expect([ended.code, ended.stdout, ended.stderr]).toEqual([
        1,
        "",
        `Account ${key.account_id} is on no plan that could end: it is registered_free.\n`,
      ]);
    });

    it("says of an agent that it has no workflow, and of a workflow that it has no such version", async () => {
      await runJson("agents", "create", "idle");
      expect(await run("workflows", "list", "idle")).toMatchObject({
        code: 0,
        stdout: "",
        stderr: 'There are no workflows. "agent-service workflows put" writes one.\n',
      });
      const prompt = await writePrompt("Look.");
      const { id } = await runJson("workflows", "put", "idle", "--name", "once", "--prompt-file", prompt);
      const missing = await run("workflows", "show", id, "--version", "2");
      expect([missing.code, missing.stdout, missing.stderr]).toEqual([
        1,
        "",
        `Workflow ${id} has no version 2.\n`,
      ]);
    });

    it.each([
      [["plans", "set", "nobody", "monthly"], 'There is no account "nobody"'],
      [["plans", "set", "nobody", "gold"], 'There is no plan "gold". The rates have monthly.'],
      [["accounts", "name", "nobody", "n"], 'There is no account "nobody"'],
      [["accounts", "unname", "nobody"], 'There is no account "nobody"'],
      [["plans", "show", "nobody"], 'There is no account "nobody"'],
      [["plans", "end", "nobody"], 'There is no account "nobody"'],
      [["workflows", "list", "nothing"], 'There is no agent "nothing"'],
      [["workflows", "show", "nothing"], 'There is no workflow "nothing"'],
      [["claim", "release", "nothing"], 'There is no agent "nothing"'],
      [["workflows", "run", "nothing"], "(404 not_found): There is no workflow nothing."],
    ])("says what %j asks for in vain, and ends with 1", async (args, named) => {
      const { code, stdout, stderr } = await run(...args);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(named);
    });

    it("says that an agent made by name was never claimed", async () => {
      const { code, stderr } = await run("claim", "release", agentId);
      expect([code, stderr]).toEqual([1, expect.stringContaining("was made by name, not claimed")]);
    });
  });
});

describe("an operator's command where no service is", () => {
  it("says so, asks whether it runs, and ends with 1", async () => {
    const env = { AGENT_SERVICE_KEY: "svc_sk_of_nobody" };
    const { code, stdout, stderr } = await runCommand(["agents", "list", "--url", "http://127.0.0.1:2"], env);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("(ECONNREFUSED)\nIs the service running");
  });
});

describe("an operator's command with wrong arguments", () => {
  it.each([
    [["accounts", "name", "a"], "Missing required argument 'name'"],
    [["accounts", "name", "a", "two\nlines"], "one line of 1 to 60 characters, none of them hidden"],
    [["plans", "set", "a"], "Missing required argument 'sku'"],
    [["workflows", "put", "a"], "--name must be text of at most 100 characters, got nothing."],
    [["workflows", "put", "a", "--name", "n"], "--prompt-file must be a file, got nothing."],
    [["workflows", "put", "a", "--name", "n", "--prompt-file", "/no/such"], "cannot be read (ENOENT)"],
    [["plans", "end", "a", "--jsno"], "Unknown option '--jsno'\n(Did you mean --json?)"],
    [["keys", "list", "--account"], "Option '--account <id>' argument missing"],
    [["keys", "list", "--json=yes"], "Unknown option '--json=yes'"],
    [["serve", "--prot", "3"], "Unknown option '--prot'\n(Did you mean --port?)"],
    [["work", "more"], "Too many arguments for 'work'"],
  ])("refuses %j, and ends with 2", async (args, named) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(named);
  });
});
