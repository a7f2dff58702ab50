// examples/evals.yml: who it runs for, the command that it gives, and how it posts the report.

import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogue } from "../../../src/cli/catalogue.ts";
import { evalFlags } from "../../../src/cli/eval-flags.ts";
import { COMMENT_MARKER } from "../../../src/evals/eval-report.ts";
import { runScript } from "../../support/example-script.ts";
import { readExample } from "../../support/example-workflow.ts";
import type { ScenarioFixture } from "../../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";

describe("the example of evals", () => {
  const { eval: job } = readExample("evals.yml").jobs;
  const scripts = (job?.steps ?? []).flatMap(({ run }) => run ?? []);

  it("leaves forks out, fetches the history, and needs no key", () => {
    expect(job?.if).toBe("github.event.pull_request.head.repo.full_name == github.repository");
    expect(job?.steps[0]?.with["fetch-depth"]).toBe("0");
    expect(job?.permissions).toEqual({ contents: "read", "id-token": "write", "pull-requests": "write" });
    expect(JSON.stringify(job)).not.toContain("secrets.");
  });

  it("calls a command that there is, with flags that it has", () => {
    const script = scripts.find((one) => one.includes("agent-service eval")) ?? "";
    expect(catalogue).toHaveProperty("eval");
    const flags = [...script.slice(script.indexOf("agent-service eval")).matchAll(/--([\w-]+)/g)];
    expect(flags.map(([, name]) => name)).toEqual(expect.arrayContaining(["base", "head", "max-cost"]));
    for (const [, name = ""] of flags) expect(evalFlags).toHaveProperty(name);
  });

  it("finds its own comment again by the marker of the report", () => {
    expect(scripts.at(-1)).toContain(COMMENT_MARKER);
    expect(scripts.at(-1)).toContain("agent-service-output/eval.md");
  });
});

/**
 * `gh api` as the step calls it, against the API that GITHUB_API_URL names: a field makes it a POST, pages are followed by their
 * links, and `--jq` is applied to each. https://cli.github.com/manual/gh_api (2026-11-28)
 */
const GH = `#!${process.execPath}
const { execFileSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const [command, ...args] = process.argv.slice(2);
const given = {};
let path = "";
while (args.length > 0) {
  const one = args.shift();
  if (one === "--paginate") given.paginate = true;
  else if (["--jq", "--method", "-F"].includes(one)) given[one] = args.shift();
  else if (path === "" && !one.startsWith("-")) path = one;
  else throw new Error("Unknown argument: " + one);
}
if (command !== "api") throw new Error("Unknown command: " + command);
const [name, value] = /^(\\w+)=@(.+)$/.exec(given["-F"] ?? "")?.slice(1) ?? [];
const body = name === undefined ? undefined : JSON.stringify({ [name]: readFileSync(value, "utf8") });
const call = async (url) => {
  const method = given["--method"] ?? (body === undefined ? "GET" : "POST");
  const headers = { authorization: "Bearer " + process.env.GH_TOKEN };
  const response = await fetch(url, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(method + " " + url + ": " + response.status);
  const filter = given["--jq"];
  process.stdout.write(filter === undefined ? text : execFileSync("jq", ["-r", filter], { input: text }));
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  if (given.paginate && next !== undefined) await call(next);
};
call(process.env.GITHUB_API_URL + "/" + path);
`;

describe("the step that posts the report of evals", { tags: ["jq"] }, () => {
  const step = readExample("evals.yml").jobs.eval?.steps.at(-1);
  let fixture: ScenarioFixture;
  let programs: string;
  let workspace: string;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario" });
    programs = await mkdtemp(join(tmpdir(), "gh-"));
    workspace = join(programs, "workspace");
    await writeFile(join(programs, "gh"), GH);
    await chmod(join(programs, "gh"), 0o755);
    await mkdir(join(workspace, "agent-service-output"), { recursive: true });
  });
  afterAll(async () => {
    await fixture.close();
    await rm(programs, { recursive: true, force: true });
  });

  const post = async (report: string) => {
    const job = await fixture.job({ event: "pull_request" });
    const body = `${report}\n${COMMENT_MARKER}\n`;
    await writeFile(join(workspace, "agent-service-output", "eval.md"), body);
    const { GITHUB_API_URL = "", GITHUB_REPOSITORY = "" } = job.env;
    const ended = await runScript({
      script: step?.run ?? "",
      shell: step?.shell ?? null,
      env: {
        GITHUB_API_URL,
        GITHUB_REPOSITORY,
        GITHUB_WORKSPACE: workspace,
        GH_TOKEN: job.githubToken,
        NUMBER: "7",
      },
      programs,
    });
    expect(ended.outcome, ended.log).toBe("success");
    return body;
  };
  const bodies = () => fixture.codeHost.rest.commentsOf(7).map(({ body }) => body);

  it("makes one comment, finds it again behind a page of others, and leaves a person's copy alone", async () => {
    expect(Object.keys(step?.env ?? {}).toSorted()).toEqual(["GH_TOKEN", "NUMBER"]);
    const copied = `Look: ${COMMENT_MARKER}`;
    const said = Array.from({ length: 120 }, (_, index) => (index === 0 ? copied : `Comment ${index}`));
    for (const [index, body] of said.entries()) {
      const user = { login: "octocat", id: 12, type: "User" };
      fixture.codeHost.rest.addComment(7, { id: 1_000 + index, html_url: "https://x.example/1", user, body });
    }
    const first = await post("One `report` with $(touch pwned) in it");
    expect(bodies()).toEqual([...said, first]);
    const second = await post("Another report");
    expect(bodies()).toEqual([...said, second]);
  });
});
