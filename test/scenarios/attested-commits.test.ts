// `attest: true`: the commit that a job pushes gets a signed statement of who asked which agent for it, which others verify.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFromJSON } from "@sigstore/bundle";
import { TrustedRoot } from "@sigstore/protobuf-specs";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Sigstore, startSigstore } from "../../fakes/sigstore/sigstore.ts";
import { AGENT_RUN, type AgentRun, agentRunSchema } from "../../src/contract/attestations/agent-run.ts";
import type { Visibility } from "../../src/contract/ci/exchange.ts";
import { ChangesFixture, LINES } from "../support/fixtures/changes-fixture.ts";
import { claimRepository } from "../support/fixtures/claimed-repository.ts";
import { REPOSITORY, type StepResult } from "../support/fixtures/scenario-fixture.ts";
import { runCommand } from "../support/run/run-command.ts";

const inputs = { changes: "commit", prompt: "Mend the notes.", attest: "true" };
const FIXED = LINES.replace("line 2\n", "line two\n");

let fixture: ChangesFixture;
let sigstore: Sigstore;
let folder: string;

async function open(visibility: Visibility): Promise<void> {
  fixture = await ChangesFixture.open(
    { "AGENTS.md": "Be brief.\n", ".claude/settings.json": "{}\n" },
    { visibility },
  );
  const { codeHost } = fixture.fixture;
  sigstore = await startSigstore({ issuer: codeHost.issuer, serverUrl: codeHost.url });
  folder = await mkdtemp(join(tmpdir(), "attested-"));
  await writeFile(join(folder, "roots.jsonl"), sigstore.trustedRoots);
}

async function close(): Promise<void> {
  await sigstore.close();
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
}

const attestations = () => fixture.fixture.codeHost.rest.attestations;

async function play(
  job: Parameters<ChangesFixture["play"]>[0] = {},
  more: Readonly<Record<string, string>> = {},
): Promise<StepResult> {
  const before = sigstore.idTokens().length;
  const { step } = await fixture.play(job, { inputs: { ...inputs, ...more }, env: sigstore.env });
  expectNothingSecret(step, before);
  return step;
}

/** The ID token that goes to Fulcio is as secret as the one that goes to the service; no key is anywhere. */
function expectNothingSecret(step: StepResult, before = 0): void {
  const tokens = sigstore.idTokens().slice(before);
  const shown = step.rawLog
    .split("\n")
    .filter((line) => !line.startsWith("::add-mask::"))
    .join("\n");
  const all = [shown, step.summary, JSON.stringify([step.outputs, step.state]), fixture.fixture.logText()];
  for (const token of tokens) {
    expect(all.some((text) => text.includes(token))).toBe(false);
    expect(JSON.stringify(attestations().all)).not.toContain(token);
  }
  expect(step.masks).toEqual(expect.arrayContaining([...tokens]));
  expect([...all, JSON.stringify(sigstore.requests)].join("\n")).not.toContain("PRIVATE KEY");
}

function expectWarned(step: StepResult, message: RegExp): void {
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", "attestation-url": "" } });
  expect(fixture.tip("main")).toBe(step.outputs["commit-sha"]);
  const warnings = step.annotations.filter(({ level }) => level === "warning");
  expect(warnings.map(({ message: text }) => text)).toEqual([expect.stringMatching(message)]);
  expect(warnings[0]?.message).toMatch(/^Commit [0-9a-f]{7} is pushed, and not attested\. /);
  expect(step.summary).toContain("and not attested");
  expect(attestations().all).toEqual([]);
}

function reset(): void {
  const { codeHost } = fixture.fixture;
  fixture.repository.updateRef("refs/heads/main", fixture.main);
  attestations().all.length = 0;
  attestations().refusal = null;
  attestations().where = "inline";
  codeHost.faults.api.clear();
  for (const faults of Object.values(sigstore.faults)) faults.clear();
}

/** The commit as git stores it. */
function objectOf(sha: string): Buffer {
  return execFileSync("git", ["cat-file", "commit", sha], { cwd: fixture.repository.path });
}

function predicateOf(index = 0): AgentRun {
  const found = attestations().all[index] ?? expect.fail("There is no attestation.");
  const statement = JSON.parse(Buffer.from(found.bundle.dsseEnvelope.payload, "base64").toString());
  return agentRunSchema.parse(statement.predicate);
}

