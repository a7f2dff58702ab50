// The owner's policy on CI jobs: set with the owner's key, kept by every exchange and submission, gone with the claim.

import { expect, it } from "vitest";
import type { Claims } from "../../fakes/issuer/claims.ts";
import { problemSchema } from "../../src/contract/problems/problem.ts";
import type { DeployedAccount } from "../support/deployments/deployed-service.ts";
import { runCommand } from "../support/run/run-command.ts";
import type { Answer } from "../support/service-client.ts";
import { expectProblem, onEveryDeployment } from "./every-deployment.ts";

const ON_MAIN = ".github/workflows/agent.yml@refs/heads/main";

onEveryDeployment("policies on CI jobs", (service) => {
  /** A private repository whose agent a new account has claimed. */
  const claimed = async () => {
    const account = await service().account();
    const repository = service().freshRepository({ repository_visibility: "private" });
    await claim(account, repository);
    const { agent_id: agentId } = await service().exchange(repository);
    return { ...account, repository, agentId };
  };
  const claim = async ({ id, owner }: DeployedAccount, repository: Claims) => {
    const url = (await service().exchange(repository)).claim_url ?? "";
    await owner.claims.create({ body: { claim: url.split("/").at(-1) ?? "" } });
    expect(await service().exchange(repository, { account: id })).toMatchObject({ claim: "claimed" });
  };
  const exchange = (subject_token: string): Promise<Answer> =>
    service().call("/v1/ci/oidc/exchange", { method: "POST", json: { subject_token } });
  const patch = (bearer: string, agentId: string, json: unknown): Promise<Answer> =>
    service().call(`/v1/agents/${agentId}`, { method: "PATCH", bearer, json });
  const expectRefused = (answer: Answer, code: string, said: { expected: string; got: string }) => {
    expectProblem(answer, [403, code]);
    expect(problemSchema.parse(answer.body)).toMatchObject({ reason: "policy_refused", ...said });
  };

  it("are shown, set as a whole, and cleared", async () => {
    const { owner, ai, agentId } = await claimed();
    const plain = await owner.agents.get({ agentId });
    expect(plain.ci_policy).toBeNull();
    for (const ci_policy of [
      { events: ["push"], refs: ["refs/heads/release/*"], workflows: [ON_MAIN], actors: ["12"] },
      { refs: ["refs/heads/main"] },
      { events: ["push"], max_usd_per_day: 12.5 },
      { max_usd_per_day: 0.01 },
      null,
    ]) {
      const set = await owner.agents.update({ agentId, body: { ci_policy } });
      expect(await owner.agents.update({ agentId, body: { ci_policy } })).toEqual(set);
      expect(set).toEqual({ ...plain, ci_policy });
      expect(await ai.agents.get({ agentId })).toEqual(set);
      expect(await owner.agents.list()).toEqual([set]);
    }
    await owner.agents.update({ agentId, body: { ci_policy: { events: ["push"] } } });
    const capped = await ai.agents.update({ agentId, body: { advisor_max_spend_micro_usd: 1 } });
    expect(capped).toMatchObject({ ci_policy: { events: ["push"] } });
  });

  it("are the owner's alone to set, not an AI client's, and not to clear either", async () => {
    const { owner, ownerKey, aiKey, agentId, repository } = await claimed();
    await owner.agents.update({ agentId, body: { ci_policy: { events: ["push"] } } });
    for (const ci_policy of [null, { events: ["push", "issue_comment"] }]) {
      const refused = await patch(aiKey, agentId, { ci_policy, advisor_max_spend_micro_usd: 1 });
      expectProblem(refused, [403, "owner_needed"]);
      expect(refused.text).toContain("set which CI jobs may run an agent");
    }
    const { bearer } = await service().job(repository);
    expectProblem(await patch(bearer, agentId, { ci_policy: null }), [403, "forbidden"]);
    const stranger = await service().account();
    expectProblem(await patch(stranger.ownerKey, agentId, { ci_policy: null }), [403, "forbidden"]);
    const { advisor_max_spend_micro_usd, ci_policy } = await owner.agents.get({ agentId });
    expect([advisor_max_spend_micro_usd, ci_policy]).toEqual([undefined, { events: ["push"] }]);
    for (const wrong of [
      {},
      [],
      "push",
      { events: [] },
      { refs: ["main"] },
      { event: ["push"] },
      { max_usd_per_day: 0 },
      { max_usd_per_day: "5" },
    ]) {
      expectProblem(await patch(ownerKey, agentId, { ci_policy: wrong }), [400, "invalid_request"]);
    }
  });

  it("are of a repository's agent alone", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    expect(await owner.agents.get({ agentId })).not.toHaveProperty("ci_policy");
    for (const ci_policy of [null, { events: ["push"] }]) {
      const refused = await patch(ownerKey, agentId, { ci_policy });
      expectProblem(refused, [400, "invalid_request"]);
      expect(refused.text).toContain("has no repository");
    }
  });

  it("refuse a job from an edited workflow on a branch, and let the one on main run", async () => {
    const { owner, agentId, repository } = await claimed();
    await owner.agents.update({ agentId, body: { ci_policy: { workflows: [ON_MAIN] } } });
    const said = {
      expected: `workflow ${ON_MAIN}`,
      got: "workflow .github/workflows/agent.yml@refs/heads/topic",
    };
    for (const event_name of ["push", "workflow_dispatch"]) {
      const edited = service().mint({ ...repository, event_name, ref: "refs/heads/topic" });
      expectRefused(await exchange(edited), "invalid_grant", said);
    }
    const called = { job_workflow_ref: `${repository.repository}/${ON_MAIN}`, ref: "refs/heads/topic" };
    expectRefused(await exchange(service().mint({ ...repository, ...called })), "invalid_grant", said);
    const job = await service().job(repository);
    expect((await job.ended(await job.start())).status).toBe("completed");
    const onTopic = {
      ...repository,
      ref: "refs/heads/topic",
      workflow_ref: `${repository.repository}/${ON_MAIN}`,
    };
    expect((await service().exchange(onTopic)).agent_id).toBe(agentId);
  });

  it.each<[string, object, Claims, string, string]>([
    ["event", { events: ["push"] }, { event_name: "issue_comment" }, "event push", "event issue_comment"],
    ["ref", { refs: ["refs/heads/release/*"] }, {}, "ref refs/heads/release/*", "ref refs/heads/main"],
    ["actor", { actors: ["7", "8"] }, {}, "actor 7 or 8", "actor 12"],
    [
      "actor that there is none of",
      { actors: ["7"] },
      { actor_id: undefined },
      "actor 7",
      "no actor in its token",
    ],
  ])("refuse a job for its %s", async (_name, policy, claims, expected, got) => {
    const { owner, agentId, repository } = await claimed();
    await owner.agents.update({ agentId, body: { ci_policy: policy } });
    const answer = await exchange(service().mint({ ...repository, ...claims }));
    expectRefused(answer, "invalid_grant", { expected, got });
    expect(problemSchema.parse(answer.body).error).toContain(`agent-service agents policy ${agentId}`);
  });

  it("use up the token that they refuse, and leave an audit entry", async () => {
    const { id, owner, agentId, repository } = await claimed();
    await owner.agents.update({ agentId, body: { ci_policy: { events: ["schedule"] } } });
    const token = service().mint(repository);
    const refused = await exchange(token);
    expectProblem(refused, [403, "invalid_grant"]);
    await owner.agents.update({ agentId, body: { ci_policy: null } });
    const again = await exchange(token);
    expectProblem(again, [401, "invalid_grant"]);
    expect(problemSchema.parse(again.body).reason).toBe("token_replayed");
    const rows = await service().query(
      `select action, outcome, account_id, request_id from audit_entries
       where repository_id = '${repository.repository_id}' and (action = 'policy' or outcome = 'policy_refused') order by id`,
    );
    expect(rows).toMatchObject([
      { action: "policy", outcome: "ok", account_id: id },
      { action: "exchange", outcome: "policy_refused", request_id: refused.headers.get("x-request-id") },
      { action: "policy", outcome: "ok", account_id: id },
    ]);
  });

  it("hold for a capability that was issued before, also with a key that made a run, on every node", async () => {
    const { owner, agentId, repository } = await claimed();
    const job = await service().job(repository);
    const headers = { "idempotency-key": "first" };
    expect((await job.submit({ message: "hello" }, headers)).status).toBe(202);
    await owner.agents.update({ agentId, body: { ci_policy: { events: ["schedule"] } } });
    const said = { expected: "event schedule", got: "event push" };
    for (const _ of service().apis) {
      expectRefused(await job.submit({ message: "hello" }), "forbidden", said);
      expectRefused(await job.submit({ message: "hello" }, headers), "forbidden", said);
    }
    expect((await job.call(job.runsPath)).body).toHaveLength(1);
    // An account is no job.
    expect((await owner.runs.submit({ agentId, body: { message: "hello" } })).runId).toMatch(/^[\w-]{36}$/);
    await owner.agents.update({ agentId, body: { ci_policy: null } });
    expect((await job.submit({ message: "hello" })).status).toBe(202);
  });

  it("open no event that outsiders can steer", async () => {
    const { owner, agentId, repository } = await claimed();
    const events = ["pull_request_target", "workflow_run"];
    await owner.agents.update({ agentId, body: { ci_policy: { events } } });
    for (const event_name of events) {
      const answer = await exchange(service().mint({ ...repository, event_name }));
      expect(problemSchema.parse(answer.body).reason).toBe("event_refused");
    }
  });

  it("are gone with the claim, for whoever claims the agent next", async () => {
    const { owner, agentId, repository } = await claimed();
    await owner.agents.update({ agentId, body: { ci_policy: { actors: ["7"] } } });
    expectProblem(await exchange(service().mint(repository)), [403, "invalid_grant"]);
    expect((await service().operate("claim", "release", agentId)).code).toBe(0);
    expect((await service().exchange(repository)).agent_id).toBe(agentId);
    const next = await service().account();
    await claim(next, repository);
    expect((await next.owner.agents.get({ agentId })).ci_policy).toBeNull();
  });

  it("are set by the command, list by list", async () => {
    const { ownerKey, aiKey, agentId } = await claimed();
    const policy = async (key: string, ...flags: string[]) => {
      const env = { AGENT_SERVICE_URL: service().url(), AGENT_SERVICE_KEY: key };
      return await runCommand(["agents", "policy", agentId, ...flags], env);
    };
    const all = await policy(ownerKey);
    expect([all.code, all.stdout]).toEqual([0, "Every CI job of the repository may run the agent."]);
    await policy(
      ownerKey,
      "--allow-ref",
      "refs/heads/main",
      "--allow-event",
      "push",
      "--allow-event",
      "schedule",
    );
    const more = await policy(ownerKey, "--allow-event", "push", "--allow-workflow", ON_MAIN);
    const shown = `events     push\nrefs       refs/heads/main\nworkflows  ${ON_MAIN}\nactors     any`;
    expect([more.code, more.stdout]).toEqual([0, shown]);
    expect((await policy(aiKey)).stdout).toBe(shown);
    const capped = await policy(ownerKey, "--max-usd-per-day", "7.50", "--json");
    expect(JSON.parse(capped.stdout)).toMatchObject({ events: ["push"], max_usd_per_day: 7.5 });
    const anew = await policy(ownerKey, "--clear", "--allow-actor", "12", "--json");
    expect(JSON.parse(anew.stdout)).toEqual({ actors: ["12"] });

    const refused = await policy(aiKey, "--clear");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Only the owner in person")]);
    const wrong = await policy(ownerKey, "--allow-ref", "main");
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("must be a full ref")]);
    expect((await policy(ownerKey, "--allow-branch", "main")).code).toBe(2);
    expect(JSON.parse((await policy(ownerKey, "--json")).stdout)).toEqual({ actors: ["12"] });
    expect((await policy(ownerKey, "--clear", "--json")).stdout).toBe("null");

    const named = await service().accountWithAgent();
    const env = { AGENT_SERVICE_URL: service().url(), AGENT_SERVICE_KEY: named.ownerKey };
    const none = await runCommand(["agents", "policy", named.agentId], env);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("has no repository")]);
  });
});
