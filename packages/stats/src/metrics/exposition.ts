import type { Labels } from '@rxlet/component-base/metrics';

/** Metrics of one name. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly MetricSample[];
}

/** One value of a metric. */
export interface MetricSample {
  readonly labels?: Labels;
  readonly value: number;
  /** Time of the measurement, in milliseconds since the epoch. Absent: that of the request. */
  readonly timeMs?: number;
}

/** Content type of {@link formatMetrics}, as the kubelet's. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** Formats metrics as Prometheus reads them, ordered by name. Metrics without values are left out. */
export function formatMetrics(families: readonly MetricFamily[]): string {
  const present = families.filter(({ samples }) => samples.length > 0).sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines: string[] = [];
  for (const { name, help, type, samples } of present) {
    lines.push(`# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}`, `# TYPE ${name} ${type}`);
    for (const { labels, value, timeMs } of samples) {
      const time = timeMs === undefined ? '' : ` ${String(Math.round(timeMs))}`;
      lines.push(`${name}${labels === undefined ? '' : formatLabels(labels)} ${formatValue(value)}${time}`);
    }
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\\n"]/g, escaped)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(character: string): string {
  return character === '\n' ? String.raw`\n` : `\\${character}`;
}

function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
