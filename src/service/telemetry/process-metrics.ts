// The process metrics that Prometheus defines, read at each scrape.

import { performance } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

const MICRO = 1_000_000;

export function registerProcessMetrics(registry: Registry): void {
  const registers = [registry];
  const startedAt = Math.round(performance.timeOrigin / 1000);
  let utilized = performance.eventLoopUtilization();

  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time spent, in seconds.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / MICRO);
    },
  });
  read(
    "process_start_time_seconds",
    "When the process started, in seconds since the epoch.",
    () => startedAt,
  );
  read("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  read("nodejs_heap_size_used_bytes", "JavaScript heap in use.", () => process.memoryUsage().heapUsed);
  read(
    "nodejs_eventloop_utilization",
    "Share of the time since the last scrape that the loop was busy.",
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, utilized);
      utilized = now;
      return utilization;
    },
  );

  function read(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  }
}