/** By the library that others wrote: the signer, where every check of it is passed. */
function verifiedBy(line: number, thresholds: { tlogThreshold: number; ctlogThreshold: number }) {
  const found = attestations().all[0] ?? expect.fail("There is no attestation.");
  const root = TrustedRoot.fromJSON(JSON.parse(sigstore.trustedRoots.split("\n")[line] ?? ""));
  const verifier = new Verifier(toTrustMaterial(root), { ...thresholds, timestampThreshold: 1 });
  return verifier.verify(toSignedEntity(bundleFromJSON(found.bundle)));
}

/** The command, in a checkout of the repository. */
async function verify(sha: string, args: readonly string[] = [], token = "") {
  const root = join(folder, "checkout");
  await rm(root, { recursive: true, force: true });
  execFileSync("git", ["clone", "--quiet", fixture.repository.path, root]);
  const { codeHost } = fixture.fixture;
  const env = {
    TMPDIR: folder,
    GITHUB_SERVER_URL: codeHost.url,
    GITHUB_API_URL: `${codeHost.url}/api/v3`,
    GITHUB_TOKEN: token,
  };
  const roots = ["--trusted-root", join(folder, "roots.jsonl")];
  const repo = args.includes("--repo") ? [] : ["--repo", REPOSITORY];
  const issuer = args.includes("--issuer") ? [] : ["--issuer", codeHost.issuer.url];
  return await runCommand(["attest", "verify", sha, ...roots, ...repo, ...issuer, ...args], env, {
    folder: root,
  });
}

