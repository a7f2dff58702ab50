// Uploads, and links to files, in the canonical copy and in working copies (4.6).

import { inFiles } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { dateTime } from "../kit/field-kinds.ts";
import { freshPath, post, put, read, scratchFiles } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";
import { type CopyKind, ofCopy, trash, write } from "./files-trash.ts";

const OCTETS = { "content-type": "application/octet-stream" };
const BOUNDARY = "conform-boundary";

export const fileUploads: readonly Statement[] = (["canonical", "copy"] as const).flatMap((copy) => [
  ...uploads(copy),
  ...links(copy),
]);

async function upload(
  world: World,
  files: string,
  query: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const path = `${files}/upload?${query}`;
  return await world.ask({ method: "POST", path, headers: { ...OCTETS, ...headers }, raw: "bytes\n" });
}

async function uploadParts(world: World, files: string, query: string, names: readonly string[]) {
  const parts = names.map(
    (name) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\npart\n\r\n`,
  );
  return await world.ask({
    method: "POST",
    path: `${files}/upload?${query}`,
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    raw: `${parts.join("")}--${BOUNDARY}--\r\n`,
  });
}

function uploads(copy: CopyKind): readonly Statement[] {
  const of = ofCopy[copy];
  return statementsOf("4.6", { prefix: `files-upload.${copy}`, needs: inFiles }, [
    [
      "new",
      `An upload of bytes to ${of} is 201 with the file that it made.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world);
        const answer = expectStatus(await upload(world, files, `path=${path}`), 201);
        expectThat(member(listOf(answer, "items")[0], "path") === path, `the item ${path}`, answer);
        expectMember(await read(world, files, path), "content", "bytes\n");
      },
    ],
    [
      "existing",
      `An upload to ${of} does not replace a file: 412 with the ETag that holds.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        const answer = expectRefused(await upload(world, files, `path=${path}`), 412);
        expectMember(answer, "current_etag", etag);
        expectMember(await read(world, files, path), "content", "one\n");
      },
    ],
    [
      "replace",
      `An upload to ${of} with existing=replace is 200 and replaces the file.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        expectStatus(await upload(world, files, `path=${path}&existing=replace`), 200);
        expectMember(await read(world, files, path), "content", "bytes\n");
      },
    ],
    [
      "if-match",
      `An upload to ${of} with the ETag that holds replaces the file.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        expectStatus(await upload(world, files, `path=${path}`, { "if-match": `"${etag}"` }), 200);
      },
    ],
    [
      "stale",
      `An upload to ${of} with a stale ETag is 412.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const answer = await upload(world, files, `path=${path}&existing=replace`, { "if-match": '"12"' });
        expectRefused(answer, 412);
      },
    ],
    [
      "many",
      `An upload of several files to ${of} makes each of them in the folder.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const folder = world.uuid();
        expectStatus(await uploadParts(world, files, `path=${folder}`, ["a.txt", "sub/b.txt"]), 201);
        for (const name of ["a.txt", "sub/b.txt"])
          expectMember(await read(world, files, `${folder}/${name}`), "content", "part\n");
      },
    ],
    [
      "all-or-none",
      `An upload of several files to ${of}, one of which is there, writes none.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const [folder = ""] = path.split("/", 1);
        const answer = await uploadParts(world, files, `path=${folder}`, ["new.txt", "file.txt"]);
        expectRefused(answer, 412);
        expectStatus(await read(world, files, `${folder}/new.txt`), 404);
      },
    ],
    [
      "twice",
      `An upload of two files of one path to ${of} is 400.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const answer = await uploadParts(world, files, `path=${world.uuid()}`, ["a.txt", "a.txt"]);
        expectRefused(answer, 400, "invalid_request");
      },
    ],
    [
      "mode",
      `An upload to ${of} with mode=100755 makes a program.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const answer = await upload(world, files, `path=${freshPath(world)}&mode=100755`);
        expectMember(expectStatus(answer, 201), "items.0.mode", "100755");
      },
    ],
    [
      "link",
      `An upload to ${of} with mode=120000 makes a symbolic link, whose target is the bytes.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const answer = await upload(world, files, `path=${freshPath(world)}&mode=120000`);
        expectMember(expectStatus(answer, 201), "items.0.type", "symlink");
      },
    ],
    ...Object.entries({
      "existing=keep": "a value of existing that there is not",
      "mode=160000": "a submodule",
      "exsting=replace": "a query parameter that is none of its own",
    }).map(
      ([query, what]) =>
        [
          query,
          `An upload to ${of} refuses ${what}.`,
          async (world: World) => {
            const files = await scratchFiles(world, copy);
            const answer = await upload(world, files, `path=${freshPath(world)}&${query}`);
            expectRefused(answer, 400, "invalid_request");
          },
        ] as const,
    ),
    [
      "path",
      `An upload to ${of} refuses a path that leaves the workspace.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        expectRefused(await upload(world, files, "path=..%2Fx"), 400, "path_invalid");
      },
    ],
    [
      "part-path",
      `An upload of several files to ${of} refuses one whose name leaves the folder.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const answer = await uploadParts(world, files, `path=${world.uuid()}`, ["../../x.txt"]);
        expectRefused(answer, 400);
      },
    ],
    [
      "type",
      `An upload to ${of} as JSON is 415.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const answer = await post(world, `${files}/upload?path=${freshPath(world)}`, { content: "x" });
        expectRefused(answer, 415, "unsupported_media_type");
      },
    ],
  ]);
}

function links(copy: CopyKind): readonly Statement[] {
  const of = ofCopy[copy];
  const linkOf = async (world: World, files: string, path: string) => {
    const answer = expectStatus(await post(world, `${files}/download-url`, { path }), 200);
    return new URL(textOf(answer, "url")).pathname;
  };
  return statementsOf("4.6", { prefix: `files-link.${copy}`, needs: inFiles }, [
    [
      "made",
      `An address for a file of ${of} is 200 with url, expires_at and the file's ETag.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        const answer = expectStatus(await post(world, `${files}/download-url`, { path }), 200);
        expectThat(URL.canParse(textOf(answer, "url")), "url is an address", answer);
        expectThat(
          dateTime.holds(member(answer.json, "expires_at")),
          `expires_at is ${dateTime.says}`,
          answer,
        );
        expectMember(answer, "etag", etag);
      },
    ],
    [
      "followed",
      `The address of a file of ${of} serves its bytes without a credential.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const answer = await world.get(await linkOf(world, files, path), "nobody");
        expectThat(expectStatus(answer, 200).text === "one\n", "the file's bytes", answer);
      },
    ],
    [
      "changed",
      `The address of a file of ${of} ends when the file changes.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        const link = await linkOf(world, files, path);
        expectStatus(await put(world, files, { path, content: "two\n" }, `"${etag}"`), 200);
        expectRefused(await world.get(link, "nobody"), 404, "not_found");
      },
    ],
    [
      "deleted",
      `The address of a file of ${of} ends when the file is deleted.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const link = await linkOf(world, files, path);
        await trash(world, files, path);
        expectRefused(await world.get(link, "nobody"), 404, "not_found");
      },
    ],
    [
      "unknown",
      `An address for a path that ${of} does not have is 404.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        expectRefused(
          await post(world, `${files}/download-url`, { path: freshPath(world) }),
          404,
          "not_found",
        );
      },
    ],
    [
      "folder",
      `An address for a folder of ${of} is 404.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const folder = path.split("/", 1)[0];
        expectRefused(await post(world, `${files}/download-url`, { path: folder }), 404, "not_found");
      },
    ],
  ]);
}
