// What a workspace of 50,000 files takes: writes and reads by 32 clients, listings, copies, checkpoints, accepts.

import { onBareServer } from "../runs.ts";
import { median, quantile } from "../statistics.ts";
import {
  type BigWorkspace,
  contentOf,
  FILES,
  fillBigWorkspace,
  json,
  operation,
  pathOf,
} from "./big-workspace.ts";

const CLIENTS = 32;
const LOAD_MS = 5_000;
const ROUNDS = 15;
const PAGE = 1_000;
const CHECKPOINT_FILES = 100;

export type WorkspaceFigures = {
  readonly filledMs: number;
  readonly writesPerSecond: number;
  readonly writeP99Ms: number;
  readonly readsPerSecond: number;
  readonly folderMs: number;
  readonly allPathsMs: number;
  readonly copyMs: number;
  readonly checkpointMs: number;
  readonly acceptMs: number;
  readonly mergeMs: number;
};

export async function measureWorkspaces(databaseUrl?: string): Promise<WorkspaceFigures> {
  const workspace = await fillBigWorkspace(databaseUrl);
  const { filledMs } = workspace;
  const folderMs = await measureFolder(workspace);
  const allPathsMs = await measureAllPaths(workspace);
  const copyMs = await measureCopies(workspace);
  const checkpointMs = await measureCheckpoints(workspace);
  const acceptMs = await measureAccepts(workspace, { overlapping: false });
  const mergeMs = await measureAccepts(workspace, { overlapping: true });
  const { perSecond: readsPerSecond } = await load(async (index) => {
    await json(
      workspace.client,
      "GET",
      `${workspace.base}/files/read?path=${pathOf((index * 7_919) % FILES)}`,
    );
  });
  const { perSecond: writesPerSecond, p99Ms: writeP99Ms } = await measureWrites(workspace);
  await workspace.stop();
  return {
    filledMs,
    folderMs,
    allPathsMs,
    copyMs,
    checkpointMs,
    acceptMs,
    mergeMs,
    readsPerSecond,
    writesPerSecond,
    writeP99Ms,
  };
}

/** Requests a second of the same clients to a server that does nothing. */
export async function measureBareRequests(): Promise<number> {
  return await onBareServer(async ({ target }) => {
    const { perSecond } = await load(async () => {
      await target.client.send("GET", "/");
    });
    return perSecond;
  });
}

/** Each client has files of its own, and the ETag of what it wrote last. */
async function measureWrites({ client, base }: BigWorkspace) {
  const { working_copy_id: copy } = await operation(
    client,
    base,
    await json(client, "POST", `${base}/copies`, {}),
  );
  const at = `${base}/copies/${copy}/files`;
  const etags = new Map<number, string>();
  for (let index = 0; index < CLIENTS; index += 1)
    etags.set(index, (await json(client, "GET", `${at}/stat?path=${pathOf(index * 100)}`)).etag);
  let round = 0;
  const figures = await load(async (_, one) => {
    round += 1;
    const body = { path: pathOf(one * 100), content: `${contentOf(one)}${round}\n` };
    const headers = { "if-match": `"${etags.get(one)}"` };
    etags.set(one, (await json(client, "PUT", `${at}/write`, body, headers)).etag);
  });
  for (const [one, etag] of etags) {
    const kept = await json(client, "GET", `${at}/stat?path=${pathOf(one * 100)}`);
    if (kept.etag !== etag) throw new Error(`The last write of client ${one} is lost.`);
  }
  return figures;
}

async function measureFolder({ client, base }: BigWorkspace): Promise<number> {
  return await medianOf(100, async (round) => {
    await json(client, "GET", `${base}/files/list?path=folder-${round}/part-3`);
  });
}

async function measureAllPaths({ client, base }: BigWorkspace): Promise<number> {
  return await medianOf(5, async () => {
    let paths = 0;
    let cursor = "";
    do {
      const query = `recursive=true&limit=${PAGE}&cursor=${encodeURIComponent(cursor)}`;
      const page = await json(client, "GET", `${base}/files/list?${query}`);
      paths += page.items.length;
      cursor = page.next_cursor;
    } while (cursor !== "");
    if (paths !== FILES) throw new Error(`The list has ${paths} files of ${FILES}.`);
  });
}

