// The client of Bitbucket's API: refusals, pages, contents, and which account a token has.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { TokenAccount } from "../../src/bitbucket/account.ts";
import { BitbucketError } from "../../src/bitbucket/bitbucket-error.ts";
import { PullComments } from "../../src/bitbucket/comments.ts";
import { serverOf } from "../../src/bitbucket/repository.ts";
import { bitbucketReviewsReader } from "../../src/bitbucket/reviews/bitbucket-reviews.ts";
import { readTopicDiff, shownRanges } from "../../src/bitbucket/reviews/pull-diff.ts";
import { lackOf, readAbilities } from "../../src/bitbucket/token-abilities.ts";
import { BitbucketBench, TOKEN } from "./bitbucket-bench.ts";

let bench: BitbucketBench;
beforeEach(async () => {
  bench = await BitbucketBench.open();
});
afterEach(async () => await bench.close());

const json = { "content-type": "application/json" };
const anything = z.unknown();

describe("a call", () => {
  it("is repeated while Bitbucket is away, but for a diff that takes too long and for a POST", async () => {
    bench.bitbucket.fail(/^GET $/, { status: 503 });
    expect(await bench.api().read("", z.object({ uuid: z.string() }))).toEqual({
      uuid: bench.bitbucket.uuid,
    });
    bench.bitbucket.fail(/^GET \/diff/, {
      status: 555,
      headers: json,
      body: '{"type":"error","error":{"message":"Timed out"}}',
    });
    await expect(readTopicDiff(bench.api(), { head: bench.head, base: bench.main })).rejects.toThrow(
      "Bitbucket's API answered 555 to GET /diff/",
    );
    bench.bitbucket.fail(/^POST \/pullrequests\/9\/comments/, { status: 502 });
    const write = {
      method: "POST",
      path: "/pullrequests/9/comments",
      body: { content: { raw: "a" } },
    } as const;
    await expect(bench.api().write(write, anything)).rejects.toMatchObject({ code: "code_host_unavailable" });
    expect(bench.bitbucket.pulls.get(9)?.comments.all).toEqual([]);
  });

  it("tells the scopes that the token lacks, and what Bitbucket says", async () => {
    bench.bitbucket.addToken("small", ["repository"]);
    const refused = await bench
      .api("small")
      .read("/pullrequests/9", anything)
      .catch((cause: unknown) => cause);
    expect(refused).toBeInstanceOf(BitbucketError);
    expect(refused).toMatchObject({
      status: 403,
      scopeLack: { required: ["pullrequest"], granted: ["repository"] },
      message:
        "Bitbucket's API answered 403 to GET /pullrequests/9. Your credentials lack one or more required privilege scopes.",
    });
    await expect(bench.api("none").read("", anything)).rejects.toThrow(
      /answered 401 .* Token is invalid, expired/,
    );
    const bad = {
      method: "POST",
      path: "/pullrequests/9/comments",
      body: { type: "x", content: {} },
    } as const;
    await expect(bench.api().write(bad, anything)).rejects.toThrow("type: extra keys not allowed");
  });

  it("reads every page, and sends the token to no other server", async () => {
    const comments = new PullComments(bench.api(), { account: new TokenAccount(null), number: 9 });
    for (let at = 0; at < 120; at += 1) await comments.create(`Comment ${at}.`);
    expect((await comments.list()).all).toHaveLength(120);
    const body = JSON.stringify({ values: [], next: "https://elsewhere.invalid/2.0/repositories?page=2" });
    bench.bitbucket.fail(/^GET \/pullrequests\/9\/comments/, { status: 200, headers: json, body });
    await expect(comments.list()).rejects.toThrow("The address of the next page is not below the API.");
  });

  it("reads no more pages than it is asked for", async () => {
    const comments = new PullComments(bench.api(), { account: new TokenAccount(null), number: 9 });
    for (let at = 0; at < 250; at += 1) await comments.create(`Comment ${at}.`);
    const path = "/pullrequests/9/comments?sort=created_on";
    const read = async (maxPages: number) => {
      let count = 0;
      for await (const _ of bench.api().items(path, anything, maxPages)) count += 1;
      return count;
    };
    expect(await Promise.all([0, 1, 2, 9].map(read))).toEqual([0, 50, 100, 250]);
  });

  it("refuses an answer that is none of Bitbucket's, and one that is too large", async () => {
    bench.bitbucket.fail(/^GET $/, { status: 200, headers: json, body: "[]" });
    await expect(bench.api().read("", z.object({ uuid: z.string() }))).rejects.toThrow(
      "does not have the shape that Bitbucket publishes",
    );
    await expect(bench.api().readText(`/src/${bench.head}/notes.txt`, 10)).rejects.toThrow(
      /larger than 10 bytes/,
    );
  });

  it("takes the repository's page for the server of its git, where that is the API's own", () => {
    const at = (href: string) => ({ uuid: "{a}", full_name: "acme/app", links: { html: { href } } });
    const api = "https://api.bitbucket.org/2.0";
    expect(serverOf(at("https://bitbucket.org/acme/app"), api)).toBe("https://bitbucket.org");
    for (const href of ["https://bitbucket.org.evil.invalid/acme/app", "http://bitbucket.org/acme/app"])
      expect(() => serverOf(at(href), api)).toThrow("on another server than its own");
  });
});

