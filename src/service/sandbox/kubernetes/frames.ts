// Frames between this service and its program in a pod: files, folders, links, output of commands, and one that ends the stream. Pure.

/** In `pod-program.ts` by the same numbers. */
export const frameKinds = {
  end: 0,
  file: 1,
  more: 2,
  folder: 3,
  link: 4,
  removed: 5,
  output: 6,
  skipped: 7,
  started: 8,
  alive: 9,
  opened: 10,
  data: 11,
  ended: 12,
  closed: 13,
  complaint: 14,
  terminated: 15,
} as const;

/** Kind, mode, length of the path, length of the content. */
export const FRAME_HEADER_BYTES = 15;
/** A larger file is one frame and further ones of the kind `more`. */
export const MAX_CONTENT_BYTES = 1024 * 1024;
const MAX_PATH_BYTES = 8192;

export type Frame = {
  readonly kind: number;
  /** Permissions of a file or folder. */
  readonly mode: number;
  /** Each character is one byte of its name on disk. */
  readonly path: string;
  readonly content: Buffer;
};

const nothing = Buffer.alloc(0);

export function encodeFrame({
  kind,
  mode = 0,
  path = "",
  content = nothing,
}: Pick<Frame, "kind"> & Partial<Frame>): Buffer {
  const name = Buffer.from(path, "latin1");
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt16BE(mode, 1);
  header.writeUInt32BE(name.length, 3);
  header.writeDoubleBE(content.length, 7);
  return Buffer.concat([header, name, content]);
}

/** The stream is none of frames: what is in the pod is another's program. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** Splits a stream into frames. */
export class FrameReader {
  #rest: Buffer = nothing;

  /** The frames that are whole by now. Throws a `FrameError`. */
  push(bytes: Buffer): readonly Frame[] {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const frames: Frame[] = [];
    while (rest.length >= FRAME_HEADER_BYTES) {
      const [pathBytes, contentBytes] = [rest.readUInt32BE(3), rest.readDoubleBE(7)];
      const isSound = Number.isInteger(contentBytes) && contentBytes >= 0;
      if (!isSound || contentBytes > MAX_CONTENT_BYTES || pathBytes > MAX_PATH_BYTES)
        throw new FrameError("The pod answered with something else than frames.");
      const whole = FRAME_HEADER_BYTES + pathBytes + contentBytes;
      if (rest.length < whole) break;
      frames.push({
        kind: rest.readUInt8(0),
        mode: rest.readUInt16BE(1),
        path: rest.toString("latin1", FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + pathBytes),
        content: rest.subarray(FRAME_HEADER_BYTES + pathBytes, whole),
      });
      rest = rest.subarray(whole);
    }
    this.#rest = rest;
    return frames;
  }
}