describe("attest: true in a public repository", () => {
  beforeAll(async () => await open("public"));
  afterEach(reset);
  afterAll(close);

  it("signs a statement about the pushed commit, which the built Action does as a process, too", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const { step } = await fixture.play({}, { inputs, env: sigstore.env, where: "process" });
    expectNothingSecret(step);
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    const sha = step.outputs["commit-sha"] ?? "";
    const [attestation] = attestations().all;
    const url = `${fixture.fixture.codeHost.url}/${REPOSITORY}/attestations/${attestation?.id}`;
    expect(step.outputs["attestation-url"]).toBe(url);
    expect(step.log).toContain(`Attested commit ${sha.slice(0, 7)}: ${url}`);
    expect(step.summary).toContain(`🔏 [Commit ${sha.slice(0, 7)} is attested](${url})`);
    expect(attestation?.bundle.mediaType).toBe("application/vnd.dev.sigstore.bundle.v0.3+json");
    expect(attestation?.statement).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      predicateType: AGENT_RUN,
      subject: [
        {
          name: `git:${REPOSITORY}@${sha}`,
          digest: {
            sha256: createHash("sha256").update(objectOf(sha)).digest("hex"),
            gitCommit: sha,
            sha1: sha,
          },
        },
      ],
    });
    expect(sigstore.requests.map(({ host, path }) => `${host} ${path}`)).toEqual([
      "fulcio /api/v2/signingCert",
      "rekor /api/v1/log/entries",
    ]);
  });

  it("says who asked for what, by which agent and under which policy", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const step = await play({ event: "push" }, { egress: "registries" });
    const sha = step.outputs["commit-sha"] ?? "";
    const events = await readFile(step.outputs["events-file"] ?? "");
    const patch = execFileSync("git", ["diff-tree", "-p", "--no-renames", "--full-index", `${sha}^`, sha], {
      cwd: fixture.repository.path,
    });
    const [patchId] = execFileSync("git", ["patch-id", "--stable"], { input: patch }).toString().split(" ");
    const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
    expect(predicateOf()).toEqual({
      asker: { event: "push", actor: { id: "12", login: "octocat" }, comment: null },
      subject: null,
      prompt: { sha256: sha256("Mend the notes.") },
      instructions: {
        commit: fixture.main,
        files: [
          { path: ".claude/settings.json", sha256: sha256("{}\n") },
          { path: "AGENTS.md", sha256: sha256("Be brief.\n") },
        ],
        more: 0,
      },
      agent: {
        name: null,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        action: { repository: "octo-org/agent-service", ref: "v1" },
      },
      models: [],
      policy: { egress: ["registries"], reached: [], mcpServers: [], writesWithheld: [] },
      run: {
        id: step.outputs["run-id"],
        sessionId: step.outputs["session-id"],
        service: fixture.fixture.url,
        startedAt: expect.any(String),
        endedAt: expect.any(String),
      },
      events: { sha256: sha256(events), count: events.toString().split("\n").length - 1 },
      checks: null,
      cost: { tokens: 0, credits: 1, microUsd: 0 },
      change: { base: fixture.main, patchId },
    });
  });

  it("names the author of the comment, and the pull request", async () => {
    const topic = fixture.commit("topic", { "topic.txt": "topic\n" });
    fixture.plan(fixture.changes({ "notes.txt": FIXED }, topic));
    const comment = "/agent fix the notes";
    const { step } = await fixture.play(
      { event: "issue_comment", comment },
      { inputs: { changes: "commit", attest: "true", comment: "false" }, env: sigstore.env },
    );
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(predicateOf()).toMatchObject({
      asker: {
        event: "issue_comment",
        actor: { id: "12", login: "octocat" },
        comment: { type: "issue_comment", id: expect.any(Number) },
      },
      subject: { type: "pull_request", number: 7 },
      instructions: { commit: fixture.main },
      change: { base: topic },
    });
    fixture.repository.git(["update-ref", "-d", "refs/heads/topic"]);
  });

  it("is verified to the end by Sigstore's library, and no more once a byte of it differs", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    await play();
    const both = { tlogThreshold: 1, ctlogThreshold: 1 };
    const { url, issuer } = fixture.fixture.codeHost;
    expect(verifiedBy(0, both).identity).toMatchObject({
      subjectAlternativeName: `${url}/${REPOSITORY}/.github/workflows/agent.yml@refs/heads/main`,
      extensions: { issuer: issuer.url },
    });
    expect(() => verifiedBy(1, { tlogThreshold: 0, ctlogThreshold: 0 })).toThrow();
    const { bundle } = attestations().all[0] ?? expect.fail();
    const payload = Buffer.from(bundle.dsseEnvelope.payload, "base64")
      .toString()
      .replace("octocat", "mallory");
    Object.assign(bundle.dsseEnvelope, { payload: Buffer.from(payload).toString("base64") });
    expect(() => verifiedBy(0, both)).toThrow();
  });

  it("reads a commit that GitHub made back before it is hashed", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const step = await play({}, { "signed-commits": "true" });
    const sha = step.outputs["commit-sha"] ?? "";
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    const digest = createHash("sha256").update(objectOf(sha)).digest("hex");
    expect(attestations().all[0]?.statement.subject[0]?.digest).toMatchObject({
      sha256: digest,
      gitCommit: sha,
    });
    expect(predicateOf().change.patchId).toMatch(/^[0-9a-f]{40}$/);
  });

  it("attests the commit of a pull request's branch", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const step = await play({}, { changes: "pull-request" });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(attestations().all[0]?.statement.subject[0]?.digest.gitCommit).toBe(step.outputs["commit-sha"]);
  });

  it("attests in a re-run what an earlier attempt pushed, where it is the run's change and only there", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const job = { runId: "1296269777" };
    sigstore.faults.rekor.always({ type: "status", status: 503 });
    const first = await play(job);
    expectWarned(
      first,
      /The public log of signatures \(rekor\.sigstore\.dev\) cannot be reached: It answered 503\./,
    );
    sigstore.faults.rekor.clear();
    const attach = { mode: "attach", "run-id": first.outputs["run-id"] ?? "" };
    const again = await play({ ...job, runAttempt: "2" }, attach);
    expect(again.outputs["commit-sha"]).toBe(first.outputs["commit-sha"]);
    expect(attestations().all).toHaveLength(1);
    // The prompt is that of the job which started the run.
    expect(predicateOf().prompt).toBeNull();
    // Somebody's own commit, with the trailer of the run.
    attestations().all.length = 0;
    const message = fixture.message(first.outputs["commit-sha"] ?? "");
    const { repository } = fixture;
    repository.updateRef("refs/heads/main", fixture.main);
    const theirs = fixture.commit("main", { "notes.txt": "theirs\n" });
    const tree = repository.git(["rev-parse", `${theirs}^{tree}`]);
    const forged = repository.commitTree(tree, { parents: [fixture.main], subject: message, day: 5 });
    repository.updateRef("refs/heads/main", forged);
    const fooled = await play({ ...job, runAttempt: "3" }, attach);
    expect(fooled.outputs["commit-sha"]).toBe(forged);
    expect(fooled.log).toContain("Nothing is attested: this attempt of the job has pushed no commit.");
    expect(attestations().all).toEqual([]);
  });

  it("asks nobody where nothing was pushed", async () => {
    const before = sigstore.requests.length;
    fixture.plan(null);
    const step = await play();
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { "attestation-url": "" } });
    expect(sigstore.requests.length).toBe(before);
  });

  describe("warns, with what to do, and leaves the push where", () => {
    it("Fulcio refuses the job", async () => {
      fixture.plan(fixture.changes({ "notes.txt": FIXED }));
      const body = JSON.stringify({ code: 3, message: "There was an error processing the identity token" });
      sigstore.faults.fulcio.next({ type: "status", status: 400, body });
      expectWarned(
        await play(),
        /The authority of signing certificates \(fulcio\.sigstore\.dev\) answered 400: There was an error processing the identity token\. It certifies jobs of github\.com/,
      );
    });

    it("Fulcio cannot be reached", async () => {
      fixture.plan(fixture.changes({ "notes.txt": FIXED }));
      sigstore.faults.fulcio.always({ type: "reset" });
      expectWarned(
        await play(),
        /\(fulcio\.sigstore\.dev\) cannot be reached: .* Let the job reach that host, and re-run it/,
      );
    });

    it("Fulcio answers what is no certificate", async () => {
      fixture.plan(fixture.changes({ "notes.txt": FIXED }));
      sigstore.faults.fulcio.next({ type: "html", status: 200 });
      expectWarned(await play(), /answered without a certificate\. Look for a proxy/);
    });

    it("the log answers what is no entry", async () => {
      fixture.plan(fixture.changes({ "notes.txt": FIXED }));
      sigstore.faults.rekor.next({ type: "status", status: 201, body: "{}" });
      expectWarned(await play(), /answered without an entry/);
    });

    it("the job lacks attestations: write", async () => {
      fixture.plan(fixture.changes({ "notes.txt": FIXED }));
      const permissions = { contents: "write", "id-token": "write" };
      expectWarned(
        await play({ permissions }),
        /answered 403 to POST \/attestations\. Resource not accessible by integration Give the job "permissions: attestations: write"\./,
      );
    });

    it("the job has no identity", async () => {
      fixture.plan(fixture.changes({ "notes.txt": FIXED }));
      // The service was asked before.
      const { codeHost } = fixture.fixture;
      const job = await fixture.fixture.job();
      const isMinted = (): boolean =>
        codeHost.requests.some(({ path }) => path.includes("audience=sigstore"));
      codeHost.push.beforePush = () => codeHost.faults.idToken.always({ type: "status", status: 403 });
      try {
        expectWarned(
          await play(job),
          /GitHub refused an ID token \(403\)\. Check "permissions: id-token: write"/,
        );
        expect(isMinted()).toBe(true);
      } finally {
        codeHost.push.beforePush = null;
        codeHost.faults.idToken.clear();
      }
    });
  });

  describe("agent-service attest verify", () => {
    const tokenOf = async () => (await fixture.fixture.job()).githubToken;

    async function attested(): Promise<string> {
      fixture.plan(fixture.changes({ "notes.txt": FIXED }));
      return (await play()).outputs["commit-sha"] ?? "";
    }

    it("prints who asked for what, by GitHub's statements, inline or at an address", async () => {
      const sha = await attested();
      for (const where of ["inline", "address"] as const) {
        attestations().where = where;
        const { code, stdout, stderr } = await verify(
          sha,
          ["--workflow", ".github/workflows/agent.yml"],
          await tokenOf(),
        );
        expect([code, stderr]).toEqual([0, ""]);
        expect(stdout).toContain(`Commit ${sha.slice(0, 7)} of ${REPOSITORY} is verified.`);
        expect(stdout).toMatch(/^asked by +octocat \(id 12\), by push$/m);
        expect(stdout).toMatch(/^prompt +sha256:[0-9a-f]{64}$/m);
        expect(stdout).toMatch(/^proof +entry \d+ of the public log$/m);
        expect(stdout).toMatch(/^instructions +\.claude\/settings\.json, AGENTS\.md at [0-9a-f]{40}$/m);
      }
    });

    it("reads a file of bundles, and prints JSON", async () => {
      const sha = await attested();
      const path = join(folder, "bundles.jsonl");
      await writeFile(
        path,
        attestations()
          .all.map(({ bundle }) => `${JSON.stringify(bundle)}\n`)
          .join(""),
      );
      const { code, stdout } = await verify("main", ["--bundle", path, "--json"]);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        commit: sha,
        verified: true,
        faults: [],
        identity: { repositoryId: "74", runner: "github-hosted" },
        predicate: { asker: { event: "push" } },
      });
    });

    it("refuses another commit, repository, workflow, issuer and root, and a changed statement", async () => {
      const sha = await attested();
      const path = join(folder, "bundle.json");
      const [attestation] = attestations().all;
      await writeFile(path, JSON.stringify(attestation?.bundle));
      const because = async (commit: string, args: readonly string[]) => {
        const { code, stdout } = await verify(commit, ["--bundle", path, ...args]);
        expect([code, stdout]).toEqual([1, expect.stringContaining("is not verified.")]);
        return stdout;
      };
      expect(await because(fixture.main, [])).toContain("It is about another commit.");
      expect(await because(sha, ["--repo", "octo-org/other"])).toMatch(
        /signed by a job of .*octo-repo, not of .*other\./,
      );
      expect(await because(sha, ["--workflow", ".github/workflows/other.yml"])).toMatch(
        /by the workflow .*agent\.yml@refs\/heads\/main, not by .*other\.yml\./,
      );
      expect(await because(sha, ["--issuer", "https://token.actions.githubusercontent.com"])).toMatch(
        /signed for an identity of http/,
      );
      const [, github = ""] = sigstore.trustedRoots.split("\n");
      await writeFile(join(folder, "roots.jsonl"), github);
      expect(await because(sha, [])).toContain("Its signature is not good:");
      await writeFile(join(folder, "roots.jsonl"), sigstore.trustedRoots);
      const changed = structuredClone(attestation?.bundle) ?? expect.fail();
      Object.assign(changed.dsseEnvelope, { payload: Buffer.from("{}").toString("base64") });
      await writeFile(path, JSON.stringify(changed));
      expect(await because(sha, [])).toContain("Its signature is not good:");
    });

    it("says where there is no statement, no commit, no root and no token", async () => {
      const none = await verify("main", [], await tokenOf());
      expect([none.code, none.stdout]).toEqual([
        1,
        expect.stringContaining("Nothing says who asked for it: there is no statement about it."),
      ]);
      const lost = await verify("1".repeat(40), [], await tokenOf());
      expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('There is no commit "111')]);
      const stranger = await verify("main");
      expect([stranger.code, stranger.stderr]).toEqual([
        1,
        expect.stringContaining("Give a token that may read it in GITHUB_TOKEN."),
      ]);
      await writeFile(join(folder, "roots.jsonl"), "{}");
      const rootless = await verify("main", [], await tokenOf());
      expect([rootless.code, rootless.stderr]).toEqual([
        1,
        expect.stringContaining(
          'Line 1 is no trusted root of Sigstore. "gh attestation trusted-root" writes a file of them.',
        ),
      ]);
      await writeFile(join(folder, "roots.jsonl"), sigstore.trustedRoots);
    });
  });
});

