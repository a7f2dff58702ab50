// The log of `agent-service run`: lines for people, folded as the CI provider does it, or events as JSON.

import { randomUUID } from "node:crypto";
import { systemClock } from "../base/clock.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { providerDefinitions } from "../ci/providers.ts";
import type { CiProviderName } from "../contract/ci/providers.ts";
import { openFollowLog } from "../job/follow-log.ts";
import type { JobLog } from "../job/job-types.ts";
import { runLines } from "../job/notes.ts";
import type { JobRun } from "../job/progress.ts";
import { BuildkiteLog } from "../render/buildkite-log.ts";
import { GithubLog } from "../render/github-log.ts";
import { GitlabLog } from "../render/gitlab-log.ts";
import type { LogFormat } from "../render/log-parts.ts";
import { PlainLog } from "../render/plain-log.ts";
import { note } from "./run-notes.ts";
import type { RunSettings } from "./run-settings.ts";
import type { RunSurroundings } from "./run-types.ts";

const MAX_ID_CHARS = 100;

/** Names the run and its address. A run inside this process has none. */
export function announceRun(run: JobRun, format: RunSettings["format"]): void {
  if (run.url === null) return;
  const lines = runLines({ ...run, id: singleLine(run.id, MAX_ID_CHARS) });
  if (format === "text") process.stdout.write(`${lines.join("\n")}\n`);
  else note(lines.join("\n"));
}

export function openRunLog(
  { settings, origin, files, writeBack }: RunSurroundings,
  { continuedAfter }: Pick<JobRun, "continuedAfter">,
): JobLog {
  const isJson = settings.format === "ndjson";
  const write = (text: string) => void process.stdout.write(text);
  const log = openFollowLog({
    files: {
      appendEvents: async (lines) => {
        if (isJson) write(lines);
        await files.appendEvents(lines);
      },
    },
    format: logFormat(origin.job?.provider ?? null),
    write: isJson ? () => {} : write,
    shownAfter: continuedAfter ?? 0,
  });
  if (writeBack === null) return { ...log, close: files.close };
  return {
    ...log,
    add: (stored) => {
      log.add(stored);
      writeBack.update(log.report);
    },
    close: files.close,
  };
}

/** The provider's own sections, where its logs have some. */
function logFormat(provider: CiProviderName | null): LogFormat {
  const format = provider === null ? null : providerDefinitions[provider].logFormat;
  switch (format) {
    case "github":
      return new GithubLog(randomUUID);
    case "gitlab":
      return new GitlabLog(systemClock.now);
    case "buildkite":
      return new BuildkiteLog();
    case null:
      return new PlainLog();
  }
}
