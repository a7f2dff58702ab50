// Every combination of policies over a few hosts: what is granted is what all levels allow, no more and no less.

import { describe, expect, it } from "vitest";
import { type HostEntry, readHostEntry } from "../../../../src/contract/egress.ts";
import { grantEgress } from "../../../../src/service/core/egress/grant.ts";
import { packageRegistries } from "../../../../src/service/core/egress/registries.ts";
import {
  allows,
  type EgressRules,
  egressPhases,
  intersectRules,
  rulesOf,
} from "../../../../src/service/core/egress/rules.ts";

const registries: readonly HostEntry[] = [
  { name: "npm.example", port: 443 },
  { name: "pypi.example", port: 443 },
];
const entries = [
  "setup",
  "registries",
  "npm.example",
  "*.example",
  "*.a.example",
  "b.a.example",
  "b.a.example:8443",
];
const policies = Array.from({ length: 2 ** entries.length }, (_, bits) =>
  entries.filter((_entry, place) => (bits >> place) % 2 === 1),
);
/** Each host at each port that some entry tells apart. */
const hosts = [
  "npm.example",
  "pypi.example",
  "a.example",
  "b.a.example",
  "c.b.a.example",
  "example",
  "evil.test",
].flatMap((name) => [443, 8443].map((port) => ({ name, port })));

/** What can be reached, as texts. */
function reached(rules: EgressRules): ReadonlySet<string> {
  const all = egressPhases.flatMap((phase) =>
    hosts.filter((host) => allows(rules[phase], host)).map(({ name, port }) => `${phase} ${name}:${port}`),
  );
  return new Set(all);
}

const rules = policies.map((policy) => rulesOf(policy, registries));
const reach = rules.map(reached);

describe("the rules of a policy", () => {
  it.each<[string, string]>([
    ["setup", "setup npm.example:443, setup pypi.example:443"],
    [
      "registries",
      "setup npm.example:443, setup pypi.example:443, agent npm.example:443, agent pypi.example:443",
    ],
    ["b.a.example:8443", "setup b.a.example:8443, agent b.a.example:8443"],
    [
      "*.a.example",
      "setup b.a.example:443, setup c.b.a.example:443, agent b.a.example:443, agent c.b.a.example:443",
    ],
  ])("of %s alone are known", (entry, expected) => {
    expect([...reached(rulesOf([entry], registries))].join(", ")).toBe(expected);
  });

  it("allow what one of their entries allows", () => {
    for (const [index, policy] of policies.entries()) {
      const union = new Set(policy.flatMap((entry) => [...reached(rulesOf([entry], registries))]));
      expect(reach[index]).toEqual(union);
    }
  });

  it("never allow in a run what they do not allow in its setup", () => {
    for (const { setup, agent } of rules) for (const host of agent) expect(allows(setup, host)).toBe(true);
  });
});

describe("the intersection of two policies", () => {
  it("allows what both allow, for every two of 128", () => {
    for (const [first, one] of rules.entries()) {
      for (const [second, other] of rules.entries()) {
        const common = reached(intersectRules(one, other));
        const expected = [...(reach[first] ?? [])].filter((text) => reach[second]?.has(text));
        if (common.size !== expected.length || !expected.every((text) => common.has(text)))
          throw new Error(`${policies[first]} and ${policies[second]}: ${[...common]}, not ${expected}`);
      }
    }
  });

  it("names a host once", () => {
    const all = intersectRules(rulesOf(entries, registries), rulesOf(entries, registries));
    expect(all.agent).toEqual([
      { name: "*.example", port: 443 },
      { name: "b.a.example", port: 8443 },
    ]);
  });
});

describe("what a run is granted", () => {
  const cap = { entries: ["registries", "*.example"], registries, needsOwner: true };
  const claimed = { accountId: "account", egress: null };
  const grant = (
    given: Partial<typeof cap>,
    agent: { accountId: string | null; egress: readonly string[] | null },
    asked: readonly string[] | null,
  ) => {
    const { rules: granted, withheld } = grantEgress({ ...cap, ...given }, { agent, asked });
    return { reached: [...reached(granted)], withheld };
  };

  it("is nothing unless somebody asks", () => {
    expect(grant({}, claimed, null)).toEqual({ reached: [], withheld: [] });
    expect(grant({}, claimed, [])).toEqual({ reached: [], withheld: [] });
  });

  it("is nothing without an owner, whatever is asked", () => {
    const unclaimed = { accountId: null, egress: null };
    expect(grant({}, unclaimed, ["setup", "npm.example"])).toEqual({
      reached: [],
      withheld: ["setup", "npm.example"],
    });
    // A service inside a job works for its workflow alone.
    expect(grant({ needsOwner: false }, unclaimed, ["npm.example"]).reached).toHaveLength(2);
  });

  it("is nothing where the operator allows nothing", () => {
    expect(grant({ entries: [] }, { ...claimed, egress: ["registries"] }, ["registries"])).toEqual({
      reached: [],
      withheld: ["registries"],
    });
  });

  it("is the owner's policy where the run names none, within the operator's", () => {
    const owned = { ...claimed, egress: ["npm.example", "evil.test"] };
    expect(grant({}, owned, null)).toEqual({
      reached: ["setup npm.example:443", "agent npm.example:443"],
      withheld: [],
    });
  });

  it("is what the run asks for, within the owner's policy", () => {
    const owned = { ...claimed, egress: ["setup"] };
    expect(grant({}, owned, ["registries", "evil.test"])).toEqual({
      reached: ["setup npm.example:443", "setup pypi.example:443"],
      withheld: ["registries", "evil.test"],
    });
    expect(grant({}, owned, ["setup"]).withheld).toEqual([]);
    expect(grant({}, { ...claimed, egress: [] }, ["setup"])).toEqual({ reached: [], withheld: ["setup"] });
  });

  it("allows what every level allows, for every three policies of one or two entries", () => {
    const small = policies.filter((policy) => policy.length <= 2);
    for (const operator of small) {
      for (const owner of small) {
        for (const asked of small) {
          const agent = { accountId: "account", egress: owner };
          const granted = reached(grantEgress({ ...cap, entries: operator }, { agent, asked }).rules);
          const levels = [operator, owner, asked].map((policy) => reached(rulesOf(policy, registries)));
          const [first = new Set<string>()] = levels;
          const expected = [...first].filter((text) => levels.every((level) => level.has(text)));
          if (granted.size !== expected.length || !expected.every((text) => granted.has(text)))
            throw new Error(`${operator} / ${owner} / ${asked}: ${[...granted]}, not ${expected}`);
        }
      }
    }
  });
});

it("the package registries are hosts, each once", () => {
  for (const { name } of packageRegistries) expect(readHostEntry(name)).toEqual({ name, port: 443 });
  expect(new Set(packageRegistries.map(({ name }) => name)).size).toBe(packageRegistries.length);
});
