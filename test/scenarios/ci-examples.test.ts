// The configurations under examples/ci: the lines that a job executes, taken from the files and executed as they are.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CI_PACKAGE, CiFixture, type CiProviderKind, type CiRun } from "../support/fixtures/ci-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

const PROMPT = 'Say "$HOME" and `id`; then stop';

const read = (path: string) => readFileSync(new URL(`../../examples/ci/${path}`, import.meta.url), "utf8");

/** The lines of a list or of one value, without their YAML. */
function linesAfter(text: string, key: string): string[] {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => new RegExp(`^\\s*(- )?${key}:`).test(line));
  const [, inline = ""] = /:\s+(\S.*)$/.exec(lines[at] ?? "") ?? [];
  if (inline !== "") return [inline];
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !/^\s+- /.test(line));
  return rest.slice(0, end < 0 ? undefined : end).map((line) => line.replace(/^\s+- /, ""));
}

/** Runs `script` in a job of the provider. The agent repeats what it was asked. */
async function runIn(
  provider: CiProviderKind,
  job: (fixture: CiFixture) => { script: string; env?: Record<string, string> },
): Promise<{ run: CiRun; prompt: string }> {
  let prompt = "";
  const backend = scriptedBackend(async (task) => {
    prompt = task.messages.at(-1)?.content ?? "";
    await say(task, "All is well.\n");
  });
  const fixture = await CiFixture.open({ provider, backend });
  const run = await fixture.run(job(fixture));
  await fixture.close();
  return { run, prompt };
}

describe("the examples", () => {
  it("of a GitLab component runs with its inputs, and its reports are there", async () => {
    const text = read("gitlab/templates/agent-service/template.yml");
    const defaults = [
      ...text.matchAll(/^ {4}([a-z-]+):\n(?: {6}description: .*\n)? {6}default: "?(.*?)"?$/gm),
    ];
    const { run, prompt } = await runIn("gitlab", (fixture) => {
      const inputs: Record<string, string> = {
        ...Object.fromEntries(defaults.map(([, name, value]) => [name, value])),
        package: CI_PACKAGE,
        audience: fixture.audience,
      };
      const fill = (line: string) =>
        line.replace(/\$\[\[ inputs\.([a-z-]+) \]\]/g, (_, name) => inputs[name] ?? `(no ${name})`);
      const script = linesAfter(text, "script").map(fill).join("\n");
      return { script, env: { AGENT_SERVICE_URL: fixture.url, AGENT_PROMPT: PROMPT } };
    });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(prompt).toBe(PROMPT);
    for (const report of ["dotenv", "annotations"]) {
      const [path = ""] = linesAfter(text, report);
      expect(run.files[path.replace("agent-service-output/", "")]).not.toBeUndefined();
    }
    const asked = [...text.matchAll(/inputs\.([a-z-]+)/g)].map(([, name]) => name);
    const declared = [...text.matchAll(/^ {4}([a-z-]+):$/gm)].map(([, name]) => name);
    expect([...new Set(asked)].sort()).toEqual(declared.slice(0, 10).sort());
  });

  it("of CircleCI runs", async () => {
    const text = read("circleci/config.yml");
    const { run, prompt } = await runIn("circleci", (fixture) => ({
      script: linesAfter(text, "command").join("\n"),
      env: { AGENT_SERVICE_URL: fixture.url, AGENT_PROMPT: PROMPT },
    }));
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(prompt).toBe(PROMPT);
    expect(linesAfter(text, "path")).toEqual(["agent-service-output"]);
  });

  it("of a Buildkite plugin runs by each of its settings", async () => {
    const plugin = "BUILDKITE_PLUGIN_AGENT_SERVICE_";
    const declared = [...read("buildkite/plugin.yml").matchAll(/^ {4}([a-z-]+):$/gm)].map(([, name]) => name);
    const read_ = [...read("buildkite/hooks/command").matchAll(/BUILDKITE_PLUGIN_AGENT_SERVICE_([A-Z_]+)/g)];
    const names = read_.map(([, name = ""]) => name.toLowerCase().replaceAll("_", "-"));
    expect([...new Set(names)].sort()).toEqual(declared.sort());
    const { run, prompt } = await runIn("buildkite", (fixture) => ({
      script: read("buildkite/hooks/command"),
      env: {
        [`${plugin}PACKAGE`]: CI_PACKAGE,
        [`${plugin}SERVICE_URL`]: fixture.url,
        [`${plugin}PROMPT`]: PROMPT,
        [`${plugin}TIMEOUT_MINUTES`]: "5",
        [`${plugin}FAIL_ON`]: "failure",
      },
    }));
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(prompt).toBe(PROMPT);
  });

  it("of a Buildkite pipeline runs", async () => {
    const text = read("buildkite/pipeline.yml");
    const { run, prompt } = await runIn("buildkite", (fixture) => ({
      script: linesAfter(text, "command").join("\n"),
      env: { AGENT_SERVICE_URL: fixture.url },
    }));
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(prompt).toBe("What should we fix next?");
  });

  it("of Bitbucket runs", async () => {
    const text = read("bitbucket/bitbucket-pipelines.yml");
    const { run, prompt } = await runIn("bitbucket", (fixture) => {
      const lines = linesAfter(text, "script").join("\n");
      const here = lines.replace("https://agents.example.com", fixture.url);
      return { script: here.replaceAll("agents.example.com", fixture.audience) };
    });
    expect(run.code).toBe(0);
    expect(prompt).toBe("Review this change. What could break?");
  });
});
