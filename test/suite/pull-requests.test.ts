// The head of a pull request in the place of a job's commit: who may ask for it, and how it is named.

import { expect, it } from "vitest";
import { expectProblem, onEveryDeployment } from "./every-deployment.ts";

const pull_request = { number: 7, head_sha: "0123456789".repeat(4), base_ref: "main" };

onEveryDeployment("pull requests", (service) => {
  it("are asked for by a job, as a part of what the request asks", async () => {
    const job = await service().job();
    const submit = (asked: unknown) =>
      job.submit({ message: "hello", pull_request: asked }, { "idempotency-key": "comment-1" });
    const first = await submit(pull_request);
    expect(first.status).toBe(202);
    expect((await submit(pull_request)).body).toEqual(first.body);
    for (const change of [{ number: 8 }, { head_sha: "a".repeat(40) }, { base_ref: "next" }]) {
      expectProblem(await submit({ ...pull_request, ...change }), [422, "idempotency_key_reused"]);
    }
    expectProblem(await submit(undefined), [422, "idempotency_key_reused"]);
  });

  it("are refused to an account, which has no job", async () => {
    const { ownerKey: bearer, agentId } = await service().accountWithAgent();
    const json = { message: "hello", pull_request };
    const answer = await service().call(`/v1/agents/${agentId}/runs`, { method: "POST", bearer, json });
    expectProblem(answer, [403, "forbidden"]);
    expect(answer.text).toContain("Only a CI job says which pull request a run works on");
  });

  it.each([
    ["number", 0, "pull_request.number"],
    ["head_sha", "main", "40 or 64 hexadecimal digits"],
    ["base_ref", "--upload-pack=x", "must be the plain name of a branch"],
    ["base_ref", "a..b", "must be the plain name of a branch"],
  ])("are refused with the %s %j, and told what was meant", async (field, value, text) => {
    const job = await service().job();
    const answer = await job.submit({ message: "hello", pull_request: { ...pull_request, [field]: value } });
    expectProblem(answer, [400, "invalid_request"]);
    expect(answer.text).toContain(text);
  });
});
