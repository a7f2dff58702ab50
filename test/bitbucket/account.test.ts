// Whose comments are the token's own: Bitbucket does not say, but lets nobody else edit them.

import { describe, expect, it } from "vitest";
import { type OwnCandidate, TokenAccount } from "../../src/bitbucket/account.ts";
import { BitbucketError } from "../../src/bitbucket/bitbucket-error.ts";

const person = (name: string) => ({ uuid: `{${name}}`, type: "user" });
const program = (name: string) => ({ uuid: `{${name}}`, type: "app_user" });
const candidate = (id: number, author: OwnCandidate["author"]): OwnCandidate => ({
  id,
  raw: `${id}`,
  author,
});
const refused = (status: number) =>
  new BitbucketError({ code: "code_host_refused", call: "PUT /comments", status });

/** Finds by an edit that answers each comment by a status; 200 where none is given. */
async function find(candidates: readonly OwnCandidate[], statuses: Readonly<Record<number, number>>) {
  const account = new TokenAccount(null);
  const tried: number[] = [];
  await account.findAmong(candidates, async ({ id }) => {
    tried.push(id);
    const status = statuses[id] ?? 200;
    if (status !== 200) throw refused(status);
  });
  return { tried, known: account.known };
}

describe("the account of a token", () => {
  it("is that of the first comment that it may edit", async () => {
    const candidates = [candidate(1, program("a")), candidate(2, program("b")), candidate(3, program("c"))];
    expect(await find(candidates, { 1: 403, 2: 200 })).toEqual({ tried: [1, 2], known: program("b") });
    expect(await find(candidates, { 1: 404, 2: 403, 3: 404 })).toEqual({ tried: [1, 2, 3], known: null });
  });

  it("is looked for by the newest comment of each, programs first, people last, and none that is gone", async () => {
    const candidates = [
      candidate(1, person("ada")),
      candidate(2, program("robot")),
      candidate(3, null),
      candidate(4, person("ada")),
      candidate(5, program("robot")),
    ];
    expect(await find(candidates, { 5: 403 })).toEqual({ tried: [5, 4], known: person("ada") });
  });

  it("is looked for among five", async () => {
    const ids = [1, 2, 3, 4, 5, 6];
    const candidates = ids.map((id) => candidate(id, program(`p${id}`)));
    const statuses = Object.fromEntries(ids.map((id) => [id, 403]));
    expect((await find(candidates, statuses)).tried).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([401, 500])("is not guessed after a status of %i", async (status) => {
    await expect(find([candidate(1, program("a"))], { 1: status })).rejects.toMatchObject({ status });
  });

  it("stays, once it is known", async () => {
    const account = new TokenAccount(null);
    expect(account.owns(program("a"))).toBe(false);
    account.learn(null);
    expect(account.known).toBeNull();
    account.learn(program("a"));
    account.learn(program("b"));
    expect(account.owns(program("a"))).toBe(true);
    expect(account.owns(program("b"))).toBe(false);
    expect(account.owns(null)).toBe(false);
    await account.findAmong([candidate(1, program("b"))], () => expect.unreachable());
    expect(account.known).toEqual(program("a"));
  });
});
