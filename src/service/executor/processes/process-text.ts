// The text for the model about commands in the background: their output, and how they are. Pure.

import { assertNever } from "../../../base/assert-never.ts";
import { describeEnd } from "../tools/command-end.ts";
import { type ProcessReading, shownCommand } from "./background-processes.ts";

/** The output of a command, as an event may hold it. */
export function shownOutput(output: string): string {
  // A stream of events has no place for NUL.
  return output.replaceAll("\0", "\ufffd").replace(/\n$/, "");
}

/** What it has written since it was last read, and how it is. */
export function readingText(reading: ProcessReading): string {
  const output = shownOutput(reading.output);
  return `${output === "" ? "[no new output]" : output}\n[${stateText(reading)}]`;
}

/** All of them, without their output. */
export function listText(readings: readonly ProcessReading[]): string {
  if (readings.length === 0) return "[nothing is in the background]";
  return readings.map((reading) => `${stateText(reading)}: ${shownCommand(reading.command)}`).join("\n");
}

/** Told of with the next result. */
export function endedText(reading: ProcessReading): string {
  const output = shownOutput(reading.output);
  const last = output === "" ? "" : ` Its last output:\n${output}`;
  return `[meanwhile, ${stateText(reading)}: ${shownCommand(reading.command)}.${last}]`;
}

function stateText({ id, ending }: Pick<ProcessReading, "id" | "ending">): string {
  if (ending === null) return `the background process ${id} is running`;
  switch (ending.how) {
    case "ended":
      return `the background process ${id} has ended, ${describeEnd(ending.result)}`;
    case "refused":
      return `the background process ${id} was not started: ${ending.detail}`;
    case "stopped":
      return `the background process ${id} was stopped`;
    case "failed":
      return `the background process ${id} was ended, because its sandbox failed`;
    default:
      return assertNever(ending);
  }
}
