// The destination of the service's log: standard output. A reader that is slow or gone, and a disk that is full, neither end nor
// block the service: lines are dropped, counted, and the count is written once there is room.

import { fstatSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { pino, stdTimeFunctions } from "pino";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";

/** Bytes that may wait for a slow reader. More is dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** The time in which the last lines may be read. */
const CLOSE_MS = 1_000;
const STANDARD_OUTPUT = 1;
const WARN = 40;

type ServiceLog = {
  readonly log: Logger;
  /** Resolves once everything was written, or soon after where nobody reads. */
  closeLog(): Promise<void>;
};

export function openServiceLog(level: string): ServiceLog {
  const destination = openLogDestination(STANDARD_OUTPUT);
  const log = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, destination);
  return { log, closeLog: () => destination.close() };
}

/** Takes whole lines, as pino writes them. After `close` it takes nothing. */
type LogDestination = { write(line: string): void; close(): Promise<void> };

function openLogDestination(descriptor: number): LogDestination {
  const sink = openSink(descriptor);
  let lost = 0;
  let isClosed = false;
  return {
    write: (line) => {
      if (isClosed) return;
      const isWritten = sink.write(lost === 0 ? line : lossLine(lost) + line);
      lost = isWritten ? 0 : lost + 1;
    },
    close: async () => {
      isClosed = true;
      await sink.close();
    },
  };
}

/** As pino would write it. */
function lossLine(lines: number): string {
  const time = new Date(systemClock.now()).toISOString();
  return `${JSON.stringify({ level: WARN, time, lines, msg: "log lines were dropped" })}\n`;
}

/** `write` returns whether the text was taken. */
type Sink = { write(text: string): boolean; close(): Promise<void> };

function openSink(descriptor: number): Sink {
  const stat = fstatSync(descriptor);
  return stat.isFIFO() || stat.isSocket() ? pipeSink(descriptor) : fileSink(descriptor);
}

/** A pipe blocks whoever writes to it while nobody reads. libuv writes what it takes, and keeps the rest. */
function pipeSink(descriptor: number): Sink {
  const pipe = new Socket({ fd: descriptor, readable: false, writable: true });
  // Whoever read the log has gone.
  pipe.on("error", () => {});
  pipe.unref();
  return {
    write: (text) => {
      if (pipe.destroyed || pipe.writableLength + text.length > MAX_WAITING_BYTES) return false;
      pipe.write(text);
      return true;
    },
    close: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_MS);
      pipe.once("close", resolve);
      pipe.end(() => pipe.destroy());
      await promise;
      clearTimeout(timer);
      pipe.destroy();
    },
  };
}

/** A file, a terminal or nothing at all: they take what they are given, or say why not. */
function fileSink(descriptor: number): Sink {
  let isLineOpen = false;
  return {
    write: (text) => {
      const bytes = Buffer.from(isLineOpen ? `\n${text}` : text);
      let written = 0;
      try {
        while (written < bytes.length) written += writeSync(descriptor, bytes, written);
        isLineOpen = false;
        return true;
      } catch {
        // What a full disk took of a line is ended by the next one.
        isLineOpen ||= written > 0;
        return false;
      }
    },
    close: async () => {},
  };
}
