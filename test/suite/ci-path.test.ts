// The path of a CI job: its identity for a capability, a run of its repository's agent, the run's durable events.

import { expect, it } from "vitest";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { ciRunPageSchema } from "../../src/contract/ci/run-page.ts";
import { problemSchema } from "../../src/contract/problems/problem.ts";
import { FREE_CREDITS } from "../support/deployments/deployments.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { expectProblem, onEveryDeployment, UNKNOWN } from "./every-deployment.ts";

onEveryDeployment("the CI path", (service) => {
  const exchange = (subject_token: string) =>
    service().call("/v1/ci/oidc/exchange", { method: "POST", json: { subject_token } });

  it("says for whom a token must be", async () => {
    const answer = await service().call("/v1/ci/oidc/audience");
    expect([answer.status, answer.body]).toEqual([200, { audience: "nodes.example" }]);
  });

  it("exchanges a job's token for a capability, once, on whatever node", async () => {
    const repository = service().freshRepository();
    const token = service().mint(repository);
    const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(token)));
    const [taken, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    const exchanged = exchangeResponseSchema.parse(taken?.body);
    expect(exchanged).toMatchObject({
      token_type: "Bearer",
      expires_in: 900,
      scope: "ci:run",
      repository: { provider: "github", id: repository.repository_id, name: repository.repository },
      quota: { audience: "anon", credits_remaining: FREE_CREDITS },
    });
    expect(exchanged.access_token).toMatch(/^svc_ci_/);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectProblem(answer, [401, "invalid_grant"]);
      expect(problemSchema.parse(answer.body).reason).toBe("token_replayed");
    }
  });

  it("gives every job of a repository the same agent, also the first ones at once", async () => {
    const repository = service().freshRepository();
    const jobs = await Promise.all(Array.from({ length: 8 }, () => service().exchange(repository)));
    expect(new Set(jobs.map(({ agent_id }) => agent_id)).size).toBe(1);
    const renamed = await service().exchange({ ...repository, repository: "new-owner/new-name" });
    expect(renamed.agent_id).toBe(jobs[0]?.agent_id);
  });

  it.each([
    ["another audience", { aud: "else.example" }, [401, "invalid_target", "audience_mismatch"]],
    ["an end in the past", { exp: 1_000, iat: 900, nbf: 900 }, [401, "invalid_grant", "token_expired"]],
    [
      "an issuer that nobody knows",
      { iss: "https://else.example" },
      [401, "invalid_grant", "issuer_unknown"],
    ],
    ["an event of strangers", { event_name: "pull_request_target" }, [403, "invalid_grant", "event_refused"]],
  ] as const)("refuses a token with %s", async (_name, claims, [status, code, reason]) => {
    const answer = await exchange(service().mint({ ...service().freshRepository(), ...claims }));
    expectProblem(answer, [status, code]);
    expect(problemSchema.parse(answer.body).reason).toBe(reason);
  });

  it("runs the agent and reads its events by cursor and long poll, through every node", async () => {
    const job = await service().job();
    const runId = await job.start("load");
    const events = await job.follow(runId);
    await expectValidStream(events);
    const first = await job.page(runId, { limit: 2 });
    expect([first.events, first.next, first.done]).toEqual([events.slice(0, 2), 2, false]);
    const rest = await job.page(runId, { after: 2 });
    expect([rest.events, rest.next, rest.done]).toEqual([events.slice(2), events.length, true]);
    expect(rest.run).toEqual(await job.run(runId));
    const answer = await job.read(runId, { after: 2 });
    const headers = { "if-none-match": answer.headers.get("etag") ?? "" };
    const again = await job.read(runId, { after: 2 }, { headers });
    expect([again.status, again.text]).toEqual([304, ""]);
    for (const query of ["after=-1", "wait=31", "limit=0", "limit=1001"]) {
      expectProblem(await job.call(`/v1/ci/runs/${runId}?${query}`), [400, "invalid_request"]);
    }
  });

  it("wakes readers on every node at the first new event", async () => {
    const job = await service().job();
    const runId = await job.start("wait");
    const [{ seq } = { seq: 0 }] = (
      await job.readUntil(runId, ({ event }) => event.type === "TEXT_MESSAGE_START")
    ).slice(-1);
    const waiting = Promise.all(Array.from({ length: 4 }, () => job.page(runId, { after: seq, wait: 30 })));
    expect((await job.cancel(runId)).status).toBe(202);
    for (const page of await waiting) expect(page.events[0]?.seq).toBe(seq + 1);
    expect((await job.ended(runId)).status).toBe("cancelled");
    expectProblem(await job.cancel(runId), [409, "run_finished"]);
  });

  it("asks for a billing account when the owner's free credits have ended, whichever repository ran", async () => {
    const repository = service().freshRepository();
    const job = await service().job(repository);
    for (let runs = 0; runs < FREE_CREDITS; runs += 1) await job.ended(await job.start("hello"));
    const sibling = await service().job(
      service().freshRepository({ repository_owner_id: repository.repository_owner_id }),
    );
    for (const one of [job, sibling]) {
      const refused = await one.submit({ message: "hello" });
      expectProblem(refused, [402, "insufficient_credits"]);
      expect(problemSchema.parse(refused.body)).toMatchObject({
        audience: "anon",
        reason: "credits_ended",
        claim_url: expect.stringContaining("/claim/"),
      });
    }
  });

  it("asks for a billing account for a private repository", async () => {
    const job = await service().job(service().freshRepository({ repository_visibility: "private" }));
    const refused = await job.submit({ message: "hello" });
    expectProblem(refused, [402, "insufficient_credits"]);
    expect(problemSchema.parse(refused.body)).toMatchObject({
      reason: "repository_private",
      claim_url: expect.stringContaining("/claim/"),
    });
  });

  it("opens a run to jobs of its repository, and to nobody else", async () => {
    const repository = service().freshRepository();
    const [job, later, stranger] = [
      await service().job(repository),
      await service().job(repository),
      await service().job(),
    ];
    const { ownerKey, agentId } = await service().accountWithAgent();
    const runId = await job.start("hello");
    expect((await later.read(runId)).status).toBe(200);
    expectProblem(await stranger.read(runId), [403, "forbidden"]);
    expectProblem(await job.read(runId, {}, { bearer: ownerKey }), [403, "forbidden"]);
    expectProblem(await job.read(UNKNOWN), [404, "not_found"]);
    expectProblem(await service().call(`/v1/ci/runs/${runId}`), [401, "unauthorized"]);
    const foreign = { method: "POST", bearer: job.bearer, json: { message: "x" } };
    expectProblem(await service().call(`/v1/agents/${agentId}/runs`, foreign), [403, "forbidden"]);
  });

  it("opens an account's run to the account's key", async () => {
    const { owner, aiKey, agentId } = await service().accountWithAgent();
    const { runId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
    const answer = await service().call(`/v1/ci/runs/${runId}?wait=30`, { bearer: aiKey });
    expect(answer.status).toBe(200);
    expect(ciRunPageSchema.parse(answer.body).events[0]?.event.type).toBe("RUN_STARTED");
  });

  it("ends a capability that is given back, on every node", async () => {
    const job = await service().job();
    const runId = await job.start("hello");
    const revoke = () => job.call("/v1/ci/oidc/exchange", { method: "DELETE" });
    expect((await revoke()).status).toBe(204);
    for (const _ of service().apis) expectProblem(await job.read(runId), [401, "unauthorized"]);
    expect([204, 401]).toContain((await revoke()).status);
  });
});
