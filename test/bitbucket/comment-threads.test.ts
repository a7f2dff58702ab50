import { describe, expect, it } from "vitest";
import type { PullComment } from "../../src/bitbucket/comments.ts";
import { threadsOf } from "../../src/bitbucket/reviews/comment-threads.ts";

const robot = { uuid: "{robot}", type: "app_user", display_name: "Robot" };
const person = { uuid: "{person}", type: "user", nickname: "ada", display_name: "Ada" };

function comment(id: number, parentId: number | null, more: Partial<PullComment> = {}): PullComment {
  return { id, body: `comment ${id}`, author: person, isInline: true, parentId, resolution: null, ...more };
}

function threads(all: readonly PullComment[], isWhole = true) {
  return threadsOf({ all, isWhole }, { isOwn: ({ author }) => author?.uuid === robot.uuid });
}

const shapeOf = (all: readonly PullComment[]) =>
  threads(all).all.map(({ id, notes }) => [id, ...notes.map((note) => note.id)]);

describe("threads of a pull request", () => {
  it("have their answers, and the answers of those, in the order in which Bitbucket lists them", () => {
    const all = [
      comment(1, null),
      comment(2, null),
      comment(3, 1),
      comment(4, 3),
      comment(5, 2),
      comment(6, 4),
    ];
    expect(shapeOf(all)).toEqual([
      ["1", 1, 3, 4, 6],
      ["2", 2, 5],
    ]);
  });

  it("begin with their first comment, wherever it is listed", () => {
    expect(shapeOf([comment(4, 3), comment(3, 1), comment(1, null)])).toEqual([["1", 1, 4, 3]]);
  });

  it("leave out answers whose first comment is gone, and those that answer each other", () => {
    expect(shapeOf([comment(2, 1), comment(3, 2), comment(5, 6), comment(6, 5), comment(7, 7)])).toEqual([]);
  });

  it("say whether all of the comments were read", () => {
    expect(threads([], true).isWhole).toBe(true);
    expect(threads([], false).isWhole).toBe(false);
  });

  it("can be resolved in the diff alone, by whoever resolved them", () => {
    const [open, resolved, general, unknown] = threads([
      comment(1, null),
      comment(2, null, { resolution: { by: person } }),
      comment(3, null, { isInline: false }),
      comment(4, null, { resolution: { by: null } }),
    ]).all;
    expect(open).toMatchObject({ isResolvable: true, isResolved: false, resolvedBy: null });
    expect(resolved).toMatchObject({ isResolved: true, resolvedBy: { databaseId: "{person}" } });
    expect(general).toMatchObject({ isResolvable: false, isResolved: false });
    expect(unknown).toMatchObject({ isResolved: true, resolvedBy: null });
  });

  it("take the resolution of their first comment, not of an answer", () => {
    const [thread] = threads([comment(1, null), comment(2, 1, { resolution: { by: person } })]).all;
    expect(thread?.isResolved).toBe(false);
  });

  it("tell the token's own account, people and programs apart, and have none for an account that is gone", () => {
    const [thread] = threads([
      comment(1, null, { author: robot }),
      comment(2, 1),
      comment(3, 1, { author: null }),
      comment(4, 1, { author: { uuid: "{other}", type: "app_user" } }),
    ]).all;
    expect(thread?.notes.map(({ body, isSystem }) => [body, isSystem])).toEqual([
      ["comment 1", false],
      ["comment 2", false],
      ["comment 3", false],
      ["comment 4", false],
    ]);
    expect(thread?.notes.map(({ author }) => author)).toEqual([
      expect.objectContaining({ id: "{robot}", isOwn: true, isBot: true }),
      expect.objectContaining({ id: "{person}", isOwn: false, isBot: false }),
      null,
      expect.objectContaining({ id: "{other}", isOwn: false, isBot: true }),
    ]);
  });
});
