// The agent of a claimed repository is deleted, on both stores: its next job gets another one, which nobody has claimed.

import { expect, it } from "vitest";
import { ClaimFixture } from "../../../support/fixtures/claim-fixture.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  it("a deleted agent's repository begins anew, and its job reads how its run ended", async () => {
    const fixture = await ClaimFixture.start(kind);
    try {
      const account = await fixture.account();
      const repository = fixture.repository();
      await fixture.pending(account, repository);
      const job = await fixture.exchange(repository, { account: account.id });
      const path = `/v1/agents/${job.agent_id}`;
      const { send } = fixture.api;
      const submit = () =>
        send(`${path}/runs`, { method: "POST", bearer: job.access_token, json: { message: "wait" } });
      const { run_id } = (await submit()).body as { run_id: string };
      expect((await send(path, { method: "DELETE", bearer: job.access_token })).status).toBe(403);
      expect((await send(path, { method: "DELETE", bearer: account.owner })).status).toBe(204);
      await fixture.core.ended(run_id);
      for (const bearer of [job.access_token, account.owner]) {
        const read = await send(`/v1/ci/runs/${run_id}`, { bearer });
        expect(read.body).toMatchObject({ run: { status: "cancelled", cause: "agent_deleted" } });
      }
      expect((await submit()).status).toBe(404);
      const next = await fixture.exchange(repository);
      expect(next.agent_id).not.toBe(job.agent_id);
      expect([next.quota.audience, next.claim_url === null]).toEqual(["anon", false]);
      expect((await send(`/v1/agents/${next.agent_id}`, { bearer: account.owner })).status).toBe(403);
    } finally {
      await fixture.api.close();
    }
  });
});
