// Lists and stats of files, and the paths that reads refuse, in the canonical copy, in working copies and in revisions (4.6 rule 9).

import { inFiles } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import {
  expectHeader,
  expectMember,
  expectRefused,
  expectStatus,
  expectThat,
  listOf,
} from "../kit/expect.ts";
import { decimal, exactly, type FieldKind, filled, integer, objectId } from "../kit/field-kinds.ts";
import {
  bytes,
  canonical,
  copy,
  empty,
  type FileStore,
  type KnownFile,
  knownFiles,
  letters,
  link,
  program,
  revision,
  text,
} from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";

const stores = [canonical, copy, revision];

/** In the byte order of paths, a folder's with a slash at its end. */
const ROOT = ["a.txt", "docs", "empty.txt", "image.bin", "letters.txt", "link", "run.sh"];
const RECURSIVE = knownFiles.map(({ path }) => path);
const PARTS: Readonly<Record<string, string>> = {
  "../a.txt": "that leaves the workspace",
  "/a.txt": "that begins with a slash",
  "docs//b.txt": "with an empty part",
  "docs/./b.txt": "with a dot as a part",
  "docs/": "that ends in a slash",
  ".git/config": "of git's own folder",
  ".GIT/config": "of git's own folder in other letters",
  "git~1/config": "of git's own folder as Windows shortens it",
};
const READS = ["stat", "read", "download"] as const;

export const fileLists: readonly Statement[] = stores.flatMap((store) => [
  ...lists(store),
  ...stats(store),
  ...paths(store),
]);

function lists(store: FileStore): readonly Statement[] {
  const { name, of } = store;
  return statementsOf("4.6 rule 9", { prefix: `files-list.${name}`, needs: inFiles }, [
    [
      "root",
      `A list of the root of ${of} has its files and folders in the byte order of their paths.`,
      (world) => expectPaths(world, store, "", ROOT),
    ],
    [
      "folder",
      `A list of a folder of ${of} has what is directly in it.`,
      (world) => expectPaths(world, store, "path=docs", ["docs/b.txt", "docs/deep"]),
    ],
    [
      "recursive",
      `A recursive list of ${of} has the files of every folder, without folders.`,
      (world) => expectPaths(world, store, "recursive=true", RECURSIVE),
    ],
    [
      "end",
      `The only page of a list of ${of} has an empty next_cursor.`,
      async (world) => {
        expectMember(expectStatus(await list(world, store, "path=docs"), 200), "next_cursor", "");
      },
    ],
    [
      "pages",
      `Pages of two of a list of ${of} have each entry once, until next_cursor is empty.`,
      async (world) => {
        const seen: unknown[] = [];
        let cursor = "";
        do {
          const page = expectStatus(await list(world, store, `recursive=true&limit=2&cursor=${cursor}`), 200);
          const items = listOf(page, "items");
          expectThat(items.length > 0 && items.length <= 2, "one or two items", page);
          seen.push(...items.map((item) => member(item, "path")));
          const next = member(page.json, "next_cursor");
          expectThat(typeof next === "string", "next_cursor is a text", page);
          expectThat(next !== "" || seen.length === RECURSIVE.length, "a next_cursor until the end", page);
          expectThat(seen.length <= RECURSIVE.length, "each entry once", page);
          cursor = encodeURIComponent(String(next));
        } while (cursor !== "");
        const answer = await list(world, store, "recursive=true");
        expectThat(
          JSON.stringify(seen) === JSON.stringify(RECURSIVE),
          `pages with ${RECURSIVE.join(", ")}`,
          answer,
        );
      },
    ],
    [
      "file",
      `An entry of a file of ${of} says its name, mode, object, size and ETag.`,
      async (world) => {
        const answer = await list(world, store, "");
        expectEntry(
          answer,
          listOf(answer, "items").find((item) => member(item, "path") === text.path),
          text,
        );
      },
    ],
    [
      "program",
      `An entry of a program of ${of} has the mode 100755.`,
      async (world) => {
        const answer = await list(world, store, "");
        expectEntry(
          answer,
          listOf(answer, "items").find((item) => member(item, "path") === program.path),
          program,
        );
      },
    ],
    [
      "link",
      `An entry of a symbolic link of ${of} says that it is one.`,
      async (world) => {
        const answer = await list(world, store, "");
        const entry = listOf(answer, "items").find((item) => member(item, "path") === link.path);
        expectThat(member(entry, "type") === "symlink", "an entry of the type symlink", answer);
      },
    ],
    [
      "folder-entry",
      `An entry of a folder of ${of} has its type and name, and no ETag.`,
      async (world) => {
        const answer = await list(world, store, "");
        const entry = listOf(answer, "items").find((item) => member(item, "path") === "docs");
        const holds = member(entry, "type") === "folder" && member(entry, "name") === "docs";
        expectThat(holds && member(entry, "etag") === undefined, "a folder without an ETag", answer);
      },
    ],
    [
      "unknown-folder",
      `A list of a folder that ${of} does not have is 404.`,
      async (world) => {
        expectRefused(await list(world, store, "path=nowhere"), 404, "not_found");
      },
    ],
    [
      "of-file",
      `A list of a file of ${of} is 404.`,
      async (world) => {
        expectRefused(await list(world, store, `path=${text.path}`), 404, "not_found");
      },
    ],
    [
      "wrong-cursor",
      `A list of ${of} refuses a cursor that it never gave.`,
      async (world) => {
        expectRefused(await list(world, store, "cursor=nonsense"), 400, "invalid_request");
      },
    ],
    [
      "other-cursor",
      `A list of a folder of ${of} refuses the cursor of another folder's list.`,
      async (world) => {
        const page = expectStatus(await list(world, store, "recursive=true&limit=2"), 200);
        const cursor = encodeURIComponent(String(member(page.json, "next_cursor")));
        expectRefused(await list(world, store, `path=docs&cursor=${cursor}`), 400, "invalid_request");
      },
    ],
    [
      "unknown-parameter",
      `A list of ${of} refuses a query parameter that is none of its own.`,
      async (world) => {
        expectRefused(await list(world, store, "recursve=true"), 400, "invalid_request");
      },
    ],
  ]);
}

