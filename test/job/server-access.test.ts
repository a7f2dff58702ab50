// Where a job goes for the access token of an MCP server: hosts that the workflow names, and public ones that the server names.

import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import type { Transport } from "../../src/client/transport.ts";
import { openServerAccesses } from "../../src/job/server-access.ts";

const SERVER = "https://mcp.example";

/** A server that trusts this issuer. Every other address answers 404. */
function play(
  issuer: string,
  { auth = { type: "job" }, event = "push" }: { auth?: object; event?: string } = {},
) {
  const asked: string[] = [];
  const minted: string[] = [];
  const transport: Transport = async ({ url }) => {
    asked.push(url);
    const isAbout = url === `${SERVER}/.well-known/oauth-protected-resource/mcp`;
    const about = { resource: `${SERVER}/mcp`, authorization_servers: [issuer] };
    return {
      status: isAbout ? 200 : 404,
      headers: () => undefined,
      body: isAbout ? JSON.stringify(about) : "{}",
    };
  };
  const [server] = openServerAccesses({
    servers: [{ name: "docs", url: `${SERVER}/mcp`, auth }],
    job: { provider: "github", event },
    tokens: {
      mintIdToken: async (audience) => {
        minted.push(audience);
        return "id-token";
      },
    },
    transport,
    clock: systemClock,
    random: () => 0,
    setSecret: () => {},
    onRetry: () => {},
    signal: new AbortController().signal,
  });
  if (server === undefined) throw new Error("There is no server.");
  return { asked, minted, current: server.access.current };
}

describe("the access token of a server, for a service", () => {
  it.each(["https://localhost", "https://169.254.169.254", "https://[::1]"])(
    "is not asked for at %s, which the server names and which is not public",
    async (issuer) => {
      const { asked, minted, current } = play(issuer);
      await expect(current()).rejects.toThrow(/is not on the public internet/);
      const count = asked.length;
      // It is final.
      await expect(current()).rejects.toThrow(/is not on the public internet/);
      expect(asked).toHaveLength(count);
      expect(asked.every((url) => url.startsWith(SERVER))).toBe(true);
      expect(minted).toEqual([]);
    },
  );

  it("is asked for there where the workflow names it", async () => {
    const { asked, current } = play("https://localhost", {
      auth: { type: "job", issuer: "https://localhost" },
    });
    await expect(current()).rejects.toThrow(/localhost has no metadata of an authorization server/);
    expect(asked).toContain("https://localhost/.well-known/oauth-authorization-server");
  });

  it("is asked for by https alone", async () => {
    const { asked, current } = play("http://auth.example");
    await expect(current()).rejects.toThrow(/not reached by https/);
    expect(asked.every((url) => url.startsWith(SERVER))).toBe(true);
  });
});
