// Which runs may declare typed outputs, and what their stream has of them, on every store.

import { describe, expect, it } from "vitest";
import {
  TYPED_OUTPUT_EVENT,
  type TypedOutput,
  type TypedOutputs,
} from "../../../../src/contract/runs/typed-outputs.ts";
import { toProblem } from "../../../../src/service/api/shared/problems/to-problem.ts";
import { readAskedOutputs } from "../../../../src/service/core/runs/asked-outputs.ts";
import type { Backend, BackendTask } from "../../../../src/service/executor/backend.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const outputs: TypedOutputs = { labels: { allowed: ["bug"], max: 1 }, issue: { max: 1, close_older: true } };
const asked: readonly TypedOutput[] = [
  { type: "labels", labels: ["bug"] },
  { type: "issue", title: "Found", body: "Text." },
];

onEveryStore((store) => {
  describe("a run with typed outputs", () => {
    const start = async (name: string) => {
      const declared: (BackendTask["outputs"] | null)[] = [];
      const scripted = scriptedBackend(async (task) => {
        declared.push(task.outputs);
        for (const value of asked) {
          await say(task, "…");
          await task.emit({ type: "CUSTOM", name: TYPED_OUTPUT_EVENT, value });
        }
      });
      const backend: Backend = { ...scripted, name };
      const fixture = await CoreFixture.start({ store, backend });
      fixture.executor.start();
      return { fixture, declared };
    };

    it("has them as its job declared them, and its stream has what it asked for", async () => {
      const { fixture, declared } = await start("model");
      const submitted = await fixture.trySubmit({ message: "go", outputs });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      await fixture.ended(runId);
      expect(declared[0]?.declared).toEqual(outputs);
      expect(await declared[0]?.earlier()).toEqual([]);
      expect(await readAskedOutputs(fixture.store.committed, runId)).toEqual(asked);
      await fixture.close();
    });

    it("needs a model with the service's tools, and a job that writes them", async () => {
      const { fixture } = await start("acp");
      const refused = await fixture.trySubmit({ message: "go", outputs });
      const refusal = refused.ok ? expect.fail("It was admitted.") : refused.refusal;
      expect(toProblem(refusal)).toMatchObject({
        status: 400,
        message:
          '"outputs" is for runs of a model, and this agent\'s are executed by "acp", which has no tools for them. Leave it out.',
      });
      const { agentId } = (await fixture.caller()).capability;
      const byAccount = await fixture.submitter.submit({
        caller: {
          kind: "account",
          accountId: "account-1",
          callerClass: "owner",
          personId: null,
          role: "owner",
        },
        agentId,
        body: { message: "go", outputs },
        idempotencyKey: null,
      });
      expect(byAccount).toEqual({ ok: false, refusal: { reason: "outputs_needs_job" } });
      await fixture.close();
    });
  });
});
