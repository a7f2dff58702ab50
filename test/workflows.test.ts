import { describe, expect, it } from "vitest";
import { findWorkflows, lintWorkflows, OUR_ACTION, workflowsInMarkdown } from "../scripts/lint-workflows.ts";

const EXPRESSION = "$" + "{{ github.sha }}";
const SHA = "11bd71901bbe5b1630ceea73d27597364c9af683";

/** A workflow whose one job has these lines as its steps, the first of them on line 7. */
function workflowOf(steps: readonly string[], options: { path?: string; head?: readonly string[] } = {}) {
  const { path = "examples/one.yml", head = ["on: push", "permissions: {}"] } = options;
  const job = ["jobs:", "  one:", "    runs-on: ubuntu-latest", "    steps:"];
  const lines = [...head, ...job, ...steps.map((line) => `      ${line}`)];
  return { path, text: `${lines.join("\n")}\n`, firstLine: 1 };
}

async function lint(...args: Parameters<typeof workflowOf>) {
  const findings = await lintWorkflows([workflowOf(...args)]);
  return findings.map(({ line, message }) => `${line}: ${message}`);
}

describe("the workflows of this repository", () => {
  it("have nothing that the linter finds", async () => {
    expect(await lintWorkflows(findWorkflows())).toEqual([]);
  });

  it("include ours, the examples and the README's", () => {
    const paths = findWorkflows().map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
        "examples/on-push.yml",
        "README.md",
      ]),
    );
  });
});

describe("lintWorkflows", () => {
  it("accepts a pinned action with its version, and a script that gets its values by env", async () => {
    const steps = [
      `- uses: actions/checkout@${SHA} # v4.2.2`,
      "  with:",
      "    persist-credentials: false",
      "- env:",
      `    COMMIT: ${EXPRESSION}`,
      "  run: |",
      '    echo "$COMMIT"',
    ];
    expect(await lint(steps)).toEqual([]);
  });

  it("hands on what actionlint says", async () => {
    expect(await lint(["- run: echo", "  shel: bash"])).toEqual([
      expect.stringMatching(/^8: unexpected key "shel"/),
    ]);
  });

  it("wants permissions at the top level", async () => {
    expect(await lint(["- run: echo"], { head: ["on: push", "name: One"] })).toEqual([
      '1: State "permissions" at the top level of the workflow.',
    ]);
  });

  it("wants actions pinned by commit, with the version beside", async () => {
    expect(await lint(["- uses: actions/cache@v4", `- uses: actions/cache@${SHA}`])).toEqual([
      '7: Pin "actions/cache@v4" to the 40 hexadecimal digits of a commit.',
      `8: Name the version of "actions/cache@${SHA}" in a comment, like "# v1.2.3".`,
    ]);
  });

  it("lets examples name this action by its placeholder, and our own workflows not", async () => {
    const steps = [`- uses: ${OUR_ACTION}`, "  with:", "    base-url: https://example.com"];
    expect(await lint(steps)).toEqual([]);
    expect(await lint(steps, { path: ".github/workflows/one.yml" })).toEqual([
      `7: Pin "${OUR_ACTION}" to the 40 hexadecimal digits of a commit.`,
    ]);
  });

  it("knows this action's inputs", async () => {
    const steps = [
      "- uses: ./",
      "  id: agent",
      "  with:",
      "    base-url: https://example.com",
      "    promt: Hello",
    ];
    expect(await lint(steps)).toEqual(['11: action.yml has no input "promt".']);
  });

  it("wants a checkout that leaves no credentials behind", async () => {
    const checkout = `- uses: actions/checkout@${SHA} # v4.2.2`;
    expect(await lint([checkout, "- run: echo"])).toEqual(['7: Give checkout "persist-credentials: false".']);
  });

  it("refuses an expression inside a script, wherever the script stands", async () => {
    const steps = [
      `- run: echo ${EXPRESSION}`,
      "- name: Two",
      "  run: |",
      "    true",
      `    echo ${EXPRESSION}`,
    ];
    const message = 'Pass values to a script by "env", not by an expression.';
    expect(await lint(steps)).toEqual([`7: ${message}`, `11: ${message}`]);
  });

  it("names the line of the Markdown file", async () => {
    const workflow = workflowOf(["- uses: actions/cache@v4"]).text;
    const markdown = `# Title\n\n\`\`\`yaml\n${workflow}\`\`\`\n\n\`\`\`yaml\nkey: value\n\`\`\`\n`;
    const findings = await lintWorkflows(workflowsInMarkdown("README.md", markdown));
    expect(findings.map(({ path, line }) => `${path}:${line}`)).toEqual(["README.md:10"]);
  });
});
