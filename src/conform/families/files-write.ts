// Writes of files in the canonical copy and in working copies: conditions, contents, refusals (4.6 rules 12 and 13).

import { inFiles } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import {
  expectHeader,
  expectMember,
  expectRefused,
  expectStatus,
  expectThat,
  textOf,
} from "../kit/expect.ts";
import { decimal } from "../kit/field-kinds.ts";
import { freshPath, put, read, scratchFiles } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";

type CopyKind = "canonical" | "copy";

const ofCopy = { canonical: "the canonical copy", copy: "a working copy" } as const;

const PATHS: Readonly<Record<string, string>> = {
  "../x": "that leaves the workspace",
  "/x": "that begins with a slash",
  "a//x": "with an empty part",
  "a/./x": "with a dot as a part",
  "a/": "that ends in a slash",
  ".git/x": "in git's own folder",
  ".Git": "of git's own folder in other letters",
  "git~1": "of git's own folder as Windows shortens it",
  "a/.git\u200c/x": "of git's own folder with a letter that is not seen",
  [`${"n".repeat(256)}`]: "with a part of 256 bytes",
};

export const fileWrites: readonly Statement[] = (["canonical", "copy"] as const).flatMap((copy) => [
  ...conditions(copy),
  ...contents(copy),
  ...refusals(copy),
]);

type Written = { readonly files: string; readonly path: string; readonly etag: string };

/** A file of this statement's own. */
async function write(world: World, copy: CopyKind, content = "one\n"): Promise<Written> {
  const files = await scratchFiles(world, copy);
  const path = freshPath(world);
  const made = expectStatus(await put(world, files, { path, content }), 201);
  return { files, path, etag: textOf(made, "etag") };
}

/** The same, and written once more: its first ETag is stale. */
async function writeTwice(world: World, copy: CopyKind): Promise<Written & { readonly current: string }> {
  const written = await write(world, copy);
  const { files, path, etag } = written;
  const next = expectStatus(await put(world, files, { path, content: "two\n" }, `"${etag}"`), 200);
  return { ...written, current: textOf(next, "etag") };
}

async function expectContent(world: World, { files, path }: Written, content: string): Promise<void> {
  expectMember(expectStatus(await read(world, files, path), 200), "content", content);
}

/** 412 with the ETag that holds. */
function expectStale(answer: Answer, current: string): void {
  expectRefused(answer, 412);
  expectMember(answer, "error", "etag mismatch");
  expectMember(answer, "current_etag", current);
}

