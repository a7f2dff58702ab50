// Every tool by the protocol's own client: what it answers fits its output schema, and a refusal can be read.

import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, it } from "vitest";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import { putWorkflow } from "../../../../src/service/core/workflows/workflows.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import {
  checkRefusals,
  everyToolBackend,
  useEveryTool,
  withOutputSchemas,
} from "../../../support/mcp/every-tool.ts";
import { openMcpClient, wires } from "../../../support/mcp/mcp-client.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";

describe.each(wires)("every tool by %s", (wire) => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;
  let client: Client;

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
      ...{ agentId: account.agent.id, id: null, name: "nightly", prompt: "go" },
    });
    if (!put.ok) throw new Error(put.refusal.reason);
    const { id } = put.value;
    const now = fixture.clock.now();
    await fixture.store.transact((tx) => tx.workflows.activate({ id, version: 1, now }));
    await useEveryTool(client, { workflowId: id, key: `every-${wire}` });
  });

  it("refuses in words, and with no content that would have to fit", async () => {
    await checkRefusals(client);
  });
});
