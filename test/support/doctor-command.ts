// The command "doctor" as a step of a job would run it, with the summary that it leaves. Whatever it shows is
// searched for the job's secrets.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import type { CheckState, DoctorCheck, DoctorPage } from "../../src/report/doctor-page.ts";
import { runCommand } from "./run/run-command.ts";

export type Examined = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What was added to the job's summary. */
  readonly summary: string;
};

/** Runs it to its end, on exactly this environment and PATH. None of `secrets` may be in what it shows. */
export async function runDoctor(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
  secrets: readonly string[] = [],
): Promise<Examined> {
  const folder = await mkdtemp(join(tmpdir(), "doctor-test-"));
  const file = join(folder, "summary");
  try {
    await writeFile(file, "");
    const ended = await runCommand(["doctor", ...args], {
      RUNNER_TEMP: folder,
      ...env,
      GITHUB_STEP_SUMMARY: file,
    });
    const { code, stderr } = ended;
    const stdout = `${ended.stdout}\n`;
    const examined = { code, stdout, stderr, summary: await readFile(file, "utf8") };
    const shown = examined.stdout + examined.stderr + examined.summary;
    for (const secret of secrets) expect(shown.includes(secret), "a secret is shown").toBe(false);
    expect(shown, "a token's or a capability's form").not.toMatch(
      /eyJ[\w-]{10,}\.[\w-]+\.[\w-]+|svc_ci_[\w-]{20,}/,
    );
    return examined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs it in a GitHub job. What the runner gave that job is no reader's. */
export async function examine(
  job: CodeHostJob,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Examined> {
  return await runDoctor({ ...job.env, ...env }, args, [job.idTokenRequestToken, job.githubToken]);
}

/** The page of `--json`. */
export function pageOf({ stdout }: Examined): DoctorPage {
  return JSON.parse(stdout);
}

/** The state of each check, by its id, in the page's order. */
export function statesOf(page: DoctorPage): Record<string, CheckState> {
  return Object.fromEntries(page.checks.map(({ id, state }) => [id, state]));
}

export function checkOf(page: DoctorPage, id: string): DoctorCheck {
  const check = page.checks.find((one) => one.id === id);
  if (check === undefined) throw new Error(`The page has no check "${id}".`);
  return check;
}

/** The check's facts by name. */
export function factsOf(page: DoctorPage, id: string): Record<string, string> {
  return Object.fromEntries(checkOf(page, id).facts.map(({ name, value }) => [name, value]));
}

/** All that the check tells to do, as one text. */
export function fixesOf(page: DoctorPage, id: string): string {
  return checkOf(page, id)
    .fixes.map(({ text: line, code = "", url = "" }) => [line, url, code].filter(Boolean).join("\n"))
    .join("\n");
}