async function measureCopies(workspace: BigWorkspace): Promise<number> {
  return await medianOf(ROUNDS, async () => {
    await makeCopy(workspace);
  });
}

async function measureCheckpoints(workspace: BigWorkspace): Promise<number> {
  const copy = await makeCopy(workspace);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let file = 0; file < CHECKPOINT_FILES; file += 1)
      await writeNew(workspace, copy, { index: file * 490 + round, text: `round ${round}\n` });
    times.push(await timeOf(() => checkpoint(workspace, copy)));
  }
  return median(times);
}

/**
 * Two changesets of one revision, the second of which is accepted over the first: in other files, or in other lines of one file, which
 * git merges.
 */
async function measureAccepts(
  workspace: BigWorkspace,
  { overlapping }: { overlapping: boolean },
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [first, second] = [await makeCopy(workspace), await makeCopy(workspace)];
    const index = (overlapping ? 30_000 : 20_000) + round * 50;
    const lines = contentOf(index).split("\n");
    const edited = (line: number) =>
      lines.map((text, at) => (at === line ? `${text} edited` : text)).join("\n");
    await writeNew(workspace, first, { index, text: edited(0) });
    await writeNew(workspace, second, { index: overlapping ? index : index + 1, text: edited(9) });
    const [one, other] = [await propose(workspace, first), await propose(workspace, second)];
    await accept(workspace, one);
    times.push(await accept(workspace, other));
  }
  return median(times);
}

async function propose({ client, base }: BigWorkspace, copy: string): Promise<string> {
  await checkpoint({ client, base }, copy);
  const body = { working_copy_id: copy, title: "bench" };
  return String((await json(client, "POST", `${base}/changesets`, body)).id);
}

/** Milliseconds of the accept alone. */
async function accept({ client, base }: BigWorkspace, changeset: string): Promise<number> {
  const { current_revision_id: expected_current_revision } = await json(client, "GET", base);
  return await timeOf(async () => {
    const decision = { expected_current_revision, validation_evidence: "measured" };
    const { status } = await json(client, "POST", `${base}/changesets/${changeset}/accept`, decision);
    if (status !== "accepted") throw new Error(`The changeset is ${status}.`);
  });
}

type Place = Pick<BigWorkspace, "client" | "base">;

async function makeCopy({ client, base }: Place): Promise<string> {
  const made = await operation(client, base, await json(client, "POST", `${base}/copies`, {}));
  return String(made.working_copy_id);
}

async function checkpoint({ client, base }: Place, copy: string): Promise<void> {
  await operation(client, base, await json(client, "POST", `${base}/checkpoints`, { working_copy_id: copy }));
}

async function writeNew(
  { client, base }: Place,
  copy: string,
  { index, text }: { index: number; text: string },
): Promise<void> {
  const at = `${base}/copies/${copy}/files`;
  const { etag } = await json(client, "GET", `${at}/stat?path=${pathOf(index)}`);
  const body = { path: pathOf(index), content: text };
  await json(client, "PUT", `${at}/write`, body, { "if-match": `"${etag}"` });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function medianOf(rounds: number, work: (round: number) => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await timeOf(() => work(round)));
  return median(times);
}

/** All clients at once for a while. `work` gets the number of the request, and of its client. */
async function load(
  work: (index: number, client: number) => Promise<void>,
): Promise<{ perSecond: number; p99Ms: number }> {
  const times: number[] = [];
  const startedAt = performance.now();
  let requests = 0;
  const one = async (client: number) => {
    while (performance.now() - startedAt < LOAD_MS) {
      requests += 1;
      const index = requests;
      times.push(await timeOf(() => work(index, client)));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => one(client)));
  const seconds = (performance.now() - startedAt) / 1_000;
  return { perSecond: times.length / seconds, p99Ms: quantile(times, 0.99) };
}
