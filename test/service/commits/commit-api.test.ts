// A job sends its commit, and runs work on it: over the socket, with real git, without any code host.

import { readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unfoldingPack } from "../checkouts/packs/pack-fixture.ts";
import { CommitFixture } from "./commit-fixture.ts";

let at: CommitFixture;
let days = 0;

beforeAll(async () => {
  at = await CommitFixture.start({
    commits: { maxBytes: 3_000_000, quotaBytes: 100_000_000, keptDays: 14, cacheBytes: 50_000_000 },
  });
});

afterAll(async () => {
  const logs = at.service.logText();
  for (const secret of at.service.secrets) expect(logs).not.toContain(secret);
  await at.close();
});

const lines = Array.from({ length: 400 }, (_, line) => `line ${line} of a file that stays the same`);

function commit(text: string, parents: readonly string[] = [], more: Record<string, string> = {}): string {
  days += 1;
  const files = { "a.txt": text, "long.txt": lines.join("\n"), ...more };
  return at.packs.repository.commit({ files, parents, day: days, subject: text });
}

async function loseBlobs(): Promise<void> {
  await rm(join(at.service.place.settings.dataDir, "blobs", "packs"), { recursive: true });
  // The newest pack of a commit counts.
  at.service.clock.advance(1_000);
}

