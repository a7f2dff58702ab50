// Refreshing twice by the same token: windows that share one token store, answers that are lost, and theft.

import { hash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { withWrites } from "../../../support/wrapped-store.ts";
import {
  type OAuthFixture,
  type OAuthFixtureOptions,
  openOAuthFixture,
  refreshing,
  signInApplication,
  type Tokens,
} from "./oauth-fixture.ts";

const AT_ONCE = 8;
const SECOND = 1_000;
const GRANT_ENDED = [400, { error: "invalid_grant" }];

onEveryStore((store) => {
  describe("a refresh token that is used twice", () => {
    let oauth: OAuthFixture;
    let clientId: string;

    afterEach(() => oauth.close());

    const signIn = async (options: OAuthFixtureOptions = {}) => {
      oauth = await openOAuthFixture({ store, ...options });
      const { clientId: id, ...tokens } = await signInApplication(oauth, { scope: "agents:read" });
      clientId = id;
      return tokens;
    };
    const ask = async ({ refresh_token }: Tokens) =>
      await oauth.ask("/oauth/token", { method: "POST", form: refreshing(clientId, refresh_token) });
    const refresh = async (tokens: Tokens) => {
      const { status, body, text } = await ask(tokens);
      expect(status, text).toBe(200);
      return body as Tokens;
    };
    const expectUsable = async ({ access_token }: Tokens) =>
      expect((await oauth.ask("/v1/agents", { bearer: access_token })).status).toBe(200);
    const expectRefused = async (tokens: Tokens) => {
      const { status, body } = await ask(tokens);
      expect([status, body]).toMatchObject(GRANT_ENDED);
    };
    const expectEnded = async (...all: readonly Tokens[]) => {
      for (const tokens of all) {
        await expectRefused(tokens);
        expect((await oauth.ask("/v1/agents", { bearer: tokens.access_token })).status).toBe(401);
      }
    };

    it("gives the same successor to all that refresh at once, each with an access token that works", async () => {
      let current: Tokens = await signIn();
      for (let round = 0; round < 3; round += 1) {
        const used = current;
        const all = await Promise.all(Array.from({ length: AT_ONCE }, () => refresh(used)));
        const [first = used] = all;
        expect(new Set(all.map((tokens) => tokens.refresh_token))).toEqual(new Set([first.refresh_token]));
        expect(first.refresh_token).not.toBe(used.refresh_token);
        for (const tokens of all) await expectUsable(tokens);
        current = first;
      }
    });

    it.each([1, 30, 59])(
      "gives it again when the answer was lost and is asked for after %i s",
      async (seconds) => {
        const first = await signIn();
        const lost = await refresh(first);
        oauth.fixture.clock.advance(seconds * SECOND);
        const again = await refresh(first);
        expect(again.refresh_token).toBe(lost.refresh_token);
        await expectUsable(again);
        await expectUsable(await refresh(again));
      },
    );

    it("refuses it after 60 s, and the sign-in goes on with the successor", async () => {
      const first = await signIn();
      const second = await refresh(first);
      oauth.fixture.clock.advance(60 * SECOND);
      await expectRefused(first);
      oauth.fixture.clock.advance(600 * SECOND);
      await expectRefused(first);
      await expectUsable(second);
      await expectUsable(await refresh(second));
    });

    it.each([0, 10, 1_000])(
      "ends the sign-in when it is used %i s after its successor was",
      async (seconds) => {
        const first = await signIn();
        const second = await refresh(first);
        const third = await refresh(second);
        oauth.fixture.clock.advance(seconds * SECOND);
        await expectRefused(first);
        await expectEnded(second, third);
      },
    );

    it("ends the sign-in where an older one comes back, however many came after it", async () => {
      const first = await signIn();
      const second = await refresh(first);
      const third = await refresh(second);
      const fourth = await refresh(third);
      await expectRefused(second);
      await expectEnded(first, third, fourth);
    });

    it("gives nothing to another application, and nothing once the owner ended the access", async () => {
      const first = await signIn();
      await refresh(first);
      const other = { ...refreshing(await oauth.register(), first.refresh_token) };
      expect((await oauth.ask("/oauth/token", { method: "POST", form: other })).body).toMatchObject({
        error: "invalid_grant",
      });
      await refresh(first);
      const form = { client_id: clientId, token: first.refresh_token };
      expect((await oauth.ask("/oauth/revoke", { method: "POST", form })).status).toBe(200);
      await expectRefused(first);
    });

    it("keeps no token that could be read in the store, also not the successor", async () => {
      const first = await signIn();
      const second = await refresh(first);
      const rows = JSON.stringify(await oauth.fixture.place.query("select * from oauth_artifacts"));
      expect(rows).toContain(hash("sha256", second.refresh_token, "hex"));
      for (const { refresh_token, access_token } of [first, second]) {
        expect(rows).not.toContain(refresh_token);
        expect(rows).not.toContain(access_token);
        expect(rows).not.toContain(refresh_token.slice("svc_rt_".length));
      }
    });

    it("goes on where the store failed between the two tokens, and where it failed in the first", async () => {
      let failing: "access_token" | "refresh_token" | null = null;
      const fail = (kind: typeof failing) => {
        if (failing !== kind) return;
        failing = null;
        throw new Error("The store is away.");
      };
      const first = await signIn({
        wrapStore: (whole) =>
          withWrites(whole, (tx) => ({
            credentials: {
              insert: async (credential) => {
                if (credential.kind === "access_token") fail("access_token");
                await tx.credentials.insert(credential);
              },
            },
            oauthArtifacts: {
              consume: async (use) => {
                fail("refresh_token");
                return await tx.oauthArtifacts.consume(use);
              },
            },
          })),
      });
      failing = "refresh_token";
      expect((await ask(first)).status).toBe(500);
      failing = "access_token";
      expect((await ask(first)).status).toBe(500);
      oauth.fixture.clock.advance(30 * SECOND);
      const second = await refresh(first);
      await expectUsable(second);
      await expectUsable(await refresh(second));
    });
  });
});
