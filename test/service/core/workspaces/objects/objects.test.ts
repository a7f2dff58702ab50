import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { EMPTY_TREE } from "../../../../../src/base/git/object-names.ts";
import {
  type CommitData,
  encodeCommit,
  parseCommit,
} from "../../../../../src/service/core/workspaces/objects/commit-object.ts";
import {
  MalformedObjectError,
  oidOf,
} from "../../../../../src/service/core/workspaces/objects/git-object.ts";
import {
  encodeTree,
  parseTree,
  type TreeEntry,
} from "../../../../../src/service/core/workspaces/objects/tree-object.ts";
import { openGitRepository } from "../../../../support/git-repository.ts";

const repository = openGitRepository();
afterAll(() => repository[Symbol.dispose]());

const hex = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString("hex"));
const mode = fc.constantFrom("100644" as const, "100755" as const, "120000" as const, "40000" as const);
const piece = fc.constantFrom("a", "b", ".", "-", "0", "é", "\u{1F600}", "\uFFFD", "\uE000", " ", '"', "\t");
const name = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""))
  .filter((text) => text !== "." && text !== "..");
const entries = fc.uniqueArray(fc.record<TreeEntry>({ mode, name, oid: hex }), {
  maxLength: 12,
  selector: (entry) => entry.name,
});

describe("an object's name", () => {
  it("is git's", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
        expect(oidOf({ kind: "blob", data })).toBe(repository.text(["hash-object", "--stdin"], data));
      }),
      { numRuns: 20 },
    );
  });

  it("of the empty tree is known", () => {
    expect(oidOf({ kind: "tree", data: encodeTree([]) })).toBe(EMPTY_TREE);
  });
});

describe("a tree", () => {
  it("has the bytes and the order that git writes, and is read back as it was", () => {
    fc.assert(
      fc.property(entries, (tree) => {
        const data = encodeTree(tree);
        const lines = tree.map(
          (entry) =>
            `${entry.mode.padStart(6, "0")} ${entry.mode === "40000" ? "tree" : "blob"} ${entry.oid}\t${entry.name}\0`,
        );
        expect(oidOf({ kind: "tree", data })).toBe(
          repository.text(["mktree", "-z", "--missing"], lines.join("")),
        );
        const read = parseTree(data);
        expect(read).toHaveLength(tree.length);
        expect(read).toEqual(expect.arrayContaining(tree));
        expect(Buffer.from(encodeTree(read))).toEqual(data);
      }),
      { numRuns: 60 },
    );
  });

  it("is read as git reads it where an old version wrote its modes", () => {
    const oid = Buffer.alloc(20, 7);
    const old = ["100664 a", "100775 b", "040000 c"].map((head) =>
      Buffer.concat([Buffer.from(`${head}\0`), oid]),
    );
    expect(parseTree(Buffer.concat(old)).map((entry) => entry.mode)).toEqual(["100644", "100755", "40000"]);
  });

  it.each([
    ["cut off", Buffer.from("100644 a\0short"), "A tree of 14 bytes is cut off at byte 0."],
    ["without a NUL", Buffer.from("100644 a"), "A tree of 8 bytes is cut off at byte 0."],
    [
      "with a name that is not UTF-8",
      Buffer.concat([Buffer.from("100644 caf"), Buffer.from([0xe9, 0]), Buffer.alloc(20)]),
      'The name "caf\uFFFD" in a tree is not UTF-8. Rename the file.',
    ],
    [
      "with another mode",
      Buffer.concat([Buffer.from("060000 a\0"), Buffer.alloc(20)]),
      'The entry "a" of a tree has the mode "060000".',
    ],
    [
      "with an entry without a name",
      Buffer.concat([Buffer.from("100644 \0"), Buffer.alloc(20)]),
      "A tree has an entry without a name.",
    ],
  ])("is refused %s", (_what, data, message) => {
    expect(() => parseTree(data)).toThrow(new MalformedObjectError(message));
  });

  it("is not written with two entries of one name, or one that no tree can have", () => {
    const oid = "1".repeat(40);
    const file = { mode: "100644", oid } as const;
    const twice = [
      { ...file, name: "a" },
      { ...file, name: "a.b" },
      { mode: "40000", oid, name: "a" },
    ] as const;
    expect(() => encodeTree(twice)).toThrow("Two entries of a tree have one name.");
    for (const wrong of ["", "a/b", "a\0b", "\uD800"]) {
      expect(() => encodeTree([{ ...file, name: wrong }])).toThrow(MalformedObjectError);
    }
    expect(() => encodeTree([{ ...file, name: "a", oid: "z".repeat(40) }])).toThrow(MalformedObjectError);
  });
});

describe("a commit", () => {
  const tree = repository.write({ kind: "tree", data: encodeTree([]) });
  const signature = fc.record({
    name: fc.string({ unit: "binary", maxLength: 20 }),
    email: fc.string({ unit: "binary", maxLength: 20 }),
    at: fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1_000),
  });

  it("is sound to git, whatever its author is called, and is read back", () => {
    const written: string[] = [];
    fc.assert(
      fc.property(
        signature,
        signature,
        fc.string({ unit: "binary", maxLength: 60 }),
        (author, committer, message) => {
          const parents = written.slice(-2);
          const commit: CommitData = { tree, parents, author, committer, message: message.toWellFormed() };
          const data = encodeCommit(commit);
          written.push(repository.write({ kind: "commit", data }));
          const read = parseCommit(data);
          expect(read).toMatchObject({
            tree,
            parents,
            author: { at: author.at },
            committer: { at: committer.at },
          });
          expect(Buffer.from(encodeCommit(read))).toEqual(data);
        },
      ),
      { numRuns: 80 },
    );
    for (const oid of written) repository.git(["update-ref", `refs/heads/${oid}`, oid]);
    expect(repository.text(["fsck", "--strict", "--full", "--no-dangling"])).toBe("");
  });

  it("cleans names and addresses as git does", () => {
    const author = { name: ' "Mona <the> cat", ', email: " <mona@example.com>\n", at: 1_700_000_000_999 };
    const ours = encodeCommit({ tree, parents: [], author, committer: author, message: "Hello" });
    const theirs = repository.text(["commit-tree", tree, "-m", "Hello"], "", {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: "1700000000 +0000",
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_COMMITTER_DATE: "1700000000 +0000",
    });
    expect(oidOf({ kind: "commit", data: ours })).toBe(theirs);
    expect(Buffer.from(ours).toString()).toContain(
      "author Mona the cat <mona@example.com> 1700000000 +0000\n",
    );
  });

  it("without what git needs is refused", () => {
    expect(() => parseCommit(Buffer.from(`tree ${tree}\n\nmessage\n`))).toThrow(MalformedObjectError);
    expect(() => parseCommit(Buffer.from(`tree ${tree}\nauthor a\ncommitter b\n\n`))).toThrow(
      MalformedObjectError,
    );
  });
});