describe("the abilities of a token", () => {
  it.each([
    [["pullrequest:write"], []],
    [["repository:write"], ["comment", "pull-request", "review"]],
    [["pullrequest", "repository:write"], ["pull-request"]],
    [["read:pullrequest:bitbucket", "write:repository:bitbucket"], ["pull-request"]],
    [["repository:admin"], ["comment", "commit", "pull-request", "review", "status"]],
  ])("of %j lack %j", async (scopes, lacks) => {
    bench.bitbucket.addToken("given", scopes);
    const read = () => readAbilities(bench.api("given"));
    // The fake knows the scopes of access tokens alone.
    const abilities =
      scopes[0]?.startsWith("read:") === true
        ? { ...(await readAbilities(bench.api())), scopes }
        : await read();
    const all = ["comment", "commit", "pull-request", "review", "status"] as const;
    expect(all.filter((write) => lackOf(abilities, write) !== null)).toEqual(lacks);
  });

  it("are not doubted where Bitbucket names no scopes", async () => {
    expect(lackOf({ ...(await readAbilities(bench.api())), scopes: null }, "commit")).toBe(null);
  });
});

describe("the account of a token", () => {
  const marked = (name: string) => `Text.\n\n[//]: # (agent-service:comment ${name.padEnd(32, "0")})`;
  const pull = () => {
    const found = bench.bitbucket.pulls.get(9);
    if (found === undefined) throw new Error("no pull request");
    return found.comments;
  };
  const say = (user: Parameters<ReturnType<typeof pull>["say"]>[0], raw: string) =>
    pull().say(user, raw, { id: bench.bitbucket.nextId() });

  it("is a person's by Bitbucket's word, and an access token's by what it may edit", async () => {
    const person = bench.bitbucket.addAccount("eileen");
    bench.bitbucket.addToken("personal", ["account", "pullrequest"], person);
    expect((await TokenAccount.read(bench.api("personal"))).known?.uuid).toBe(person.uuid);
    const account = await TokenAccount.read(bench.api());
    expect(account.known).toBe(null);
    const other = bench.bitbucket.addAccount("other", { type: "app_user" });
    const own = bench.bitbucket.tokens.get(TOKEN)?.account;
    if (own === undefined) throw new Error("no token");
    say(other, marked("a"));
    say(own, marked("a"));
    say(person, marked("a"));
    const comments = new PullComments(bench.api(), { account, number: 9 });
    const { all } = await comments.list();
    expect(account.known?.uuid).toBe(own.uuid);
    expect(all.map((one) => comments.isOwn(one))).toEqual([false, true, false]);
    // What it tried is as it was.
    expect(pull().all.map(({ raw }) => raw)).toEqual([marked("a"), marked("a"), marked("a")]);
    expect(bench.bitbucket.requests.filter(({ method }) => method === "PUT")).toHaveLength(2);
  });

  it("is nobody's where only others have our markers, and what it writes tells it", async () => {
    const account = await TokenAccount.read(bench.api());
    say(bench.bitbucket.addAccount("eileen"), marked("a"));
    const comments = new PullComments(bench.api(), { account, number: 9 });
    await comments.list();
    expect(account.known).toBe(null);
    await comments.create("Mine.");
    expect(account.known).toMatchObject({ type: "app_user" });
  });

  it("is not guessed with a token that is revoked meanwhile", async () => {
    const account = await TokenAccount.read(bench.api());
    say(bench.bitbucket.addAccount("eileen"), marked("a"));
    bench.bitbucket.fail(/^PUT /, { status: 401, headers: json, body: "{}" });
    const comments = new PullComments(bench.api(), { account, number: 9 });
    await expect(comments.list()).rejects.toMatchObject({ status: 401 });
  });
});