describe("a commit of a private repository", () => {
  it("is sent, held, and what a run works on", async () => {
    const repository = await at.claimed();
    const first = commit("first");
    const job = await at.service.job({ ...repository, sha: first });
    const refused = await job.submit({ message: "read" });
    expect(refused).toMatchObject({ status: 409, body: { code: "commit_missing" } });
    expect(refused.text).toContain(first);
    const { commits } = at.client(job);
    expect(await commits.find({ sha: first })).toEqual({
      sha: first,
      present: false,
      have: [],
      max_bytes: 3_000_000,
      history: 50,
    });
    const sent = await at.send(job, first);
    expect(sent).toMatchObject({ status: 201, body: { sha: first, objects: 4 } });
    expect(await commits.find({ sha: first })).toMatchObject({ present: true, have: [] });
    expect(await at.run(job)).toMatchObject({ text: "first", headSha: first, commits: ["first"] });
    // A repeat is answered, whatever it brings.
    expect(await at.send(job, first, { pack: Buffer.from("nothing") })).toMatchObject({
      status: 201,
      body: sent.body,
    });
  });

  it("is asked for again where its blobs are lost, and is not built upon", async () => {
    const repository = await at.claimed();
    const first = commit("lost");
    const job = await at.service.job({ ...repository, sha: first });
    await at.send(job, first);
    await loseBlobs();
    const second = commit("after the loss", [first]);
    const next = await at.service.job({ ...repository, sha: second });
    expect(await at.client(next).commits.find({ sha: second })).toMatchObject({ present: false, have: [] });
    expect(await at.client(job).commits.find({ sha: first })).toMatchObject({ present: false });
    expect((await at.send(job, first)).status).toBe(201);
    expect(await at.client(job).commits.find({ sha: first })).toMatchObject({ present: true });
    expect((await at.send(next, second)).status).toBe(201);
    expect(await at.run(next)).toMatchObject({ text: "after the loss" });
  });

  it("that is lost is taken again from a job that does not ask first", async () => {
    const repository = await at.claimed();
    const first = commit("lost without a question");
    const job = await at.service.job({ ...repository, sha: first });
    await at.send(job, first);
    await loseBlobs();
    expect((await at.send(job, first)).status).toBe(201);
    expect(await readdir(join(at.service.place.settings.dataDir, "blobs", "packs"))).toHaveLength(1);
    expect(await at.run(job)).toMatchObject({ text: "lost without a question" });
  });

  it("costs the second time what is new", async () => {
    const repository = await at.claimed();
    const first = commit("first");
    const before = await at.service.job({ ...repository, sha: first });
    const whole = await at.send(before, first);
    const second = commit("second", [first]);
    const job = await at.service.job({ ...repository, sha: second });
    const state = await at.client(job).commits.find({ sha: second });
    expect(state).toMatchObject({ present: false, have: [{ sha: first, shallow: [] }] });
    const thin = await at.send(job, second, { base: [first] });
    expect(thin.status).toBe(201);
    expect(thin.sent).toBeLessThan(whole.sent / 2);
    expect(await at.run(job)).toMatchObject({ text: "second", commits: ["second", "first"] });
    // The first is held as before.
    expect(await at.run(before)).toMatchObject({ text: "first", commits: ["first"] });
  });

  it("is whole again once too many packs have come", async () => {
    const repository = await at.claimed();
    let tip = commit("0");
    const chain: number[] = [];
    for (let turn = 1; turn <= 14; turn += 1) {
      const job = await at.service.job({ ...repository, sha: tip });
      const { have } = await at.client(job).commits.find({ sha: tip });
      chain.push(have.length);
      const base = have.map(({ sha }) => sha);
      expect((await at.send(job, tip, { base })).status).toBe(201);
      expect((await at.run(job)).commits).toHaveLength(Math.min(10, turn));
      at.service.clock.setWall(1_000);
      tip = commit(String(turn), [tip]);
    }
    expect(chain[0]).toBe(0);
    expect(chain.slice(1, 10)).not.toContain(0);
    expect(chain.slice(10)).toContain(0);
  });

  it("is not taken of a repository that nobody has claimed, and the job is told where to", async () => {
    const sha = commit("unclaimed");
    const job = await at.service.job({ ...at.unclaimed(), sha });
    for (const answer of [await job.call(`/v1/ci/commits/${sha}`), await at.send(job, sha)]) {
      expect(answer).toMatchObject({ status: 402, body: { code: "claim_required" } });
      expect(answer.text).toMatch(/claim_url":"http[^"]+\/claim\/svc_claim_/);
    }
  });

  it("is that of the job's token, or one of a pull request", async () => {
    const repository = await at.claimed();
    const [own, other] = [commit("own"), commit("other")];
    const job = await at.service.job({ ...repository, sha: own });
    for (const answer of [await job.call(`/v1/ci/commits/${other}`), await at.send(job, other)])
      expect(answer).toMatchObject({ status: 403, body: { code: "commit_not_the_jobs" } });
    expect((await job.call(`/v1/ci/commits/${other}?pull_request=7`)).status).toBe(200);
    expect((await at.send(job, other, { pull_request: 7 })).status).toBe(201);
    for (const name of ["main", own.slice(0, 12), `${own}x`, own.toUpperCase(), "0".repeat(39)])
      expect((await job.call(`/v1/ci/commits/${name}`)).status, name).toBe(400);
  });

  it("is nothing to another repository: not held, nothing to build on, no base", async () => {
    const sha = commit("secret of one");
    const one = await at.service.job({ ...(await at.claimed()), sha });
    expect((await at.send(one, sha)).status).toBe(201);
    const other = await at.service.job({ ...(await at.claimed()), sha });
    expect(await at.client(other).commits.find({ sha })).toMatchObject({ present: false, have: [] });
    expect(await other.submit({ message: "read" })).toMatchObject({ status: 409 });
    const next = commit("next", [sha]);
    const stranger = await at.service.job({ ...(await at.claimed()), sha: next });
    const refused = await at.send(stranger, next, { base: [sha] });
    expect(refused).toMatchObject({ status: 422, body: { code: "pack_refused", reason: "base_absent" } });
    // An account's key is no capability of a job.
    const asked = await at.service.call(`/v1/ci/commits/${sha}`, { bearer: at.key.secret });
    expect(asked.status).toBe(403);
  });
});

describe("the head of a pull request", () => {
  it("is compared with its base, which tells the agent what to do", async () => {
    const repository = await at.claimed();
    const base = commit("base", [], { "AGENTS.md": "The maintainer's words." });
    const newer = commit("newer base", [base], { "AGENTS.md": "The maintainer's newer words." });
    const head = commit("head", [base], { "AGENTS.md": "An outsider's words.", "new.txt": "new" });
    const comment = { ...repository, event_name: "issue_comment", sha: newer };
    const job = await at.service.job(comment);
    expect((await at.send(job, newer, { pull_request: 3 })).status).toBe(201);
    const { have } = await at.client(job).commits.find({ sha: head, query: { pull_request: 3 } });
    expect(have.map(({ sha }) => sha)).toContain(newer);
    expect((await at.send(job, head, { pull_request: 3, base: [newer] })).status).toBe(201);
    const pull_request = { number: 3, head_sha: head, base_ref: "main", base_sha: newer };
    const finding = await at.run(job, { pull_request });
    expect(finding).toMatchObject({
      text: "head",
      headSha: head,
      instructions: "The maintainer's newer words.",
      changed: ["AGENTS.md", "a.txt", "new.txt"],
    });
    // Without the base nothing is trusted, and nothing is compared.
    const { base_sha: _, ...alone } = pull_request;
    expect(await at.run(job, { pull_request: alone })).toMatchObject({ instructions: null, changed: null });
  });

  it("is compared where the histories that were sent apart meet", async () => {
    const repository = await at.claimed();
    const root = commit("root");
    const fork = commit("fork", [root]);
    const head = commit("head", [fork], { "new.txt": "new" });
    const tip = commit("tip", [fork], { "other.txt": "other" });
    const job = await at.service.job({ ...repository, event_name: "issue_comment", sha: tip });
    const cut = (sha: string) => at.packs.pack([sha, `--shallow ${fork}`]);
    expect((await at.send(job, head, { pull_request: 4, pack: cut(head) })).status).toBe(201);
    expect((await at.send(job, tip, { pull_request: 4, pack: cut(tip) })).status).toBe(201);
    const pull_request = { number: 4, head_sha: head, base_ref: "main", base_sha: tip };
    expect(await at.run(job, { pull_request })).toMatchObject({ changed: ["a.txt", "new.txt"] });
  });
});

it("a commit of a public repository is read from what was sent, and no server is asked", async () => {
  const sha = commit("public");
  const job = await at.service.job({ ...at.service.freshRepository(), sha });
  expect((await at.send(job, sha)).status).toBe(201);
  expect(await at.run(job)).toMatchObject({ text: "public", headSha: sha });
});

describe("what is refused before a byte is read", () => {
  const put = async (sha: string, bearer: string, headers: Record<string, string>) =>
    await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const url = `${at.service.url}/v1/ci/commits/${sha}`;
      const type = { "content-type": "application/x-git-packed-objects" };
      const sending = request(
        url,
        { method: "PUT", headers: { authorization: `Bearer ${bearer}`, ...type, ...headers } },
        async (response) => {
          let text = "";
          for await (const chunk of response.setEncoding("utf8")) text += chunk;
          resolve({ status: response.statusCode ?? 0, text });
          sending.destroy();
        },
      );
      sending.on("error", reject);
      // No body follows.
      sending.flushHeaders();
    });

  it.each([
    ["a pack that is too large", { "content-length": "3000001" }, 413, "upload_too_large"],
    ["a pack of unknown size", { "transfer-encoding": "chunked" }, 400, "Content-Length"],
    ["another type", { "content-type": "text/plain", "content-length": "10" }, 415, "unsupported_media_type"],
  ])("%s", async (_what, headers, status, text) => {
    const sha = commit("refused");
    const job = await at.service.job({ ...(await at.claimed()), sha });
    const answer = await put(sha, job.bearer, headers);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  it("whatever comes without a credential", async () => {
    const answer = await put("a".repeat(40), "svc_ci_nobody", { "content-length": "100" });
    expect(answer.status).toBe(401);
  });
});

it("a pack that breaks off, or is none, leaves nothing", async () => {
  const sha = commit("broken");
  const job = await at.service.job({ ...(await at.claimed()), sha });
  const refused = await at.send(job, sha, { pack: Buffer.from("no pack at all, but some bytes") });
  expect(refused).toMatchObject({ status: 422, body: { code: "pack_refused", reason: "pack_malformed" } });
  const url = `${at.service.url}/v1/ci/commits/${sha}`;
  const headers = {
    authorization: `Bearer ${job.bearer}`,
    "content-type": "application/x-git-packed-objects",
    "content-length": "1000",
  };
  const sending = request(url, { method: "PUT", headers });
  const gone = new Promise((resolve) => sending.on("error", resolve));
  sending.write("PACK", () => sending.destroy(new Error("gone")));
  await gone;
  expect((await at.send(job, sha)).status).toBe(201);
  expect(await at.run(job)).toMatchObject({ text: "broken" });
});

it("packs that unfold to 125 GB are refused at once, with the limit, and another owner's is taken meanwhile", async () => {
  const sha = commit("unfolds");
  const pack = unfoldingPack(7_800);
  const sending = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const job = await at.service.job({ ...(await at.claimed()), sha });
      return () => at.send(job, sha, { pack });
    }),
  );
  const honest = await at.service.job({ ...(await at.claimed({ repository_owner_id: "777001" })), sha });
  const refusing = sending.map((send) => send());
  expect((await at.send(honest, sha)).status).toBe(201);
  for (const refused of await Promise.all(refusing)) {
    expect(refused).toMatchObject({
      status: 422,
      body: { code: "pack_refused", reason: "contents_too_large" },
      text: expect.stringMatching(
        /The pack of 0\.\d MB unfolds to .*, this service unfolds at most .* Send fewer/,
      ),
    });
  }
});
