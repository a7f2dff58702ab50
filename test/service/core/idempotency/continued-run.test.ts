// A key whose request has continued a parked run: the repetition gets the whole answer, and continues nothing.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ScriptedRuns } from "../../../support/ag-ui/scripted-runs.ts";
import { call } from "../../../support/service-client.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

onEveryStore((store) => {
  describe("a key that continued a parked run", () => {
    let runs: ScriptedRuns;
    beforeAll(async () => {
      runs = await ScriptedRuns.start(store);
    });
    afterAll(() => runs.close());

    it("says again after which event the run goes on", async () => {
      const { api, account, fixture } = runs;
      const submit = async (message: string, key: string) =>
        await call(`${api.url}/v1/agents/${account.agent.id}/runs`, {
          method: "POST",
          bearer: account.owner,
          json: { message, session_key: "k", may_park: true },
          headers: { "idempotency-key": key },
        });
      const asked = await submit("question", "first");
      const { run_id: runId } = asked.body as { run_id: string };
      const { lastSeq } = await fixture.until(runId, ({ parked }) => parked !== undefined);
      const answered = await submit("the first", "second");
      expect(answered.body).toMatchObject({ run_id: runId, continued_after: lastSeq });
      await fixture.ended(runId);
      const again = await submit("the first", "second");
      expect([again.status, again.body]).toEqual([202, answered.body]);
      expect(again.headers.get("x-svc-idempotent-replay")).toBe("true");
      const first = await submit("question", "first");
      expect([first.status, first.body]).toEqual([202, asked.body]);
    });
  });
});
