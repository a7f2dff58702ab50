// No page of an operator has what was asked, said, written or changed in an account: texts are planted in every place that holds one,
// and every page is read, with every link that leads on from it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../../../fakes/records.ts";
import { operatorApp } from "../../../../../src/service/api/web/operator/operator-app.ts";
import { putWorkflow } from "../../../../../src/service/core/workflows/workflows.ts";
import { DocumentedWorld } from "../../../../support/every-route/documented-world.ts";
import { WorkspaceMaker } from "../../../../support/every-route/workspace-maker.ts";
import { signInOperator } from "../../../../support/operators.ts";
import { dumpPlace } from "../../../../support/service-dump.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

/** Each names the place where it was planted. */
const planted = [
  "canaryMessage",
  "canaryTitle",
  "canarySubject",
  "canaryDelivery",
  "canaryEvent",
  "canaryInput",
  "canarySchedule",
  "canaryWorkflow",
  "canaryFile",
  "canaryPath",
  "canaryMetadata",
  "canarySessionKey",
  "canaryWorkspace",
  "canaryAgent",
] as const;

onEveryStore((store) => {
  describe("an account's texts", () => {
    let world: DocumentedWorld;
    const pages = new Map<string, string>();

    beforeAll(async () => {
      world = await DocumentedWorld.start(store);
      const { api, fixture, mine } = world;
      const { core, clock } = fixture.core;
      const { id: agentID } = mine.agent;
      const params = { agentID };
      await api.ask("agentsCreate", { json: { name: "canaryAgent" } });
      const json = { message: "canaryMessage", session_key: "canarySessionKey" };
      const { run_id: runId } = await api.ask("runsSubmit", { params, json });
      await fixture.core.ended(runId);
      const later = { prompt: "canarySchedule", delay_seconds: 3_600, metadata: { note: "canaryMetadata" } };
      await api.ask("schedulesCreate", { params, json: later });
      const workspace = await api.ask("workspacesCreate", { json: { name: "canaryWorkspace" } });
      const make = new WorkspaceMaker(api, clock);
      await make.proposed({ workspaceID: workspace.id }, { "canaryPath.txt": "canaryFile\n" });
      await core.store.transact(async (tx) => {
        const now = clock.now();
        const id = core.random.uuid(now);
        const run = makeRun({
          ...{ id, agentId: agentID, sessionId: id, status: "running", fence: 1 },
          ...{ submittedAt: now, startedAt: now, heartbeatAt: now, repository: "github:octo/secret" },
          request: "canaryTitle",
          about: { actor: "ada", ref: "refs/heads/canarySubject" },
          delivery: {
            ...{ state: "reported", at: now, by: "1" },
            report: { conclusion: "success", title: "canaryDelivery" },
          },
        });
        await tx.runs.insert(run, makeRunInput({ messages: [{ role: "user", content: "canaryInput" }] }));
        const event = { type: "TEXT_MESSAGE_CONTENT", messageId: "1", delta: "canaryEvent" };
        await tx.events.append({ runId: id, fence: 1, now, jsons: [JSON.stringify(event)] });
      });
      const workflow = { agentId: agentID, id: null, name: "a workflow", prompt: "canaryWorkflow" };
      expect((await putWorkflow(core, workflow)).ok).toBe(true);
      const { cookie } = await signInOperator(core);
      const { routes } = operatorApp({} as Parameters<typeof operatorApp>[0]);
      const waiting = routes
        .filter(({ method, path }) => method === "GET" && !path.includes("*"))
        .map(({ path }) => path.replace(":accountId", mine.id));
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        if (pages.has(path)) continue;
        const { text } = await fixture.api.send(path, { headers: { cookie } });
        pages.set(path, text);
        for (const [, href = ""] of text.matchAll(/<a\b[^>]*\bhref="(\/[^"#]*)/g))
          waiting.push(href.replaceAll("&amp;", "&"));
      }
    });

    afterAll(() => world.close());

    it("are there, each in the store", async () => {
      const dump = await dumpPlace(world.fixture.core.place);
      // What is packed in a blob is not in plain text.
      const missing = planted.filter((one) => !dump.includes(one));
      expect(missing.filter((one) => one !== "canaryFile" && one !== "canaryPath")).toEqual([]);
    });

    it("are on no page of an operator, though the run and its account are", () => {
      expect(pages.size).toBeGreaterThan(20);
      const seen = [...pages].flatMap(([path, text]) =>
        planted.filter((one) => text.includes(one)).map((one) => `${one} on ${path}`),
      );
      expect(seen).toEqual([]);
      expect([...pages.values()].some((text) => text.includes("github:octo/secret"))).toBe(true);
      expect([...pages.keys()].filter((path) => !path.startsWith("/operator"))).toEqual([]);
    });
  });
});
