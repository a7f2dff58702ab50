// /v1/workflows over the socket, for both caller classes.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { problemSchema } from "../../../../src/contract/problem.ts";
import { executeWorkflowResponseSchema, workflowSchema } from "../../../../src/contract/workflow.ts";
import type { WorkflowRecord } from "../../../../src/service/core/records.ts";
import { putWorkflow } from "../../../../src/service/core/workflows.ts";
import { scriptedBackend } from "../../../support/scripted-backend.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../support/service-account.ts";
import { CoreBed } from "../../../support/service-core.ts";
import { storeKinds } from "../../../support/stores.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

for (const kind of storeKinds) {
  describe.skipIf(kind.isSkipped)(`workflows on ${kind.name}`, () => {
    let bed: CoreBed;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let account: TestAccount;
    let workflow: WorkflowRecord;

    const put = async (prompt: string, id: string | null = null): Promise<WorkflowRecord> => {
      const written = await putWorkflow(bed.core, { agentId: account.agent.id, id, name: "triage", prompt });
      if (!written.ok) throw new Error(written.refusal.reason);
      return written.value;
    };
    const activate = (bearer: string, json?: unknown) =>
      api.send(`/v1/workflows/${workflow.id}/activate`, { method: "POST", bearer, json });
    const execute = (bearer: string, options: object = {}) =>
      api.send(`/v1/workflows/${workflow.id}/executions`, { method: "POST", bearer, ...options });
    const messageOf = async (runId: string) => {
      const [row] = await bed.place.query(`select input from run_inputs where run_id = '${runId}'`);
      return JSON.parse(String(row?.input)).messages[0].content;
    };

    beforeEach(async () => {
      bed = await CoreBed.start({ kind, backend: scriptedBackend(async () => {}) });
      api = await openCaller(bed);
      account = await makeAccount(bed);
      workflow = await put("Look at the new issues.");
    });

    afterEach(() => api.close());

    it("runs the version that the owner activated, whatever is written later", async () => {
      const activated = await activate(account.owner);
      expect(activated.status).toBe(200);
      expect(workflowSchema.parse(activated.body)).toMatchObject({ version: 1, active_version: 1 });
      await put("Delete the repository.", workflow.id);
      const executed = await execute(account.aiClient, { json: { input: "Only number 7." } });
      expect(executed.status).toBe(202);
      const { run_id, version } = executeWorkflowResponseSchema.parse(executed.body);
      expect(version).toBe(1);
      expect(await messageOf(run_id)).toBe("Look at the new issues.\n\nOnly number 7.");
    });

    it("lets the owner run what is not active, and sends an AI client to the owner", async () => {
      const refused = await execute(account.aiClient);
      expect(refused.status).toBe(403);
      const problem = problemSchema.parse(refused.body);
      expect(problem.code).toBe("owner_needed");
      expect(problem.error).toContain(`/agent/${account.agent.id}?workflow=${workflow.id}`);
      expect((await execute(account.owner)).status).toBe(202);
    });

    it("lets an AI client activate nothing", async () => {
      const refused = await activate(account.aiClient);
      expect([refused.status, problemSchema.parse(refused.body).code]).toEqual([403, "owner_needed"]);
      expect((await bed.core.store.committed.findWorkflow(workflow.id))?.activeVersion).toBeNull();
    });

    it("activates an older version, and none that is not there", async () => {
      await put("Second.", workflow.id);
      expect((await activate(account.owner, { version: 1 })).body).toMatchObject({ active_version: 1 });
      expect((await activate(account.owner, { version: 3 })).status).toBe(404);
      expect((await activate(account.owner, { version: 0 })).status).toBe(400);
      expect((await activate(account.owner, { verison: 1 })).status).toBe(400);
    });

    it("starts one run for one idempotency key", async () => {
      const headers = { "idempotency-key": "nightly-1" };
      const first = executeWorkflowResponseSchema.parse((await execute(account.owner, { headers })).body);
      const second = executeWorkflowResponseSchema.parse((await execute(account.owner, { headers })).body);
      expect(second).toEqual(first);
    });

    it("is another account's, nobody's, or no job's", async () => {
      const stranger = await makeAccount(bed);
      expect((await execute(stranger.owner)).status).toBe(403);
      expect((await activate("svc_sk_wrong")).status).toBe(401);
      const path = `/v1/workflows/${UNKNOWN}/executions`;
      expect((await api.send(path, { method: "POST", bearer: account.owner })).status).toBe(404);
    });
  });
}
