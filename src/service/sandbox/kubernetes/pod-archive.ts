// What setup has left in the pod of a run, as a pack. The pod packs and unpacks; here nobody reads it.

import type { PlaceArchive } from "../../core/ports/place-archive.ts";
import { FrameError, frameKinds } from "./frames.ts";
import { callPod, type PodPlace } from "./pod-call.ts";

/** Files, folders and links. */
const MAX_ENTRIES = 1_000_000;

type PodArchiveParts = {
  readonly place: PodPlace;
  readonly facts: readonly string[];
  /** Of the files before they were packed. */
  readonly maxRawBytes: number;
  /** Has a call made while no other is about files of the pod. */
  inTurn<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
};

export function podArchive({ place, facts, maxRawBytes, inTurn }: PodArchiveParts): PlaceArchive {
  const bounds = { maxRawBytes, maxEntries: MAX_ENTRIES };
  return {
    facts,
    pack: async (to, { maxBytes, signal }) => {
      let bytes = 0;
      const header = { call: "pack", maxBytes, ...bounds };
      const answer = await inTurn(signal, () =>
        callPod(place, {
          header: () => header,
          begin: () => {
            bytes = 0;
            to.begin();
          },
          take: async ({ kind, content }) => {
            bytes += content.length;
            if (bytes > maxBytes) throw new FrameError("The pod answers with more than was asked for.");
            if (kind === frameKinds.data) await to.take(content);
          },
          signal,
        }),
      );
      return answer.ok === true;
    },
    unpack: async ({ bytes: packBytes, read }, signal) => {
      const header = { call: "unpack", packBytes, ...bounds };
      const answer = await inTurn(signal, () => callPod(place, { header: () => header, body: read, signal }));
      return answer.ok === true;
    },
  };
}

/** System and machine, as the program in the pod has them. */
export async function placeFacts(place: PodPlace, signal: AbortSignal): Promise<readonly string[]> {
  const { facts } = await callPod(place, { header: () => ({ call: "place" }), signal });
  return (Array.isArray(facts) ? facts : []).filter((one) => typeof one === "string");
}
