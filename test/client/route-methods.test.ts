// The client's methods are the routes': by name, by what they send, and by type.

import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type Agent,
  type Client,
  createClient,
  type ForeignEvent,
  type Run,
  type RunEvent,
  type StoredRunEvent,
} from "../../src/client/client.ts";
import { routes } from "../../src/contract/routes.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";
import { AGENT_ID, completedRun, pageReply, RUN_ID } from "./run-fixtures.ts";
import { json, openScriptedServer, problem } from "./scripted-server.ts";

/** What a scraper or a probe asks for needs no client. */
const { operation: _, ...called } = routes;

const clientOf = (baseUrl: string) =>
  createClient({ baseUrl, credential: "svc_sk_test", clock: instantClock(), random: () => 0 });

describe("the client", () => {
  it("has a method for each operation, of the same name", () => {
    const client: Readonly<Record<string, object>> = clientOf("http://localhost");
    const names = Object.entries(called).flatMap(([noun, ofNoun]) =>
      Object.values(ofNoun).map(({ operationId }) => [noun, operationId] as const),
    );
    for (const [noun, operationId] of names) {
      const ids = Object.keys(client[noun] ?? {}).map(
        (name) => noun + name.charAt(0).toUpperCase() + name.slice(1),
      );
      expect(ids).toContain(operationId);
    }
  });

  it("takes a credential as it is", async () => {
    await using server = await openScriptedServer([json(200, [])]);
    expect(await clientOf(server.url).agents.list()).toEqual([]);
    expect(server.seen[0]?.headers.authorization).toBe("Bearer svc_sk_test");
  });

  it("puts a path's parameters into the path, and the query into the query", async () => {
    await using server = await openScriptedServer([json(200, [completedRun])]);
    const query = { session_key: "a b", before: undefined, limit: 2 };
    expect(await clientOf(server.url).runs.list({ agentId: "a/b", query })).toEqual([completedRun]);
    expect(server.seen[0]).toMatchObject({ method: "GET", path: "/v1/agents/a%2Fb/runs" });
    expect(Object.fromEntries(server.seen[0]?.query ?? [])).toEqual({ session_key: "a b", limit: "2" });
  });

  it("names an option that the path needs", async () => {
    const { agents } = clientOf("http://localhost");
    const untyped = {} as { agentId: string };
    await expect(agents.get(untyped)).rejects.toThrow('Option "agentId" must be a string');
  });

  it("repeats what is safe to repeat, and sends once what is not", async () => {
    const schedule = { prompt: "x", delay_seconds: 60 };
    await using server = await openScriptedServer([problem(503, "unavailable")]);
    const { agents, schedules, workflows } = clientOf(server.url);
    await expect(workflows.activate({ id: "w" })).rejects.toThrow();
    expect(server.seen).toHaveLength(1);
    await expect(workflows.activate({ id: "w", body: { version: 1 } })).rejects.toThrow();
    expect(server.seen).toHaveLength(9);
    await expect(agents.create({ body: { name: "a" } })).rejects.toThrow();
    await expect(schedules.create({ agentId: AGENT_ID, body: schedule })).rejects.toThrow();
    expect(server.seen).toHaveLength(25);
    const keysFrom = (first: number) =>
      new Set(server.seen.slice(first, first + 8).map(({ headers }) => headers["idempotency-key"]));
    expect([keysFrom(9).size, keysFrom(17).size]).toEqual([1, 1]);
    expect(keysFrom(9)).not.toEqual(keysFrom(17));
  });

  it("sends no credential to a public route", async () => {
    await using server = await openScriptedServer([json(200, { audience: "a" })]);
    await clientOf(server.url).ci.audience();
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  it("tells events apart by their type", async () => {
    await using server = await openScriptedServer([pageReply(completedRun, [1, 2, 3], true)]);
    let text = "";
    for await (const { event } of clientOf(server.url).runs.follow({ runId: RUN_ID })) {
      if (event.type === "TEXT_MESSAGE_CONTENT") text += event.delta.toUpperCase();
    }
    expectTypeOf<StoredRunEvent["event"]>().toEqualTypeOf<RunEvent | ForeignEvent>();
    expect(text).toEqual(expect.any(String));
  });

  it("has methods of the routes' types", () => {
    expectTypeOf<ReturnType<Client["agents"]["get"]>>().resolves.toEqualTypeOf<Agent>();
    expectTypeOf<ReturnType<Client["runs"]["list"]>>().resolves.toEqualTypeOf<Run[]>();
    expectTypeOf<ReturnType<Client["ci"]["revoke"]>>().resolves.toEqualTypeOf<void>();
    expectTypeOf<Parameters<Client["runs"]["get"]>[0]>().toExtend<{ agentId: string; runId: string }>();
    expectTypeOf<[]>().toExtend<Parameters<Client["agents"]["list"]>>();
    expectTypeOf<[]>().not.toExtend<Parameters<Client["agents"]["get"]>>();
  });
});