function stats(store: FileStore): readonly Statement[] {
  const { name, of } = store;
  return statementsOf("4.6", { prefix: `files-stat.${name}`, needs: inFiles }, [
    ...[text, program, bytes, empty, letters].map(
      (file) =>
        [
          file.path,
          `Stat of ${file.path} in ${of} says its mode, size, ETag and the object as git names it.`,
          async (world: World) => {
            const answer = expectStatus(await stat(world, store, file.path), 200);
            expectEntry(answer, answer.json, file);
          },
        ] as const,
    ),
    [
      "root",
      `Stat of ${of} without a path is its root, a folder.`,
      async (world) => {
        const answer = expectStatus(await world.get(`${await store.at(world)}/stat`), 200);
        expectMember(answer, "type", "folder");
        expectMember(answer, "path", "");
      },
    ],
    [
      "folder",
      `Stat of a folder of ${of} has no header ETag.`,
      async (world) => {
        const answer = expectStatus(await stat(world, store, "docs"), 200);
        expectMember(answer, "type", "folder");
        expectHeader(answer, "etag", null);
      },
    ],
    [
      "unknown",
      `Stat of a path that ${of} does not have is 404.`,
      async (world) => {
        expectRefused(await stat(world, store, "nowhere.txt"), 404, "not_found");
      },
    ],
    [
      "etag",
      `The header ETag of a stat in ${of} is the body's decimal etag in quotes.`,
      async (world) => {
        const answer = expectStatus(await stat(world, store, text.path), 200);
        const etag = member(answer.json, "etag");
        expectThat(decimal.holds(etag), `etag is ${decimal.says}`, answer);
        expectHeader(answer, "etag", `"${etag}"`);
      },
    ],
  ]);
}

function paths(store: FileStore): readonly Statement[] {
  return READS.flatMap((route) =>
    statementsOf(
      "4.6",
      { prefix: `files-path.${store.name}.${route}`, needs: inFiles },
      Object.entries(PARTS).map(([path, what]) => [
        path,
        `A ${route} in ${store.of} refuses a path ${what}.`,
        async (world) => {
          const at = `${await store.at(world)}/${route}?path=${encodeURIComponent(path)}`;
          expectRefused(await world.get(at), 400, "path_invalid");
        },
      ]),
    ),
  );
}

async function list(world: World, store: FileStore, query: string) {
  return await world.get(`${await store.at(world)}/list${query === "" ? "" : `?${query}`}`);
}

async function stat(world: World, store: FileStore, path: string) {
  return await world.get(`${await store.at(world)}/stat?path=${encodeURIComponent(path)}`);
}

async function expectPaths(world: World, store: FileStore, query: string, wanted: readonly string[]) {
  const answer = expectStatus(await list(world, store, query), 200);
  const paths = listOf(answer, "items").map((item) => member(item, "path"));
  expectThat(JSON.stringify(paths) === JSON.stringify(wanted), `items at ${wanted.join(", ")}`, answer);
}

type GotAnswer = Parameters<typeof expectThat>[2];

/** An entry as lists and stats have it. */
function expectEntry(answer: GotAnswer, entry: unknown, file: KnownFile): void {
  const fields: Readonly<Record<string, FieldKind>> = {
    type: exactly("file"),
    path: exactly(file.path),
    name: filled,
    mode: exactly(file.mode ?? "100644"),
    oid: objectId,
    size: integer,
    etag: decimal,
  };
  for (const [name, kind] of Object.entries(fields)) {
    expectThat(kind.holds(member(entry, name)), `${name} of ${file.path} is ${kind.says}`, answer);
  }
  expectThat(member(entry, "oid") === file.oid, `the oid of ${file.path} is ${file.oid}`, answer);
  expectThat(member(entry, "size") === file.size, `the size of ${file.path} is ${file.size}`, answer);
}
