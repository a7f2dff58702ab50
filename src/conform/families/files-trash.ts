import { inFiles } from "../kit/beginnings.ts";
import { expectMember, expectRefused, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { freshPath, post, put, read, scratchFiles, scratchWorkspace } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeCopy, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

export type CopyKind = "canonical" | "copy";

export const ofCopy = { canonical: "the canonical copy", copy: "a working copy" } as const;

export const fileTrash: readonly Statement[] = (["canonical", "copy"] as const).flatMap((copy) => [
  ...deletions(copy),
  ...restores(copy),
  ...purges(copy),
]);

/** A file of this statement's own: the beginning of its routes, and its path. */
export async function write(world: World, copy: CopyKind) {
  const files = await scratchFiles(world, copy);
  const path = freshPath(world);
  const made = expectStatus(await put(world, files, { path, content: "one\n" }), 201);
  return { files, path, etag: textOf(made, "etag") };
}

export async function trash(world: World, files: string, path: string): Promise<string> {
  return textOf(expectStatus(await post(world, `${files}/delete`, { path }), 200), "trash", 0, "handle");
}

/** A copy of this statement's own, whose trash is empty. */
async function ownFiles(world: World, copy: CopyKind): Promise<string> {
  if (copy === "canonical") return `/v1/workspaces/${await makeWorkspace(world)}/files`;
  const { workspaceId } = await scratchWorkspace(world);
  return `/v1/workspaces/${workspaceId}/copies/${await makeCopy(world, workspaceId)}/files`;
}

function deletions(copy: CopyKind): readonly Statement[] {
  const of = ofCopy[copy];
  return statementsOf("4.6 rule 11", { prefix: `files-delete.${copy}`, needs: inFiles }, [
    [
      "file",
      `A deletion in ${of} is 200 with the file's path and the handle of its trash.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const answer = expectStatus(await post(world, `${files}/delete`, { path }), 200);
        expectMember(answer, "trash.0.path", path);
        expectMember(answer, "trash.0.files", 1);
        expectThat(textOf(answer, "trash", 0, "handle") !== path, "a handle that is not the path", answer);
      },
    ],
    [
      "gone",
      `A file of ${of} that was deleted is 404.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        await trash(world, files, path);
        expectRefused(await read(world, files, path), 404, "not_found");
      },
    ],
    [
      "folder",
      `A deletion of a folder in ${of} takes what is in it, and counts it.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const [folder = ""] = path.split("/", 1);
        expectStatus(await put(world, files, { path: `${folder}/sub/two.txt`, content: "x" }), 201);
        const answer = await post(world, `${files}/delete`, { path: folder });
        expectMember(expectStatus(answer, 200), "trash.0.files", 2);
        expectStatus(await read(world, files, path), 404);
      },
    ],
    [
      "unknown",
      `A deletion in ${of} of what is not there is 404.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        expectRefused(await post(world, `${files}/delete`, { path: freshPath(world) }), 404, "not_found");
      },
    ],
    [
      "stale",
      `A deletion in ${of} with a stale ETag is 412, and the file stays.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        const headers = { "if-match": '"12"' };
        const answer = await world.ask({ method: "POST", path: `${files}/delete`, json: { path }, headers });
        expectMember(expectRefused(answer, 412), "current_etag", etag);
        expectStatus(await read(world, files, path), 200);
      },
    ],
    [
      "if-match",
      `A deletion in ${of} with the ETag that holds deletes the file.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        const headers = { "if-match": `"${etag}"` };
        const answer = await world.ask({ method: "POST", path: `${files}/delete`, json: { path }, headers });
        expectStatus(answer, 200);
      },
    ],
    [
      "path",
      `A deletion in ${of} refuses a path that leaves the workspace.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        expectRefused(await post(world, `${files}/delete`, { path: "../x" }), 400, "path_invalid");
      },
    ],
  ]);
}

function restores(copy: CopyKind): readonly Statement[] {
  const of = ofCopy[copy];
  return statementsOf("4.6 rule 11", { prefix: `files-restore.${copy}`, needs: inFiles }, [
    [
      "handle",
      `A restore in ${of} takes the trash handle as its path: 200 with where the file is again.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const handle = await trash(world, files, path);
        const answer = expectStatus(await post(world, `${files}/restore`, { path: handle }), 200);
        expectMember(answer, "path", path);
        expectMember(answer, "files", 1);
      },
    ],
    [
      "content",
      `A file of ${of} that was restored has its content and its ETag again.`,
      async (world) => {
        const { files, path, etag } = await write(world, copy);
        const handle = await trash(world, files, path);
        expectStatus(await post(world, `${files}/restore`, { path: handle }), 200);
        const answer = expectStatus(await read(world, files, path), 200);
        expectMember(answer, "content", "one\n");
        expectMember(answer, "etag", etag);
      },
    ],
    [
      "folder",
      `A folder of ${of} is restored with what was in it.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const handle = await trash(world, files, path.split("/", 1)[0] ?? "");
        expectStatus(await post(world, `${files}/restore`, { path: handle }), 200);
        expectStatus(await read(world, files, path), 200);
      },
    ],
    [
      "twice",
      `A handle of ${of} restores once: after that it is 404.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const handle = await trash(world, files, path);
        expectStatus(await post(world, `${files}/restore`, { path: handle }), 200);
        expectRefused(await post(world, `${files}/restore`, { path: handle }), 404, "not_found");
      },
    ],
    [
      "by-path",
      `A restore in ${of} by the path that the file had is 404: only the handle restores.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        await trash(world, files, path);
        expectRefused(await post(world, `${files}/restore`, { path }), 404, "not_found");
      },
    ],
    [
      "taken",
      `A restore in ${of} to a place that is taken is 409, and the trash stays.`,
      async (world) => {
        const { files, path } = await write(world, copy);
        const handle = await trash(world, files, path);
        const made = expectStatus(await put(world, files, { path, content: "new\n" }), 201);
        expectRefused(await post(world, `${files}/restore`, { path: handle }), 409, "path_taken");
        expectMember(await read(world, files, path), "etag", textOf(made, "etag"));
        await trash(world, files, path);
        expectStatus(await post(world, `${files}/restore`, { path: handle }), 200);
      },
    ],
    [
      "of-another-copy",
      `A handle of another copy restores nothing in ${of}.`,
      async (world) => {
        const { files, path } = await write(world, copy === "copy" ? "canonical" : "copy");
        const handle = await trash(world, files, path);
        const here = await scratchFiles(world, copy);
        expectRefused(await post(world, `${here}/restore`, { path: handle }), 404, "not_found");
      },
    ],
  ]);
}

function purges(copy: CopyKind): readonly Statement[] {
  const of = ofCopy[copy];
  return statementsOf("4.6 rule 11", { prefix: `files-empty-trash.${copy}`, needs: inFiles }, [
    [
      "all",
      `Emptying the trash of ${of} purges all of it, and says how much that was.`,
      async (world) => {
        const files = await ownFiles(world, copy);
        for (const path of ["one.txt", "two.txt"]) {
          expectStatus(await put(world, files, { path, content: "x" }), 201);
          await trash(world, files, path);
        }
        expectMember(expectStatus(await post(world, `${files}/empty-trash`, {}), 200), "purged", 2);
      },
    ],
    [
      "for-good",
      `What was in the trash of ${of} when it was emptied is not restored.`,
      async (world) => {
        const files = await ownFiles(world, copy);
        expectStatus(await put(world, files, { path: "one.txt", content: "x" }), 201);
        const handle = await trash(world, files, "one.txt");
        expectStatus(await post(world, `${files}/empty-trash`, {}), 200);
        expectRefused(await post(world, `${files}/restore`, { path: handle }), 404, "not_found");
      },
    ],
    [
      "files-stay",
      `Emptying the trash of ${of} leaves its files.`,
      async (world) => {
        const files = await ownFiles(world, copy);
        expectStatus(await put(world, files, { path: "stays.txt", content: "x" }), 201);
        expectStatus(await post(world, `${files}/empty-trash`, {}), 200);
        expectStatus(await read(world, files, "stays.txt"), 200);
      },
    ],
    [
      "of-copy",
      `Emptying the trash of ${of} leaves the trash of another copy.`,
      async (world) => {
        const { files, path } = await write(world, copy === "copy" ? "canonical" : "copy");
        const handle = await trash(world, files, path);
        const here = await scratchFiles(world, copy);
        expectStatus(await post(world, `${here}/empty-trash`, {}), 200);
        expectStatus(await post(world, `${files}/restore`, { path: handle }), 200);
      },
    ],
    [
      "path",
      `Emptying the trash of ${of} refuses a path: it has no filter.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        expectRefused(await post(world, `${files}/empty-trash`, { path: "docs" }), 400, "invalid_request");
      },
    ],
    [
      "no-body",
      `Emptying the trash of ${of} needs no body.`,
      async (world) => {
        const files = await ownFiles(world, copy);
        const answer = await world.ask({ method: "POST", path: `${files}/empty-trash` });
        expectMember(expectStatus(answer, 200), "purged", 0);
      },
    ],
  ]);
}
