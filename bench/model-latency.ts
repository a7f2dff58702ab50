// How late a model's words reach whoever waits for them: from a delta written by the model's server to the long poll
// that has it. Beside it a bare node:http relay, which pipes the model's stream to its reader.

import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Script } from "../fakes/model-server/script.ts";
import { everyTime } from "../fakes/model-server/script.ts";
import { answer, say, wait } from "../fakes/model-server/turn.ts";
import { startServer } from "../scripts/served-process.ts";
import { MODEL, openModelServer, startModelService } from "./model-service.ts";
import { median, quantile } from "./statistics.ts";

export const DELTAS = 400;
export const APART_MS = 25;
/** Read, and not counted: the path is cold. */
const WARM_UP = 20;

export type ModelLatency = { readonly medianMs: number; readonly p99Ms: number };

/** The service on the embedded store, or on the database at `databaseUrl`. */
export async function measureModelLatency(databaseUrl?: string): Promise<ModelLatency> {
  const speech = new Speech();
  const service = await startModelService({
    script: speech.script,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  const [{ client, agentId }] = service.jobs;
  const submitted = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: "Speak" });
  const { run_id: runId } = JSON.parse(submitted.body);
  for (let after = 0; ; ) {
    const { status, body } = await client.send("GET", `/v1/ci/runs/${runId}?wait=30&after=${after}`);
    if (status !== 200) throw new Error(`The poll was answered ${status}: ${body}`);
    const page = JSON.parse(body);
    for (const { event } of page.events) if (event.type === "TEXT_MESSAGE_CONTENT") speech.hear(event.delta);
    if (page.done === true) break;
    after = page.next;
  }
  await service.stop();
  return speech.figures();
}

/** The same words through a relay that only pipes. */
export async function measureBareRelay(): Promise<ModelLatency> {
  const speech = new Speech();
  const model = await openModelServer(speech.script);
  const relay = await startServer({
    args: ["bench/bare-relay.cjs", `${model.baseUrl}/chat/completions`, MODEL],
  });
  let unread = "";
  await new Promise<void>((resolve, reject) => {
    const asked = request(relay.url, (response) => {
      response.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (unread + chunk).split("\n");
        unread = lines.pop() ?? "";
        for (const line of lines) if (line.startsWith("data: {")) speech.hear(deltaOf(line.slice(6)));
      });
      response.once("end", resolve).once("error", reject);
    });
    asked.once("error", reject).end();
  });
  await relay.stop();
  await model.close();
  return speech.figures();
}

function deltaOf(json: string): string {
  return JSON.parse(json).choices[0]?.delta.content ?? "";
}

/** Numbers that a model says one by one, and when each was said and heard. */
class Speech {
  readonly #saidAt: number[] = [];
  readonly #heardAt: number[] = [];

  /** Each delta is written in the turn of the event loop in which its time is noted. */
  readonly script: Script = everyTime(() =>
    answer(
      Array.from({ length: DELTAS }, (_, number) => [
        wait(
          sleep(APART_MS * (number + 1)).then(() => {
            this.#saidAt[number] = performance.now();
          }),
        ),
        say(`${number} `),
      ]).flat(),
    ),
  );

  hear(delta: string): void {
    const now = performance.now();
    for (const word of delta.split(" ")) {
      if (word === "") continue;
      if (Number(word) !== this.#heardAt.length) throw new Error(`"${word}" came out of turn.`);
      this.#heardAt.push(now);
    }
  }

  figures(): ModelLatency {
    if (this.#heardAt.length !== DELTAS) {
      throw new Error(`The model said ${DELTAS} deltas, and ${this.#heardAt.length} came.`);
    }
    const latencies = this.#heardAt
      .map((at, number) => at - (this.#saidAt[number] ?? Number.NaN))
      .slice(WARM_UP);
    return { medianMs: median(latencies), p99Ms: quantile(latencies, 0.99) };
  }
}
