// POST /v1/ci/claim: a repository's agent becomes an account's when both sides have agreed.

import { expect, it } from "vitest";
import type { Claims } from "../../fakes/issuer/claims.ts";
import type { Answer } from "../support/service-client.ts";
import { expectProblem, onEveryDeployment, readToEnd } from "./every-deployment.ts";

onEveryDeployment("claims", (service) => {
  const privateRepository = () => service().freshRepository({ repository_visibility: "private" });
  /** The claim token that the repository's next job prints. */
  const printToken = async (repository: Claims): Promise<string> => {
    const url = (await service().exchange(repository)).claim_url ?? "";
    expect(url).toMatch(/^http:\/\/nodes\.example\/claim\/svc_claim_/);
    return url.split("/").at(-1) ?? "";
  };
  const claim = (bearer: string, token: string): Promise<Answer> =>
    service().call("/v1/ci/claim", { method: "POST", bearer, json: { claim: token } });

  it("wait for the repository, then give its agent and all its work to the account", async () => {
    const { id, owner, ownerKey } = await service().account();
    const repository = privateRepository();
    const before = await service().job(repository);
    expectProblem(await before.submit({ message: "hello" }), [402, "insufficient_credits"]);

    const token = await printToken(repository);
    const pending = await claim(ownerKey, token);
    expect(pending.status).toBe(202);
    expect(pending.body).toMatchObject({ agent_id: before.agentId, status: "pending" });
    expect(await owner.claims.create({ body: { claim: token } })).toEqual(pending.body);
    expectProblem(await before.submit({ message: "hello" }), [402, "insufficient_credits"]);
    expect(await service().exchange(repository)).toMatchObject({ claim: "pending" });

    const accepted = await service().exchange(repository, { account: id });
    expect(accepted).toMatchObject({ claim: "claimed", claim_url: null, agent_id: before.agentId });
    expect((await claim(ownerKey, token)).body).toMatchObject({ status: "claimed", expires_at: null });
    const job = await service().job(repository);
    const runId = await job.start("hello");
    expect((await readToEnd(owner, runId)).at(-1)?.event.type).toBe("RUN_FINISHED");
    expect((await owner.runs.get({ agentId: job.agentId, runId })).status).toBe("completed");
    expect((await owner.credits.get({ userId: id })).balance).toBeLessThan(10_000);
    expect((await owner.agents.list()).map((agent) => agent.id)).toEqual([job.agentId]);
  });

  it("can begin while free credits pay, where a job asks for the link", async () => {
    const { id, owner, ownerKey } = await service().account();
    const repository = service().freshRepository();
    expect((await service().exchange(repository)).claim_url).toBeNull();
    const asked = await service().exchange(repository, { claim_link: "always" });
    expect(asked.quota).toMatchObject({ audience: "anon" });
    const token = asked.claim_url?.split("/").at(-1) ?? "";
    expect((await claim(ownerKey, token)).body).toMatchObject({ status: "pending" });
    expect(await owner.agents.list()).toEqual([]);
    const accepted = await service().exchange(repository, { account: id, claim_link: "always" });
    expect(accepted).toMatchObject({ claim: "claimed", claim_url: null, agent_id: asked.agent_id });
  });

  it("are not accepted by a job that anybody can start, nor for an account that did not ask", async () => {
    const [asker, other] = [await service().account(), await service().account()];
    const repository = privateRepository();
    await claim(asker.ownerKey, await printToken(repository));
    const pullRequest = { ...repository, event_name: "pull_request" };
    expect(await service().exchange(pullRequest, { account: asker.id })).toMatchObject({
      claim: "refused_event",
    });
    for (const account of [other.id, "nobody"]) {
      expect(await service().exchange(repository, { account })).toMatchObject({ claim: "none" });
    }
    expect(await asker.owner.agents.list()).toEqual([]);
  });

  it("are made once by a link, and refused where the agent is another's", async () => {
    const [first, second] = [await service().account(), await service().account()];
    const repository = privateRepository();
    const [token, unused] = [await printToken(repository), await printToken(repository)];
    const answers = await Promise.all([claim(first.ownerKey, token), claim(second.ownerKey, token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 404]);
    const winner = answers[0]?.status === 202 ? first : second;
    const loser = winner === first ? second : first;
    expect(await service().exchange(repository, { account: winner.id })).toMatchObject({ claim: "claimed" });
    expectProblem(await claim(loser.ownerKey, unused), [409, "already_claimed"]);
  });

  it("are the owner's alone to make", async () => {
    const { aiKey, ownerKey } = await service().account();
    const repository = privateRepository();
    const token = await printToken(repository);
    const refused = await claim(aiKey, token);
    expectProblem(refused, [403, "owner_needed"]);
    expect(refused.text).toContain("/claim/");
    expectProblem(await claim("svc_sk_wrong", token), [401, "unauthorized"]);
    expectProblem(await claim((await service().job(repository)).bearer, token), [403, "forbidden"]);
    expectProblem(await claim(ownerKey, `${token}x`), [404, "not_found"]);
    expectProblem(await claim(ownerKey, ""), [400, "invalid_request"]);
  });

  it("have a page that says where they stand, to nobody whose account it is", async () => {
    const { id, ownerKey } = await service().account();
    const repository = privateRepository();
    const token = await printToken(repository);
    const page = () => service().call(`/claim/${token}`);
    expect((await page()).text).toContain(String(repository.repository));
    await claim(ownerKey, token);
    const pending = await page();
    expect(pending.text).toContain("pending");
    expect(pending.text).not.toContain(id);
    await service().exchange(repository, { account: id });
    expect((await page()).text).toContain("claimed");
  });
});
