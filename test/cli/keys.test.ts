// Keys and credits as an operator makes them: processes of their own beside a running service, on its store.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Exit, ServiceProcess } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";
import { call } from "../support/service-client.ts";
import { dumpPlace } from "../support/service-dump.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import type { StorePlace } from "../support/stores/stores.ts";

const SECRET = /svc_(?:sk|at)_[\w-]{40,}/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/;

type MadeKey = { readonly id: string; readonly account_id: string; readonly secret: string };

onEveryStore((kind) => {
  describe("agent-service keys beside a service", () => {
    let place: StorePlace;
    let service: ServiceProcess;
    let url: string;
    const secrets: string[] = [];

    const environment = (): Record<string, string> => {
      const { dataDir, databaseUrl } = place.settings;
      return {
        PORT: "0",
        LOG_LEVEL: "trace",
        DATA_DIR: dataDir,
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      };
    };
    const operate = async (...args: string[]): Promise<Exit> => {
      const exit = await runCommand(args, environment());
      secrets.push(...(exit.stdout.match(SECRET) ?? []));
      return exit;
    };
    const makeKey = async (...args: string[]): Promise<MadeKey> => {
      const { code, stdout, stderr } = await operate("keys", "create", "--json", ...args);
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout);
    };
    const agentsAs = (bearer: string) => call(`${url}/v1/agents`, { bearer });
    const balanceOf = async (key: MadeKey) => {
      const { body } = await call(`${url}/v1/users/${key.account_id}/credits`, { bearer: key.secret });
      return (body as { balance: number }).balance;
    };

    beforeAll(async () => {
      place = await kind.make({ isEmpty: true });
      service = new ServiceProcess(["serve"], environment());
      url = await service.ready();
    });

    afterAll(async () => {
      await service.kill();
      await place.remove();
    });

    it("opens an account and makes a key that works at once, while the service serves", async () => {
      const { code, stdout, stderr } = await operate("keys", "create", "--name", "laptop");
      expect([code, stderr]).toEqual([0, ""]);
      const [secret = "", ...others] = stdout.match(SECRET) ?? [];
      expect([secret.slice(0, 7), others]).toEqual(["svc_sk_", []]);
      expect(stdout).toMatch(new RegExp(`of account ${UUID.source}`));
      expect(stdout).toContain("curl ");
      expect(stdout).toContain(`export AGENT_SERVICE_URL=${url}\n`);
      expect((await agentsAs(secret)).status).toBe(200);
    });

    it("makes further keys of an account, for an AI client too", async () => {
      const first = await makeKey("--plan", "subscribed");
      const second = await makeKey("--account", first.account_id, "--ai-client", "--name", "editor");
      expect(second).toMatchObject({
        account_id: first.account_id,
        caller_class: "ai_client",
        name: "editor",
        hint: second.secret.slice(-4),
        last_used_at: null,
        revoked_at: null,
      });
      expect(second.secret).toMatch(/^svc_at_/);
      expect((await agentsAs(second.secret)).status).toBe(200);
      expect(await place.query(`select plan from accounts where id = '${first.account_id}'`)).toEqual([
        { plan: "subscribed" },
      ]);
    });

    it("ends a key that is revoked at once, and no other", async () => {
      const ended = await makeKey();
      const kept = await makeKey("--account", ended.account_id);
      expect((await agentsAs(ended.secret)).status).toBe(200);
      const first = await operate("keys", "revoke", ended.id);
      expect([first.code, first.stdout]).toEqual([0, `Key ${ended.id} is revoked.`]);
      expect((await agentsAs(ended.secret)).status).toBe(401);
      expect((await agentsAs(kept.secret)).status).toBe(200);
      const second = await operate("keys", "revoke", ended.id);
      expect([second.code, second.stdout]).toEqual([0, `Key ${ended.id} was revoked before.`]);
    });

    it("lists keys without their secrets", async () => {
      const key = await makeKey("--name", "ci\u001b[31m\u202e");
      await agentsAs(key.secret);
      const { code, stdout } = await operate("keys", "list", "--account", key.account_id);
      expect(code).toBe(0);
      const [head, row, ...others] = stdout.split("\n");
      expect(head).toMatch(/^ID +ACCOUNT +CLASS +NAME +KEY +CREATED +LAST USED +REVOKED$/);
      expect(row).toMatch(
        new RegExp(
          `^${key.id} +${key.account_id} +owner +ci.* +…${key.secret.slice(-4)} +\\S+ \\S+Z +\\S+ \\S+Z +-$`,
        ),
      );
      // A terminal obeys nothing of the name.
      for (const hidden of ["\u001b", "\u202e"]) expect(row).not.toContain(hidden);
      expect(others).toEqual([]);
      const all = await operate("keys", "list", "--json");
      expect(JSON.parse(all.stdout).map(({ id }: MadeKey) => id)).toContain(key.id);
      expect(all.stdout).not.toContain(key.secret);
    });

    it("makes a link that signs in to the pages once, and is no bearer", async () => {
      const key = await makeKey();
      const { code, stdout, stderr } = await operate("accounts", "sign-in-link", key.account_id, "--json");
      expect([code, stderr]).toEqual([0, ""]);
      const link = JSON.parse(stdout);
      expect(link).toMatchObject({
        account_id: key.account_id,
        url: expect.stringContaining(`${url}/sign-in/link/`),
      });
      expect((await agentsAs(link.url.split("/").at(-1))).status).toBe(401);
      const headers = { origin: url };
      const signIn = () => call(link.url, { method: "POST", headers });
      expect((await call(link.url)).text).toContain(key.account_id);
      const signedIn = await signIn();
      expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/"]);
      const [cookie = ""] = (signedIn.headers.get("set-cookie") ?? "").split(";");
      expect((await call(`${url}/settings/keys`, { headers: { cookie } })).text).toContain(key.account_id);
      expect((await signIn()).status).toBe(410);
    });

    it("gives an account credits", async () => {
      const key = await makeKey();
      const before = await balanceOf(key);
      const { code, stdout } = await operate("credits", "grant", "250", "--account", key.account_id);
      expect([code, stdout]).toEqual([0, `Account ${key.account_id} has 250 more credits.`]);
      expect((await balanceOf(key)) - before).toBe(250);
    });

    it("names an account or a key that there is not, and ends with 1", async () => {
      for (const [args, named] of [
        [["keys", "create", "--account", "nobody"], 'There is no account "nobody"'],
        [["keys", "revoke", "nothing"], 'There is no key "nothing"'],
        [["accounts", "sign-in-link", "nobody"], 'There is no account "nobody"'],
        [["credits", "grant", "1", "--account", "nobody"], 'There is no account "nobody"'],
      ] as const) {
        const { code, stdout, stderr } = await operate(...args);
        expect([code, stdout]).toEqual([1, ""]);
        expect(stderr).toContain(named);
        expect(stderr).toMatch(/"agent-service (accounts|keys) list" shows/);
      }
    });

    it("says once, on a store without accounts, how to get the first key", async () => {
      await service.kill();
      const empty = await kind.make({ isEmpty: true });
      const settings = empty.settings;
      const env = {
        ...environment(),
        DATA_DIR: settings.dataDir,
        ...(settings.databaseUrl === null ? {} : { DATABASE_URL: settings.databaseUrl }),
      };
      const serveOnce = async (): Promise<string> => {
        const process = new ServiceProcess(["serve"], env);
        await process.ready();
        process.signal("SIGTERM");
        return (await process.ended).stdout;
      };
      const advice = /"msg":"There is no account yet\.[^\n]*agent-service keys create/g;
      const first = await serveOnce();
      expect(first.match(advice)).toHaveLength(1);
      expect(first).toMatch(/within 15 minutes: http:\/\/[^/]+\/sign-in\/link\/svc_link_[\w-]{49}"/);
      if (settings.databaseUrl !== null) expect(first).not.toContain(settings.databaseUrl);
      expect((await runCommand(["keys", "create"], env)).code).toBe(0);
      const second = await serveOnce();
      expect(second).not.toMatch(advice);
      expect(second).not.toContain("svc_link_");
      expect(second).toMatch(
        /"msg":"Nobody has signed in[^\n]*agent-service accounts sign-in-link <account>/,
      );
      await empty.remove();
      service = new ServiceProcess(["serve"], environment());
      url = await service.ready();
    });

    it("works on a store that nobody has served from yet, and leaves it free", async () => {
      const fresh = await kind.make({ isEmpty: true });
      const { dataDir, databaseUrl } = fresh.settings;
      const env = {
        PORT: "0",
        DATA_DIR: "/nowhere",
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      };
      const made = await runCommand(["keys", "create", "--json", "--data-dir", dataDir], env);
      const said = databaseUrl === null ? `Made a new store in ${dataDir}.\n` : "";
      expect([made.code, made.stderr]).toEqual([0, said]);
      const later = new ServiceProcess(["serve", "--data-dir", dataDir], env);
      const { secret } = JSON.parse(made.stdout) as MadeKey;
      expect((await call(`${await later.ready()}/v1/agents`, { bearer: secret })).status).toBe(200);
      await later.kill();
      await fresh.remove();
    });

    it("says where the service will be when it does not run on the store", async () => {
      const alone = await kind.make();
      const { dataDir, databaseUrl } = alone.settings;
      const settings: Record<string, string> = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl };
      const args = ["keys", "create", "--data-dir", dataDir];
      const { code, stdout } = await runCommand(args, { ...settings, BASE_URL: "https://agents.example" });
      expect([code, stdout]).toEqual([0, expect.stringContaining("=https://agents.example\n")]);
      const advice = "No service runs on this data folder.";
      expect(stdout.includes(advice)).toBe(databaseUrl === null);
      await alone.remove();
    });

    it("makes links to the pages of the service, where the service alone has WEB_URL", async () => {
      const fresh = await kind.make();
      const { dataDir, databaseUrl } = fresh.settings;
      const settings = { DATA_DIR: dataDir, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) };
      const env = { ...settings, PORT: "0", LOG_LEVEL: "info" };
      const serving = new ServiceProcess(["serve"], { ...env, WEB_URL: "https://pages.example" });
      const address = await serving.ready();
      const made = await runCommand(["keys", "create"], settings);
      const accountId = /of account (\S+),/.exec(made.stdout)?.[1] ?? "";
      const { stdout } = await runCommand(["accounts", "sign-in-link", accountId], settings);
      await serving.kill();
      await fresh.remove();
      expect(made.stdout).toContain(`export AGENT_SERVICE_URL=${address}\n`);
      expect(stdout).toContain(" https://pages.example/sign-in/link/");
    });

    it("says so where an address is only the default one", async () => {
      const alone = await kind.make();
      const { dataDir, databaseUrl } = alone.settings;
      const settings: Record<string, string> = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl };
      const where = ["--data-dir", dataDir];
      const made = await runCommand(["keys", "create", ...where], settings);
      const accountId = /of account (\S+),/.exec(made.stdout)?.[1] ?? "";
      const link = await runCommand(["accounts", "sign-in-link", accountId, ...where], settings);
      const advice =
        databaseUrl === null
          ? "No service runs on this data folder"
          : "BASE_URL is not set here: put the address of your service in place of http://127.0.0.1:8080.";
      for (const { stdout } of [made, link]) expect(stdout).toContain(advice);
      await alone.remove();
    });

    it("keeps no secret, in the store or in a log", async () => {
      service.signal("SIGTERM");
      const { stdout, stderr } = await service.ended;
      const kept = await dumpPlace(place);
      expect(secrets.length).toBeGreaterThan(5);
      for (const secret of secrets) {
        for (const text of [kept, stdout, stderr]) expect(text.includes(secret)).toBe(false);
      }
    });
  });
});

