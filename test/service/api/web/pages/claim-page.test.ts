// The claim page in each state of the claim, and its form.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClaimFixture } from "../../../../support/fixtures/claim-fixture.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const DAY_MS = 24 * 3_600_000;

onEveryStore((kind) => {
  describe("the claim page", () => {
    let fixture: ClaimFixture;

    beforeAll(async () => {
      fixture = await ClaimFixture.start(kind);
    });

    afterAll(() => fixture.api.close());

    const stateOf = (text: string) => /<dt>State<\/dt><dd>([^<]*)<\/dd>/.exec(text)?.[1];

    it("says what is claimed, in which state it is, and how both sides agree", async () => {
      const account = await fixture.account();
      const repository = fixture.repository();
      const token = await fixture.token(repository);
      const open = await fixture.page(token);
      expect(open.status).toBe(200);
      expect(stateOf(open.text)).toBe("not claimed");
      expect(open.text).toContain(`<h1>Claim ${repository.name}</h1>`);
      expect(open.text).toContain(`agent-service claim http://service.example/claim/${token}`);
      expect(open.text).toContain("account: &lt;id of the account&gt;");

      await fixture.claim(account.owner, token);
      const pending = await fixture.page(token);
      const hint = `${account.id.slice(0, 8)}…${account.id.slice(-4)}`;
      expect(stateOf(pending.text)).toBe(`pending for account ${hint}`);
      expect(pending.text).not.toContain(account.id);
      expect(pending.text).not.toContain("agent-service claim http");
      expect(pending.text).toContain("base-url: http://service.example");

      await fixture.exchange(repository, { account: account.id });
      const claimed = await fixture.page(token);
      expect(stateOf(claimed.text)).toBe("claimed");
      expect(claimed.text).not.toContain("account:");
      for (const { text } of [open, pending, claimed]) expect(text).not.toMatch(/<script|onclick|<form/i);
    });

    it("is claimed by a form of whoever is signed in, who proved it some minutes ago", async () => {
      const account = await fixture.account();
      const { core } = fixture.core;
      const repository = fixture.repository();
      const token = await fixture.token(repository);
      const { cookie } = await signInTo(core, account.id);
      const origin = core.policy.baseUrl;
      const claim = (headers: Readonly<Record<string, string>>) =>
        fixture.api.send(`/claim/${token}`, { method: "POST", headers });
      expect((await claim({ origin })).headers.get("location")).toBe(`/sign-in?to=%2Fclaim%2F${token}`);
      expect((await claim({ cookie })).status).toBe(403);
      expect((await claim({ cookie, origin: "https://evil.example" })).status).toBe(403);
      fixture.core.clock.advance(10 * 60_000);
      expect((await claim({ cookie, origin })).headers.get("location")).toBe(
        `/sign-in?to=%2Fclaim%2F${token}&again=1`,
      );
      expect(stateOf((await fixture.page(token)).text)).toBe("not claimed");
      const again = await signInTo(core, account.id);
      const claimed = await claim({ cookie: again.cookie, origin });
      expect([claimed.status, claimed.headers.get("location")]).toEqual([303, `/claim/${token}`]);
      const own = await fixture.api.send(`/claim/${token}`, { headers: { cookie: again.cookie } });
      expect(own.text).toContain(`account: ${account.id}`);
      const other = await signInTo(core, (await fixture.account()).id);
      const refused = await claim({ cookie: other.cookie, origin });
      expect(refused.status).toBe(409);
      expect(refused.text).not.toContain(account.id);
    });

    it("stays for as long as the claim that was made with it, and ends with it", async () => {
      const account = await fixture.account();
      const token = await fixture.token(fixture.repository());
      fixture.core.clock.advance(6 * DAY_MS);
      await fixture.claim(account.owner, token);
      fixture.core.clock.advance(6 * DAY_MS);
      expect(stateOf((await fixture.page(token)).text)).toMatch(/^pending/);
      fixture.core.clock.advance(DAY_MS);
      expect((await fixture.page(token)).status).toBe(404);
    });

    it("says that free credits are not for a private repository", async () => {
      const token = await fixture.token(fixture.repository({ visibility: "private" }));
      expect((await fixture.page(token)).text).toContain(
        "(not public: free credits are for public repositories)",
      );
    });

    it("shows a repository's name as text", async () => {
      const token = await fixture.token(fixture.repository({ name: "o/<img src=x>" }));
      const { text } = await fixture.page(token);
      expect(text).toContain("&lt;img src=x&gt;");
      expect(text).not.toContain("<img");
    });
  });
});
