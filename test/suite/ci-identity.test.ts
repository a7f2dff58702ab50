// GET /v1/ci/identity: what a job is to the service, whichever node it asks, and where its repository stands.

import { expect, it } from "vitest";
import { ciIdentitySchema } from "../../src/contract/ci/exchange.ts";
import { FREE_CREDITS } from "../support/deployments/deployments.ts";
import type { CiJob } from "../support/service-job.ts";
import { expectProblem, onEveryDeployment } from "./every-deployment.ts";

const PATH = "/v1/ci/identity";

onEveryDeployment("the identity of a job", (service) => {
  const identityOf = async (job: CiJob) => ciIdentitySchema.parse((await job.call(PATH)).body);

  it("is what its token said, with its quota, on every node", async () => {
    const repository = service().freshRepository();
    const job = await service().job({
      ...repository,
      event_name: "pull_request",
      ref: "refs/pull/7/merge",
      base_ref: "main",
      sha: "b".repeat(40),
      run_id: "4711",
      run_attempt: "3",
    });
    const before = Date.now();
    for (const _ of service().apis) {
      const identity = await identityOf(job);
      expect(identity).toEqual({
        provider: "github",
        issuer: service().handle.issuer.url,
        audience: "nodes.example",
        repository: job.exchanged.repository,
        event: "pull_request",
        ref: "refs/pull/7/merge",
        base_ref: "main",
        sha: "b".repeat(40),
        run_id: "4711",
        run_attempt: "3",
        actor_id: "12",
        workflow: expect.stringMatching(/^\.github\/workflows\/.+@refs\//),
        agent_id: job.agentId,
        claim: "unclaimed",
        expires_at: identity.expires_at,
        quota: job.exchanged.quota,
      });
      expect(Date.parse(identity.expires_at)).toBeGreaterThan(before);
    }
    expect((await job.call(PATH)).headers.get("cache-control")).toBe("no-store");
    expect(await service().client(job.bearer).ci.identity()).toEqual(await identityOf(job));
  });

  it("follows the credits that runs use up", async () => {
    const job = await service().job();
    expect((await identityOf(job)).quota.credits_remaining).toBe(FREE_CREDITS);
    await job.ended(await job.start("hello"));
    expect((await identityOf(job)).quota.credits_remaining).toBe(FREE_CREDITS - 1);
  });

  it("says how far a claim is, and whose credits count from then on", async () => {
    const { id, owner } = await service().account();
    const repository = service().freshRepository({ repository_visibility: "private" });
    const job = await service().job(repository);
    expect(await identityOf(job)).toMatchObject({ claim: "unclaimed", quota: { audience: "anon" } });
    const claim = (job.exchanged.claim_url ?? "").split("/").at(-1) ?? "";
    await owner.claims.create({ body: { claim } });
    expect(await identityOf(job)).toMatchObject({ claim: "pending", quota: { audience: "anon" } });
    await service().exchange(repository, { account: id });
    const { balance } = await owner.credits.get({ userId: id });
    expect(await identityOf(job)).toMatchObject({
      claim: "claimed",
      quota: { audience: "subscribed", credits_remaining: balance },
    });
  });

  it("is for jobs alone, as long as their capability lasts", async () => {
    const { ownerKey, aiKey } = await service().account();
    for (const bearer of [ownerKey, aiKey]) {
      expectProblem(await service().call(PATH, { bearer }), [403, "forbidden"]);
    }
    expectProblem(await service().call(PATH), [401, "unauthorized"]);
    expectProblem(await service().call(PATH, { bearer: "svc_ci_wrong" }), [401, "unauthorized"]);
    const job = await service().job();
    expect((await job.call("/v1/ci/oidc/exchange", { method: "DELETE" })).status).toBe(204);
    expectProblem(await job.call(PATH), [401, "unauthorized"]);
  });
});
