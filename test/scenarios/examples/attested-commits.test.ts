// examples/attested-commits.yml: an agent's commits pass with a proof of somebody who asked, people's commits without.

import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sigstore, startSigstore } from "../../../fakes/sigstore/sigstore.ts";
import { playExample } from "../../support/example-play.ts";
import { ChangesFixture, LINES } from "../../support/fixtures/changes-fixture.ts";

const GH = join(import.meta.dirname, "../../../fakes/gh-attestation.ts");
const AGENT_WORKFLOW = { claims: { workflow: "agent" } };

describe("proof of agent commits", () => {
  let fixture: ChangesFixture;
  let sigstore: Sigstore;
  let programs: string;
  beforeAll(async () => {
    fixture = await ChangesFixture.open();
    const { codeHost } = fixture.fixture;
    sigstore = await startSigstore({ issuer: codeHost.issuer, serverUrl: codeHost.url });
    programs = await mkdtemp(join(tmpdir(), "gh-"));
    const roots = join(programs, "roots.jsonl");
    await writeFile(roots, sigstore.trustedRoots);
    await writeFile(
      join(programs, "gh"),
      `#!/bin/sh\nGH_TRUSTED_ROOT=${roots} exec "${process.execPath}" "${GH}" "$@"\n`,
    );
    await chmod(join(programs, "gh"), 0o755);
  });
  afterAll(async () => {
    await sigstore.close();
    await fixture.close();
    await rm(programs, { recursive: true, force: true });
  });

  /** An agent's commit on the branch of the pull request, as agent.yml pushes it. */
  async function push(inputs: Readonly<Record<string, string>>, job: { event?: "push" | "schedule" } = {}) {
    const tip = fixture.tip("topic") ?? fixture.main;
    fixture.repository.updateRef("refs/heads/topic", tip);
    const count = fixture.repository.git(["rev-list", "--count", tip]);
    fixture.plan(fixture.changes({ "notes.txt": LINES.replace("line 2\n", `line ${count} of two\n`) }, tip));
    const { step } = await fixture.play(
      { ref: "refs/heads/topic", sha: tip, ...AGENT_WORKFLOW, ...job },
      { inputs: { changes: "commit", prompt: "Mend the notes.", ...inputs }, env: sigstore.env },
    );
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    return step.outputs["commit-sha"] ?? "";
  }

  async function check() {
    const { proof } = await playExample({
      fixture: fixture.fixture,
      file: "attested-commits.yml",
      event: { event: "pull_request" },
      programs,
    });
    return { result: proof?.result, log: proof?.steps.at(-1)?.log ?? "" };
  }

  it("passes attested commits of agents, and commits of people", async () => {
    const theirs = fixture.commit("topic", { "topic.txt": "topic\n" });
    const agents = await push({ attest: "true" });
    const { result, log } = await check();
    expect([result, log]).toEqual(["success", `${agents}: octocat asked for it.\n`]);
    expect(log).not.toContain(theirs);
  });

  it("fails where a commit of an agent has no proof, and where nobody asked for it", async () => {
    const scheduled = await push({ attest: "true" }, { event: "schedule" });
    const unproven = await push({});
    const { result, log } = await check();
    expect(result).toBe("failure");
    for (const sha of [scheduled, unproven])
      expect(log).toContain(
        `::error::Commit ${sha} is an agent's, and has no proof of somebody who asked for it.`,
      );
  });
});
