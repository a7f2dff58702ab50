// The service named by its document: the authorization server reads it at the service's own https address, and registers nobody.

import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { selfSigned } from "../../../../fakes/self-signed.ts";
import { type ConnectionsFixture, openConnections } from "../../../support/mcp/connections-fixture.ts";
import { call } from "../../../support/service-client.ts";

describe("the service's client document", () => {
  const identity = selfSigned(["localhost"]);
  let front: ReturnType<typeof createServer>;
  let fixture: ConnectionsFixture;
  let webUrl: string;

  beforeEach(async () => {
    // What stands before the service and speaks TLS.
    front = createServer(identity, async (request, response) => {
      const answer = await fetch(fixture.api.url + request.url);
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(await answer.text());
    });
    front.listen(0, "127.0.0.1");
    await once(front, "listening");
    webUrl = `https://localhost:${(front.address() as AddressInfo).port}`;
    fixture = await openConnections({ identity, signIn: { readsDocuments: true }, policy: { webUrl } });
  });
  afterEach(async () => {
    await fixture.close();
    front.closeAllConnections();
    front.close();
  });

  const cookie = () => `__Host-${fixture.owner.cookie}`;

  it("is public, names itself by its address, and says nothing of an account", async () => {
    const answer = await call(`${fixture.api.url}/oauth/client.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(answer.body).toEqual({
      client_id: `${webUrl}/oauth/client.json`,
      client_name: `agent-service at ${new URL(webUrl).host}`,
      client_uri: webUrl,
      redirect_uris: [`${webUrl}/settings/connections/callback`],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "web",
    });
  });

  it("is what the authorization server knows it by, at the sign-in, at a renewal and at the end", async () => {
    const page = await fixture.connect({ cookie: cookie() });
    expect(page.text).toContain("linear is connected.");
    const { server, account, core } = fixture;
    expect(server.documents).toEqual([`${webUrl}/oauth/client.json`]);
    expect(server.registered).toEqual([]);
    expect(server.asked[0]).toMatchObject({
      error: null,
      form: { client_id: `${webUrl}/oauth/client.json` },
    });
    const [row] = await core.store.committed.mcpConnections.list(account.id);
    expect(row?.clientId).toBe(`${webUrl}/oauth/client.json`);
    const ended = await call(`${fixture.api.url}/v1/connections/linear`, {
      method: "DELETE",
      bearer: account.owner,
    });
    expect(ended.body).toEqual({ name: "linear", revoked: true });
  });

  it("stands back where the authorization server reads none", async () => {
    fixture.server.metadata = {
      client_id_metadata_document_supported: undefined,
      registration_endpoint: `${fixture.pair.issuer}/register`,
    };
    const { page, url } = await fixture.begin({ cookie: cookie() });
    expect(page.text).toContain("by a registration that was made just now");
    expect(new URL(url ?? "").searchParams.get("client_id")).toBe("client-1");
    expect(fixture.server.registered).toMatchObject([{ application_type: "web" }]);
    fixture.server.metadata = { client_id_metadata_document_supported: undefined };
    const none = await fixture.begin({ cookie: cookie() });
    expect(none.page.text).toContain("takes neither the document of this service");
  });
});
