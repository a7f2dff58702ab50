// Which hosts are sites', and which addresses may not be.

import { describe, expect, it } from "vitest";
import { isSameSite, readSiteUrl, siteOrigin, workspaceOfHost } from "../../src/base/site-host.ts";

const ID = "a2f6c1d4-8b3e-4c57-9d20-1e5f7a9b3c48";
const SITES = "https://{workspace}.sites.example";

describe("the hosts of sites", () => {
  it.each([
    [SITES, SITES],
    [`${SITES}/`, SITES],
    ["http://{workspace}.localhost:8080", "http://{workspace}.localhost:8080"],
    ["https://sites.example", null],
    ["https://{workspace}", null],
    ["https://x{workspace}.sites.example", null],
    ["https://{workspace}.sites.example/path", null],
    ["https://{workspace}.user@sites.example", null],
    ["ftp://{workspace}.sites.example", null],
    ["https://{workspace}.SITES.example", null],
  ])("are read from %s", (text, expected) => {
    expect(readSiteUrl(text)).toBe(expected);
  });

  it("name their workspace by the first label, and nothing else does", () => {
    expect(siteOrigin(SITES, ID)).toBe(`https://${ID}.sites.example`);
    expect(workspaceOfHost(SITES, `${ID}.sites.example`)).toBe(ID);
    expect(workspaceOfHost(SITES, `${ID.toUpperCase()}.Sites.Example`)).toBe(ID);
    for (const host of [
      "",
      ID,
      "sites.example",
      `${ID}.evil.example`,
      `x.${ID}.sites.example`,
      `${ID}.sites.example:81`,
    ])
      expect([host, workspaceOfHost(SITES, host)]).toEqual([host, null]);
    expect(workspaceOfHost("http://{workspace}.localhost:8080", `${ID}.localhost:8080`)).toBe(ID);
  });

  it("share no cookies with the service", () => {
    expect(isSameSite(SITES, "https://sites.example")).toBe(true);
    expect(isSameSite(SITES, "https://app.sites.example")).toBe(true);
    expect(isSameSite("https://{workspace}.sites.app.example", "https://app.example")).toBe(true);
    expect(isSameSite(SITES, "https://app.example")).toBe(false);
    expect(isSameSite(SITES, "https://notsites.example")).toBe(false);
    const sites = "https://{workspace}.sites.acme.example";
    expect(isSameSite(sites, "https://agents.acme.example")).toBe(true);
    expect(isSameSite(sites, "https://a.b.acme.example:8443")).toBe(true);
    expect(isSameSite(sites, "https://acme-agents.example")).toBe(false);
    expect(isSameSite("https://{workspace}.sites.acme.co.uk", "https://agents.acme.co.uk")).toBe(true);
    expect(isSameSite("https://{workspace}.acme-sites.co.uk", "https://acme.co.uk")).toBe(false);
    expect(isSameSite("https://{workspace}.sites.acme.io", "https://agents.acme.io")).toBe(true);
    expect(isSameSite(sites, "http://127.0.0.1:8080")).toBe(false);
    expect(isSameSite("http://{workspace}.sites.localhost", "http://localhost:8080")).toBe(true);
  });
});
