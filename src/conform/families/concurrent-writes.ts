// Writes at once: one winner, and nothing lost (4.6 rule 13).

import { inFiles } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { freshPath, post, put, read, scratchFiles } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";
import { atOnce, CALLERS, expectCounts, winner } from "./concurrency.ts";

const WRITERS = 32;
const ofCopy = { canonical: "the canonical copy", copy: "a working copy" } as const;

export const concurrentWrites: readonly Statement[] = (["canonical", "copy"] as const).flatMap((copy) =>
  statementsOf("4.6 rule 13", { prefix: `at-once.${copy}`, needs: inFiles }, [
    [
      "writers",
      `Of ${WRITERS} writers at once with one ETag in ${ofCopy[copy]} one is 200, and each other one 412.`,
      async (world) => {
        const { files, path, answers } = await race(world, copy);
        expectCounts(answers, { 200: 1, 412: WRITERS - 1 });
        const won = winner(answers, 200);
        expectMember(await read(world, files, path), "content", `writer ${won}\n`);
      },
    ],
    [
      "losers",
      `Each writer that has lost in ${ofCopy[copy]} is told the ETag of the winner.`,
      async (world) => {
        const { answers } = await race(world, copy);
        const etag = member(answers[winner(answers, 200)]?.json, "etag");
        for (const answer of answers.filter(({ status }) => status !== 200)) {
          expectRefused(answer, 412);
          expectMember(answer, "current_etag", etag);
        }
      },
    ],
    [
      "makers",
      `Of ${WRITERS} requests at once that make one path in ${ofCopy[copy]} one is 201, and each other one 412.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world);
        const answers = await atOnce(WRITERS, (index) =>
          put(world, files, { path, content: `maker ${index}\n` }),
        );
        expectCounts(answers, { 201: 1, 412: WRITERS - 1 });
        expectMember(await read(world, files, path), "content", `maker ${winner(answers, 201)}\n`);
      },
    ],
    [
      "different-files",
      `${WRITERS} writers of different files at once in ${ofCopy[copy]} all write.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const folder = world.uuid();
        const answers = await atOnce(WRITERS, (index) =>
          put(world, files, { path: `${folder}/${index}.txt`, content: "x" }),
        );
        expectCounts(answers, { 201: WRITERS });
        const all = await world.get(`${files}/list?path=${folder}`);
        expectThat(listOf(all, "items").length === WRITERS, `${WRITERS} files`, all);
      },
    ],
    [
      "retries",
      `Writers at once in ${ofCopy[copy]} that retry with current_etag all write, one after the other.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world);
        const made = expectStatus(await put(world, files, { path, content: "" }), 201);
        const etags: unknown[] = [textOf(made, "etag")];
        await atOnce(8, async (index) => {
          for (let etag = textOf(made, "etag"), tries = 0; ; tries += 1) {
            const answer = await put(world, files, { path, content: `writer ${index}\n` }, `"${etag}"`);
            if (answer.status === 200) {
              etags.push(member(answer.json, "etag"));
              return answer;
            }
            expectThat(tries < 100, "a write that succeeds", expectStatus(answer, 412));
            etag = textOf(answer, "current_etag");
          }
        });
        const last = await read(world, files, path);
        expectThat(new Set(etags).size === 9, "an ETag of its own for each write", last);
      },
    ],
    [
      "file-and-folder",
      `A file and a folder of one path that are made at once in ${ofCopy[copy]}: one is there, and the other refused.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world);
        const answers = await atOnce(2, (index) =>
          put(world, files, { path: index === 0 ? path : `${path}/below.txt`, content: "x" }),
        );
        expectCounts(answers, { 201: 1, 409: 1 });
      },
    ],
    [
      "restores",
      `Of ${CALLERS} restores at once of one handle in ${ofCopy[copy]} one is 200, and no other.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world);
        expectStatus(await put(world, files, { path, content: "x" }), 201);
        const deleted = expectStatus(await post(world, `${files}/delete`, { path }), 200);
        const handle = textOf(deleted, "trash", 0, "handle");
        const answers = await atOnce(CALLERS, () => post(world, `${files}/restore`, { path: handle }));
        expectCounts(answers, { 200: 1, 404: CALLERS - 1 });
      },
    ],
    [
      "deletions",
      `Of ${CALLERS} deletions at once of one file in ${ofCopy[copy]} one is 200, and each other one 404.`,
      async (world) => {
        const files = await scratchFiles(world, copy);
        const path = freshPath(world);
        expectStatus(await put(world, files, { path, content: "x" }), 201);
        const answers = await atOnce(CALLERS, () => post(world, `${files}/delete`, { path }));
        expectCounts(answers, { 200: 1, 404: CALLERS - 1 });
      },
    ],
  ]),
);

/** Writers at once, all of whom have read the same ETag. */
async function race(world: World, copy: "canonical" | "copy") {
  const files = await scratchFiles(world, copy);
  const path = freshPath(world);
  const etag = textOf(expectStatus(await put(world, files, { path, content: "base\n" }), 201), "etag");
  const answers = await atOnce(WRITERS, (index) =>
    put(world, files, { path, content: `writer ${index}\n` }, `"${etag}"`),
  );
  return { files, path, answers };
}
