// Reads and downloads of files, in the canonical copy, in working copies and in revisions (4.6 rules 10 and 13).

import { inFiles } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import {
  expectHeader,
  expectMember,
  expectRefused,
  expectStatus,
  expectThat,
  textOf,
} from "../kit/expect.ts";
import { decimal } from "../kit/field-kinds.ts";
import {
  bytes,
  canonical,
  copy,
  empty,
  type FileStore,
  type KnownFile,
  letters,
  read,
  revision,
  text,
} from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { checkpoint, filesOf, makeCopy, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const stores = [canonical, copy, revision];

export const fileReads: readonly Statement[] = stores.flatMap((store) => [
  ...texts(store),
  ...downloads(store),
]);

function texts(store: FileStore): readonly Statement[] {
  const { name, of } = store;
  const shared = statementsOf("4.6 rule 10", { prefix: `files-read.${name}`, needs: inFiles }, [
    ...[text, empty, letters].map(
      (file) =>
        [
          file.path,
          `A read of ${file.path} in ${of} has its whole text.`,
          async (world: World) => {
            const answer = expectStatus(await read(world, await store.at(world), file.path), 200);
            expectMember(answer, "content", file.content);
            expectMember(answer, "encoding", "utf-8");
            expectMember(answer, "size", file.size);
          },
        ] as const,
    ),
    [
      "etag",
      `A read in ${of} has the ETag of the file in its header and its body.`,
      async (world) => {
        const answer = expectStatus(await read(world, await store.at(world), text.path), 200);
        const etag = member(answer.json, "etag");
        expectThat(decimal.holds(etag), `etag is ${decimal.says}`, answer);
        expectHeader(answer, "etag", `"${etag}"`);
      },
    ],
    [
      "bytes",
      `A read in ${of} of bytes that are no text is 415.`,
      async (world) => {
        expectRefused(await read(world, await store.at(world), bytes.path), 415, "not_text");
      },
    ],
    [
      "folder",
      `A read of a folder of ${of} is 404.`,
      async (world) => {
        expectRefused(await read(world, await store.at(world), "docs"), 404, "not_found");
      },
    ],
    [
      "unknown",
      `A read of a path that ${of} does not have is 404.`,
      async (world) => {
        expectRefused(await read(world, await store.at(world), "nowhere.txt"), 404, "not_found");
      },
    ],
    [
      "no-path",
      `A read in ${of} without a path is 400.`,
      async (world) => {
        expectRefused(await world.get(`${await store.at(world)}/read`), 400, "invalid_request");
      },
    ],
  ]);
  return [...shared, ...(store.name === "revision" ? wholeTexts() : windows(store))];
}

/** Revision reads return the whole file. */
function wholeTexts(): readonly Statement[] {
  const refuses = (id: string, query: string) =>
    [
      id,
      `A read of a revision refuses ${query}.`,
      async (world: World) => {
        const answer = await world.get(`${await revision.at(world)}/read?path=${text.path}&${query}`);
        expectRefused(answer, 400, "invalid_request");
      },
    ] as const;
  return statementsOf("4.6 rule 10", { prefix: "files-read.revision", needs: inFiles }, [
    refuses("offset", "offset=0"),
    refuses("offset-one", "offset=1"),
    refuses("limit", "limit=0"),
    refuses("limit-one", "limit=1"),
    [
      "cap",
      "A read of a revision refuses a file above the editor's cap, and says how large a file may be.",
      async (world) => {
        const { workspaceId, revisionId } = await largeRevision(world);
        const files = `/v1/workspaces/${workspaceId}/revisions/${revisionId}/files`;
        const answer = expectRefused(await read(world, files, "large.txt"), 413, "file_too_large");
        expectThat(Number(member(answer.json, "cap_bytes")) > 0, "cap_bytes above 0", answer);
      },
    ],
    [
      "above-cap",
      "A file above the editor's cap is downloaded from a revision whole.",
      async (world) => {
        const { workspaceId, revisionId, size } = await largeRevision(world);
        const at = `/v1/workspaces/${workspaceId}/revisions/${revisionId}/files/download?path=large.txt`;
        expectHeader(expectStatus(await world.get(at), 200), "content-length", String(size));
      },
    ],
  ]);
}

function windows(store: FileStore): readonly Statement[] {
  const { name, of } = store;
  const window = async (world: World, query: string, file: KnownFile = text) =>
    await world.get(`${await store.at(world)}/read?path=${file.path}&${query}`);
  const refuses = (id: string, query: string) =>
    [
      id,
      `A read in ${of} refuses ${query}.`,
      async (world: World) => void expectRefused(await window(world, query), 400, "invalid_request"),
    ] as const;
  return statementsOf("4.6 rule 10", { prefix: `files-read.${name}`, needs: inFiles }, [
    [
      "limit-zero",
      `A read in ${of} with limit=0 asks for the largest window: a small file is whole in it.`,
      async (world) => {
        const answer = expectStatus(await window(world, "limit=0"), 200);
        expectMember(answer, "content", text.content);
        expectMember(answer, "next_offset", null);
      },
    ],
    [
      "limit",
      `A read in ${of} with limit=2 has two bytes, and says where the next window begins.`,
      async (world) => {
        const answer = expectStatus(await window(world, "limit=2"), 200);
        expectMember(answer, "content", "he");
        expectMember(answer, "offset", 0);
        expectMember(answer, "next_offset", 2);
      },
    ],
    [
      "offset",
      `A read in ${of} with offset=2 begins at the third byte.`,
      async (world) => {
        const answer = expectStatus(await window(world, "offset=2"), 200);
        expectMember(answer, "content", "llo\n");
        expectMember(answer, "offset", 2);
      },
    ],
    [
      "size",
      `A window in ${of} says the size of the whole file.`,
      async (world) => {
        expectMember(expectStatus(await window(world, "offset=1&limit=1"), 200), "size", text.size);
      },
    ],
    [
      "characters",
      `Windows of one byte in ${of} are cut between characters, and make the whole text together.`,
      async (world) => {
        let [offset, whole]: [unknown, string] = [0, ""];
        for (let reads = 0; offset !== null; reads += 1) {
          const answer = expectStatus(await window(world, `offset=${offset}&limit=1`, letters), 200);
          whole += String(member(answer.json, "content"));
          offset = member(answer.json, "next_offset");
          expectThat(
            reads < letters.size && !whole.includes("\ufffd"),
            "whole characters, and an end",
            answer,
          );
          if (offset === null) expectThat(whole === letters.content, `windows of ${letters.content}`, answer);
        }
      },
    ],
    [
      "at-end",
      `A read in ${of} at the end of the file is empty.`,
      async (world) => {
        const answer = expectStatus(await window(world, `offset=${text.size}`), 200);
        expectMember(answer, "content", "");
        expectMember(answer, "next_offset", null);
      },
    ],
    [
      "beyond",
      `A read in ${of} beyond the end of the file is 416.`,
      async (world) => {
        expectRefused(await window(world, "offset=1000"), 416, "range_not_satisfiable");
      },
    ],
    refuses("negative-offset", "offset=-1"),
    refuses("negative-limit", "limit=-1"),
    refuses("offset-text", "offset=two"),
    refuses("limit-text", "limit=all"),
    [
      "largest",
      `A read in ${of} of a file above the largest window has a part of it, and the next offset.`,
      async (world) => {
        const { workspaceId, copyId, size } = await largeRevision(world);
        const at = filesOf(name === "canonical" ? { workspaceId } : { workspaceId, copyId });
        const answer = expectStatus(await read(world, at, "large.txt"), 200);
        const next = Number(member(answer.json, "next_offset"));
        expectThat(next > 0 && next < size, `next_offset between 0 and ${size}`, answer);
      },
    ],
  ]);
}

function downloads(store: FileStore): readonly Statement[] {
  const { name, of } = store;
  const download = async (world: World, query: string, headers: Readonly<Record<string, string>> = {}) =>
    await world.ask({ path: `${await store.at(world)}/download?${query}`, headers });
  const ofText = async (world: World) => expectStatus(await download(world, `path=${text.path}`), 200);
  const header = (id: string, what: string, field: string, value: RegExp | string) =>
    [
      id,
      `A download from ${of} ${what}.`,
      async (world: World) => expectHeader(await ofText(world), field, value),
    ] as const;
  return statementsOf("4.6 rule 10", { prefix: `files-download.${name}`, needs: inFiles }, [
    [
      "bytes",
      `A download from ${of} is the file's bytes.`,
      async (world) => {
        const answer = await ofText(world);
        expectThat(answer.text === text.content, `the body ${JSON.stringify(text.content)}`, answer);
      },
    ],
    [
      "no-text",
      `A download from ${of} serves bytes that are no text.`,
      async (world) => {
        expectHeader(expectStatus(await download(world, `path=${bytes.path}`), 200), "content-length", "3");
      },
    ],
    [
      "empty",
      `A download of an empty file of ${of} is 200 without a body.`,
      async (world) => {
        const answer = expectStatus(await download(world, `path=${empty.path}`), 200);
        expectThat(answer.text === "", "an empty body", answer);
      },
    ],
    header(
      "attachment",
      "is an attachment with the file's name",
      "content-disposition",
      /^attachment; filename="a\.txt"/,
    ),
    header("nosniff", "forbids to guess its type", "x-content-type-options", "nosniff"),
    header("csp", "executes nothing in a browser", "content-security-policy", /sandbox/),
    [
      "etag",
      `A download from ${of} has the file's ETag.`,
      async (world) => {
        const stat = await world.get(`${await store.at(world)}/stat?path=${text.path}`);
        expectHeader(await ofText(world), "etag", `"${textOf(stat, "etag")}"`);
      },
    ],
    header("type", "has the type of bytes", "content-type", /^application\/octet-stream/),
    [
      "range",
      `A download from ${of} answers a Range with that part.`,
      async (world) => {
        const answer = expectStatus(await download(world, `path=${text.path}`, { range: "bytes=1-3" }), 206);
        expectHeader(answer, "content-range", "bytes 1-3/6");
        expectThat(answer.text === "ell", 'the body "ell"', answer);
      },
    ],
    [
      "range-beyond",
      `A download from ${of} answers 416 to a Range beyond the end.`,
      async (world) => {
        expectStatus(await download(world, `path=${text.path}`, { range: "bytes=100-200" }), 416);
      },
    ],
    [
      "offset",
      `A download from ${of} refuses offset.`,
      async (world) => {
        expectRefused(await download(world, `path=${text.path}&offset=0`), 400, "invalid_request");
      },
    ],
    [
      "limit",
      `A download from ${of} refuses limit.`,
      async (world) => {
        expectRefused(await download(world, `path=${text.path}&limit=1`), 400, "invalid_request");
      },
    ],
    [
      "folder",
      `A download of a folder of ${of} is 404.`,
      async (world) => {
        expectRefused(await download(world, "path=docs"), 404, "not_found");
      },
    ],
    [
      "unknown",
      `A download of a path that ${of} does not have is 404.`,
      async (world) => {
        expectRefused(await download(world, "path=nowhere.txt"), 404, "not_found");
      },
    ],
  ]);
}

/** More than an editor takes, where its cap is as it comes. */
async function largeRevision(world: World) {
  return await world.once("large file", async () => {
    const workspaceId = await makeWorkspace(world);
    const size = 1_100_000;
    const uploaded = await world.ask({
      method: "POST",
      path: `/v1/workspaces/${workspaceId}/files/upload?path=large.txt`,
      headers: { "content-type": "application/octet-stream" },
      raw: "x".repeat(size),
    });
    expectStatus(uploaded, 201);
    const revisionId = await checkpoint(world, { workspaceId });
    return { workspaceId, size, revisionId, copyId: await makeCopy(world, workspaceId) };
  });
}
