// Which jobs of each provider may speak for their repository when an account claims it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClaimFixture } from "../../../support/fixtures/claim-fixture.ts";
import type { TestAccount } from "../../../support/service-account.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const writersEvents = {
  gitlab: ["push", "schedule", "web", "webide", "api"],
  buildkite: ["schedule"],
  bitbucket: ["pipeline"],
};
const othersEvents = {
  gitlab: ["pull_request", "parent_pipeline", "pipeline", "trigger", "chat", "external", "workflow_dispatch"],
  buildkite: ["pull_request", "webhook", "ui", "api", "trigger_job", "build", "push"],
  bitbucket: ["pull_request", "push"],
};

onEveryStore((kind) => {
  describe("claims of other providers' repositories", () => {
    let fixture: ClaimFixture;
    let owner: TestAccount;

    beforeAll(async () => {
      fixture = await ClaimFixture.start(kind);
      owner = await fixture.account();
    });
    afterAll(() => fixture.api.close());

    const acceptedBy = async (provider: string, event: string) => {
      const repository = fixture.repository();
      await fixture.pending(owner, repository, { provider });
      return (await fixture.exchange(repository, { provider, event, account: owner.id })).claim;
    };

    describe.each(Object.entries(writersEvents))("of %s", (provider, events) => {
      it.each(events)("are accepted by a job of %s", async (event) => {
        expect(await acceptedBy(provider, event)).toBe("claimed");
      });
    });

    describe.each(Object.entries(othersEvents))("of %s", (provider, events) => {
      it.each(events)("are not accepted by a job of %s", async (event) => {
        expect(await acceptedBy(provider, event)).toBe("refused_event");
      });
    });

    it("of CircleCI have no link to begin with, and no job accepts one", async () => {
      const repository = fixture.repository();
      const job = await fixture.exchange(repository, {
        provider: "circleci",
        event: "pipeline",
        account: owner.id,
      });
      expect(job).toMatchObject({ claim: "none", claim_url: null, quota: { audience: "anon" } });
    });
  });
});
