// What a scraper reads, as numbers by series.

import { call } from "./service-client.ts";

export type Metrics = {
  readonly text: string;
  /** The value of `name{label="value",…}`; undefined when there is no such series. */
  value(series: string): number | undefined;
};

/** Scrapes a service. */
export async function scrape({ metricsUrl: url }: { readonly metricsUrl: string | null }): Promise<Metrics> {
  const answer = await call(`${url}/metrics`);
  if (answer.status !== 200) throw new Error(`The scrape was answered ${answer.status}: ${answer.text}`);
  const series = new Map(
    answer.text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const end = line.lastIndexOf(" ");
        return [line.slice(0, end), Number(line.slice(end + 1))] as const;
      }),
  );
  return { text: answer.text, value: (name) => series.get(name) };
}
