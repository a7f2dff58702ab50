// What an editor's person is asked for a run: approvals of writes, and leave to go on. The real API, and an editor that is played.

import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Editor } from "../../../src/cli/acp/editor.ts";
import { approveAsked, goOnParked } from "../../../src/cli/acp/persons-answers.ts";
import { type Client, createClient, type Run } from "../../../src/client/client.ts";
import { grantCredits } from "../../../src/service/core/accounts/keys.ts";
import { authorizeWrite } from "../../../src/service/core/write-grants/authorize-write.ts";
import { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { say, scriptedBackend } from "../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../support/service-api.ts";

let fixture: CoreFixture;
let api: HttpApi;
let account: TestAccount;
let client: Client;
let run: Run;
const asked: Pick<RequestPermissionRequest, "toolCall">[] = [];
let chosen: string | null;
const editor: Editor = {
  tell: async () => {},
  askPermission: async ({ toolCall, options }) => {
    asked.push({ toolCall });
    return options.find(({ optionId }) => optionId === chosen)?.optionId ?? null;
  },
  askWords: async () => undefined,
  readText: async () => null,
  writeText: null,
};
const { signal } = new AbortController();

beforeAll(async () => {
  fixture = await CoreFixture.start({ backend: scriptedBackend((task) => say(task, "Done.")) });
  fixture.executor.start();
  api = await openHttpApi(fixture);
  account = await makeAccount(fixture);
  await grantCredits(fixture.core, { accountId: account.id, credits: 1_000 });
  client = createClient({ baseUrl: api.url, credential: account.owner });
  const agentId = account.agent.id;
  const { runId } = await client.runs.submit({ agentId, body: { message: "Go." } });
  for await (const _ of client.runs.follow({ runId }));
  run = await client.runs.get({ agentId, runId });
});
afterAll(() => api.close());
beforeEach(() => {
  asked.length = 0;
  chosen = "allow";
});

const wantsToWrite = async (server: string, tool = "create_issue") => {
  const request = { runId: run.id, agentId: run.agent_id, server, tool };
  return await authorizeWrite(fixture.core, { ...request, origin: "repository", isNamed: false, job: null });
};

describe("a write that nobody has allowed", () => {
  it("is allowed for good by the owner's answer, once a server", async () => {
    await wantsToWrite("tracker");
    await wantsToWrite("other");
    const answered = await approveAsked({ client, editor, run, servers: ["tracker"], signal });
    expect(answered).toEqual({ isApproved: true, note: null });
    expect(asked).toMatchObject([
      {
        toolCall: {
          title: 'Let the agent write by the MCP server "tracker": it has called "create_issue"',
          status: "pending",
        },
      },
    ]);
    expect(await wantsToWrite("tracker")).toEqual({ isAllowed: true });
    expect(await wantsToWrite("other")).toMatchObject({ isAllowed: false });
  });

  it("waits on where the person says so, and is not asked for where the run asked for nothing", async () => {
    await wantsToWrite("wiki");
    chosen = "later";
    const servers = ["wiki"];
    expect(await approveAsked({ client, editor, run, servers, signal })).toEqual({
      isApproved: false,
      note: null,
    });
    expect(await approveAsked({ client, editor, run, servers: [], signal })).toMatchObject({
      isApproved: false,
    });
    expect(asked).toHaveLength(1);
  });

  it("is the owner's to allow: whoever is none is told where", async () => {
    await wantsToWrite("mail");
    const ofClient = createClient({ baseUrl: api.url, credential: account.aiClient });
    const answered = await approveAsked({ client: ofClient, editor, run, servers: ["mail"], signal });
    expect(answered).toEqual({
      isApproved: false,
      note: expect.stringMatching(/^Only the account's owner may allow it: http.+\/approve\//),
    });
  });
});

describe("a parked run", () => {
  const parked = (reason: string): Run => ({
    status: "running",
    id: run.id,
    agent_id: run.agent_id,
    thread_id: run.thread_id,
    origin: "user",
    credits: null,
    tokens: null,
    started_at: "2026-11-29T10:00:00.000Z",
    last_heartbeat_at: "2026-11-29T10:00:00.000Z",
    parked: {
      reason,
      since: "2026-11-29T10:01:00.000Z",
      until: "2026-12-13T10:01:00.000Z",
      how_to_continue: "Continue it.",
    },
  });

  it("that needs a number is left to the command that takes one", async () => {
    const answered = await goOnParked({ client, editor, run: parked("max_cost"), question: null, signal });
    expect(answered.goesOn).toBe(false);
    expect(answered.note).toContain(`agent-service runs resume ${run.id} --max-cost`);
    expect(asked).toEqual([]);
  });

  it("that needs leave asks for it, and says what the service has against it", async () => {
    chosen = "later";
    const waiting = { client, editor, run: parked("time_limit"), question: null, signal };
    expect(await goOnParked(waiting)).toMatchObject({
      goesOn: false,
      note: "The run waits. Your next message continues it.",
    });
    expect(asked[0]?.toolCall.title).toContain("The run is parked (time_limit) until 2026-12-13.");
    chosen = "allow";
    // It has gone on and ended meanwhile.
    expect(await goOnParked(waiting)).toMatchObject({
      goesOn: false,
      note: expect.stringContaining("ended"),
    });
  });
});
