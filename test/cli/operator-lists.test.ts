// What an operator lists across accounts, beside a running service, on its store.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Exit, ServiceProcess } from "../support/fixtures/service-process.ts";
import {
  accountIds,
  agentIds,
  auditIds,
  insertOperatorRecords,
  personId,
  runIds,
} from "../support/operator-records.ts";
import { runCommand } from "../support/run/run-command.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import type { StorePlace } from "../support/stores/stores.ts";

onEveryStore((kind) => {
  describe("what an operator lists beside a service", () => {
    let place: StorePlace;
    let service: ServiceProcess;
    // Not past: the service deletes old audit entries.
    const now = Date.now();
    const time = new Date(now).toISOString();
    const minute = `${time.slice(0, 10)} ${time.slice(11, 16)}Z`;

    const environment = (): Record<string, string> => {
      const { dataDir, databaseUrl } = place.settings;
      return {
        PORT: "0",
        BACKEND: "noop",
        DATA_DIR: dataDir,
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      };
    };
    const run = (...args: string[]): Promise<Exit> => runCommand(args, environment());
    const lines = async (...args: string[]): Promise<string[]> => {
      const { code, stdout, stderr } = await run(...args);
      expect([code, stderr]).toEqual([0, ""]);
      return stdout.split("\n");
    };
    const runJson = async (...args: string[]) => JSON.parse((await lines(...args, "--json")).join("\n"));

    beforeAll(async () => {
      place = await kind.make();
      const store = await place.open();
      await insertOperatorRecords(store, now);
      await store.close();
      service = new ServiceProcess(["serve"], environment());
      await service.ready();
    });

    afterAll(async () => {
      await service.kill();
      await place.remove();
    });

    it("accounts, with plan, sign-in, agents and balance", async () => {
      const [head, ...rows] = await lines("accounts", "list");
      expect(head).toMatch(/^ID +NAME +PLAN +CREATED +SIGNED IN +AGENTS +BALANCE$/);
      expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
        [accountIds[1], "-", "registered_free", minute, "-", "1", "0"],
        [accountIds[0], "Platform 100%", "registered_free", minute, minute, "1", "120"],
      ]);
      expect((await runJson("accounts", "list"))[1]).toEqual({
        id: accountIds[0],
        name: "Platform 100%",
        plan: "registered_free",
        created_at: time,
        signed_in_at: time,
        agents: 1,
        balance: 120,
      });
    });

    it("a page at a time, and says how to read on", async () => {
      const first = await run("accounts", "list", "--limit", "1");
      expect([first.code, first.stderr]).toEqual([0, `For older ones: --before ${accountIds[1]}\n`]);
      const second = await runJson("accounts", "list", "--limit", "1", "--before", accountIds[1]);
      expect(second.map(({ id }: { id: string }) => id)).toEqual([accountIds[0]]);
      const none = await run("accounts", "list", "--before", accountIds[0]);
      expect([none.code, none.stdout]).toEqual([0, ""]);
      expect(none.stderr).toContain("There are no accounts in ");
    });

    it("accounts by what their name or id has", async () => {
      const found = async (text: string) =>
        (await runJson("accounts", "list", "--text", text)).map(({ id }: { id: string }) => id);
      expect(await found("platFORM 100%")).toEqual([accountIds[0]]);
      expect(await found(accountIds[1])).toEqual([accountIds[1]]);
      const none = await run("accounts", "list", "--text", "nothing");
      expect([none.code, none.stdout]).toEqual([0, ""]);
      expect(none.stderr).toContain("There are no such accounts in ");
    });

    it("agents, of which a terminal obeys nothing", async () => {
      const [head, ...rows] = await lines("accounts", "agents", "--account", accountIds[0]);
      expect(head).toMatch(/^ID +ACCOUNT +NAME +MODEL +REPOSITORY +CREATED +RETIRED$/);
      expect(rows.map((row) => row.slice(0, 36))).toEqual([agentIds.retired, agentIds.helper]);
      expect(rows.join("")).not.toContain("\u001b");
      const [unclaimed] = await runJson("accounts", "agents", "--limit", "1");
      expect(unclaimed).toMatchObject({
        id: agentIds.unclaimed,
        account_id: null,
        repository: "octo/other",
        retired_at: null,
      });
    });

    it("repositories, claimed or not", async () => {
      const [head, ...rows] = await lines("repositories", "list");
      expect(head).toMatch(/^AGENT +PROVIDER +NAME +VISIBILITY +CLAIMED BY +SINCE$/);
      expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
        [agentIds.unclaimed, "github", "octo/other", "private", "-", minute],
        [agentIds.claimed, "github", "octo/hello", "public", accountIds[1], minute],
      ]);
      const [unclaimed, ...others] = await runJson("repositories", "list", "--unclaimed");
      expect(others).toEqual([]);
      expect(unclaimed).toMatchObject({ repository_id: "1002", owner_id: "77", account_id: null });
    });

    it("runs, by account, agent and status", async () => {
      const [head, row = "", ...others] = await lines("accounts", "runs", "--status", "failed");
      expect(head).toMatch(/^ID +STATUS +CAUSE +ORIGIN +AGENT +ACCOUNT +SUBMITTED +CREDITS$/);
      expect(row.split(/ {2,}/)).toEqual([
        runIds.failed,
        "failed",
        "time_limit",
        "user",
        "octo/hello",
        accountIds[1],
        minute,
        "2",
      ]);
      expect(others).toEqual([]);
      const [ofUnclaimed] = await runJson("accounts", "runs", "--agent", "octo/other");
      expect(ofUnclaimed).toMatchObject({ id: runIds.ofUnclaimed, account_id: null, credits: 2 });
      expect(await runJson("accounts", "runs", "--account", accountIds[0])).toHaveLength(1);
    });

    it("the audit trail, as a table and as a line of JSON an entry", async () => {
      const [head, ...rows] = await lines("audit");
      expect(head).toMatch(
        /^AT +ACTION +OUTCOME +ACCOUNT +PERSON +APPLICATION +METHOD +REPOSITORY +REQUEST$/,
      );
      expect(rows.map((row) => row.split(/ {2,}/)[1])).toEqual(["sign_in", "claim", "exchange"]);
      const entries = await lines("audit", "--repository", "octo/hello", "--json");
      const [claim, exchange] = entries.map((line) => JSON.parse(line));
      expect([claim.id, claim.account_id, entries.length]).toEqual([auditIds.claim, accountIds[1], 2]);
      expect([claim.person_id, claim.client_id]).toEqual([personId, "https://app.example/client.json"]);
      expect(rows[1]?.split(/ {2,}/).slice(4, 6)).toEqual([personId, "https://app.example/client.json"]);
      expect(exchange).toEqual({
        id: auditIds.exchange,
        at: time,
        action: "exchange",
        outcome: "token_replayed",
        account_id: null,
        person_id: null,
        client_id: null,
        about_person_id: null,
        operator_id: null,
        method: null,
        issuer: "https://issuer.example",
        repository_id: "1001",
        repository: "octo/hello",
        ci_run_id: "500",
        request_id: "request-1",
      });
      const none = await run("audit", "--account", accountIds[0], "--action", "claim", "--json");
      expect([none.code, none.stdout, none.stderr]).toEqual([0, "", ""]);
    });

    it.each([
      [["audit", "--action", "nothing"], "--action must be"],
      [["audit", "--limit", "1001"], "--limit must be an integer from 1 to 1000"],
      [["accounts", "runs", "--status", "nothing"], "--status must be"],
      [["repositories", "list", "--unclaimed", "--account", "a"], "exclude each other"],
    ])("refuses %j, and ends with 2", async (args, named) => {
      const { code, stdout, stderr } = await run(...args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(named);
    });
  });
});
