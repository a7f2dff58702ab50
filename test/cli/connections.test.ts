// agent-service connections, against connections in which a person has signed in.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConnectionsFixture, openConnections } from "../support/mcp/connections-fixture.ts";
import { runCommand } from "../support/run/run-command.ts";

describe("agent-service connections", () => {
  let fixture: ConnectionsFixture;

  beforeAll(async () => {
    fixture = await openConnections();
  });
  afterAll(() => fixture.close());

  const ask = async (args: readonly string[], key = fixture.account.owner) => {
    const surroundings = { AGENT_SERVICE_URL: `${fixture.api.url}/`, AGENT_SERVICE_KEY: key };
    const exit = await runCommand(["connections", ...args], surroundings);
    for (const secret of [key, ...fixture.server.issued])
      expect(exit.stdout + exit.stderr).not.toContain(secret);
    return exit;
  };

  it("lists them, and ends one", async () => {
    const none = await ask([]);
    expect([none.code, none.stdout]).toEqual([0, ""]);
    expect(none.stderr).toContain("Nothing is connected.");
    await fixture.connect();
    const { stdout } = await ask([]);
    const { url, hosts } = fixture.pair;
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["NAME", "SERVER", "STATE", "EGRESS", "SINCE"],
      ["linear", url, "connected", hosts.join(","), expect.stringMatching(/^\d{4}-.*Z$/)],
    ]);
    expect(JSON.parse((await ask(["--json"])).stdout)).toMatchObject([{ name: "linear", server_url: url }]);
    const client = await ask(["remove", "linear"], fixture.account.aiClient);
    expect([client.code, client.stderr.includes("/settings/connections")]).toEqual([1, true]);
    expect((await ask(["remove", "linear"])).stdout).toBe(
      "linear is disconnected. Its authorization server has taken the tokens back.",
    );
    expect(fixture.server.living).toBe(0);
    const again = await ask(["remove", "linear"]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("linear");
    await fixture.connect();
    fixture.server.metadata = { revocation_endpoint: undefined };
    expect(JSON.parse((await ask(["remove", "linear", "--json"])).stdout)).toEqual({
      name: "linear",
      revoked: true,
    });
  });

  it("leads to the page with the server filled in, where nothing happens by itself", async () => {
    const { url, issuer } = fixture.pair;
    const { stdout } = await ask(["add", url, "--name", "linear", "--json"]);
    const page = new URL((JSON.parse(stdout) as { url: string }).url);
    expect(page.origin).toBe(fixture.api.url);
    expect((await ask(["add", url])).stdout).toContain(
      `${fixture.api.url}/settings/connections?server=https`,
    );
    const registered = fixture.server.registered.length;
    const shown = await fixture.get(page.pathname + page.search);
    expect(shown.text).toContain('placeholder="linear" value="linear"');
    expect(shown.text).toContain(`placeholder="https://mcp.linear.app/mcp" value="${url}"`);
    expect(shown.text).not.toContain(new URL(issuer).host);
    expect(fixture.server.registered).toHaveLength(registered);
    const hostile = await fixture.get(
      `${page.pathname}?server=${encodeURIComponent('"><script>x</script>')}`,
    );
    expect(hostile.text).not.toContain("<script>x");
    const long = await fixture.get(`${page.pathname}?name=${"x".repeat(33)}&server=y`);
    expect([long.status, long.text.includes('value="y"')]).toEqual([200, false]);
  });

  it.each([
    ["http://mcp.example.com/mcp", "must be the https:// address of an MCP server"],
    ["https://user:pw@mcp.example.com/mcp", "must be the https:// address of an MCP server"],
  ])("refuses %s", async (url, told) => {
    const { code, stderr } = await ask(["add", url]);
    expect([code, stderr.includes(told)], stderr).toEqual([2, true]);
  });
});
