// The check of this machine's git for the version that checkouts take.

import { OperatorError } from "../../base/operator-error.ts";
import { ProcessNotStartedError, runProcess } from "../../base/run-process.ts";

const OLDEST = { major: 2, minor: 39 };
const CHECK_MS = 10_000;
const WAY_OUT = `Install git ${OLDEST.major}.${OLDEST.minor} or newer where PATH finds it.`;

/** git is missing, does not start, or is too old. */
class GitMissingError extends OperatorError {
  readonly code = "git_missing";
}

/** Executes `git --version`, once. Rejects with a GitMissingError. */
export async function checkGit(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const text = await versionText(environment);
  const [, major, minor] = /^git version (\d{1,4})\.(\d{1,4})/.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    throw new GitMissingError(`The program "git" in PATH does not tell its version. ${WAY_OUT}`);
  }
  const isOld =
    Number(major) < OLDEST.major || (Number(major) === OLDEST.major && Number(minor) < OLDEST.minor);
  if (isOld) throw new GitMissingError(`The program "git" in PATH is ${major}.${minor}, too old. ${WAY_OUT}`);
}

async function versionText({ PATH }: Readonly<Record<string, string | undefined>>): Promise<string> {
  try {
    const end = await runProcess({ command: "git", args: ["--version"], env: { PATH }, timeoutMs: CHECK_MS });
    return end.type === "exited" && end.exitCode === 0 ? end.stdout.toString("utf8") : "";
  } catch (cause) {
    if (!(cause instanceof ProcessNotStartedError)) throw cause;
    throw new GitMissingError(
      `The program "git" is not in PATH: no run could get its repository. ${WAY_OUT}`,
      { cause },
    );
  }
}
