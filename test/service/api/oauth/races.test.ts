// Many redeem one code at the same moment, and one refreshes while the owner ends the access: one wins, and nobody keeps
// what a thief could have. Refreshing twice: refresh-rotation.test.ts.

import { afterEach, describe, expect, it } from "vitest";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import {
  authorize,
  type OAuthFixture,
  openOAuthFixture,
  redemption,
  refreshing,
  signInApplication,
  type Tokens,
} from "./oauth-fixture.ts";

const AT_ONCE = 8;

onEveryStore((store) => {
  describe("requests at the same moment", () => {
    let oauth: OAuthFixture;

    afterEach(() => oauth.close());

    const atOnce = async (form: Readonly<Record<string, string>>) =>
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => oauth.ask("/oauth/token", { method: "POST", form })),
      );

    const expectOne = (answers: readonly { status: number; body: unknown }[]) => {
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      for (const answer of answers) {
        if (answer.status !== 200)
          expect([answer.status, answer.body]).toMatchObject([400, { error: "invalid_grant" }]);
      }
      return won[0]?.body as Tokens;
    };

    it("redeem a code once", async () => {
      oauth = await openOAuthFixture({ store });
      const clientId = await oauth.register();
      const authorized = await authorize({ browser: await oauth.browser() }, { client_id: clientId });
      expectOne(await atOnce(redemption(clientId, authorized)));
    });

    it("leave no token that works where the owner ends the access meanwhile", async () => {
      oauth = await openOAuthFixture({ store });
      const { clientId, refresh_token, access_token } = await signInApplication(oauth, {
        scope: "agents:read",
      });
      const browser = await oauth.browser();
      const page = await browser.get("/settings/apps");
      expect(page.text).toContain("Test application");
      const id = /name="id" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
      const [refreshed] = await Promise.all([
        oauth.ask("/oauth/token", { method: "POST", form: refreshing(clientId, refresh_token) }),
        browser.post("/settings/apps/revoke", { id }),
      ]);
      const newer = (refreshed.body as Partial<Tokens>).access_token;
      for (const bearer of [access_token, ...(newer === undefined ? [] : [newer])]) {
        expect((await oauth.ask("/v1/agents", { bearer })).status).toBe(401);
      }
      expect((await browser.get("/settings/apps")).text).toContain("No application is signed in");
      const stranger = await oauth.browser("01890000-0000-7000-8000-00000000dead");
      const other = await signInApplication(oauth, { scope: "agents:read" });
      const theirs = /name="id" value="([^"]+)"/.exec((await browser.get("/settings/apps")).text)?.[1] ?? "";
      await stranger.post("/settings/apps/revoke", { id: theirs });
      expect((await oauth.ask("/v1/agents", { bearer: other.access_token })).status).toBe(200);
    });
  });
});
