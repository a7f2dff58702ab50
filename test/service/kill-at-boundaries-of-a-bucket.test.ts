// The service is killed at each of its boundaries while the bucket of its blobs fails in turn. A file of its own: it takes as long as
// the one beside it.

import { failingBucket } from "../support/boundaries/blob-places.ts";
import { killAtBoundaries } from "../support/boundaries/declare-rounds.ts";

killAtBoundaries(failingBucket, { tags: ["long"] });
