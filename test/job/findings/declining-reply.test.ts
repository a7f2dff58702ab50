import { describe, expect, it } from "vitest";
import { declines } from "../../../src/job/findings/declining-reply.ts";

describe("declines", () => {
  it.each([
    "Won't fix.",
    "@agent won’t fix: we need it",
    "**By design**, see #3",
    "Thanks!\nThis is by design.",
    "wontfix",
    "That's a known one.\nfalse positive, the caller checks it",
    "We will not fix that here",
    "Not a bug",
  ])("takes %j for a word that settles", (reply) => expect(declines(reply)).toBe(true));

  it.each([
    "",
    "> Won't fix.\nWhy not?",
    "Is this by design?",
    "By design?",
    "I think you are right, it won't fix itself",
    "Intentionally left for later, will do it now",
    "not a bugfix that I like, but yes",
    "Fixed",
    `${"\n".repeat(60)}won't fix`,
  ])("leaves %j open", (reply) => expect(declines(reply)).toBe(false));
});
