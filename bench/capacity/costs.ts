// What runs, polls and sockets cost a deployment, as `npm run bench -- capacity` measured it. Pure.

import * as z from "zod/mini";
import type { Fit } from "./fit.ts";

/** What a run consists of, each with a cost of its own. */
export const runParts = [
  /** The run itself, from its submission to its end. */
  "run",
  /** Its repository: the checkout at its start, what is compared and removed at its end. */
  "checkout",
  /** A request to the model, a file that is read, and the events of both, which are stored together. */
  "turn",
  /** A word of the model: an event that comes by itself. */
  "event",
  /** A second in which it waits for the model: heartbeats. */
  "second",
  /** A search in all files of the checkout. */
  "search",
  /** A file that is written. */
  "write",
  /** A command in the sandbox that does nothing: what the sandbox takes. */
  "command",
] as const;
export type RunPart = (typeof runParts)[number];

/** The parts that depend on how many files the repository has. */
export const repositoryParts = ["checkout", "search", "write", "command"] as const;
export type RepositoryPart = (typeof repositoryParts)[number];

export type RunCounts = Readonly<Record<RunPart, number>>;
/** What a run costs: the sum of its parts. */
export type RunCost = Fit<RunPart>;
export type RepositoryCost = Fit<RepositoryPart>;

export type Costs = z.infer<typeof costsSchema>;
export type StoreCosts = Costs["sqlite"];
export type DatabaseCosts = NonNullable<Costs["database"]>;
export type RepositoryCosts = Costs["large"];

const misses = { largestMiss: z.number(), medianMiss: z.number() };
const runCostSchema = z.strictObject({
  parts: z.record(z.enum(runParts), z.number()),
  errors: z.record(z.enum(runParts), z.nullable(z.number())),
  ...misses,
});
const repositoryCostSchema = z.strictObject({
  parts: z.record(z.enum(repositoryParts), z.number()),
  errors: z.record(z.enum(repositoryParts), z.nullable(z.number())),
  ...misses,
});

/** CPU is milliseconds of one core, sizes are bytes. */
const storeCostsSchema = z.strictObject({
  /** Of the node's process, with one poll that follows the run. */
  processCpuMs: runCostSchema,
  /** Of its children, which may use other cores: git, and the sandbox around commands. */
  childrenCpuMs: runCostSchema,
  /** What node and children cause to be written to the node's disk. */
  diskBytes: runCostSchema,
  /** Of the node's process. */
  fsyncs: runCostSchema,
  /** Of a node that has nothing to do, in a second. */
  idleCpuMs: z.number(),
  /** A poll answered with an event, and the next one begun. */
  pollCpuMs: z.number(),
  pollBytes: z.number(),
  /** An event delivered to one socket. */
  deliveryCpuMs: z.number(),
  socketOpenCpuMs: z.number(),
  socketBytes: z.number(),
  /** Resident memory of a node once ready, and what each run at work added at the most. */
  baseBytes: z.number(),
  workingRunBytes: z.number(),
  /** What is stored of a run: for ever, and until it expires. */
  recordBytes: z.number(),
  inputBytes: z.number(),
  eventBytes: z.number(),
});

const databaseCostsSchema = z.strictObject({
  /** Of all processes of PostgreSQL, with one poll that follows the run. */
  runCpuMs: runCostSchema,
  transactions: runCostSchema,
  walBytes: runCostSchema,
  /** Time for which a connection executes a statement or holds a transaction open. */
  connectionMs: runCostSchema,
  /** Of its write-ahead log. */
  fsyncs: runCostSchema,
  /** For each node that has nothing to do, in a second. */
  idleCpuMs: z.number(),
  idleTransactions: z.number(),
  /** A poll answered with an event, and the next one begun. */
  pollCpuMs: z.number(),
  /** CPU of every node for each event of another one. */
  signalCpuMs: z.number(),
});

/** Of a repository: how large it is, and in the place of those of the small one what its parts cost. */
const repositoryCostsSchema = z.strictObject({
  files: z.number(),
  /** On the node's disk, for as long as a run is at work. */
  checkoutBytes: z.number(),
  processCpuMs: repositoryCostSchema,
  childrenCpuMs: repositoryCostSchema,
  diskBytes: repositoryCostSchema,
  workingRunBytes: z.number(),
});

export const costsSchema = z.strictObject({
  /** The day, YYYY-MM-DD. */
  measuredOn: z.string(),
  machine: z.string(),
  sqlite: storeCostsSchema,
  /** Both null where there was no PostgreSQL to start. */
  postgres: z.nullable(storeCostsSchema),
  database: z.nullable(databaseCostsSchema),
  /** The repository that all other costs are of. */
  small: z.strictObject({ files: z.number(), checkoutBytes: z.number() }),
  /** With SQLite; a node does the same with its files whatever the store is. */
  large: repositoryCostsSchema,
});

/** What a run costs that consists of these parts. */
export function costOf({ parts }: RunCost, counts: RunCounts): number {
  return runParts.reduce((sum, part) => sum + parts[part] * counts[part], 0);
}

/** The cost of a run on another repository. Null: on the one that it was measured on. */
export function onRepository(cost: RunCost, repository: RepositoryCost | null): RunCost {
  return repository === null ? cost : { ...cost, parts: { ...cost.parts, ...repository.parts } };
}
