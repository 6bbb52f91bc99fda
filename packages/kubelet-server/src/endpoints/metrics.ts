import type { HandlerRoute } from '../routing/route.ts';
import type { KubeletServerPorts } from '../ports.ts';

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
      return { contentType, headers, body: text };
    },
  };
}
