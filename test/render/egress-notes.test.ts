import { describe, expect, it } from "vitest";
import { egressNotes, egressSection } from "../../src/render/egress-notes.ts";

const blocked = (host: string, times = 1) => ({ host, times, reason: "not_allowed" });
const egress = {
  withheld: ["registries", "docs.example"],
  allowed: [{ host: "registry.example", connections: 3, bytes: 5_000 }],
  blocked: [blocked("evil.example", 3), blocked("other.example:8443")],
};

describe("what a run was denied of the network", () => {
  it("is a line each in the log", () => {
    expect(egressNotes(egress)).toEqual([
      "The run asked for registries, docs.example of the network, which the agent's owner or the service does not allow.",
      "blocked: evil.example ×3, other.example:8443",
    ]);
  });

  it("is a paragraph each in the summary", () => {
    expect(egressSection(egress)).toBe(
      "The run asked for <code>registries</code>, <code>docs.example</code> of the network, which the agent's owner or the service does not allow.\n\n" +
        "🚫 Network: blocked: <code>evil.example</code> ×3, <code>other.example:8443</code>",
    );
  });

  it("is nothing where nothing was", () => {
    const nothing = { ...egress, withheld: [], blocked: [] };
    expect([egressNotes(nothing), egressSection(nothing), egressSection(null)]).toEqual([[], "", ""]);
  });

  it("is short, and shows no text that is no host", () => {
    const many = Array.from({ length: 12 }, (_, place) => blocked(`h${place}.example`));
    expect(egressNotes({ ...egress, withheld: [], blocked: many })[0]).toMatch(/h9\.example and 2 more$/);
    for (const host of ["<img src=x>", "a\n::error::b", "`", "a".repeat(400), ""]) {
      const section = egressSection({ ...egress, withheld: [], blocked: [blocked(host)] });
      expect(section).toBe("🚫 Network: blocked: <code>a host whose name cannot be shown</code>");
    }
  });
});
