// The table of CI providers: that the pages which are written by hand have each of them.

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ciProviderNames } from "../../../src/contract/ci/providers.ts";

const pageOf = (path: string) => new URL(`../../../docs/${path}`, import.meta.url);

describe("a CI provider", () => {
  it.each(ciProviderNames)("has a row in the page about issuers: %s", (name) => {
    expect(readFileSync(pageOf("self-hosting/issuers.md"), "utf8")).toContain(`| \`${name}\` | `);
  });

  // GitHub's is the README.
  it.each(ciProviderNames.filter((name) => name !== "github"))(
    "has a page with a configuration to copy, and a link to it in the README: %s",
    (name) => {
      expect(existsSync(pageOf(`ci/${name}.md`))).toBe(true);
      expect(readFileSync(pageOf("../README.md"), "utf8")).toContain(`(docs/ci/${name}.md)`);
    },
  );
});
