// The service is killed before and after each commit, write to disk, rename and start of a program of one thing that it does, of what
// follows its answer, and of its own upkeep: what was acknowledged is there, byte by byte, what was not is whole or absent, and can be
// done again.

import { folderOfBlobs } from "../support/boundaries/blob-places.ts";
import { killAtBoundaries } from "../support/boundaries/declare-rounds.ts";

killAtBoundaries(folderOfBlobs, { tags: [] });
