// The lists of a workspace: pages by cursor and limit, newest first, until next_cursor is empty (4.6 rule 9).

import { LATER } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import { expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { put } from "../kit/filled.ts";
import { type Need, type Statement, statementsOf } from "../kit/statement.ts";
import { checkpoint, currentRevision, makeAgent, makeCopy, makeWorkspace, propose } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

type List = {
  readonly name: string;
  /** Below the workspace, with what its query needs. */
  readonly path: string;
  readonly needs?: readonly Need[];
  /** Makes one more item: its id. */
  readonly make: (world: World, workspaceId: string) => Promise<string>;
};

const ITEMS = 3;

async function postIn(world: World, workspaceId: string, path: string, body: unknown): Promise<string> {
  return world.made(await world.post(`/v1/workspaces/${workspaceId}/${path}`, body));
}

const lists: readonly List[] = [
  {
    name: "members",
    path: "/members",
    make: async (world, id) =>
      await postIn(world, id, "members", { agent_id: await makeAgent(world, { kind: "independent" }) }),
  },
  { name: "threads", path: "/threads", make: (world, id) => postIn(world, id, "threads", {}) },
  {
    name: "context-items",
    path: "/context-items",
    make: (world, id) => postIn(world, id, "context-items", { content: "One." }),
  },
  { name: "copies", path: "/copies", make: (world, id) => makeCopy(world, id) },
  {
    name: "revisions",
    path: "/revisions",
    needs: ["files"],
    make: async (world, id) => {
      expectStatus(
        await put(world, `/v1/workspaces/${id}/files`, { path: `${world.uuid()}.txt`, content: "x" }),
        201,
      );
      return await checkpoint(world, { workspaceId: id });
    },
  },
  {
    name: "pins",
    path: "/retention?view=pins",
    make: async (world, id) =>
      await postIn(world, id, "retention/pins", {
        revision_id: await currentRevision(world, id),
        reason: "page",
      }),
  },
  {
    name: "changesets",
    path: "/changesets",
    needs: ["files"],
    make: async (world, id) =>
      (await propose(world, { workspaceId: id }, { [`${world.uuid()}.txt`]: "x" })).changesetId,
  },
  {
    name: "task-groups",
    path: "/task-groups",
    make: (world, id) => postIn(world, id, "task-groups", { name: world.name("group") }),
  },
  {
    name: "workers",
    path: "/workers",
    needs: ["runs"],
    make: async (world, id) => {
      const task_group_id = await postIn(world, id, "task-groups", { name: world.name("group") });
      return await postIn(world, id, "workers", { task_group_id, message: "One word." });
    },
  },
  {
    name: "runs",
    path: "/runs",
    needs: ["runs"],
    make: async (world, id) =>
      textOf(
        expectStatus(await world.post(`/v1/workspaces/${id}/runs`, { message: "One word." }), 202),
        "run_id",
      ),
  },
  {
    name: "schedules",
    path: "/schedules",
    make: (world, id) => postIn(world, id, "schedules", LATER),
  },
  {
    name: "workflows",
    path: "/workflows",
    make: async (world, id) => {
      const path = `/v1/workspaces/${id}/workflows/${world.uuid()}`;
      return world.made(await world.send("PUT", path, { name: "page", prompt: "Look." }));
    },
  },
];

type Listed = { readonly workspaceId: string; readonly made: readonly string[] };

/** A workspace with some items in this list. */
async function listed(world: World, { name, make }: List): Promise<Listed> {
  return await world.once(`list of ${name}`, async () => {
    const workspaceId = await makeWorkspace(world);
    const made: string[] = [];
    for (let count = 0; count < ITEMS; count += 1) made.unshift(await make(world, workspaceId));
    return { workspaceId, made };
  });
}

async function page(world: World, { path }: List, workspaceId: string, query: string): Promise<Answer> {
  const separator = path.includes("?") ? "&" : "?";
  return await world.get(`/v1/workspaces/${workspaceId}${path}${query === "" ? "" : separator}${query}`);
}

function idsOf(answer: Answer): readonly unknown[] {
  return listOf(expectStatus(answer, 200), "items").map((item) => member(item, "id"));
}

const refused: Readonly<Record<string, string>> = {
  "limit=0": "a limit of 0",
  "limit=-1": "a negative limit",
  "limit=1001": "a limit above 1,000",
  "limit=ten": "a limit that is no number",
  "limit=1.5": "a limit that is no whole number",
  "cursor=nonsense": "a cursor that it never gave",
  "curser=x": "a query parameter that is none of its own",
};

export const pages: readonly Statement[] = [
  ...lists.flatMap((list) =>
    statementsOf(
      "4.6 rule 9",
      { prefix: `page.${list.name}`, needs: ["workspaces", ...(list.needs ?? [])] },
      [
        [
          "newest-first",
          `The list of ${list.name} is newest first.`,
          async (world) => {
            const { workspaceId, made } = await listed(world, list);
            const answer = await page(world, list, workspaceId, "");
            const ids = idsOf(answer).slice(0, ITEMS);
            expectThat(JSON.stringify(ids) === JSON.stringify(made), `first ${made.join(", ")}`, answer);
          },
        ],
        [
          "one-page",
          `The list of ${list.name} that fits into one page has an empty next_cursor.`,
          async (world) => {
            const { workspaceId } = await listed(world, list);
            const answer = expectStatus(await page(world, list, workspaceId, "limit=1000"), 200);
            expectThat(member(answer.json, "next_cursor") === "", 'next_cursor is ""', answer);
          },
        ],
        [
          "limit",
          `The list of ${list.name} with limit=2 has two items and a next_cursor.`,
          async (world) => {
            const { workspaceId } = await listed(world, list);
            const answer = expectStatus(await page(world, list, workspaceId, "limit=2"), 200);
            expectThat(listOf(answer, "items").length === 2, "two items", answer);
            expectThat(textOf(answer, "next_cursor") !== "", "a next_cursor", answer);
          },
        ],
        [
          "all",
          `Pages of one of the list of ${list.name} have each item once and in order, until next_cursor is empty.`,
          async (world) => {
            const { workspaceId } = await listed(world, list);
            const whole = idsOf(await page(world, list, workspaceId, "limit=1000"));
            const seen: unknown[] = [];
            for (let cursor = "", pages = 0; ; pages += 1) {
              const answer = await page(
                world,
                list,
                workspaceId,
                `limit=1&cursor=${encodeURIComponent(cursor)}`,
              );
              seen.push(...idsOf(answer));
              cursor = textOf(answer, "next_cursor");
              expectThat(pages < whole.length, `an end after ${whole.length} pages`, answer);
              if (cursor !== "") continue;
              expectThat(
                JSON.stringify(seen) === JSON.stringify(whole),
                `pages with ${whole.join(", ")}`,
                answer,
              );
              return;
            }
          },
        ],
        [
          "empty-cursor",
          `The list of ${list.name} with an empty cursor begins at the start.`,
          async (world) => {
            const { workspaceId, made } = await listed(world, list);
            const answer = await page(world, list, workspaceId, "limit=1&cursor=");
            expectThat(idsOf(answer)[0] === made[0], `first ${made[0]}`, answer);
          },
        ],
        [
          "added-meanwhile",
          `A further page of the list of ${list.name} goes on where the one before ended, whatever was added meanwhile.`,
          async (world) => {
            const workspaceId = await makeWorkspace(world);
            const oldest = await list.make(world, workspaceId);
            const newer = await list.make(world, workspaceId);
            const first = await page(world, list, workspaceId, "limit=1");
            expectThat(idsOf(first)[0] === newer, `first ${newer}`, first);
            await list.make(world, workspaceId);
            const cursor = encodeURIComponent(textOf(first, "next_cursor"));
            const second = await page(world, list, workspaceId, `limit=1&cursor=${cursor}`);
            expectThat(idsOf(second)[0] === oldest, `then ${oldest}`, second);
          },
        ],
        ...Object.entries(refused).map(
          ([query, what]) =>
            [
              query,
              `The list of ${list.name} refuses ${what}.`,
              async (world: World) => {
                const { workspaceId } = await listed(world, list);
                expectRefused(await page(world, list, workspaceId, query), 400, "invalid_request");
              },
            ] as const,
        ),
      ],
    ),
  ),
  ...statementsOf("4.6 rule 9", { prefix: "page.workspaces", needs: ["workspaces"] }, [
    [
      "newest-first",
      "The list of workspaces is newest first.",
      async (world) => {
        const [older, newer] = [await makeWorkspace(world), await makeWorkspace(world)];
        const answer = await world.get("/v1/workspaces?limit=2");
        expectThat(
          JSON.stringify(idsOf(answer)) === JSON.stringify([newer, older]),
          `${newer}, ${older}`,
          answer,
        );
      },
    ],
    [
      "all",
      "Pages of the list of workspaces have each once, until next_cursor is empty.",
      async (world) => {
        await makeWorkspace(world);
        const seen: unknown[] = [];
        for (let cursor = ""; ; ) {
          const answer = await world.get(`/v1/workspaces?limit=50&cursor=${encodeURIComponent(cursor)}`);
          seen.push(...idsOf(answer));
          expectThat(new Set(seen).size === seen.length, "each workspace once", answer);
          cursor = textOf(answer, "next_cursor");
          if (cursor === "") return;
        }
      },
    ],
    ...Object.entries(refused).map(
      ([query, what]) =>
        [
          query,
          `The list of workspaces refuses ${what}.`,
          async (world: World) =>
            void expectRefused(await world.get(`/v1/workspaces?${query}`), 400, "invalid_request"),
        ] as const,
    ),
  ]),
];
