// A person signs in to an MCP server for their account, over HTTP, at an authorization server that checks what a real one would.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WEB_SESSION_MS } from "../../../../src/service/core/web-sessions/web-session.ts";
import { type ConnectionsFixture, openConnections } from "../../../support/mcp/connections-fixture.ts";
import { addPerson } from "../../../support/people.ts";
import { makeAccount } from "../../../support/service-account.ts";
import { call } from "../../../support/service-client.ts";
import { dumpPlace } from "../../../support/service-dump.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../support/web-sign-in.ts";

const PAGE = "/settings/connections";
const MINUTE_MS = 60_000;

onEveryStore((store) => {
  describe("a connection of an account", () => {
    let fixture: ConnectionsFixture;

    beforeEach(async () => {
      fixture = await openConnections({ store });
    });
    afterEach(() => fixture.close());

    const listed = async (bearer = fixture.account.owner) =>
      (await call(`${fixture.api.url}/v1/connections`, { bearer })).body;
    const audited = async () =>
      (await fixture.core.place.query("select action, method from audit_entries order by id"))
        .map(({ action, method }) => `${action} ${method}`)
        .filter((text) => text.startsWith("mcp_"));

    it("is made by code, PKCE and resource, and is shown without a token", async () => {
      const { server, pair, owner } = fixture;
      const { page, url } = await fixture.begin();
      expect(page.status).toBe(200);
      expect(page.text).toContain(`You sign in at</dt><dd><code>${new URL(pair.issuer).host}`);
      const asked = new URL(url ?? "").searchParams;
      expect(Object.fromEntries(asked)).toMatchObject({
        response_type: "code",
        client_id: "client-1",
        redirect_uri: `http://localhost:4711${PAGE}/callback`,
        code_challenge_method: "S256",
        resource: pair.url,
        scope: "tools",
      });
      const back = await fixture.get(await fixture.signIn(url ?? ""));
      expect([back.status, back.headers.get("location")]).toEqual([303, `${PAGE}?connected=linear`]);
      const shown = await fixture.get(`${PAGE}?connected=linear`);
      expect(shown.text).toContain("linear is connected.");
      expect(shown.text).toContain(`egress: ${pair.hosts.join(", ")}`);
      expect(server.sentThere.map(({ error }) => error)).toEqual([null]);
      expect(server.asked).toMatchObject([
        { path: "/token", error: null, form: { grant_type: "authorization_code", resource: pair.url } },
      ]);
      expect(server.registered).toMatchObject([
        { application_type: "native", token_endpoint_auth_method: "none" },
      ]);
      const view = {
        name: "linear",
        server_url: pair.url,
        issuer: pair.issuer,
        scopes: ["tools"],
        hosts: pair.hosts,
        state: "connected",
        reason: null,
        connected_by: owner.personId,
      };
      expect(await listed()).toMatchObject([view]);
      expect(await listed(fixture.account.aiClient)).toMatchObject([view]);
      expect(await audited()).toEqual(["mcp_connected linear"]);
      const seen = [
        await dumpPlace(fixture.core.place),
        fixture.core.logs.join("\n"),
        shown.text,
        page.text,
        JSON.stringify(await listed()),
      ].join("\n");
      for (const secret of server.issued) expect(seen).not.toContain(secret);
    });

    it("is of the account alone", async () => {
      await fixture.connect();
      const other = await makeAccount(fixture.core);
      const bearer = other.owner;
      expect(await listed(bearer)).toEqual([]);
      const path = `${fixture.api.url}/v1/connections/linear`;
      expect((await call(path, { method: "DELETE", bearer })).status).toBe(404);
      expect(await listed()).toHaveLength(1);
    });

    it("is ended here and at its authorization server", async () => {
      await fixture.connect();
      expect(fixture.server.living).toBe(1);
      const path = `${fixture.api.url}/v1/connections/linear`;
      const client = await call(path, { method: "DELETE", bearer: fixture.account.aiClient });
      expect(client.status).toBe(403);
      fixture.core.clock.advance(1);
      const answer = await call(path, { method: "DELETE", bearer: fixture.account.owner });
      expect([answer.status, answer.body]).toEqual([200, { name: "linear", revoked: true }]);
      expect(fixture.server.living).toBe(0);
      expect(fixture.server.asked.slice(1)).toMatchObject([
        { path: "/revoke", error: null, form: { token_type_hint: "refresh_token" } },
        { path: "/revoke", error: null, form: { token_type_hint: "access_token" } },
      ]);
      expect(await fixture.core.place.query("select name from mcp_connections")).toEqual([]);
      expect((await call(path, { method: "DELETE", bearer: fixture.account.owner })).status).toBe(404);
      expect(await audited()).toEqual(["mcp_connected linear", "mcp_disconnected linear"]);
      await fixture.connect();
      fixture.server.metadata = { revocation_endpoint: undefined };
      const page = await fixture.post(`${PAGE}/disconnect`, { name: "linear" });
      expect(page.text).toContain("linear is disconnected.");
    });

    it("is signed in to again by the same name and server, and by no other server", async () => {
      await fixture.connect();
      const other = await fixture.begin({ url: "https://mcp.example.com/mcp" });
      expect([other.page.status, other.url]).toEqual([422, null]);
      expect(other.page.text).toContain(`The connection linear is with ${fixture.pair.url}`);
      await fixture.connect();
      expect(await listed()).toHaveLength(1);
      expect(await fixture.core.place.query("select version from mcp_connections")).toHaveLength(1);
      expect(await audited()).toEqual(["mcp_connected linear", "mcp_connected linear"]);
    });

    it("takes back the tokens that another sign-in replaces, once the new ones are there", async () => {
      const { server } = fixture;
      await fixture.connect();
      const old = server.issued.filter((secret) => /^(access|refresh)-/.test(secret));
      expect((await fixture.connect()).text).toContain("linear is connected.");
      expect(server.asked.map(({ path, form, error }) => [path, form.token_type_hint, error])).toEqual([
        ["/token", undefined, null],
        ["/token", undefined, null],
        ["/revoke", "refresh_token", null],
        ["/revoke", "access_token", null],
      ]);
      expect(server.asked.slice(2).map(({ form }) => form.token)).toEqual([old[1], old[0]]);
      expect(server.living).toBe(1);
      expect(await listed()).toMatchObject([{ state: "connected" }]);
    });

    it("keeps the new tokens where the earlier ones cannot be taken back, and says so in the log alone", async () => {
      const { server, core, pair } = fixture;
      server.metadata = { revocation_endpoint: `${pair.issuer}/nowhere` };
      await fixture.connect();
      const page = await fixture.connect();
      expect([page.status, page.text.includes("linear is connected.")]).toEqual([200, true]);
      expect(server.living).toBe(2);
      const told = core.logs.filter((line) => line.includes("that a sign-in replaced could not be revoked"));
      expect(told).toHaveLength(1);
      expect(told[0]).toContain('"connection":"linear"');
      const seen = `${core.logs.join("\n")}${page.text}`;
      for (const secret of server.issued) expect(seen).not.toContain(secret);
      // One that has no way to be told is no failure.
      server.metadata = { revocation_endpoint: undefined };
      await fixture.connect();
      await fixture.connect();
      expect(server.living).toBe(4);
      expect(core.logs.filter((line) => line.includes("could not be revoked"))).toHaveLength(2);
    });

    it("takes an answer once, in the session that began it, within ten minutes", async () => {
      const { url } = await fixture.begin();
      const path = await fixture.signIn(url ?? "");
      // The same person, in another browser.
      const again = await signInTo(fixture.core.core, fixture.account.id);
      const elsewhere = await fixture.get(path, again.cookie);
      expect([elsewhere.status, elsewhere.text.includes("was not begun in this session")]).toEqual([
        422,
        true,
      ]);
      // Whoever tried has used it up.
      expect((await fixture.get(path)).status).toBe(422);
      const second = await fixture.begin();
      const late = await fixture.signIn(second.url ?? "");
      fixture.core.clock.advance(10 * MINUTE_MS);
      expect((await fixture.get(late)).text).toContain("took more than ten minutes");
      const third = await fixture.begin();
      const twice = await fixture.signIn(third.url ?? "");
      expect((await fixture.get(twice)).status).toBe(303);
      expect((await fixture.get(twice)).status).toBe(422);
      expect((await fixture.get(`${PAGE}/callback?code=x`)).status).toBe(422);
      expect((await fixture.get(`${PAGE}/callback?code=x&state=svc_try_none`)).status).toBe(422);
      const nobody = await fixture.get(twice, "session=none");
      expect(nobody.headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(PAGE)}`);
      expect(fixture.server.asked).toHaveLength(1);
    });

    it("takes no answer of another issuer, and repeats none of its words", async () => {
      const answers: Readonly<Record<string, string | null>>[] = [
        { iss: "https://evil.example" },
        { iss: `${fixture.pair.issuer}/` },
        { iss: null },
        { iss: "https://evil.example", error: "access_denied", error_description: "click here", code: null },
      ];
      for (const answer of answers) {
        fixture.server.answer = answer;
        const page = await fixture.connect();
        expect([page.status, answer]).toEqual([422, answer]);
        expect(page.text).toContain(`The answer did not come from ${fixture.pair.issuer}`);
        expect(page.text).not.toMatch(/evil|access_denied|click here/);
      }
      // Where nobody promises it, an answer without it is taken, and a wrong one is not.
      fixture.server.metadata = { authorization_response_iss_parameter_supported: undefined };
      fixture.server.answer = { iss: "https://evil.example" };
      expect((await fixture.connect()).status).toBe(422);
      fixture.server.answer = { iss: null };
      expect((await fixture.connect()).text).toContain("linear is connected.");
      expect(fixture.server.asked).toHaveLength(1);
    });

    it("says what the authorization server answers, as text, and what to do", async () => {
      fixture.server.answer = {
        error: "access_denied",
        error_description: "<b>No</b>",
        code: null,
      };
      const page = await fixture.connect();
      expect(page.status).toBe(422);
      expect(page.text).toContain("access_denied: &lt;b&gt;No&lt;/b&gt;. Begin again, and allow it there.");
      fixture.server.answer = { code: null };
      expect((await fixture.connect()).text).toContain("It came back without a code.");
      fixture.server.answer = {};
      fixture.server.faults.push({
        status: 400,
        body: '{"error":"invalid_grant","error_description":"secret"}',
      });
      const refused = await fixture.connect();
      expect(refused.text).toContain("refused the code (400, invalid_grant).");
      expect(refused.text).not.toContain("secret");
      expect(await listed()).toEqual([]);
    });

    it.each([
      ["code_challenge_methods_supported", undefined, "does not say that it takes PKCE with S256"],
      ["code_challenge_methods_supported", ["plain"], "does not say that it takes PKCE with S256"],
      ["response_types_supported", ["token"], "gives no authorization codes"],
      ["issuer", "https://evil.example", "cannot be read (RFC 8414)"],
      ["authorization_endpoint", "http://localhost/authorize", "is not reached by https"],
      ["token_endpoint", "http://evil.example/token", "is not reached by https"],
      ["registration_endpoint", undefined, "registers nobody"],
      ["registration_endpoint", "https://10.0.0.1/register", "The address 10.0.0.1 is blocked"],
      ["registration_endpoint", "http://localhost/register", "is not reached by https"],
    ])("sends nobody to a server whose %s is %j", async (name, value, told) => {
      fixture.server.metadata = { [name]: value };
      const { page, url } = await fixture.begin();
      expect([page.status, url]).toEqual([422, null]);
      expect(page.text).toContain(told);
    });

    it("is with a server that the operator lets runs reach, by an address that is public", async () => {
      const asked = [
        ["https://mcp.example.com/mcp", "Runs of this service may not reach mcp.example.com"],
        ["https://169.254.169.254/mcp", "The address 169.254.169.254 is blocked"],
        ["http://localhost/mcp", "The address must begin with https://"],
        ["https://user:pw@localhost/mcp", "The address must not hold credentials"],
        ["nowhere", "The address must be a URL"],
      ] as const;
      for (const [url, told] of asked) {
        const { page } = await fixture.begin({ url });
        expect([page.status, page.text.includes(told)], url).toEqual([422, true]);
      }
      const { page } = await fixture.begin({ name: "two words" });
      expect(page.text).toContain("The name must be a name of at most 32 letters");
    });

    it("is for owners and admins in a session", async () => {
      const { core, account } = fixture;
      const { url } = await fixture.begin();
      const path = await fixture.signIn(url ?? "");
      for (const role of ["viewer", "member"] as const) {
        const personId = await addPerson(core.core, { accountId: account.id, role });
        const { cookie } = await signInTo(core.core, account.id, personId);
        expect((await fixture.begin({ cookie })).page.status).toBe(403);
        expect((await fixture.post(`${PAGE}/disconnect`, { name: "linear" }, cookie)).status).toBe(403);
        const back = await fixture.get(path, cookie);
        expect([back.status, back.text.includes("Your role is")]).toEqual([422, true]);
        const page = await fixture.get(PAGE, cookie);
        expect(page.status).toBe(200);
        expect(page.text).not.toContain('<form method="post" action="/settings/connections');
      }
      const cross = await call(fixture.api.url + PAGE, {
        method: "POST",
        form: { name: "linear", url: fixture.pair.url },
        headers: { "sec-fetch-site": "cross-site", cookie: fixture.owner.cookie },
      });
      expect(cross.status).toBe(403);
      const personId = await addPerson(core.core, { accountId: account.id, role: "admin" });
      const { cookie } = await signInTo(core.core, account.id, personId);
      expect((await fixture.connect({ cookie })).text).toContain("linear is connected.");
      fixture.core.clock.advance(WEB_SESSION_MS);
      expect((await fixture.get(PAGE, cookie)).status).toBe(303);
    });

    it("says that somebody has to sign in again once its person has left, or the key is another", async () => {
      const { core, account } = fixture;
      const personId = await addPerson(core.core, { accountId: account.id, role: "admin", name: "Ada" });
      const { cookie } = await signInTo(core.core, account.id, personId);
      await fixture.connect({ cookie });
      expect((await fixture.get(PAGE)).text).toContain("<dd>Ada, ");
      const key = await call(`${fixture.api.url}/v1/account/members/${personId}`, {
        method: "DELETE",
        bearer: account.owner,
      });
      expect(key.status, key.text).toBe(200);
      expect(await listed()).toMatchObject([{ state: "sign_in_needed", reason: "person_left" }]);
      expect((await fixture.get(PAGE)).text).toContain(
        "whoever signed in is no member of the account any more",
      );
      await fixture.connect();
      expect(await listed()).toMatchObject([{ state: "connected" }]);
      await core.place.query("select 1");
      await core.store.transact(async (tx) => {
        const [one] = await tx.mcpConnections.list(account.id);
        if (one !== undefined) await tx.mcpConnections.put({ ...one, sealed: "v1.00000000.AAAA.AAAA" });
      });
      expect(await listed()).toMatchObject([{ state: "sign_in_needed", reason: "sealed" }]);
    });
  });

  describe("a host whose address is not public", () => {
    it("is asked nothing, whoever allows its name", async () => {
      const fixture = await openConnections({ store, entries: (hosts) => [...hosts, "mcp.example.com"] });
      const { page } = await fixture.begin({ url: "https://mcp.example.com/mcp" });
      expect(page.text).toContain("it has an address that is not on the public internet");
      fixture.server.metadata = { registration_endpoint: "https://mcp.example.com/register" };
      expect((await fixture.begin()).page.text).toContain("not on the public internet");
      await fixture.close();
    });
  });

  describe("a service without RUN_SECRETS_KEY", () => {
    it("keeps no connections, and says what to set", async () => {
      const fixture = await openConnections({ store, secretKeys: null });
      const page = await fixture.get(PAGE);
      expect(page.text).toContain("its operator has set no <code>RUN_SECRETS_KEY</code>");
      expect(page.text).not.toContain("Address of the server");
      expect((await fixture.begin()).page.status).toBe(422);
      expect(fixture.server.registered).toEqual([]);
      await fixture.close();
    });
  });
});

describe("a client with a secret", () => {
  it("proves itself with it, and the secret is sealed", async () => {
    const fixture = await openConnections({ signIn: { givesSecrets: true } });
    expect((await fixture.connect()).text).toContain("linear is connected.");
    const dump = await dumpPlace(fixture.core.place);
    for (const secret of fixture.server.issued) expect(dump).not.toContain(secret);
    const path = `${fixture.api.url}/v1/connections/linear`;
    const ended = await call(path, { method: "DELETE", bearer: fixture.account.owner });
    expect(ended.body).toEqual({ name: "linear", revoked: true });
    await fixture.close();
  });
});
