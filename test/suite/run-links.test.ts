// Links to the pages of runs: made for jobs of shared repositories, good for one run's events, no credential of the API,
// ended by the owner.

import { expect, it } from "vitest";
import type { Claims } from "../../fakes/issuer/claims.ts";
import { runPageLinkSchema } from "../../src/contract/ci/run-page.ts";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { SocketClient } from "../service/api/socket/socket-client.ts";
import type { DeployedAccount } from "../support/deployments/deployed-service.ts";
import type { CiJob } from "../support/service-job.ts";
import { expectProblem, onEveryDeployment, readToEnd, UNKNOWN } from "./every-deployment.ts";

onEveryDeployment("links to runs", (service) => {
  const link = async (job: CiJob, runId: string) => {
    const answer = await job.call(`/v1/ci/runs/${runId}/page`, { method: "POST" });
    expect(answer.status, answer.text).toBe(200);
    const { page_url, shared } = runPageLinkSchema.parse(answer.body);
    return { page: new URL(page_url), shared, token: new URL(page_url).searchParams.get("view") ?? "" };
  };
  const claim = async ({ id, owner }: DeployedAccount, repository: Claims) => {
    // A claim link comes with the exchange of a repository that free credits do not pay for.
    const isPrivate = { ...repository, repository_visibility: "private" };
    const url = (await service().exchange(isPrivate)).claim_url ?? "";
    await owner.claims.create({ body: { claim: url.split("/").at(-1) ?? "" } });
    await service().exchange(repository, { account: id });
  };
  /** The events that a link gives, or the code of its refusal. */
  const readBy = async (token: string, runId: string): Promise<number | string> => {
    const socket = await SocketClient.open(service().url());
    socket.send({ type: "auth", token });
    socket.send({ type: "subscribe", id: "s", run_id: runId });
    const end = await Promise.race([
      socket.when("unsubscribed").then(() => socket.events("s").length),
      socket.when("error").then(({ code }) => code),
    ]);
    await socket.close();
    return end;
  };

  it("of a public repository read that run's events over the socket, and nothing else", async () => {
    const job = await service().job();
    const [runId, otherRun] = [await job.start(), await job.start()];
    const { page, shared, token } = await link(job, runId);
    expect([page.pathname, shared]).toEqual([`/agent/${job.agentId}/runs/${runId}`, true]);
    expect(token).toMatch(/^svc_rv_/);
    const events = await readToEnd(service().client(job.bearer), runId);
    expect(await readBy(token, runId)).toBe(events.length);

    const socket = await SocketClient.open(service().url());
    socket.send({ type: "auth", token });
    await socket.when("ready");
    const session = { type: "subscribe", id: "session", session_id: (await job.run(runId)).thread_id };
    const submit = { type: "submit", id: "submit", agent_id: job.agentId, message: "go" };
    const cancel = { type: "cancel", id: "cancel", agent_id: job.agentId, run_id: otherRun };
    for (const frame of [session, submit, cancel]) {
      socket.send(frame);
      const { code } = await socket.when("error", ({ id }) => id === frame.id);
      expect([frame.id, code]).toEqual([frame.id, "forbidden"]);
    }
    for (const [id, run_id] of [
      ["other", otherRun],
      ["unknown", UNKNOWN],
    ]) {
      socket.send({ type: "subscribe", id, run_id });
      expect(await socket.when("error", (frame) => frame.id === id)).toMatchObject({ code: "not_found" });
    }
    expect(socket.ofType("event")).toEqual([]);
    await socket.close();
  });

  it("are no credential of any route", async () => {
    const job = await service().job();
    const runId = await job.start();
    const { token } = await link(job, runId);
    const ids: Readonly<Record<string, string>> = { agentID: job.agentId, runID: runId };
    const all: readonly Route[] = Object.values(routes).flatMap((noun): readonly Route[] =>
      Object.values(noun),
    );
    const guarded = all.filter(({ callers }) => callers.length > 0);
    expect(guarded.length).toBeGreaterThan(20);
    for (const { method, path, answer } of guarded) {
      const url = path.replace(/\{(\w+)\}/g, (_all: string, name: string) => ids[name] ?? UNKNOWN);
      if (answer === "socket") continue;
      for (const given of [url, `${url}?view=${token}`]) {
        const refused = await service().call(given, { method, bearer: token });
        expect([method, path, refused.status]).toEqual([method, path, 401]);
        const unnamed = await service().call(`${url}?view=${token}`, { method });
        expect([method, path, unnamed.status]).toEqual([method, path, 401]);
      }
    }
    await expect(SocketClient.open(service().url(), { bearer: token })).rejects.toThrow("401");
  });

  it("are asked for by the run's own jobs alone", async () => {
    const job = await service().job();
    const runId = await job.start();
    const stranger = await service().job();
    expectProblem(await stranger.call(`/v1/ci/runs/${runId}/page`, { method: "POST" }), [403, "forbidden"]);
    expectProblem(await job.call(`/v1/ci/runs/${UNKNOWN}/page`, { method: "POST" }), [404, "not_found"]);
    const { ownerKey } = await service().account();
    const asked = await service().call(`/v1/ci/runs/${runId}/page`, { method: "POST", bearer: ownerKey });
    expectProblem(asked, [403, "forbidden"]);
  });

  it.each(["private", "internal"])(
    "of a repository that is %s have no token, unless its owner shares",
    async (visibility) => {
      const account = await service().account();
      const repository = service().freshRepository({ repository_visibility: visibility });
      await claim(account, repository);
      const job = await service().job(repository);
      const runId = await submitted(account, job.agentId);
      expect(await link(job, runId)).toMatchObject({ shared: false, token: "" });
      await account.owner.agents.update({ agentId: job.agentId, body: { ci_policy: { share: "log" } } });
      const { token } = await link(job, runId);
      expect(await readBy(token, runId)).toBeGreaterThan(0);
      await account.owner.agents.update({ agentId: job.agentId, body: { ci_policy: null } });
      expect(await readBy(token, runId)).toBe("unauthorized");
    },
  );

  it("end when the owner says so, and when the repository is not public any more", async () => {
    const account = await service().account();
    const repository = service().freshRepository();
    await claim(account, repository);
    const job = await service().job(repository);
    const { agentId } = job;
    const runId = await submitted(account, agentId);
    const first = await link(job, runId);
    expect(await readBy(first.token, runId)).toBeGreaterThan(0);

    await expect(account.ai.agents.revokeLinks({ agentId })).rejects.toMatchObject({ code: "owner_needed" });
    await account.owner.agents.revokeLinks({ agentId });
    expect(await readBy(first.token, runId)).toBe("unauthorized");
    const second = await link(job, runId);
    await account.owner.agents.update({ agentId, body: { ci_policy: { share: "off" } } });
    expect(await readBy(second.token, runId)).toBe("unauthorized");
    expect(await link(job, runId)).toMatchObject({ shared: false });

    await account.owner.agents.update({ agentId, body: { ci_policy: null } });
    expect(await readBy(second.token, runId)).toBeGreaterThan(0);
    await service().exchange({ ...repository, repository_visibility: "private" });
    expect(await readBy(second.token, runId)).toBe("unauthorized");
  });

  it("are revoked by the agent's own owner alone", async () => {
    const job = await service().job();
    const { owner } = await service().account();
    await expect(owner.agents.revokeLinks({ agentId: job.agentId })).rejects.toMatchObject({ status: 403 });
    const refused = await job.call(`/v1/agents/${job.agentId}/run-links`, { method: "DELETE" });
    expectProblem(refused, [403, "forbidden"]);
  });

  /** A run of the account itself, which no commit is needed for, read to its end. */
  const submitted = async ({ owner }: DeployedAccount, agentId: string): Promise<string> => {
    const { runId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
    await readToEnd(owner, runId);
    return runId;
  };
});
