// A program in a pod of the fake cluster, and the WebSocket through which somebody executes it: the first byte of a message is its channel.

import type { WebSocket } from "ws";
import { type FakePod, podFrames } from "./pods.ts";
import { exitStatus } from "./statuses.ts";

type CarriedExec = {
  readonly pod: FakePod;
  readonly command: readonly string[];
  /** Bytes of output after which the connection is cut. Null: it is not. */
  readonly cutAfter: number | null;
};

/** Ends with the program, or with the client: then it is cut. */
export function carryExec(client: WebSocket, { pod, command, cutAfter }: CarriedExec): void {
  const inside = pod.execute(command);
  let have = Buffer.alloc(0);
  let written = 0;
  const tell = (channel: number, bytes: Uint8Array) =>
    client.send(Buffer.concat([[channel], bytes].map((one) => Uint8Array.from(one))));
  const input = (kind: number, bytes: Uint8Array) => {
    const header = Buffer.alloc(5);
    header[0] = kind;
    header.writeUInt32BE(bytes.length, 1);
    inside.write(Buffer.concat([header, bytes]));
  };
  client.on("message", (data: Buffer) => {
    if (data[0] === 0) input(podFrames.input, data.subarray(1));
    if (data[0] === 255 && data[1] === 0) input(podFrames.closeInput, Buffer.alloc(0));
  });
  client.on("error", () => {});
  client.once("close", () => {
    inside.destroy();
  });
  inside.on("error", () => client.terminate());
  inside.on("end", () => inside.end());
  inside.on("close", () => client.close());
  inside.on("data", (chunk: Buffer) => {
    have = Buffer.concat([have, chunk]);
    while (have.length >= 5) {
      const length = have.readUInt32BE(1);
      if (have.length < 5 + length) return;
      const [kind, bytes] = [have[0], have.subarray(5, 5 + length)];
      have = have.subarray(5 + length);
      if (kind === podFrames.exit) {
        tell(3, Buffer.from(JSON.stringify(exitStatus(JSON.parse(bytes.toString())))));
        client.close();
        continue;
      }
      if (kind === podFrames.output && cutAfter !== null) {
        written += bytes.length;
        if (written > cutAfter) {
          const room = bytes.length - (written - cutAfter);
          if (room > 0) tell(1, bytes.subarray(0, room));
          setImmediate(() => client.terminate());
          return;
        }
      }
      tell(kind === podFrames.output ? 1 : 2, bytes);
    }
  });
}
