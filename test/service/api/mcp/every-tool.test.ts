// Every tool by the protocol's own client: what it answers fits its output schema, a refusal can be read, and nothing is another
// account's.

import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import { putWorkflow } from "../../../../src/service/core/workflows/workflows.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import {
  checkRefusals,
  everyToolBackend,
  useEveryTool,
  withOutputSchemas,
} from "../../../support/mcp/every-tool.ts";
import { openMcpClient, textOf, wires } from "../../../support/mcp/mcp-client.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";

type Asked = { readonly name: string; readonly arguments: Record<string, unknown> };

const ID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g;

describe.each(wires)("every tool by %s", (wire) => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;
  let client: Client;
  const calls: Asked[] = [];

  beforeAll(async () => {
    fixture = await CoreFixture.start({ backend: everyToolBackend });
    fixture.executor.start();
    api = await openHttpApi(fixture);
    account = await makeAccount(fixture, "subscribed");
    await grantCredits(fixture.core, { accountId: account.id, credits: 100_000 });
    client = await openMcpClient(api.url, { bearer: account.owner, wire, path: "/mcp?sets=all" });
    if (client.transport !== undefined) withOutputSchemas(client.transport);
  });

  afterAll(async () => {
    await client.close();
    await api.close();
  });

  it("answers as its output schema says", async () => {
    const put = await putWorkflow(fixture.core, {
      agentId: account.agent.id,
      id: null,
      name: "nightly",
      prompt: "go",
    });
    if (!put.ok) throw new Error(put.refusal.reason);
    const { id } = put.value;
    const now = fixture.clock.now();
    await fixture.store.transact((tx) => tx.workflows.activate({ id, version: 1, now }));
    const call = client.callTool.bind(client);
    Object.assign(client, {
      callTool: async (asked: Asked) => {
        calls.push(asked);
        return await call(asked);
      },
    });
    await useEveryTool(client, { workflowId: id, key: `every-${wire}` });
  });

  it("refuses the same to another account, and shows it none of it", async () => {
    const stranger = await makeAccount(fixture, "subscribed");
    const theirs = await openMcpClient(api.url, { bearer: stranger.owner, wire, path: "/mcp?sets=all" });
    const ids = new Set(calls.flatMap(({ arguments: args }) => JSON.stringify(args).match(ID) ?? []));
    expect(ids.size).toBeGreaterThan(8);
    for (const asked of calls) {
      const answer = await theirs.callTool(asked);
      const text = textOf(answer);
      const named: readonly string[] = JSON.stringify(asked.arguments).match(ID) ?? [];
      expect([asked.name, named.length > 0 && answer.isError !== true, text]).toEqual([
        asked.name,
        false,
        text,
      ]);
      const shown = (JSON.stringify(answer.structuredContent ?? {}) + text).match(ID) ?? [];
      // A refusal may repeat what was asked for.
      expect([asked.name, shown.filter((id) => ids.has(id) && !named.includes(id))]).toEqual([
        asked.name,
        [],
      ]);
    }
    await theirs.close();
  });

  it("refuses in words, and with no content that would have to fit", async () => {
    await checkRefusals(client);
  });
});
