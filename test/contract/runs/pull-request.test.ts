// A pull request as a job names it: whole commits, and the branches that git itself would allow.

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { isBranchName, pullRequestSchema } from "../../../src/contract/runs/pull-request.ts";

const pullRequest = { number: 7, head_sha: "0123456789".repeat(4), base_ref: "main" };

const names = [
  "main",
  "release/2.x",
  "feature/über-größe",
  "a@b",
  "+x",
  "x.lock.y",
  "refs-of-mine",
  "-x",
  "--upload-pack=touch",
  "HEAD",
  "",
  "/main",
  "main/",
  "a//b",
  "a..b",
  "a.",
  ".a",
  "a/.b",
  "a.lock",
  "a.lock/b",
  "a@{1}",
  "a b",
  "a\tb",
  "a\nb",
  "a\u007f",
  "a~1",
  "a^",
  "a:b",
  "a?",
  "a*",
  "a[b",
  "a\\b",
];

describe("a pull request", () => {
  it("parses with a commit of either length, and refuses anything else", () => {
    expect(pullRequestSchema.parse(pullRequest)).toEqual(pullRequest);
    expect(pullRequestSchema.safeParse({ ...pullRequest, more: 1 }).success).toBe(false);
    const wide = { ...pullRequest, number: 2_147_483_647, head_sha: "a".repeat(64) };
    expect(pullRequestSchema.parse(wide)).toEqual(wide);
  });

  it.each([
    ["number", 0],
    ["number", 1.5],
    ["number", "7"],
    ["number", 2_147_483_648],
    ["head_sha", "a".repeat(39)],
    ["head_sha", "a".repeat(41)],
    ["head_sha", "A".repeat(40)],
    ["head_sha", `${"a".repeat(40)}\n`],
    ["head_sha", "HEAD"],
    ["base_ref", "refs/heads/main"],
    ["base_ref", "@"],
    ["base_ref", "b".repeat(256)],
    ["base_ref", "a\0b"],
  ])("does not parse with the %s %j", (field, value) => {
    expect(pullRequestSchema.safeParse({ ...pullRequest, [field]: value }).success).toBe(false);
  });

  it.each(names)("has a base of the name %j where git has a branch of it", (name) => {
    const { status } = spawnSync("git", ["check-ref-format", "--branch", name], { cwd: "/" });
    expect(isBranchName(name)).toBe(status === 0);
  });
});
