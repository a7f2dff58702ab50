// node bench/capacity.ts [--page]: what the costs that were measured last say about loads and deployments, without
// measuring. --page writes the tables of docs/self-hosting/capacity.md too, after a change of the model or a scenario.
// `npm run bench -- capacity --page` measures first.

import { readCosts, recordCosts, reportOf } from "./capacity/record.ts";

const costs = readCosts();
process.stdout.write(reportOf(costs));
if (process.argv.includes("--page")) recordCosts(costs);