describe("agent-service keys without a service", () => {
  it("makes no store in a folder that nobody named", async () => {
    const place = await mkdtemp(join(tmpdir(), "keys-nowhere-"));
    const { code, stdout, stderr } = await runCommand(["keys", "create"], {}, { folder: place });
    expect([code, stdout]).toEqual([2, ""]);
    const folder = join(place, "agent-service-data");
    expect(stderr).toContain(
      `There is no store in ${folder}. Name the service's data folder with --data-dir`,
    );
    expect(existsSync(folder)).toBe(false);
    await rm(place, { recursive: true });
  });
});

describe("agent-service keys and credits with wrong arguments", () => {
  it.each([
    [["keys"], "A command is missing."],
    [["keys", "mint"], "Unknown command 'mint'"],
    [["keys", "create", "--plan", "gold"], "--plan must be registered_free or subscribed"],
    [["keys", "create", "--plan", "subscribed", "--account", "a"], "--plan is for a new account"],
    [["keys", "revoke"], "Missing required argument 'key-id'"],
    [["keys", "list", "more"], "Too many arguments for 'list'"],
    [["keys", "list", "--prot"], "--prot"],
    [["credits", "grant", "0", "--account", "a"], "<credits> must be an integer from 1 to"],
    [["credits", "grant", "5"], "--account must be an account's id, got nothing."],
  ])("refuses %j, and ends with 2", async (args, named) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(named);
    expect(stderr).not.toContain("    at ");
  });
});
