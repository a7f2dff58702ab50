// Sites as a browser sees them: in a sandbox of the service's origin, and on origins of their own.

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AccountCaller } from "../../../../src/service/core/accounts/caller.ts";
import { openAccount } from "../../../../src/service/core/accounts/keys.ts";
import { openSite, publishSite } from "../../../../src/service/core/workspaces/consumers/site.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import { WorkspaceFiles } from "../../../support/workspace-files.ts";

const files = {
  "public/index.html": "<script>alert(document.cookie)</script><p>first</p>",
  "public/a b/index.html": "<p>below</p>",
  "public/app.js": "alert(1)",
  "public/style.css": "p { color: red }",
  "public/logo.svg": "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
  "public/data.bin": "bytes",
  "public/page.HTML": "<p>shouted</p>",
  "secret.txt": "outside of the folder",
};

describe("sites", () => {
  let core: CoreFixture;
  let api: HttpApi;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
  });

  afterAll(() => api.close());

  /** A published site, and its links. */
  const publish = async () => {
    const { id: accountId, ownerId: personId } = await openAccount(core.core, "subscribed");
    const caller: AccountCaller = {
      kind: "account",
      accountId,
      callerClass: "owner",
      personId: null,
      role: "owner",
    };
    await core.store.transact((tx) =>
      tx.identities.insert({
        id: core.core.random.uuid(core.clock.now()),
        personId,
        kind: "oidc",
        name: "somebody",
        issuer: "https://idp.example",
        subject: accountId,
        createdAt: core.clock.now(),
        lastUsedAt: null,
      }),
    );
    const { workspaceId } = await WorkspaceFiles.make(core, { accountId, name: "site", files });
    const put = (body: { revision_id?: string | null; folder?: string }) =>
      publishSite(core.core, { caller, workspaceId, body });
    const published = await put({ folder: "public" });
    if (!published.ok) throw new Error(published.refusal.reason);
    const link = async (path?: string): Promise<URL> => {
      const body = path === undefined ? {} : { path };
      const opened = await openSite(core.core, { caller, workspaceId, body });
      if (!opened.ok) throw new Error(opened.refusal.reason);
      return new URL(opened.value.url);
    };
    return { workspaceId, put, link };
  };

  type Got = { status: number; headers: IncomingMessage["headers"]; text: string };
  const get = async (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> => {
    const { hostname, port } = new URL(api.url);
    const sent = request({ hostname, port, path, method, headers });
    sent.end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    let text = "";
    for await (const chunk of answer) text += String(chunk);
    return { status: answer.statusCode ?? 0, headers: answer.headers, text };
  };
  const withSites = async (siteUrl: string, work: () => Promise<void>) => {
    const { workspaces } = core.core;
    Object.assign(core.core, { workspaces: { ...workspaces, siteUrl } });
    try {
      await work();
    } finally {
      Object.assign(core.core, { workspaces });
    }
  };

  it("are in a sandbox of the service's origin, where nothing is executed, sent or framed", async () => {
    const { link } = await publish();
    const { pathname } = await link();
    const page = await get(pathname);
    expect([page.status, page.text]).toEqual([200, files["public/index.html"]]);
    const policy = String(page.headers["content-security-policy"]);
    const parts = policy.split("; ");
    for (const part of [
      "sandbox",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
      expect(parts).toContain(part);
    expect(policy).not.toMatch(/allow-|script-src|connect-src|'self'/);
    expect(policy).toContain(`img-src http://service.example${pathname} data:`);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "private, no-cache",
      "cross-origin-opener-policy": "same-origin",
    });
    expect(page.headers).not.toHaveProperty("set-cookie");
    const absent = await get(`${pathname}none.html`);
    expect(absent.status).toBe(404);
    expect(absent.headers["content-security-policy"]).toBe(policy);
  });

  it("answer no script as a script on the service's origin, and what no page is made of as a download", async () => {
    const { link } = await publish();
    const { pathname } = await link();
    for (const name of ["app.js", "data.bin"]) {
      const { status, headers } = await get(pathname + name);
      expect([status, headers["content-type"]]).toEqual([200, "application/octet-stream"]);
      expect(headers["content-disposition"]).toBe("attachment");
    }
    expect((await get(`${pathname}logo.svg`)).headers["content-security-policy"]).toContain("sandbox");
    expect((await get(`${pathname}style.css`)).headers["content-type"]).toBe("text/css; charset=utf-8");
    expect((await get(`${pathname}page.HTML`)).headers["content-type"]).toBe("text/html; charset=utf-8");
  });

  it("have nothing beside their folder, and nothing but reads", async () => {
    const { link } = await publish();
    const { pathname } = await link();
    for (const path of [
      "../secret.txt",
      "%2e%2e/secret.txt",
      "..%2fsecret.txt",
      ".git/config",
      "%ff",
      "a%00b",
    ])
      expect([path, (await get(pathname + path)).text.includes("outside")]).toEqual([path, false]);
    expect((await get(pathname, {}, "POST")).status).toBe(405);
    expect((await get(`${pathname}app.js`, { "service-worker": "script" })).status).toBe(403);
    const folder = await get(`${pathname}a%20b`);
    expect([folder.status, folder.headers.location]).toEqual([302, "./a%20b/"]);
    expect((await get(`${pathname}a%20b/`)).text).toBe("<p>below</p>");
    const etag = String((await get(pathname)).headers.etag);
    expect((await get(pathname, { "if-none-match": etag })).status).toBe(304);
    expect((await get(pathname, { range: "bytes=0-7" })).text).toBe("<script>");
  });

  it("end with their link, and when they are taken away", async () => {
    const { link, put } = await publish();
    const { pathname } = await link();
    expect((await get(`/site/svc_site_${"A".repeat(49)}/`)).status).toBe(404);
    await put({ revision_id: null });
    expect((await get(pathname)).status).toBe(404);
    await put({ folder: "public" });
    const again = (await link()).pathname;
    expect((await get(again)).status).toBe(200);
    await core.clock.advance(15 * 60_000);
    expect((await get(again)).status).toBe(404);
  });

  it("are of an accepted revision, and of a folder that it has", async () => {
    const { put } = await publish();
    const refusal = async (body: Parameters<typeof put>[0]) => {
      const answer = await put(body);
      return answer.ok ? null : answer.refusal.reason;
    };
    expect(await refusal({ folder: "none" })).toBe("site_folder_not_found");
    expect(await refusal({ folder: "secret.txt" })).toBe("site_folder_not_found");
    expect(await refusal({ folder: "../public" })).toBe("path_invalid");
    const other = await publish();
    const [own] = await Promise.all([other.put({ folder: "" })]);
    const foreign = own.ok ? own.value.revisionId : "";
    expect(await refusal({ revision_id: foreign })).toBe("revision_not_found");
  });

  it("have an origin of their own with SITE_URL, where nothing else is served", async () => {
    await withSites("https://{workspace}.sites.example", async () => {
      const { workspaceId, link } = await publish();
      const other = await publish();
      const url = await link("a b/");
      expect(url.origin).toBe(`https://${workspaceId}.sites.example`);
      const { host } = url;
      const opened = await get(url.pathname, { host });
      expect([opened.status, opened.headers.location]).toEqual([302, "/a%20b/"]);
      const [cookie = ""] = opened.headers["set-cookie"] ?? [];
      expect(cookie).toMatch(
        /^__Host-svc_site=svc_site_[^;]+; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      const kept = { host, cookie: cookie.split(";")[0] ?? "" };
      expect((await get("/a%20b/", kept)).text).toBe("<p>below</p>");
      const script = await get("/app.js", kept);
      expect([script.text, script.headers["content-type"]]).toEqual([
        "alert(1)",
        "text/javascript; charset=utf-8",
      ]);
      // Neither the API nor the pages are there, nor is another workspace's site.
      for (const path of ["/healthz", "/v1/pricing/models", "/sign-in", "/openapi.json"])
        expect([path, (await get(path, kept)).status]).toEqual([path, 404]);
      expect((await get("/", { host })).status).toBe(404);
      const { host: otherHost } = await other.link();
      expect((await get("/", { ...kept, host: otherHost })).status).toBe(404);
      expect((await get(url.pathname, { host: otherHost })).status).toBe(404);
      // A link leads nowhere else.
      const [, , token] = url.pathname.split("/");
      const away = await get(`/site/${token}//evil.example/`, { host });
      expect(away.headers.location).toBe("/evil.example/");
    });
  });

  it("write no link to the log", async () => {
    const { link } = await publish();
    const { pathname } = await link();
    await get(pathname);
    expect(core.logs.join("\n")).not.toContain(pathname.split("/")[2]);
  });
});
