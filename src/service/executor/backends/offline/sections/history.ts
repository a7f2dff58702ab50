// The newest commits. Pure.

import { utcDay } from "../../../tools/git-log.ts";
import { code, section, table } from "../markdown.ts";
import type { Survey } from "../survey.ts";

const LISTED_COMMITS = 12;

export function historySection({ commits }: Survey): string {
  if (commits.length === 0) return section("Recent commits", "The history could not be read.");
  const rows = commits
    .slice(0, LISTED_COMMITS)
    .map(({ sha, at, author, subject }) => [
      code(sha.slice(0, 10)),
      utcDay(at),
      code(author, 60),
      code(subject, 120),
    ]);
  return section("Recent commits", table(["Commit", "Day", "Author", "Subject"], rows));
}
