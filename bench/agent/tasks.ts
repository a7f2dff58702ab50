// The tasks of the agent's benchmark, by name: failing tests, reports of bugs without a test, reviews of planted defects.

import type { AgentTask } from "./task.ts";
import { cartTotal } from "./tasks/cart-total.ts";
import { csvFields } from "./tasks/csv-fields.ts";
import { dateRange } from "./tasks/date-range.ts";
import { emitterOnce } from "./tasks/emitter-once.ts";
import { lastPage } from "./tasks/last-page.ts";
import { lruCache } from "./tasks/lru-cache.ts";
import { mergeConfig } from "./tasks/merge-config.ts";
import { mergeIntervals } from "./tasks/merge-intervals.ts";
import { queryString } from "./tasks/query-string.ts";
import { retryAttempts } from "./tasks/retry-attempts.ts";
import { reviewReport } from "./tasks/review-report.ts";
import { reviewSession } from "./tasks/review-session.ts";
import { reviewUpload } from "./tasks/review-upload.ts";
import { ringBuffer } from "./tasks/ring-buffer.ts";
import { romanNumerals } from "./tasks/roman-numerals.ts";
import { routeOrder } from "./tasks/route-order.ts";
import { slugify } from "./tasks/slugify.ts";
import { sortVersions } from "./tasks/sort-versions.ts";
import { taskQueue } from "./tasks/task-queue.ts";
import { wordCount } from "./tasks/word-count.ts";

export const tasks: Readonly<Record<string, AgentTask>> = {
  "cart-total": cartTotal,
  "date-range": dateRange,
  slugify: slugify,
  "lru-cache": lruCache,
  "csv-fields": csvFields,
  "task-queue": taskQueue,
  "retry-attempts": retryAttempts,
  "merge-config": mergeConfig,
  "last-page": lastPage,
  "query-string": queryString,
  "emitter-once": emitterOnce,
  "sort-versions": sortVersions,
  "route-order": routeOrder,
  "roman-numerals": romanNumerals,
  "merge-intervals": mergeIntervals,
  "word-count": wordCount,
  "ring-buffer": ringBuffer,
  "review-upload": reviewUpload,
  "review-session": reviewSession,
  "review-report": reviewReport,
};
