import type { HandlerRoute } from '../routing/route.ts';

/** Outcomes of the checks of `/healthz`, as the metrics of `/metrics/slis`. */
export interface SliMetrics {
  record(name: string, passed: boolean): void;
  readonly route: HandlerRoute;
}

/** Creates {@link SliMetrics}. `startTimeMs` is when the process started. */
export function createSliMetrics(startTimeMs: number): SliMetrics {
  const latest = new Map<string, boolean>();
  const totals = new Map<string, number>();
  const text = (): string => {
    const names = [...latest.keys()].sort();
    const current = names.map(
      (name) => `kubernetes_healthcheck{name="${name}",type="healthz"} ${latest.get(name) ? '1' : '0'}`,
    );
    const counted = names.flatMap((name) =>
      ['error', 'success'].flatMap((status) => {
        const total = totals.get(`${name} ${status}`);
        const labels = `name="${name}",status="${status}",type="healthz"`;
        return total === undefined ? [] : [`kubernetes_healthchecks_total{${labels}} ${String(total)}`];
      }),
    );
    const family = (name: string, level: string, help: string, type: string, series: readonly string[]): string[] =>
      series.length === 0 ? [] : [`# HELP ${name} [${level}] ${help}`, `# TYPE ${name} ${type}`, ...series];
    const start = `process_start_time_seconds ${String(startTimeMs / 1000)}`;
    return `${[
      ...family(
        'kubernetes_healthcheck',
        'STABLE',
        'This metric records the result of a single healthcheck.',
        'gauge',
        current,
      ),
      ...family(
        'kubernetes_healthchecks_total',
        'STABLE',
        'This metric records the results of all healthcheck.',
        'counter',
        counted,
      ),
      ...family(
        'process_start_time_seconds',
        'ALPHA',
        'Start time of the process since unix epoch in seconds.',
        'gauge',
        [start],
      ),
    ].join('\n')}\n`;
  };
  return {
    record(name, passed) {
      latest.set(name, passed);
      const key = `${name} ${passed ? 'success' : 'error'}`;
      totals.set(key, (totals.get(key) ?? 0) + 1);
    },
    route: {
      pattern: '/metrics/slis',
      isOnReadOnlyPort: true,
      handle: () => ({
        contentType: 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
        headers: { 'process-start-time-unix': String(Math.floor(startTimeMs / 1000)) },
        body: text(),
      }),
    },
  };
}
