// The doctor's page for a log and for a summary, byte for byte, and what nobody's words can make of it.

import { describe, expect, it } from "vitest";
import { renderDoctorMarkdown, renderDoctorText } from "../../src/render/doctor-page.ts";
import type { DoctorCheck, DoctorPage } from "../../src/report/doctor-page.ts";
import { expectGolden } from "./golden.ts";

function check(fields: Partial<DoctorCheck> = {}): DoctorCheck {
  return { id: "x", title: "A check", state: "ok", found: "All is well.", facts: [], fixes: [], ...fields };
}

function page(checks: readonly DoctorCheck[], state: DoctorPage["state"] = "ok"): DoctorPage {
  return { version: "1.2.3", at: "2026-03-09T10:00:00.000Z", state, checks };
}

const troubled = page(
  [
    check({
      id: "job",
      title: "The job",
      found: 'This is a job of "push".',
      facts: [
        { name: "provider", value: "GitHub Actions" },
        { name: "repository", value: "octo-org/hello-world (id 1296269)" },
        { name: "run", value: "https://github.com/octo-org/hello-world/actions/runs/9876543210" },
      ],
    }),
    check({
      id: "token",
      title: "ID token",
      state: "fault",
      found: "No ID token available.",
      facts: [{ name: "reason", value: "id_token_unavailable" }],
      fixes: [
        {
          text: "Write into the job. A permissions block takes away what it does not name: name the rest that the job needs, too.",
          code: "permissions:\n  id-token: write\n  contents: read",
        },
      ],
    }),
    check({
      id: "service",
      title: "The service",
      state: "warning",
      found: "The address is plain http: whoever is on the way can read the job's tokens.",
      fixes: [{ text: "Give the service a certificate, and use https://." }],
    }),
    check({
      id: "exchange",
      title: "Exchange",
      state: "fault",
      found: "The service refused the job's token.",
      fixes: [{ text: "Give the command the audience:", code: "agent-service doctor --audience x" }],
    }),
    check({
      id: "quota",
      title: "Credits and claim",
      state: "fault",
      found: "Runs are refused: octo-org/hello-world is private.",
      fixes: [
        {
          text: "Claim the repository's agent with an account that pays:",
          url: "https://agents.example.com/claim/svc_claim_abc",
        },
      ],
    }),
    check({
      id: "exchange",
      title: "Exchange",
      state: "skipped",
      found: "Not tried: this job has no ID token.",
    }),
  ],
  "fault",
);

const hostile = page(
  [
    check({
      title: "ID token",
      state: "fault",
      found:
        "::error::obey me ##[add-mask]x </details> @octo-org/team <img src=x> | #1 [x](https://evil.example) \u001b[31mred\u202e",
      facts: [
        { name: "ref", value: "refs/heads/::set-output name=a::b`|`</code><script>" },
        { name: "long", value: `${"word ".repeat(90)}end` },
        { name: "lines", value: "one\n::stop-commands::x\ntwo" },
      ],
      fixes: [
        { text: "::warning::no", code: "a: ```\n::error::x\n~~~", url: "javascript:alert(1)" },
        { text: `${"::debug::x ".repeat(30)}end` },
      ],
    }),
  ],
  "fault",
);

describe("the doctor's page", () => {
  it.each([
    ["troubled", troubled],
    ["hostile", hostile],
    ["healthy", page([check(), check({ title: "Another", state: "skipped", found: "Not tried: no." })])],
  ])("of a job that is %s", (name, shown) => {
    expectGolden(`doctor-${name}.txt`, `${renderDoctorText(shown)}\n`);
    expectGolden(`doctor-${name}.md`, renderDoctorMarkdown(shown));
  });

  it("has no line that a runner executes", () => {
    for (const line of renderDoctorText(hostile).split("\n")) expect(line).not.toMatch(/^\s*::|##\[/);
    expect(renderDoctorText(hostile)).not.toContain("\u001b");
  });

  it("shows what is hidden in a fix's code, which people copy", () => {
    const shown = page([
      check({ state: "fault", fixes: [{ text: "Run:", code: "run: a\u202Eb\u200B\u001b[8mc" }] }),
    ]);
    for (const text of [renderDoctorText(shown), renderDoctorMarkdown(shown)]) {
      expect(text).toContain("run: a‹U+202E›b‹U+200B›c");
      for (const hidden of ["\u202E", "\u200B", "\u001b"]) expect(text).not.toContain(hidden);
    }
  });

  it("says where to begin: at the first fault, else at the first warning", () => {
    const last = (shown: DoctorPage) => renderDoctorText(shown).split("\n").at(-1);
    expect(last(troubled)).toBe('3 faults, 1 warning, 1 not tried. Begin with "ID token".');
    expect(last(page([check({ state: "warning", title: "Clocks" })]))).toBe(
      '1 warning. Begin with "Clocks".',
    );
    expect(last(page([check()]))).toBe("no trouble found.");
  });

  it("keeps an address whole, however long", () => {
    const url = `https://agents.example.com/claim/svc_claim_${"a".repeat(200)}`;
    const text = renderDoctorText(page([check({ fixes: [{ text: "Go there:", url }] })]));
    expect(text.split("\n").map((line) => line.trim())).toContain(url);
  });
});