describe("what a review reads", () => {
  const reader = () =>
    bitbucketReviewsReader({
      api: bench.api(),
      account: new TokenAccount(null),
      url: "https://bitbucket.org/acme/app/pull-requests/9",
    });

  it("is the lines that the diff shows, by the paths of its files", async () => {
    const diff = (await readTopicDiff(bench.api(), { head: bench.head, base: bench.main })) ?? "";
    expect([...shownRanges(diff)]).toEqual([
      ["notes.txt", [{ first: 2, last: 8 }]],
      ["src/nëw.ts", []],
    ]);
  });

  it("is files at a commit, which may be none", async () => {
    const read = (path: string, maxBytes = 1_000) => reader().readFile({ path, ref: bench.head, maxBytes });
    expect(await read("notes.txt")).toMatchObject({
      type: "file",
      text: expect.stringContaining("line five\n"),
    });
    expect(await read("src/nëw.ts")).toMatchObject({ type: "file" });
    expect([await read("gone.txt"), await read("src"), await read("notes.txt", 5)]).toEqual([
      { type: "missing" },
      { type: "not_a_file" },
      { type: "too_large" },
    ]);
  });

  it("is the difference of two commits, with what was renamed", async () => {
    const compared = await reader().compare(bench.main, bench.head);
    expect(compared).toMatchObject({ isAhead: true, isWhole: true, unshown: ["src/nëw.ts"] });
    expect([...(compared?.renames ?? [])]).toEqual([["old name.ts", "src/nëw.ts"]]);
    expect(compared?.patches).toEqual([
      {
        path: "notes.txt",
        patch: expect.stringMatching(/^@@ -2,7 \+2,7 @@.*\n line 2\n(?:.*\n)*-line 5\n\+line five\n/),
      },
    ]);
    expect(await reader().compare(bench.head, bench.main)).toMatchObject({ isAhead: false });
    expect(await reader().compare("f".repeat(40), bench.head)).toBe(null);
  });

  it("counts the word of default reviewers alone", async () => {
    const [one, two] = ["a", "b"].map((name) => bench.bitbucket.addAccount(name));
    if (one !== undefined) bench.bitbucket.defaultReviewers.push(one);
    const host = reader();
    const of = (databaseId: string | number | null | undefined) =>
      host.hasWriteAccess({ login: "x", databaseId });
    expect([await of(one?.uuid), await of(two?.uuid), await of(7), await of(null)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(bench.bitbucket.requests.filter(({ path }) => path.includes("default-reviewers"))).toHaveLength(1);
  });
});
