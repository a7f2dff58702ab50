import { describe, expect, it } from "vitest";
import { packageRegistries } from "../../../src/service/core/egress/registries.ts";
import { readEgressConfig } from "../../../src/service/egress/egress-config.ts";

function read(environment: Record<string, string>) {
  const problems: string[] = [];
  return { config: readEgressConfig(environment, { problems }), problems };
}

describe("the settings of the network", () => {
  it("allow nothing unless told", () => {
    expect(read({})).toEqual({
      config: { cap: [], registries: packageRegistries, privateHosts: [], maxBytes: 4096 * 1024 * 1024 },
      problems: [],
    });
  });

  it("name what may be reached, mirrors, hosts of the operator's network, and an amount", () => {
    const { config, problems } = read({
      EGRESS: "registries, Docs.Example.com",
      EGRESS_REGISTRIES: "npm.internal:8443, pypi.internal",
      EGRESS_PRIVATE_HOSTS: "npm.internal=10.2.0.0/16, npm.internal=fd00::/8",
      EGRESS_MB: "10",
    });
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      cap: ["registries", "docs.example.com"],
      registries: [
        { name: "npm.internal", port: 8443 },
        { name: "pypi.internal", port: 443 },
      ],
      maxBytes: 10 * 1024 * 1024,
    });
    const [first, second] = config.privateHosts;
    expect([first?.name, second?.name]).toEqual(["npm.internal", "npm.internal"]);
    expect([first?.addresses.check("10.2.3.4"), first?.addresses.check("10.3.0.1")]).toEqual([true, false]);
    expect(second?.addresses.check("fd12::1", "ipv6")).toBe(true);
  });

  it.each([
    ["EGRESS", "https://docs.example.com"],
    ["EGRESS", "10.0.0.1"],
    ["EGRESS_REGISTRIES", "10.0.0.1"],
    ["EGRESS_PRIVATE_HOSTS", "npm.internal"],
    ["EGRESS_PRIVATE_HOSTS", "npm.internal=10.2.0.0"],
    ["EGRESS_PRIVATE_HOSTS", "npm.internal=10.2.0.0/33"],
    ["EGRESS_PRIVATE_HOSTS", "npm.internal=all/0"],
    ["EGRESS_PRIVATE_HOSTS", "10.2.0.1=10.2.0.0/16"],
    ["EGRESS_PRIVATE_HOSTS", "*.internal=10.2.0.0/16"],
    ["EGRESS_MB", "0"],
  ])("refuse %s=%s", (name, value) => {
    expect(read({ [name]: value }).problems).toEqual([
      expect.stringMatching(new RegExp(`^${name} must be `)),
    ]);
  });

  it("say what has become of FETCH_ALLOW", () => {
    expect(read({ FETCH_ALLOW: "docs.example.com" }).problems).toEqual([
      "FETCH_ALLOW is replaced by EGRESS: set EGRESS to these hosts. Runs then read them where their owner or their workflow asks for them (egress).",
    ]);
  });
});
