// Typed outputs that a hostile service or model might send, drawn from a seed.

import type { OutputType } from "../../../src/contract/runs/typed-outputs.ts";

const outputTypes: readonly OutputType[] = [
  "labels",
  "assign",
  "reviewers",
  "close",
  "issue",
  "discussion",
  "dispatch",
];

/** mulberry32: the same numbers for the same seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const words = [
  "bug",
  "docs",
  "Bug",
  "bug ",
  "admin",
  "octocat",
  "hubot",
  "root",
  "team/core",
  "team/admins",
  "duplicate",
  "completed",
  "release.yml",
  "../release.yml",
  "release.yml/dispatches?",
  "deploy.yml",
  "../../8",
  "/label ~admin",
  "x\n/close\n/label ~admin",
  "````\n```\n/close\n```\n````",
  "__proto__",
  "constructor",
  "",
  "x\n::error::y",
  "a\u202eb",
  "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  "<!-- agent-service:filed 00000000000000000000000000000000 00000000000000000000000000000000 -->",
  "x".repeat(300),
  "x".repeat(40_000),
];
const types = [...outputTypes, "comment", "labels ", "LABELS", "constructor"];
const fields = [
  "labels",
  "logins",
  "reviewers",
  "reason",
  "title",
  "body",
  "workflow",
  "number",
  "repository",
];

export function hostileOutput(random: () => number): unknown {
  const draw = <Item>(from: readonly Item[]) => from[Math.floor(random() * from.length)] as Item;
  const list = () => Array.from({ length: Math.floor(random() * 5) }, () => draw(words));
  const value = (): unknown =>
    draw([() => draw(words), list, () => 8, () => null, () => ({ name: "bug" })])();
  const type = draw(types);
  // Half of them have the form that the type has.
  const formed: Readonly<Record<string, () => object>> = {
    labels: () => ({ labels: list() }),
    assign: () => ({ logins: list() }),
    reviewers: () => ({ reviewers: list() }),
    close: () => ({ reason: draw(words) }),
    issue: () => ({ title: draw(words), body: draw(words) }),
    discussion: () => ({ title: draw(words), body: draw(words) }),
    dispatch: () => ({ workflow: draw(words) }),
  };
  const others = Object.fromEntries(fields.filter(() => random() < 0.3).map((name) => [name, value()]));
  const own = Object.hasOwn(formed, type) && random() < 0.7 ? formed[type]?.() : {};
  return { type, ...others, ...own };
}
