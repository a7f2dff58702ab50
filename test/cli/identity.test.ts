// agent-service identity, on each store: the issuer and its keys as the service publishes them, for clouds that do not reach it.

import { createPublicKey } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/ids.ts";
import { sealingKeyOf } from "../../src/base/sealed-text.ts";
import { publishedKeys } from "../../src/service/core/run-identity/identity-keys.ts";
import { tokenSigner } from "../../src/service/oidc/token-signer.ts";
import { runCommand } from "../support/run/run-command.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import type { StorePlace } from "../support/stores/stores.ts";

const KEY = Buffer.alloc(32, 7);

onEveryStore((kind) => {
  describe("agent-service identity", () => {
    let place: StorePlace;
    beforeAll(async () => {
      place = await kind.make();
    });
    afterAll(() => place.remove());

    const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const { dataDir, databaseUrl } = place.settings;
      const store = { DATA_DIR: dataDir, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) };
      const key = { RUN_SECRETS_KEY: KEY.toString("base64") };
      return runCommand(["identity", ...args], { ...store, ...key, ...more });
    };

    it("prints the keys that a service on the store publishes, for each cloud in its form", async () => {
      const { stdout } = await run(["--format", "jwks"]);
      const { keys } = JSON.parse(stdout);
      const store = await place.open(systemClock);
      try {
        const identity = { signer: tokenSigner, sealingKeys: { current: sealingKeyOf(KEY), previous: null } };
        const core = { store, clock: systemClock, random: systemRandom, identity };
        expect(keys).toEqual((await publishedKeys(core))?.map((one) => JSON.parse(one)));
      } finally {
        await store.close();
      }
      expect(keys).toMatchObject([
        { kty: "RSA", alg: "RS256" },
        { kty: "RSA", alg: "RS256" },
      ]);
      expect(stdout).not.toMatch(/"(d|p|q)":/);
      const pem = (await run(["--format", "pem"])).stdout.match(
        /-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g,
      );
      expect(pem?.map((one) => createPublicKey(one).export({ format: "jwk" }).n)).toEqual(
        keys.map(({ n }: { n: string }) => n),
      );
    });

    it("names the issuer, and says where clouds cannot read its keys and when an upload ends", async () => {
      const ofPublic = await run([], { BASE_URL: "https://agents.example.com" });
      expect(ofPublic.stdout).toMatch(/^Issuer +https:\/\/agents\.example\.com\/id\n/);
      expect(ofPublic.stdout).toContain("Another BASE_URL is another issuer");
      expect(ofPublic.stdout).not.toContain("cannot read");
      const ofPrivate = await run(["--json"], { BASE_URL: "https://agents.internal" });
      expect(JSON.parse(ofPrivate.stdout)).toEqual({
        issuer: "https://agents.internal/id",
        jwks: { keys: [expect.anything(), expect.anything()] },
        good_until: expect.any(String),
        fault: expect.stringContaining("it is not on the public internet"),
      });
      const days = (Date.parse(JSON.parse(ofPrivate.stdout).good_until) - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(60);
    });

    it("says what is missing without the key that seals them", async () => {
      const { code, stdout, stderr } = await run([], { RUN_SECRETS_KEY: "" });
      expect([code, stdout, stderr]).toEqual([
        1,
        "",
        expect.stringContaining("RUN_SECRETS_KEY is not set here"),
      ]);
    });
  });
});