function conditions(copy: CopyKind): readonly Statement[] {
  const of = ofCopy[copy];
  return statementsOf("4.6 rule 13", { prefix: `files-write.${copy}`, needs: inFiles }, [
    [
      "if-match",
      `A write in ${of} with the ETag that was read replaces the file.`,
      async (world) => {
        const written = await write(world, copy);
        const { files, path, etag } = written;
        expectStatus(await put(world, files, { path, content: "two\n" }, `"${etag}"`), 200);
        await expectContent(world, written, "two\n");
      },
    ],
    [
      "if-match-of-read",
      `The ETag of a read in ${of} is what a write takes as If-Match.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const etag = expectStatus(await read(world, files, path), 200).headers.etag ?? "";
        expectStatus(await put(world, files, { path, content: "two\n" }, etag), 200);
      },
    ],
    [
      "if-match-bare",
      `A write in ${of} takes the decimal ETag without quotes.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        expectStatus(await put(world, files, { path, content: "two\n" }, etag), 200);
      },
    ],
    [
      "if-match-list",
      `A write in ${of} takes a list of ETags, one of which holds.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        expectStatus(await put(world, files, { path, content: "two\n" }, `"1", "${etag}"`), 200);
      },
    ],
    [
      "if-match-any",
      `A write in ${of} with If-Match: * replaces whatever file is there.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        expectStatus(await put(world, files, { path, content: "two\n" }, "*"), 200);
      },
    ],
    [
      "if-match-any-of-nothing",
      `A write in ${of} with If-Match: * is 412 where no file is.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        expectRefused(await put(world, files, { path: freshPath(world), content: "x" }, "*"), 412);
      },
    ],
    [
      "if-match-of-nothing",
      `A write in ${of} with an ETag is 412 where no file is, and makes none.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world);
        expectRefused(await put(world, files, { path, content: "x" }, '"12"'), 412);
        expectStatus(await read(world, files, path), 404);
      },
    ],
    [
      "weak",
      `A write in ${of} with a weak ETag is 412.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        expectRefused(await put(world, files, { path, content: "two\n" }, `W/"${etag}"`), 412);
      },
    ],
    [
      "stale",
      `A write in ${of} with a stale ETag is 412 "etag mismatch" with the decimal current_etag.`,
      async (world) => {
        const { files, path, etag, current } = await writeTwice(world, copy);
        const answer = await put(world, files, { path, content: "three\n" }, `"${etag}"`);
        expectStale(answer, current);
        expectThat(decimal.holds(member(answer.json, "current_etag")), "a decimal current_etag", answer);
      },
    ],
    [
      "stale-changes-nothing",
      `A write in ${of} with a stale ETag leaves the file as it is.`,
      async (world) => {
        const written = await writeTwice(world, copy);
        const { files, path, etag } = written;
        expectStatus(await put(world, files, { path, content: "three\n" }, `"${etag}"`), 412);
        await expectContent(world, written, "two\n");
      },
    ],
    [
      "stale-same-content",
      `A write in ${of} with a stale ETag is 412 also where the content is the same.`,
      async (world) => {
        const { files, path, etag } = await writeTwice(world, copy);
        expectStatus(await put(world, files, { path, content: "two\n" }, `"${etag}"`), 412);
      },
    ],
    [
      "stale-header",
      `A 412 in ${of} has the current ETag in its header, too.`,
      async (world) => {
        const { files, path, etag, current } = await writeTwice(world, copy);
        const answer = await put(world, files, { path, content: "three\n" }, `"${etag}"`);
        expectHeader(expectStatus(answer, 412), "etag", `"${current}"`);
      },
    ],
    [
      "retry",
      `The current_etag of a 412 in ${of} is what a retry takes as If-Match.`,
      async (world) => {
        const { files, path, etag } = await writeTwice(world, copy);
        const refused = await put(world, files, { path, content: "three\n" }, `"${etag}"`);
        const current = textOf(expectStatus(refused, 412), "current_etag");
        expectStatus(await put(world, files, { path, content: "three\n" }, current), 200);
      },
    ],
    [
      "without",
      `A write in ${of} without If-Match is 412 with the ETag that holds where a file is.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        expectStale(await put(world, files, { path, content: "two\n" }), etag);
      },
    ],
    [
      "without-changes-nothing",
      `A write in ${of} without If-Match does not replace a file.`,
      async (world) => {
        const written = await write(world, copy);
        const { files, path } = written;
        expectStatus(await put(world, files, { path, content: "two\n" }), 412);
        await expectContent(world, written, "one\n");
      },
    ],
    [
      "new-etag",
      `A write in ${of} gives the file another ETag, in the answer, a stat and a list.`,
      async (world) => {
        const { files, path, etag, current } = await writeTwice(world, copy);
        const answer = await world.get(`${files}/stat?path=${encodeURIComponent(path)}`);
        expectThat(current !== etag, "another ETag than before", answer);
        expectMember(answer, "etag", current);
        const folder = await world.get(`${files}/list?path=${path.split("/", 1)[0]}`);
        expectThat(member(folder.json, "items", 0, "etag") === current, `etag ${current}`, folder);
      },
    ],
    [
      "same-content",
      `A write in ${of} of the content that a file has already is 200, and its ETag stays.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        const answer = expectStatus(await put(world, files, { path, content: "one\n" }, `"${etag}"`), 200);
        expectMember(answer, "etag", etag);
      },
    ],
  ]);
}

function contents(copy: CopyKind): readonly Statement[] {
  const of = ofCopy[copy];
  return statementsOf("4.6", { prefix: `files-write.${copy}`, needs: inFiles }, [
    [
      "new",
      `A write of a new file in ${of} is 201 with the file and its ETag.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world);
        const answer = expectStatus(await put(world, files, { path, content: "hello\n" }), 201);
        for (const [name, value] of Object.entries({
          type: "file",
          path,
          name: "file.txt",
          mode: "100644",
          size: 6,
          oid: "ce013625030ba8dba906f756967f9e9ca394464a",
        }))
          expectMember(answer, name, value);
        expectHeader(answer, "etag", `"${textOf(answer, "etag")}"`);
      },
    ],
    [
      "folders",
      `A write in ${of} makes the folders above the file.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world, "one/two/file.txt");
        expectStatus(await put(world, files, { path, content: "x" }), 201);
        const folder = path.slice(0, -"/file.txt".length);
        expectMember(await world.get(`${files}/stat?path=${folder}`), "type", "folder");
      },
    ],
    [
      "base64",
      `A write in ${of} takes bytes as base64.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const json = { path: freshPath(world), content: "AP8B", encoding: "base64" };
        expectMember(expectStatus(await put(world, files, json), 201), "size", 3);
      },
    ],
    [
      "empty",
      `A write in ${of} makes an empty file.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const json = { path: freshPath(world), content: "" };
        expectMember(expectStatus(await put(world, files, json), 201), "size", 0);
      },
    ],
    [
      "program",
      `A write in ${of} with the mode 100755 makes a program, and a later one without a mode keeps it.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world);
        const made = expectStatus(await put(world, files, { path, content: "x", mode: "100755" }), 201);
        expectMember(made, "mode", "100755");
        const next = await put(world, files, { path, content: "y" }, textOf(made, "etag"));
        expectMember(expectStatus(next, 200), "mode", "100755");
      },
    ],
    [
      "link",
      `A write in ${of} with the mode 120000 makes a symbolic link within the tree.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const json = { path: freshPath(world, "link"), content: "file.txt", mode: "120000" };
        expectMember(expectStatus(await put(world, files, json), 201), "type", "symlink");
      },
    ],
    [
      "unicode",
      `A write in ${of} keeps a path with spaces and letters of any script.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world, "ä b/日本.txt");
        expectStatus(await put(world, files, { path, content: "x" }), 201);
        expectMember(expectStatus(await read(world, files, path), 200), "path", path);
      },
    ],
  ]);
}

