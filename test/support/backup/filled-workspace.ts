// A workspace of many files, some of them in blobs, and an agent with many runs that have ended: filled, and compared later.

import { createHash } from "node:crypto";
import type { LoadClient } from "../../../bench/http-client.ts";
import { json, uploadFiles } from "../../../bench/workspaces/big-workspace.ts";

const CLIENTS = 16;
const FILES_AN_UPLOAD = 200;
/** One in so many is larger than what rows keep. */
const LARGE_EVERY = 20;
const LARGE_BYTES = 70_000;
const SMALL_BYTES = 210;

export class FilledWorkspace {
  readonly #workspaceId: string;
  readonly #agentId: string;
  readonly #runIds: readonly string[];
  readonly #files: number;

  static async make(
    client: LoadClient,
    { files, runs }: { files: number; runs: number },
  ): Promise<FilledWorkspace> {
    const { id: workspaceId } = await json(client, "POST", "/v1/workspaces", { name: "bench" }, keyed());
    const uploads = Array.from(
      { length: Math.ceil(files / FILES_AN_UPLOAD) },
      (_, at) => at * FILES_AN_UPLOAD,
    );
    for (const from of uploads) {
      const some = Array.from({ length: Math.min(FILES_AN_UPLOAD, files - from) }, (_, at) => from + at);
      const given = some.map((index) => ({ path: pathOf(index), content: contentOf(index) }));
      await uploadFiles(client, `/v1/workspaces/${workspaceId}`, given);
    }
    const { id: agentId } = await json(client, "POST", "/v1/agents", { name: "bench" }, keyed());
    const runIds: string[] = [];
    await eachAtOnce(runs, async (index) => {
      const body = { message: `run ${index}` };
      runIds.push((await json(client, "POST", `/v1/agents/${agentId}/runs`, body, keyed())).run_id);
    });
    const filled = new FilledWorkspace({ workspaceId, agentId, runIds, files });
    await filled.#expectEnded(client, "?wait=30");
    return filled;
  }

  private constructor(parts: {
    workspaceId: string;
    agentId: string;
    runIds: readonly string[];
    files: number;
  }) {
    this.#workspaceId = parts.workspaceId;
    this.#agentId = parts.agentId;
    this.#runIds = parts.runIds;
    this.#files = parts.files;
  }

  /** Downloads every file, and reads every run. Rejects at the first that is not as it was; else returns how many files. */
  async compare(client: LoadClient): Promise<number> {
    await eachAtOnce(this.#files, async (index) => {
      const path = encodeURIComponent(pathOf(index));
      const answer = await client.send(
        "GET",
        `/v1/workspaces/${this.#workspaceId}/files/download?path=${path}`,
      );
      if (answer.status !== 200 || hashOf(answer.body) !== hashOf(contentOf(index)))
        throw new Error(`${pathOf(index)} was restored with other contents (status ${answer.status}).`);
    });
    await this.#expectEnded(client, "");
    return this.#files;
  }

  async #expectEnded(client: LoadClient, query: string): Promise<void> {
    await eachAtOnce(this.#runIds.length, async (index) => {
      const path = `/v1/agents/${this.#agentId}/runs/${this.#runIds[index]}${query}`;
      let { status } = await json(client, "GET", path);
      while (query !== "" && (status === "queued" || status === "running"))
        ({ status } = await json(client, "GET", path));
      if (status !== "completed") throw new Error(`Run ${this.#runIds[index]} is ${status}.`);
    });
  }
}

/** All of it is ASCII, so that a text has as many bytes as characters. */
function contentOf(index: number): string {
  const line = `line of ${index}, ${hashOf(String(index))}\n`;
  const bytes = index % LARGE_EVERY === 0 ? LARGE_BYTES + index : SMALL_BYTES;
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

function pathOf(index: number): string {
  return `folder-${Math.floor(index / 100)}/file-${index % 100}.txt`;
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const keyed = () => ({ "idempotency-key": crypto.randomUUID() });

/** Some clients at once take numbers from 0 on. */
async function eachAtOnce(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}
