// The log of a run in a job of GitHub.

import { randomUUID } from "node:crypto";
import { type FollowLog, type FollowLogOptions, openFollowLog as openLog } from "../job/follow-log.ts";
import { GithubLog } from "../render/github-log.ts";

export type { FollowLog };

/** A log that prints through `write` and keeps every event in `files`. */
export function openFollowLog(options: Omit<FollowLogOptions, "format">): FollowLog {
  return openLog({ ...options, format: new GithubLog(randomUUID) });
}
