// Where a run finds the head of a pull request: kept with its input, by the job's provider.

import { describe, expect, it } from "vitest";
import { ClaimFixture } from "../../../support/fixtures/claim-fixture.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("the head of a pull request", () => {
    it("is the one of the job's provider, and refused where there is none", async () => {
      const fixture = await ClaimFixture.start(kind);
      const pull_request = { number: 7, head_sha: "a".repeat(40), base_ref: "main" };
      const elsewhere = await fixture.exchange(fixture.repository({ visibility: "public" }), {
        provider: "circleci",
      });
      const answer = await fixture.api.send(`/v1/agents/${elsewhere.agent_id}/runs`, {
        method: "POST",
        bearer: elsewhere.access_token,
        json: { message: "go", pull_request },
      });
      expect([answer.status, answer.body]).toMatchObject([400, { code: "pull_request_unsupported" }]);
      expect(answer.text).toContain(
        "can be fetched in jobs of GitHub Actions and GitLab CI, and this is a job of CircleCI",
      );
      for (const [provider, headRef] of [
        ["github", "refs/pull/7/head"],
        ["gitlab", "refs/merge-requests/7/head"],
      ] as const) {
        const job = await fixture.exchange(fixture.repository({ visibility: "public" }), { provider });
        const { body } = await fixture.api.send(`/v1/agents/${job.agent_id}/runs`, {
          method: "POST",
          bearer: job.access_token,
          json: { message: "go", pull_request },
        });
        const input = await fixture.core.store.committed.runs.findInput((body as { run_id: string }).run_id);
        expect(input?.pullRequest).toEqual({
          number: 7,
          headRef,
          headSha: "a".repeat(40),
          baseRef: "main",
        });
      }
      await fixture.api.close();
    });
  });
});
