import { getProxyUrl } from "@actions/http-client/lib/proxy";
import { describe, expect, it } from "vitest";
import { chooseProxy } from "../../src/doctor/proxy.ts";

const PROXY = "http://someone:word@proxy.example:3128";

function choose(url: string, env: Record<string, string>, passesLoopback = true) {
  return chooseProxy(new URL(url), { env, passesLoopback });
}

describe("the choice of a proxy", () => {
  it("keeps a proxy's login to itself", () => {
    const choice = choose("https://agents.example", { HTTPS_PROXY: PROXY });
    expect(choice).toEqual({
      type: "proxy",
      url: "http://proxy.example:3128",
      host: "proxy.example",
      port: 3128,
      variable: "HTTPS_PROXY",
    });
    expect(JSON.stringify(choice)).not.toContain("word");
  });

  it("goes by the protocol of the service, small letters first", () => {
    expect(choose("http://agents.example", { HTTPS_PROXY: PROXY })).toEqual({
      type: "direct",
      why: "no proxy is set",
    });
    const env = { http_proxy: "small.example", HTTP_PROXY: "large.example:8080" };
    expect(choose("http://agents.example", env)).toMatchObject({ host: "small.example", port: 80 });
  });

  it("says that a proxy cannot be read", () => {
    expect(choose("http://agents.example", { HTTP_PROXY: "http://" })).toEqual({
      type: "unreadable",
      variable: "HTTP_PROXY",
    });
  });

  it("passes loopback only where the client does", () => {
    const env = { HTTP_PROXY: PROXY };
    for (const host of ["localhost:1", "127.0.0.1:1", "[::1]:1"]) {
      expect(choose(`http://${host}`, env)).toEqual({ type: "direct", why: "it is on loopback" });
      expect(choose(`http://${host}`, env, false).type).toBe("proxy");
    }
  });

  it.each([
    "agents.example",
    ".agents.example",
    "example",
    "*",
    "agents.example:8443",
    "agents.example:443",
    "other.example, agents.example",
    "gents.example",
    "",
  ])('decides on NO_PROXY "%s" as the client of the Action does', (NO_PROXY) => {
    const before = { ...process.env };
    for (const url of [
      "https://agents.example",
      "https://agents.example:8443",
      "https://api.agents.example",
    ]) {
      Object.assign(process.env, { https_proxy: "http://proxy.example:3128", NO_PROXY, no_proxy: "" });
      const taken = getProxyUrl(new URL(url)) !== undefined;
      for (const name of ["https_proxy", "NO_PROXY", "no_proxy"]) {
        delete process.env[name];
        if (before[name] !== undefined) process.env[name] = before[name];
      }
      const choice = choose(url, { https_proxy: "http://proxy.example:3128", NO_PROXY });
      expect(choice.type === "proxy", url).toBe(taken);
    }
  });
});