function refusals(copy: CopyKind): readonly Statement[] {
  const of = ofCopy[copy];
  const refuses = (
    id: string,
    what: string,
    json: Readonly<Record<string, unknown>>,
    code = "invalid_request",
  ) =>
    [
      id,
      `A write in ${of} refuses ${what}.`,
      async (world: World) => {
        const files = await scratchFiles(world, copy);
        expectRefused(await put(world, files, { path: freshPath(world), content: "x", ...json }), 400, code);
      },
    ] as const;
  return statementsOf("4.6", { prefix: `files-write.${copy}`, needs: inFiles }, [
    ...Object.entries(PATHS).map(([path, what]) =>
      refuses(`path:${path.slice(0, 20)}`, `a path ${what}`, { path }, "path_invalid"),
    ),
    refuses("no-base64", "base64 that is none", { content: "***", encoding: "base64" }),
    refuses("link-outside", "a symbolic link out of the tree", { content: "../../../x", mode: "120000" }),
    refuses("link-absolute", "a symbolic link to an absolute path", { content: "/etc/x", mode: "120000" }),
    refuses("unknown-mode", "a mode that files do not have", { mode: "100600" }),
    refuses("submodule", "the mode of a submodule", { mode: "160000" }),
    refuses("unknown-encoding", "an encoding that it does not know", { encoding: "latin1" }),
    refuses("no-content", "a body without content", { content: undefined }),
    refuses("no-path", "a body without a path", { path: undefined }),
    refuses("nul", "a path with a NUL", { path: "a\0b" }),
    [
      "below-file",
      `A write in ${of} below a file is 409, with both paths.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const answer = await put(world, files, { path: `${path}/below.txt`, content: "x" });
        expectRefused(answer, 409, "path_taken");
      },
    ],
    [
      "on-folder",
      `A write in ${of} at the path of a folder is 409.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const answer = await put(world, files, { path: path.split("/", 1)[0], content: "x" });
        expectRefused(answer, 409, "path_taken");
      },
    ],
    [
      "cap",
      `A write in ${of} of text above the editor's cap is 413 with cap_bytes.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const answer = await put(world, files, { path: freshPath(world), content: "x".repeat(1_100_000) });
        expectRefused(answer, 413, "file_too_large");
        expectThat(Number(member(answer.json, "cap_bytes")) > 0, "cap_bytes above 0", answer);
      },
    ],
  ]);
}
