// The renewal of a run's access, by a job with a clock of its own, at a real service that executes the run.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trusts } from "../../fakes/model-house/trust.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, type Step, say } from "../../fakes/model-server/turn.ts";
import { createJobClient } from "../../src/client/job-client.ts";
import { fetchTransport } from "../../src/client/transport.ts";
import { openFederatedAccess, type RenewedAccess } from "../../src/federation/federated-access.ts";
import { accessBody, renewModelAccess } from "../../src/job/model-renewal.ts";
import { ManualClock } from "../support/clocks/manual-clock.ts";
import { BroughtFixture } from "../support/fixtures/brought-fixture.ts";

const LIFE_SECONDS = 600;
const UNTIL_RENEWAL_MS = 480_000;

let fixture: BroughtFixture;
let clock: ManualClock;
let gates: PromiseWithResolvers<void>[];
let notes: string[];
beforeEach(async () => {
  gates = [Promise.withResolvers(), Promise.withResolvers(), Promise.withResolvers()];
  notes = [];
  clock = new ManualClock(new Date().toISOString());
  fixture = await BroughtFixture.start({
    script: everyTime(() => turn),
    trust: { anthropic: { lifeSeconds: LIFE_SECONDS } },
  });
});
afterEach(async () => await fixture.close());

/** Each answer waits for its gate. */
async function turn({ assistantTurns }: { assistantTurns: number }): Promise<Step> {
  await gates[assistantTurns]?.promise;
  return assistantTurns < 2 ? call("read_file", { path: "a.txt" }) : say("Read.");
}

/** By ID tokens that outlive every turn of the job's clock. */
function openAccess(): RenewedAccess {
  const { issuer } = fixture.codeHost;
  const exp = Math.floor(Date.now() / 1000) + 7_200;
  return openFederatedAccess({
    federation: { provider: "anthropic", ...trusts.anthropic },
    mintIdToken: async (aud) => issuer.sign(issuer.githubClaims({ aud, exp })),
    send: (request) => fixture.house.send(request),
    clock,
    random: () => 0.5,
    onSecret: () => {},
  });
}

async function start({ isAttached = false } = {}) {
  const access = openAccess();
  const sent = await access.current();
  const job = await fixture.job();
  const runId = await fixture.submit(job, "Read it.", {
    provider: "anthropic",
    model: "claude-x",
    ...accessBody(sent),
  });
  let told = Promise.withResolvers<number>();
  const client = createJobClient({
    baseUrl: fixture.nodes[0]?.url ?? "",
    credential: job.bearer,
    transport: async (request) => {
      const answer = await fetchTransport(request);
      told.resolve(answer.status);
      return answer;
    },
  });
  const followed = new AbortController();
  const renewal = renewModelAccess({
    client,
    runId,
    access,
    sent: isAttached ? null : sent,
    clock,
    signal: followed.signal,
    onNote: (note) => notes.push(note),
  });
  /** The status of the next answer, once the job's clock has gone so far. */
  const answerAfter = async (ms: number) => {
    await clock.whenSleeping();
    told = Promise.withResolvers();
    clock.advance(ms);
    return await told.promise;
  };
  return { job, runId, renewal, followed, answerAfter, told: () => told.promise };
}

const shownTokens = () => fixture.house.model.requests.map(({ headers }) => headers.authorization);

describe("the renewal of a run's access to a model", () => {
  it("gives the service two more tokens during a run, and ends with the run", async () => {
    const { job, runId, renewal, answerAfter } = await start();
    await fixture.house.model.arrival(1);
    expect(await answerAfter(UNTIL_RENEWAL_MS)).toBe(204);
    gates[0]?.resolve();
    await fixture.house.model.arrival(2);
    expect(await answerAfter(UNTIL_RENEWAL_MS)).toBe(204);
    gates[1]?.resolve();
    await fixture.house.model.arrival(3);
    gates[2]?.resolve();
    expect(await job.ended(runId)).toMatchObject({ status: "completed", model_billing: "repository" });
    const { exchanges } = fixture.house;
    expect(exchanges.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(shownTokens()).toEqual(exchanges.map(({ accessToken }) => `Bearer ${accessToken}`));
    expect(await answerAfter(UNTIL_RENEWAL_MS)).toBe(409);
    await renewal;
    expect(notes).toEqual([]);
  });

  it("bridges an outage of the token endpoint with the token that the service has", async () => {
    const { runId, job, renewal, followed, answerAfter } = await start();
    await fixture.house.model.arrival(1);
    fixture.house.faults.anthropic.always({ type: "status", status: 503 });
    await clock.whenSleeping();
    clock.advance(UNTIL_RENEWAL_MS);
    // Four tries, then the next ten seconds later.
    for (let tries = 0; tries < 4; tries += 1) {
      await clock.whenSleeping();
      clock.advance(15_000);
    }
    await clock.whenSleeping();
    expect(notes).toEqual([]);
    fixture.house.faults.anthropic.clear();
    expect(await answerAfter(15_000)).toBe(204);
    for (const gate of gates) gate.resolve();
    expect(await job.ended(runId)).toMatchObject({ status: "completed" });
    followed.abort();
    await renewal;
  });

  it("gives it a token at once where an earlier attempt of the job had submitted the run", async () => {
    const { renewal, followed, told } = await start({ isAttached: true });
    expect(await told()).toBe(204);
    for (const gate of gates) gate.resolve();
    followed.abort();
    await renewal;
    expect(notes).toEqual([]);
  });

  it("stops where the provider refuses the job from now on, and says so once", async () => {
    const { renewal } = await start();
    await fixture.house.model.arrival(1);
    fixture.house.faults.anthropic.always({ type: "status", status: 401, body: "{}" });
    for (let seconds = 0; seconds < LIFE_SECONDS; seconds += 60) {
      await Promise.race([clock.whenSleeping(), renewal]);
      clock.advance(60_000);
    }
    await renewal;
    expect(notes).toEqual([
      expect.stringContaining(
        "The run's access to its model was not renewed: Anthropic did not accept the ID token",
      ),
    ]);
    for (const gate of gates) gate.resolve();
  });
});
