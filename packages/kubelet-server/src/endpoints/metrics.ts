import type { HandlerRoute } from '../routing/route.ts';
import type { KubeletServerPorts } from '../ports.ts';

/** Prefix of the metrics of probes, which a kubelet has at `/metrics/probes` alone. A scraper of both paths must not get a series twice. */
const PROBES = '# HELP prober_';

/** Returns the route `/metrics`. */
export function metricsRoute({
  metrics,
  startTimeMs,
}: Pick<KubeletServerPorts, 'metrics' | 'startTimeMs'>): HandlerRoute {
  const headers: Readonly<Record<string, string>> =
    startTimeMs === undefined ? {} : { 'process-start-time-unix': String(Math.floor(startTimeMs / 1000)) };
  return {
    pattern: '/metrics',
    isOnReadOnlyPort: true,
    async handle() {
      const { contentType, text } = await metrics();
      return { contentType, headers, body: withoutProbes(text) };
    },
  };
}

function withoutProbes(text: string): string {
  if (!text.includes(PROBES)) return text;
  return text
    .split(/^(?=# HELP )/m)
    .filter((family) => !family.startsWith(PROBES))
    .join('');
}