describe("attest: true in a private repository", () => {
  beforeAll(async () => {
    await open("private");
    await claimRepository(fixture.fixture);
  });
  afterEach(reset);
  afterAll(close);

  it("asks GitHub's own services, and publishes nothing", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const job = await fixture.fixture.job();
    const step = await play(job);
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(sigstore.requests.map(({ host, path }) => `${host} ${path}`)).toEqual([
      "githubFulcio /api/v2/signingCert",
      "githubTimestamps /api/v1/timestamp",
    ]);
    expect(verifiedBy(1, { tlogThreshold: 0, ctlogThreshold: 0 }).identity?.extensions?.issuer).toBe(
      fixture.fixture.codeHost.issuer.url,
    );
    const { code, stdout } = await verify(step.outputs["commit-sha"] ?? "", [], job.githubToken);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^proof +a time stamp$/m)]);
  });

  it("asks the API where the event does not say who can see the repository", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const before = sigstore.requests.length;
    const step = await play({ payload: { repository: { full_name: REPOSITORY } } });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(sigstore.requests.slice(before).map(({ host }) => host)).toEqual([
      "githubFulcio",
      "githubTimestamps",
    ]);
  });

  it("warns where the authority of time stamps is away, and where the plan has no attestations", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    sigstore.faults.githubTimestamps.always({ type: "status", status: 500 });
    expectWarned(
      await play(),
      /The authority of time stamps \(timestamp\.githubapp\.com\) cannot be reached: It answered 500\./,
    );
    reset();
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    attestations().refusal = "Feature not available for user-owned private repositories.";
    expectWarned(
      await play(),
      /In private repositories attestations take GitHub Enterprise Cloud: leave the input "attest" out\./,
    );
  });
});
