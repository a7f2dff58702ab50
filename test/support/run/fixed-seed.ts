// Property tests try the same inputs in every run, so that a change is judged by what it changed.
// `npm run test:long` tries new ones.

import fc from "fast-check";

const SEED = 20_261_122;

if (process.env.TEST_LONG === undefined) fc.configureGlobal({ seed: SEED });
