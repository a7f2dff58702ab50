import { expect, it } from "vitest";
import { COMMENT_EVENTS, isCommentEvent, isNameable } from "../../../src/github/trigger/comment-event.ts";

/** By GitHub's own names: https://docs.github.com/actions/reference/events-that-trigger-workflows, looked up on 2026-11-30. */
const events = [
  ["issue_comment", { field: "comment", action: "created" }, false],
  ["pull_request_review_comment", { field: "comment", action: "created" }, false],
  ["pull_request_review", { field: "review", action: "submitted" }, false],
  ["discussion", { field: "discussion", action: "created" }, true],
  ["discussion_comment", { field: "comment", action: "created" }, true],
] as const;

it.each(events)("%s has its text in %j, and can do without a command: %s", (event, rules, canDoWithout) => {
  expect(COMMENT_EVENTS[event]).toMatchObject(rules);
  expect([isCommentEvent(event), isNameable(event)]).toEqual([true, canDoWithout]);
});

it.each(["push", "pull_request", "constructor", ""])("%j has no text that could be a command", (event) => {
  expect([isCommentEvent(event), isNameable(event)]).toEqual([false, false]);
});

it("knows no other event", () => {
  expect(Object.keys(COMMENT_EVENTS)).toEqual(events.map(([name]) => name));
});
