// The claim page in each state of the claim.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClaimBed } from "../../../support/claim-bed.ts";
import { storeKinds } from "../../../support/stores.ts";

const DAY_MS = 24 * 3_600_000;

for (const kind of storeKinds) {
  describe.skipIf(kind.isSkipped)(`the claim page on ${kind.name}`, () => {
    let bed: ClaimBed;

    beforeAll(async () => {
      bed = await ClaimBed.start(kind);
    });

    afterAll(() => bed.api.close());

    const stateOf = (text: string) => /<dt>State<\/dt><dd>([^<]*)<\/dd>/.exec(text)?.[1];

    it("says what is claimed, in which state it is, and how both sides agree", async () => {
      const account = await bed.account();
      const repository = bed.repository();
      const token = await bed.token(repository);
      const open = await bed.page(token);
      expect(open.status).toBe(200);
      expect(stateOf(open.text)).toBe("not claimed");
      expect(open.text).toContain(`<h1>Claim ${repository.name}</h1>`);
      expect(open.text).toContain(`agent-service claim http://service.example/claim/${token}`);
      expect(open.text).toContain("account: &lt;id of the account&gt;");

      await bed.claim(account.owner, token);
      const pending = await bed.page(token);
      const hint = `${account.id.slice(0, 8)}…${account.id.slice(-4)}`;
      expect(stateOf(pending.text)).toBe(`pending for account ${hint}`);
      expect(pending.text).not.toContain(account.id);
      expect(pending.text).not.toContain("agent-service claim http");
      expect(pending.text).toContain("base-url: http://service.example");

      await bed.exchange(repository, { account: account.id });
      const claimed = await bed.page(token);
      expect(stateOf(claimed.text)).toBe("claimed");
      expect(claimed.text).not.toContain("account:");
      for (const { text } of [open, pending, claimed]) expect(text).not.toMatch(/<script|onclick|<form/i);
    });

    it("stays for as long as the claim that was made with it, and ends with it", async () => {
      const account = await bed.account();
      const token = await bed.token(bed.repository());
      bed.core.clock.advance(6 * DAY_MS);
      await bed.claim(account.owner, token);
      bed.core.clock.advance(6 * DAY_MS);
      expect(stateOf((await bed.page(token)).text)).toMatch(/^pending/);
      bed.core.clock.advance(DAY_MS);
      expect((await bed.page(token)).status).toBe(404);
    });

    it("shows a repository's name as text", async () => {
      const token = await bed.token(bed.repository({ name: "o/<img src=x>" }));
      const { text } = await bed.page(token);
      expect(text).toContain("&lt;img src=x&gt;");
      expect(text).not.toContain("<img");
    });
  });
}
